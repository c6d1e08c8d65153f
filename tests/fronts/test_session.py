"""Cells by number, setup code by name, variables to send."""

from __future__ import annotations

import pytest

from warp_nbprobe.data.model import Cell
from warp_nbprobe.errors import UsageError
from warp_nbprobe.front.session import Session, are_cell_numbers, cell_numbers, cells_by_number, pushed, setup_for

INPUTS = ["", "import warp as wp", "%%warp_cold\nx = 1", "\ny = 2", ""]


@pytest.mark.parametrize("text", ["3", "3-5 8", " 3-5, 8 "])
def test_numbers_are_told_from_statements(text: str) -> None:
    assert are_cell_numbers(text)


@pytest.mark.parametrize("text", ["x", "3-", "f(3)", "3 + 5", "", "3.5"])
def test_statements_are_told_from_numbers(text: str) -> None:
    assert not are_cell_numbers(text)


def test_ranges_hold_both_ends_and_keep_their_order() -> None:
    assert cell_numbers("8 3-5") == [8, 3, 4, 5]


def test_a_range_written_backwards_is_refused() -> None:
    with pytest.raises(UsageError, match="5-3 names no cells"):
        cell_numbers("5-3")


def test_each_cell_stays_a_cell_of_its_own_with_its_number_and_lines() -> None:
    cells, notes = cells_by_number("1-3", INPUTS)

    assert [(cell.number, cell.first_line, cell.source) for cell in cells] == [
        (1, 1, "import warp as wp"),
        (2, 2, "x = 1"),
        (3, 1, "\ny = 2"),
    ]
    assert notes == ("cell 2: its first line (%%warp_cold) was left out, the rest was run",)


@pytest.mark.parametrize("text", ["4", "9", "0", "1-9"])
def test_a_cell_that_has_not_been_run_is_named(text: str) -> None:
    with pytest.raises(UsageError, match="has not been run in this session"):
        cells_by_number(text, INPUTS)


def test_setup_code_is_found_by_name_or_number_or_left_out() -> None:
    kept = (Cell("a = 1", 7, 2, "setup", "default"),)
    session = Session(setups={"default": kept})

    assert setup_for(session, None, INPUTS) == kept
    assert setup_for(session, "none", INPUTS) == ()
    assert setup_for(Session(), None, INPUTS) == ()
    (cell,) = setup_for(session, "3", INPUTS)
    assert (cell.phase, cell.name, cell.source) == ("setup", "In[3]", "\ny = 2")


def test_a_misspelt_setup_name_gets_the_nearest() -> None:
    session = Session(setups={"particles": ()})

    with pytest.raises(UsageError, match=r"no setup code 'partciles'\. Did you mean particles\?"):
        setup_for(session, "partciles", INPUTS)


def test_a_variable_to_send_must_exist() -> None:
    assert pushed(["dt"], {"dt": 1, "x": 2}) == {"dt": 1}
    with pytest.raises(UsageError, match=r"no variable 'poinst'\. Did you mean points\?"):
        pushed(["poinst"], {"points": 1, "_poinst": 2})
