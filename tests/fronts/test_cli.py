"""The command: what it prints, where it writes, its exit status."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import warp_nbprobe as nb
from tests.data.wires_by_hand import recording
from tests.fronts.conftest import Measuring, failing, pair
from warp_nbprobe.cli import main
from warp_nbprobe.demo import example_cells
from warp_nbprobe.measurement import Measurement


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "base.json"
    Measurement(recording(*pair(1))).save(path)
    return path


def test_the_demo_prints_its_report_and_writes_it_as_a_page(
    measuring: Measuring, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["demo", "-n", "2"]) == 0

    assert measuring.request.samples == 2
    assert [cell.source for cell in measuring.request.cells] == example_cells()
    out = capsys.readouterr().out
    assert "app [2/2]" in out
    assert out.endswith(f"The report as a page: {tmp_path / 'warp_nbprobe-demo.html'}\n")
    assert "<html" in (tmp_path / "warp_nbprobe-demo.html").read_text(encoding="utf-8")


def test_the_demo_fails_when_its_code_does(measuring: Measuring, tmp_path: Path) -> None:
    measuring.runs = failing()

    assert main(["demo", "--html", str(tmp_path / "page.html")]) == 1
    assert (tmp_path / "page.html").exists()


def test_a_report_is_printed_and_written_as_a_page(
    report: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["show", str(report), "--html", str(tmp_path / "page.html")]) == 0

    assert "app [2/2]" in capsys.readouterr().out
    assert (tmp_path / "page.html").exists()


def test_stopping_is_said_in_one_line(measuring: Measuring, capsys: pytest.CaptureFixture[str]) -> None:
    measuring.error = lambda measurement: KeyboardInterrupt()

    assert main(["demo"]) == 130
    assert capsys.readouterr().err == "warp-nbprobe: stopped; nothing of it is left running.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["shwo"], "There is no command 'shwo'. Did you mean show?"),
        (["demo", "--sample", "3"], "warp-nbprobe demo has no option --sample. Did you mean --samples?"),
        (["demo", "now"], "warp-nbprobe demo: 'now' is not expected"),
        (["demo", "-n", "0"], "samples must be a whole number of at least 1"),
        (["show"], "warp-nbprobe show needs the name of one report file"),
        (["show", "none.json"], "none.json cannot be read as a report"),
    ],
)
def test_a_misuse_is_one_line_and_status_2(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2

    err = capsys.readouterr().err
    assert err.startswith("warp-nbprobe: ")
    assert said in err
    assert err.count("\n") == 1


def test_help_lists_the_commands_and_their_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert main([]) == 2
    assert main(["demo", "--help"]) == 0

    out = capsys.readouterr().out
    for word in ("warp-nbprobe demo", "warp-nbprobe show", "--samples N", "--html FILE"):
        assert word in out


def test_the_example_is_split_into_the_cells_it_shows() -> None:
    cells = example_cells()

    assert len(cells) == 3
    assert cells[0].startswith("import sys")
    assert all("# %%" not in cell for cell in cells)


def test_a_reader_that_leaves_early_gets_no_traceback() -> None:
    ended = subprocess.run(
        f"{sys.executable} -m warp_nbprobe show --help | head -c 1",
        shell=True, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ended.stderr == ""


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.split()[1] == nb.__version__
