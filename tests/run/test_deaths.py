"""What a run's end means, from the child's last words."""

from __future__ import annotations

import pytest

from warp_nbprobe.data.model import Cell, Failure
from warp_nbprobe.data.records import Wire, parse_wire
from warp_nbprobe.errors import ChildDied, ChildTimedOut, CodeRaised, InputRefused, NoWarp, WarpTooOld, error_of
from warp_nbprobe.run import deaths

CELL = Cell("x", 3)
HEADER = '{"kind": "header", "wire": 1, "pid": 7, "t": 0, "time": 0.0, "executable": "/env/bin/python"}'


def wire(*lines: str) -> Wire:
    return parse_wire([HEADER, *lines])


@pytest.mark.parametrize("evalue", ["", "None", "0", "False"])
def test_leaving_with_status_0_is_no_failure(evalue: str) -> None:
    assert deaths.raised({"ename": "SystemExit", "evalue": evalue}, CELL, 0) is None


@pytest.mark.parametrize(("evalue", "status"), [("3", 3), ("-1", -1), ("sorry", 1), ("True", 1)])
def test_leaving_with_another_status_is_one(evalue: str, status: int) -> None:
    failure = deaths.raised({"ename": "SystemExit", "evalue": evalue}, CELL, 0)
    assert failure is not None
    assert (failure.reason, failure.exit_code) == ("raised", status)


def test_an_exception_is_told_in_one_sentence_with_its_cell() -> None:
    failure = deaths.raised({"ename": "ValueError", "evalue": "no\nlong story", "traceback": ["a", "b"]}, CELL, 4)
    assert failure == Failure(
        "raised", "Cell 3 raised ValueError: no.", "ValueError", "no\nlong story", ("a", "b"), None, 4
    )


def test_setup_code_is_called_by_its_name() -> None:
    cell = Cell("x", 1, phase="setup", name="default")
    failure = deaths.raised({"ename": "KeyError", "evalue": ""}, cell, 0)
    assert failure is not None
    assert failure.message == "The setup code 'default' raised KeyError."


def test_a_kill_from_outside_names_the_likely_reason() -> None:
    failure = deaths.died(-9, None, 0, [CELL], [])
    assert failure.reason == "died"
    assert "memory" in failure.message


def test_a_crash_is_placed_in_the_cell_as_the_editor_numbers_it() -> None:
    begin = (
        '{"kind": "cell_begin", "t": 1, "cell": 0, "number": 3, "phase": "main", "first_line": 2, '
        '"file": "/t/1.py", "source": "", "launches": 0}'
    )
    crash = (
        "Fatal Python error: Segmentation fault\n\nThread 0x1 (most recent call first):\n"
        '  File "/t/1.py", line 99 in other\n\nCurrent thread 0x2 (most recent call first):\n'
        '  File "/lib/ctypes.py", line 5 in string_at\n  File "/t/1.py", line 4 in <module>\n\nExtension modules: x\n'
    )
    failure = deaths.died(-11, crash, 0, [CELL], [wire(begin)])
    assert failure.message == "The child was ended by SIGSEGV in cell 3, line 5."
    assert failure.crash == crash


def test_without_a_place_the_cell_that_ran_is_named() -> None:
    assert deaths.died(-6, None, 0, [CELL], []).message == "The child was ended by SIGABRT while cell 3 ran."
    assert deaths.died(7, None, 0, [CELL], []).message == "The child left with exit code 7 while cell 3 ran."


def test_a_child_that_died_between_cells_or_before_them_is_told_so() -> None:
    after = deaths.died(-11, None, 0, [CELL], [], after=True)
    assert after.message == "The child was ended by SIGSEGV after cell 3 had ended."
    assert deaths.died(None, None, None, [CELL], []).message == "The child vanished before the first cell ran."


@pytest.mark.parametrize(("reason", "kind"), [("timeout", ChildTimedOut), ("died", ChildDied), ("raised", CodeRaised)])
def test_each_failure_has_its_error(reason: str, kind: type) -> None:
    assert type(error_of(Failure(reason, "It failed."))) is kind  # type: ignore[arg-type]


def test_input_has_an_error_of_its_own() -> None:
    failure = deaths.raised({"ename": "StdinNotImplementedError", "evalue": "raw_input was called"}, CELL, 0)
    assert failure is not None
    assert isinstance(error_of(failure), InputRefused)
    assert "setup code" in failure.message


def test_a_missing_warp_is_told_with_the_childs_python() -> None:
    said = wire('{"kind": "no_warp", "t": 1, "error": "No module named \'warp\'", "missing": true, "place": null}')
    failure = Failure("raised", "x", "ModuleNotFoundError", "No module named 'warp'")
    error = deaths.refusal([said], failure, "python")
    assert isinstance(error, NoWarp)
    assert "/env/bin/python -m pip install warp-lang" in str(error)


def test_a_program_that_lives_without_warp_is_measured() -> None:
    said = wire('{"kind": "no_warp", "t": 1, "error": "x", "missing": true, "place": null}')
    assert deaths.refusal([said], None, "python") is None
    assert deaths.refusal([said], Failure("raised", "x", "ValueError", ""), "python") is None


@pytest.mark.parametrize(("version", "refused"), [("1.8.1", True), ("1.9.0", False), ("1.19.0", False), ("dev", False)])
def test_a_warp_that_is_too_old_is_refused(version: str, refused: bool) -> None:
    said = wire(f'{{"kind": "warp", "t": 1, "t0": 0, "version": "{version}", "path": "x", "hooks": {{}}}}')
    assert isinstance(deaths.refusal([said], None, "python"), WarpTooOld) is refused
