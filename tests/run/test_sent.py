"""A cell as sent keeps the editor's line numbers, whatever IPython does to its first lines."""

from __future__ import annotations

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from warp_nbprobe.data.model import Cell
from warp_nbprobe.run.sent import sent_source

_CELLS = [
    ("x = 1\nTARGET = 2\n", 1),
    ("x = 1\nTARGET = 2\n", 2),  # below a magic
    ("\n\nx = 1\nTARGET = 2\n", 1),
    ("\n  \nTARGET = 2\n", 2),
    ("    x = 1\n    TARGET = 2\n", 2),  # IPython takes the first line's indentation from all
    ("\n    x = 1\n    TARGET = 2\n", 1),
    ("%cd .\nTARGET = 2\n", 2),
    ("!ls\n\nTARGET = 2", 3),
    ("# comment\n\nTARGET = 2", 2),
    ("%%time\nTARGET = 2\n", 2),
    ("\n\n%%time\nTARGET = 2\n", 2),
]


@pytest.mark.parametrize(("source", "first_line"), _CELLS)
def test_a_line_has_the_number_that_the_editor_shows(source: str, first_line: int) -> None:
    in_editor = source.split("\n").index(next(line for line in source.split("\n") if "TARGET" in line)) + first_line
    sent, sent_first_line = sent_source(Cell(source, 1, first_line=first_line))
    in_sent = next(at for at, line in enumerate(sent.split("\n"), 1) if "TARGET" in line)
    assert in_sent + sent_first_line - 1 == in_editor


@pytest.mark.parametrize(("source", "first_line"), [case for case in _CELLS if "%%" not in case[0]])
def test_what_ipython_makes_of_it_keeps_the_line_and_compiles(source: str, first_line: int) -> None:
    sent, sent_first_line = sent_source(Cell(source, 1, first_line=first_line))
    made = TransformerManager().transform_cell(sent)
    compile(made, "cell", "exec")
    lines = made.split("\n")
    assert sent_first_line == 1
    assert "TARGET" in lines[source[: source.index("TARGET")].count("\n") + first_line - 1]


def test_a_cell_magic_stays_in_front() -> None:
    assert sent_source(Cell("\n%%time\nx", 1, first_line=2)) == ("%%time\nx", 3)


def test_a_plain_cell_is_sent_as_it_is() -> None:
    assert sent_source(Cell("x = 1", 1)) == ("x = 1", 1)


@pytest.mark.parametrize("source", ["", "\n", "  \n\n"])
def test_an_empty_cell_is_sent_as_it_is(source: str) -> None:
    assert sent_source(Cell(source, 1, first_line=2)) == (source, 2)
