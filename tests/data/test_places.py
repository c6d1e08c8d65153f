"""Where code stands, as the user's own editor shows it."""

from __future__ import annotations

import pytest

from tests.data.wires_by_hand import cell, run, wire
from warp_nbprobe.data.events import place_text, short_path
from warp_nbprobe.data.records import Place


def test_a_cell_has_its_notebook_number_and_the_editors_line() -> None:
    measured = run("cold", [cell(3, 1, 2, ordinal=0, first_line=2)])

    assert place_text(measured, Place("x.py", 4, 0)) == (3, 5, "cell 3, line 5")


def test_a_place_names_the_cell_in_which_the_code_stands() -> None:
    measured = run("cold", [cell(1, 1, 2), cell(3, 3, 4, ordinal=1)])

    assert place_text(measured, Place("x.py", 1, 0)) == (1, 1, "cell 1, line 1")


def test_setup_code_has_a_name_and_no_cell_number() -> None:
    setup = cell(1, 1, 2, phase="setup", name="imports", first_line=2)

    assert place_text(run("cold", [setup]), Place("x.py", 3, 0)) == (None, 4, "setup imports, line 4")


def test_a_file_has_neither_cell_nor_line_but_a_location() -> None:
    measured = run("cold", [cell(1, 1, 2)])

    assert place_text(measured, Place("/home/ann/work/sim/path.py", 12)) == (None, None, "sim/path.py:12")


def test_no_place_is_missing_throughout() -> None:
    assert place_text(run(), None) == (None, None, None)


def test_a_forked_process_stands_in_the_cells_of_its_parent() -> None:
    worker = wire([], pid=101)
    measured = run("cold", [cell(1, 1, 2)], others=(worker,))

    assert place_text(measured, Place("x.py", 2, 0), worker)[2] == "cell 1, line 2"


@pytest.mark.parametrize(
    ("path", "cwd", "short"),
    [
        ("/w/a.py", "/w", "a.py"),
        ("/w/a.py", "/", "/w/a.py"),
        ("/wide/a.py", "/w", "/wide/a.py"),
        ("/usr/lib/python3/site-packages/warp/fem/field.py", "/w", "warp/fem/field.py"),
        ("C:\\w\\sim\\a.py", "C:\\w", "sim/a.py"),
        ("<string>", None, "<string>"),
    ],
)
def test_a_path_is_as_short_as_it_stays_clear(path: str, cwd: str | None, short: str) -> None:
    assert short_path(path, cwd) == short
