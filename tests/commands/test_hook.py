"""The start-up hook: processes that have nothing to do with Warp do not notice it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.commands import run_once, run_python
from tests.run.children import Seen
from warp_nbprobe.run.hook import lay_hook, leading_assignments, python_path, site_folder, with_hook

SITE = Path("/nbp-12345678/c/site")

_FACTS = """
import json, sys, os
before = sorted(name for name in sys.modules if name != "__main__")
print(json.dumps({
    "path": sys.path, "modules": before, "finders": [type(each).__name__ for each in sys.meta_path],
    "encoding": sys.stdout.encoding,
}))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run's folder with the hook in it, without a run."""
    folder = tmp_path / "c"
    (folder / "wire").mkdir(parents=True)
    lay_hook(folder)
    return folder


def facts(code: str, python_path_value: str | None, *, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
    if python_path_value is not None:
        environment["PYTHONPATH"] = python_path_value
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=home
    )


def test_a_process_has_the_path_and_modules_that_it_has_without_us(folder: Path, tmp_path: Path) -> None:
    plain = json.loads(facts(_FACTS, None, home=tmp_path).stdout)
    hooked = json.loads(facts(_FACTS, str(site_folder(folder)), home=tmp_path).stdout)

    assert hooked["path"] == plain["path"]
    assert set(hooked["modules"]) - set(plain["modules"]) <= {"atexit", "time"}
    assert hooked["finders"] == ["_Waiting", *plain["finders"]]
    assert list((folder / "wire").iterdir()) == []


def test_a_process_that_imports_other_things_loads_no_probe(folder: Path, tmp_path: Path) -> None:
    code = "import json, email, xml.dom, asyncio, sys; print(type(sys.meta_path[0]).__name__)"

    assert facts(code, str(site_folder(folder)), home=tmp_path).stdout == "_Waiting\n"
    assert list((folder / "wire").iterdir()) == []


def test_a_name_that_begins_with_warp_is_not_warp(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "warped.py").write_text("inside = 1")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "__init__.py").write_text("")
    (tmp_path / "lib" / "warp.py").write_text("inside = 2")
    code = "import warped, lib.warp; print(warped.inside, lib.warp.inside)"

    assert facts(code, f"{site_folder(folder)}:{tmp_path}", home=tmp_path).stdout == "1 2\n"
    assert list((folder / "wire").iterdir()) == []


def test_an_existing_sitecustomize_still_runs_and_is_the_one_that_is_imported(folder: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "sitecustomize.py").write_text("import sys; sys.theirs = __file__")
    code = "import sys, sitecustomize; print(sys.theirs, sitecustomize.__file__)"
    expected = str(theirs / "sitecustomize.py")

    assert facts(code, f"{site_folder(folder)}:{theirs}", home=tmp_path).stdout.split() == [expected, expected]


def test_an_existing_sitecustomize_that_fails_is_told_of_as_without_us(folder: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "sitecustomize.py").write_text("raise RuntimeError('theirs')")
    alone = facts("print(1)", str(theirs), home=tmp_path)
    both = facts("print(1)", f"{site_folder(folder)}:{theirs}", home=tmp_path)

    assert (both.stdout, both.stderr) == (alone.stdout, alone.stderr)
    assert "theirs" in both.stderr


def test_without_its_folder_the_hook_does_nothing(folder: Path, tmp_path: Path) -> None:
    (folder / "wire").rmdir()
    code = "import sys; print(type(sys.meta_path[0]).__name__)"

    assert "_Waiting" not in facts(code, str(site_folder(folder)), home=tmp_path).stdout


def test_a_warp_that_is_not_there_is_missed_as_without_us(folder: Path, tmp_path: Path) -> None:
    code = "import sys\nsys.path[:] = []\ntry: import warp\nexcept ModuleNotFoundError as e: print(repr(e), e.name)"

    assert facts(code, str(site_folder(folder)), home=tmp_path).stdout == (
        "ModuleNotFoundError(\"No module named 'warp'\") warp\n"
    )


