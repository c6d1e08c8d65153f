"""``warp-nbprobe measure``: exit status, files, and what is printed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.commands.commands import PROGRAMS
from warp_nbprobe.cli import main

PYTHON = sys.executable


def measure(*words: str) -> int:
    return main(["measure", "-n", "1", *words])


def test_a_command_that_ends_well_gives_status_0_and_a_last_line_that_says_it(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert measure("--", PYTHON, "-c", "print('its own')") == 0

    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "its own"
    assert lines[-1].startswith("warp-nbprobe: ")
    assert "Nothing was compiled" in lines[-1]


def test_quiet_leaves_that_line_alone(capfd: pytest.CaptureFixture[str]) -> None:
    assert measure("-q", "--label", "base", "--", PYTHON, "-c", "print('its own')") == 0

    (line,) = capfd.readouterr().out.splitlines()
    assert line.startswith("warp-nbprobe: base: ")


def test_a_command_that_fails_gives_status_1_and_a_report(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "report.json"

    assert measure("--save", str(saved), "--", PYTHON, "-c", "raise SystemExit(7)") == 1
    assert "exit status 7" in capfd.readouterr().out
    assert json.loads(saved.read_text())["runs"][0]["exit_code"] == 7


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "needs a command after its options"),
        (["--"], "needs a command after its options"),
        (["--", "no-such-command"], "'no-such-command' was not found on PATH"),
        (["--kernel", "x", "--", "true"], "has no option --kernel"),
        (["--max-build", "3", "--", "true"], "Did you mean --max-builds?"),
        (["--timeout", "0", "--", "true"], "timeout must be a number of seconds above 0"),
        (["--cwd", "/none", "--", "true"], "there is no folder /none"),
        (["--save", "/none/x.json", "-q", "--", "true"], "/none/x.json cannot be written"),
    ],
)
def test_a_misuse_gives_status_2_and_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert measure(*words) == 2

    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_options_of_the_command_are_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    assert (
        measure(
            "-q", "--", PYTHON, "-c", "import sys; assert sys.argv[1:] == ['--help', '-n', '5']", "--help", "-n", "5"
        )
        == 0
    )
    assert measure("-q", PYTHON, "-c", "import sys; assert sys.argv[1:] == ['-h']", "-h") == 0


def test_junit_tells_of_each_sample(tmp_path: Path) -> None:
    path = tmp_path / "junit.xml"

    assert measure("-q", "--junit", str(path), "--", PYTHON, "-c", "raise ValueError('<no>')") == 1
    (case,) = ElementTree.parse(path).getroot().iter("testcase")
    assert case.get("name") == "sample 1 runs to its end"
    (failure,) = case.iter("failure")
    assert failure.get("type") == "CodeRaised"
    assert "ValueError: <no>" in (failure.text or "")


def test_ctrl_c_ends_everything_and_gives_status_130(tmp_path: Path) -> None:
    code = "from warp_nbprobe.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    script = f"import time; open({str(tmp_path / 'ready')!r}, 'w').close(); time.sleep(1000)"
    saved = tmp_path / "report.json"
    command = [PYTHON, "-c", code, "measure", "--save", str(saved), "--", PYTHON, "-c", script]
    host = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "ready").exists():
        assert host.poll() is None
    host.send_signal(signal.SIGINT)
    out, err = host.communicate(timeout=60)

    assert host.returncode == 130, err
    assert "stopped; nothing of it is left running" in err
    assert json.loads(saved.read_text())["interrupted"] is True
    assert "Stopped before a sample was finished" in out


@pytest.mark.warp
@pytest.mark.parametrize(
    ("limit", "status", "said"),
    [
        (["--max-builds", "1"], 0, ""),
        (["--max-builds", "0"], 1, "max_builds allows 0: kernels [1/1]"),
        (["--fail-on-rebuild"], 0, ""),
    ],
)
def test_a_limit_decides_the_status(
    limit: list[str], status: int, said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    junit = tmp_path / "junit.xml"

    assert measure("-q", *limit, "--junit", str(junit), "--cwd", str(PROGRAMS), "--", PYTHON, "one.py") == status
    assert said in capfd.readouterr().err
    cases = list(ElementTree.parse(junit).getroot().iter("testcase"))
    assert len(cases) == 2
    assert [len(list(case.iter("failure"))) for case in cases] == [0, status]


@pytest.mark.warp
def test_a_measured_command_can_be_shown_in_every_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved, page, trace = (str(tmp_path / name) for name in ("r.json", "r.html", "t.json"))
    assert measure("-q", "--save", saved, "--cwd", str(PROGRAMS), "--", PYTHON, "workers.py", "fork") == 0
    capsys.readouterr()

    assert main(["show", saved, "--md", "--html", page, "--trace", trace]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("### Warp cold start: python workers.py fork\n")
    assert page in err
    assert "kernels.py" in Path(page).read_text()
    names = {event["name"] for event in json.loads(Path(trace).read_text())["traceEvents"]}
    assert {"kernels [1/2]", "process_name", "launches"} <= names or "kernels [1/1]" in names
