"""How a comparison is asked for: from Python, by magic, after a measurement, by command."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from IPython.core.interactiveshell import InteractiveShell

import warp_nbprobe as nb
from tests.compare.pairs import BASE, H1, H2, LESS, MORE, Made
from tests.compare.upstream_files import FIXTURE
from tests.fronts.conftest import Measuring
from warp_nbprobe.cli import main


def saved(made: Made, path: Path) -> str:
    made.measurement().save(path)
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    made = {
        "base": BASE,
        "better": BASE.but(work=LESS, label="better"),
        "worse": BASE.but(work=MORE, hashes=(H1, H2), label="worse"),
        "invalid": BASE.but(launches=(), label="invalid"),
        "few": BASE.but(work=LESS[:1], wait=BASE.wait[:1], label="few"),
        "more": BASE.but(work=LESS, hashes=(H1, H2), label="more"),
    }
    return {name: saved(one, tmp_path / f"{name}.json.gz") for name, one in made.items()}


def test_from_python_measurements_and_files_are_taken(files: dict[str, str]) -> None:
    assert nb.compare(BASE.measurement(), BASE.but(work=LESS).measurement()).verdict == "improved"
    assert nb.compare(files["base"], Path(files["better"])).verdict == "improved"
    assert isinstance(nb.compare(files["base"], BASE.measurement()), nb.Comparison)
    assert repr(nb.compare(files["base"], files["better"])).startswith("better against base: improved. Less work")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((3, "x"), "compare needs two measurements or report files, not int"),
        ((None, None), "not NoneType"),
    ],
)
def test_what_cannot_be_compared_is_named(given: tuple[Any, Any], said: str) -> None:
    with pytest.raises(nb.UsageError, match=said):
        nb.compare(*given)
    with pytest.raises(nb.UsageError, match="rtol must be"):
        nb.compare(BASE.measurement(), BASE.measurement(), rtol=-1)
    with pytest.raises(nb.ReportError):
        nb.compare("no such file.json", "neither.json")


@pytest.mark.parametrize(
    ("candidate", "options", "status"),
    [
        ("better", [], 0),
        ("worse", [], 1),
        ("invalid", [], 1),
        ("few", [], 0),
        ("few", ["--fail-on", "not-enough-evidence"], 1),
        ("worse", ["--fail-on", "invalid"], 0),
        ("more", [], 0),
        ("more", ["--fail-on", "more-built"], 1),
        ("more", ["--fail-on=invalid,regressed,more-built"], 1),
        ("base", ["--fail-on", "inconclusive,more-built"], 1),
        ("base", ["--fail-on", "more-built"], 0),
        ("worse", ["--fail-on", ""], 0),
    ],
)
def test_exit_statuses(files: dict[str, str], candidate: str, options: list[str], status: int,
                       capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    assert main(["compare", files["base"], files[candidate], *options]) == status
    out, err = capsys.readouterr()
    assert out.startswith(f"Warp cold start · {candidate} against base" if candidate != "base" else "Warp cold start")
    assert out.strip().splitlines()[-1].startswith("warp-nbprobe: ")
    assert bool(err) == bool(status)


@pytest.mark.parametrize(
    "words",
    [
        ["compare"], ["compare", "a.json"], ["compare", "a", "b", "c"], ["compare", "no.json", "such.json"],
        ["compare", "a", "b", "--fail-on", "slower"], ["compare", "a", "b", "--rtol", "much"],
    ],
)  # fmt: skip
def test_a_misuse_leaves_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_files_for_ci_and_for_people(files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    junit, page = tmp_path / "out.xml", tmp_path / "out.html"

    assert main(["compare", files["base"], files["worse"], "--junit", str(junit), "--html", str(page), "--md"]) == 1
    assert ElementTree.parse(junit).getroot().find(".//failure") is not None
    assert page.read_text().startswith("<!doctype html>")
    assert capsys.readouterr().out.startswith("### Warp cold start")
    assert main(["compare", files["base"], files["worse"], "--junit", str(tmp_path / "no" / "out.xml")]) == 2


def test_reports_of_nvidias_script_are_compared_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(FIXTURE), str(FIXTURE)]) == 0
    assert "not enough evidence" in capsys.readouterr().out


def test_the_magic_finds_variables_labels_and_files(
    terminal: InteractiveShell, files: dict[str, str], tmp_path: Path
) -> None:
    terminal.push({"base": BASE.measurement(), "better": BASE.but(work=LESS, label="b").measurement()})

    assert terminal.run_line_magic("warp_compare", "base better").verdict == "improved"
    assert terminal.run_line_magic("warp_compare", f"'{files['base']}' better").verdict == "improved"
    assert terminal.run_line_magic("warp_compare", "base better --rtol 0.1").tolerance.rtol == 0.1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("base", "needs two measurements"),
        ("base bettr", "no measurement 'bettr'.*Did you mean better?"),
        ("base number", "`number` is a int, not a measurement"),
        ("base better --wrong", "has no option --wrong"),
    ],
)
def test_the_magic_answers_a_misuse_in_one_line(terminal: InteractiveShell, line: str, said: str) -> None:
    terminal.push({"base": BASE.measurement(), "better": BASE.measurement(), "number": 3})

    with pytest.raises(nb.UsageError, match=said):
        terminal.run_line_magic("warp_compare", line)


def test_a_comparison_shows_itself_as_the_value_of_a_cell(notebook: InteractiveShell) -> None:
    found = nb.compare(BASE.measurement(), BASE.but(work=LESS, label="tuned").measurement())

    data, _ = notebook.display_formatter.format(found)

    assert "improved" in data["text/html"]
    assert data["text/plain"].startswith("Warp cold start · tuned against base")


def test_a_measurement_is_compared_when_it_is_done(notebook: InteractiveShell, measuring: Measuring) -> None:
    notebook.push({"base": BASE.measurement()})
    notebook.run_cell("%%warp_cold -o tuned --vs base\npass")

    assert "against base" in notebook.display_pub.outputs[-1]["data"]["text/plain"]
    assert notebook.user_ns["tuned"].label == "tuned"


def test_in_a_terminal_the_comparison_is_printed_after_the_report(
    terminal: InteractiveShell, measuring: Measuring, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal.run_cell("%%warp_cold -o first\npass")
    terminal.run_cell("%%warp_cold -o second --vs first\npass")
    out = capsys.readouterr().out

    assert out.index("Warp cold start · second · ") < out.index("second against first")


def test_an_unknown_baseline_is_told_before_anything_is_measured(
    terminal: InteractiveShell, measuring: Measuring
) -> None:
    result = terminal.run_cell("%%warp_cold --vs nothing\npass")

    assert isinstance(result.error_in_exec, nb.UsageError)
    assert measuring.requests == []


def test_what_is_to_be_checked_reaches_the_request(terminal: InteractiveShell, measuring: Measuring) -> None:
    terminal.run_cell('%%warp_cold --check x --check "y + 1" --rtol 1e-3 --atol 0.5\npass')

    assert measuring.request.check == ("x", "y + 1")
    assert (measuring.request.rtol, measuring.request.atol) == (1e-3, 0.5)
    assert measuring.request.recorded()["check"] == ["x", "y + 1"]


def test_an_expression_that_is_none_is_told_before_anything_is_measured(
    terminal: InteractiveShell, measuring: Measuring
) -> None:
    result = terminal.run_cell('%%warp_cold --check "x = 1"\npass')

    assert isinstance(result.error_in_exec, nb.UsageError)
    assert measuring.requests == []