def test_a_process_whose_record_cannot_be_written_runs_as_without_us(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "warp.py").write_text("launch = 'mine'")
    (folder / "probe.py").unlink()
    code = "import warp; print(warp.launch)"

    assert facts(code, f"{site_folder(folder)}:{tmp_path}", home=tmp_path).stdout == "mine\n"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("env PYTHONPATH=x python a.py", "env PYTHONPATH=@:x python a.py"),
        ("/usr/bin/env A=1 PYTHONPATH=x:y python", "/usr/bin/env A=1 PYTHONPATH=@:x:y python"),
        ("env -u HOME PYTHONPATH= python", "env -u HOME PYTHONPATH=@ python"),
        ("timeout 9 env PYTHONPATH=x python", "timeout 9 env PYTHONPATH=@:x python"),
        ("sh -c 'PYTHONPATH=x python a.py'", "sh -c 'PYTHONPATH=@:x python a.py'"),
        ("bash -lc 'cd a && A=1 PYTHONPATH=$X python'", "bash -lc 'cd a && A=1 PYTHONPATH=@:$X python'"),
        ("sh -c 'export PYTHONPATH=x; python'", "sh -c 'export PYTHONPATH=@:x; python'"),
        ("sh -c 'PYTHONPATH= python'", "sh -c 'PYTHONPATH=@ python'"),
        ("env -S 'PYTHONPATH=x python'", "env -S 'PYTHONPATH=@:x python'"),
        ("sh -c 'echo PYTHONPATH=x'", "sh -c 'echo PYTHONPATH=x'"),
        ("python a.py PYTHONPATH=x", "python a.py PYTHONPATH=x"),
        ("python -c PYTHONPATH=1", "python -c PYTHONPATH=1"),
    ],
)
def test_a_path_that_the_command_sets_stays_behind_the_hook(command: str, expected: str) -> None:
    assert with_hook(shlex.split(command), SITE) == shlex.split(expected.replace("@", str(SITE)))


def test_assignments_in_front_of_a_command_are_read_as_a_shell_reads_them() -> None:
    assert leading_assignments(["A=1", "PYTHONPATH=x", "python", "B=2"]) == (
        {"A": "1", "PYTHONPATH": "x"},
        ["python", "B=2"],
    )
    assert leading_assignments(["./A=1"]) == ({}, ["./A=1"])


def test_the_hook_of_another_measurement_is_left_out(folder: Path) -> None:
    assert python_path(SITE, f"{site_folder(folder)}:/x:") == f"{SITE}:/x"
    assert python_path(SITE, None) == str(SITE)


@pytest.mark.parametrize("form", [["PYTHONPATH={}"], ["env", "PYTHONPATH={}"], ["sh", "-c"]])
def test_a_command_finds_its_modules_and_is_recorded(form: list[str], tmp_path: Path, seen: Seen) -> None:
    (tmp_path / "mine.py").write_text("inside = 'found'")
    code = "import mine, sys; print(mine.inside, type(sys.meta_path[0]).__name__)"
    if form[0] == "sh":
        run = run_once("sh", "-c", f"PYTHONPATH={tmp_path} {sys.executable} -c '{code}'", relay=seen)
    else:
        run = run_once(*(word.format(tmp_path) for word in form), sys.executable, "-c", code, relay=seen)

    assert seen.text() == "found _Waiting\n"
    assert run.failure is None


def test_lines_come_at_once_though_the_output_is_no_terminal(seen: Seen) -> None:
    run = run_python("import sys; print(sys.stdout.isatty(), sys.stdout.line_buffering)", relay=seen)

    assert seen.text() == "False True\n"
    assert run.failure is None


def test_output_that_goes_elsewhere_is_buffered_as_without_us(seen: Seen) -> None:
    inner = "import sys; print(sys.stdout.line_buffering)"
    run_python(f"import subprocess, sys; print(subprocess.check_output([sys.executable, '-c', {inner!r}]))", relay=seen)

    assert seen.text() == "b'False\\n'\n"
