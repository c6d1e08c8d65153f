"""The launcher: no frame of ours in what is shown, no trace of ours where programs look."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import CodeType

import pytest

from warp_nbprobe.child.launcher import load_probe, strip_frames

_OURS = "<ours>"


def is_own_code(code: CodeType) -> bool:
    return code.co_filename == _OURS


def through_us(function):  # type: ignore[no-untyped-def]
    """Return a function that calls another from a frame of ours."""
    space: dict[str, object] = {"function": function}
    exec(compile("def call():\n    return function()", _OURS, "exec"), space)
    return space["call"]


def shown(error: BaseException) -> list[str]:
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def caught(function) -> BaseException:  # type: ignore[no-untyped-def]
    try:
        function()
    except (ValueError, KeyError) as error:
        return error
    raise AssertionError("it did not raise")


def fails() -> None:
    raise ValueError("no")


def test_frames_of_ours_are_taken_out_wherever_they_are() -> None:
    def user() -> None:
        through_us(through_us(fails))()

    error = caught(user)
    assert shown(error).count("call") == 2
    strip_frames(error, is_own_code, set())
    assert shown(error) == ["caught", "user", "fails"]


def test_the_exceptions_it_came_from_lose_them_too() -> None:
    def user() -> None:
        try:
            through_us(fails)()
        except ValueError as error:
            raise KeyError("k") from error

    error = caught(user)
    strip_frames(error, is_own_code, set())
    assert error.__cause__ is not None
    assert shown(error.__cause__) == ["user", "fails"]


def test_exceptions_that_name_each_other_end() -> None:
    first, second = caught(through_us(fails)), caught(through_us(fails))
    first.__cause__, second.__context__ = second, first
    strip_frames(first, is_own_code, set())
    assert shown(second) == ["caught", "fails"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="groups came with Python 3.11")
def test_the_exceptions_of_a_group_lose_them_too() -> None:
    inner = caught(through_us(fails))
    strip_frames(ExceptionGroup("several", [inner]), is_own_code, set())  # type: ignore[name-defined]  # noqa: F821
    assert shown(inner) == ["caught", "fails"]


def test_a_traceback_of_ours_alone_is_left_as_it_is() -> None:
    space: dict[str, object] = {}
    exec(compile("def fail():\n    raise ValueError", _OURS, "exec"), space)
    error = caught(space["fail"])
    assert error.__traceback__ is not None
    only = error.with_traceback(error.__traceback__.tb_next)
    strip_frames(only, is_own_code, set())
    assert shown(only) == ["fail"]


def test_the_probe_is_loaded_out_of_sight(tmp_path: Path) -> None:
    path = tmp_path / "probe.py"
    path.write_text("def start(folder): return folder, __name__\n")
    before = set(sys.modules)
    probe = load_probe(str(path))
    assert probe.start("x") == ("x", "_warp_nbprobe_probe")
    assert {name for name in set(sys.modules) - before if "nbprobe" in name} == set()
    assert probe.start.__code__.co_filename == str(path)
