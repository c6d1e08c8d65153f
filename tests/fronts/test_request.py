"""Arguments of ``measure``: each wrong one is named, with what to do."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from warp_nbprobe.ask.options import defaults_of_measure
from warp_nbprobe.ask.request import Request, main_cells, make_request, setup_cells
from warp_nbprobe.errors import UsageError


def request(**given: Any) -> Request:
    return make_request((), main_cells("x = 1"), {**defaults_of_measure(), **given}, label="cell 1")


def test_a_list_of_cells_keeps_its_positions() -> None:
    cells = main_cells(["a = 1", "  ", "\nb = 2"])

    assert [(cell.number, cell.first_line, cell.source) for cell in cells] == [(1, 1, "a = 1"), (3, 1, "\nb = 2")]


def test_setup_code_has_its_own_phase_and_name() -> None:
    (cell,) = setup_cells("a = 1")

    assert (cell.phase, cell.name, cell.number) == ("setup", "default", 1)
    assert setup_cells(None) == ()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"samples": 0}, "samples must be a whole number of at least 1, not 0"),
        ({"samples": "3"}, "samples must be a whole number of at least 1, not '3'"),
        ({"samples": True}, "samples must be a whole number"),
        ({"timeout": 0}, "timeout must be a number of seconds above 0, not 0"),
        ({"timeout": float("nan")}, "timeout must be"),
        ({"timeout": float("inf")}, "timeout must be"),
        ({"cwd": "no/such/folder"}, "cwd: there is no folder no/such/folder"),
        ({"cwd": 3}, "cwd must be a folder, not int 3"),
        ({"env": {"A": 1}}, r"env\['A'\] must be text, not int 1; write 'A': '1'"),
        ({"env": ["A"]}, "env must be a dict"),
        ({"push": ["x"]}, "push must be a dict"),
        ({"own": "mypackage"}, r"own must be a list of package names"),
        ({"max_builds": -1}, "max_builds must be a whole number of at least 0"),
        ({"kernel": 3}, "kernel must be text"),
        ({"check": "x"}, r"check must be a list of expressions, not str 'x'; write check=\[...\]"),
        ({"check": ["x", 3]}, "check must be a list of expressions as text, not int 3"),
        ({"check": ["x = 1"]}, "check: 'x = 1' is no expression"),
        ({"rehearse": 90}, "rehearse must be an architecture such as 'sm_90', or a list of them, not 90"),
        ({"rehearse_only": True}, "rehearse_only needs an architecture to build for: rehearse='sm_90'"),
        ({"atol": -0.5}, "atol must be a number of at least 0, not -0.5"),
        ({"rtol": float("nan")}, "rtol must be a number of at least 0, not nan"),
    ],
)
def test_an_argument_that_cannot_be_used_is_named(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        request(**given)


@pytest.mark.parametrize("code", ["", "  \n", [], ["", " "]])
def test_there_must_be_something_to_measure(code: Any) -> None:
    with pytest.raises(UsageError, match="code is empty"):
        main_cells(code)


@pytest.mark.parametrize("code", [3, None, ["x", 3], b"x"])
def test_code_must_be_text(code: Any) -> None:
    with pytest.raises(UsageError, match="code must be text or a list of texts"):
        main_cells(code)


def test_a_variable_that_cannot_be_sent_is_named() -> None:
    with pytest.raises(UsageError, match="push: `lock` cannot be sent to another process"):
        request(push={"fine": 1, "lock": threading.Lock()})


def test_the_recorded_options_hold_no_values_that_may_be_secret() -> None:
    recorded = request(env={"TOKEN": "s3cret"}, push={"key": "s3cret"}).recorded()

    assert recorded["env"] == ["TOKEN"]
    assert recorded["push"] == ["key"]
    assert "s3cret" not in repr(recorded)
