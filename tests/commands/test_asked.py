"""What is asked for: words become a command, and every complaint is one line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import warp_nbprobe as nb
from warp_nbprobe.ask.commands import command_label, command_request, module_command, script_command


@pytest.mark.parametrize(
    ("command", "label"),
    [
        (["python", "sim.py", "--steps", "10"], "python sim.py --steps 10"),
        (["/opt/venv/bin/python", "sim.py"], "python sim.py"),
        (["PYTHONPATH=/opt/x", "/usr/bin/python", "/a/sim.py"], "PYTHONPATH=/opt/x python /a/sim.py"),
        (["sh", "-c", "a && b"], "sh -c 'a && b'"),
        (["python", "-c", "x\ny"], "python -c 'x y'"),
    ],
)
def test_a_command_is_called_what_a_person_types(command: list[str], label: str) -> None:
    assert command_label(command) == label


def test_a_long_command_is_cut() -> None:
    assert len(command_label(["python", "x" * 200])) == 60


def test_a_module_and_a_script_run_with_this_python(tmp_path: Path) -> None:
    (tmp_path / "sim.py").touch()

    assert module_command("a.b", ["1"]) == [sys.executable, "-m", "a.b", "1"]
    assert script_command("sim.py", ["1"], tmp_path) == [sys.executable, "sim.py", "1"]
    with pytest.raises(nb.UsageError, match=r"There is no file none\.py"):
        script_command("none.py", [], None)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("python sim.py", r"A command is a list of words: \['python', 'sim.py'\]"),
        ([], "There is no command"),
        ([1], "a list of texts and paths"),
        (None, "a list of texts and paths"),
        (["a\0b"], "a list of texts and paths"),
    ],
)
def test_what_is_no_command_is_said(args: Any, said: str) -> None:
    with pytest.raises(nb.UsageError, match=said):
        nb.measure_command(args)


def test_paths_are_words() -> None:
    assert command_request([Path("/bin/true"), "x"], {}).command == ("/bin/true", "x")


def test_the_report_keeps_the_command_and_names_of_variables_without_their_values() -> None:
    recorded = command_request(["A=1", "true"], {"env": {"TOKEN": "secret"}}).recorded()

    assert recorded["command"] == ["A=1", "true"]
    assert recorded["env"] == ["TOKEN"]
