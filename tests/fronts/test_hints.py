"""A NameError for a name that the notebook has is answered with where it was defined."""

from __future__ import annotations

import pytest

from warp_nbprobe.data.model import Failure
from warp_nbprobe.front.hints import binds, name_hint


def name_error(name: str) -> Failure:
    return Failure("raised", "The code raised.", "NameError", f"name '{name}' is not defined")


@pytest.mark.parametrize(
    "source",
    [
        "n = 1",
        "import n",
        "import numpy as n",
        "from a import n",
        "def n(): ...",
        "class n: ...",
        "for n in x: ...",
        "with x as n: ...",
        "(n := 2)",
        "a, (b, *n) = x",
        "if x:\n    n = 2",
        "n += 1",
    ],
)
def test_every_way_to_bind_a_name_counts(source: str) -> None:
    assert binds(source, "n")


@pytest.mark.parametrize("source", ["print(n)", "def f():\n    n = 1", "x.n = 1", "not python at all", ""])
def test_using_a_name_does_not_bind_it(source: str) -> None:
    assert not binds(source, "n")


def test_the_latest_defining_cell_is_named_with_the_option_that_sends_it() -> None:
    history = ["", "points = 1", "points = 2", "print(points)"]

    assert name_hint(name_error("points"), {"points": 2}, history) == (
        "`points` was defined by cell 2 of this notebook, and the cell is measured in a fresh kernel. "
        "`--setup 2` runs that cell first; `--push points` sends the value."
    )


def test_a_name_bound_by_no_cell_can_still_be_pushed() -> None:
    hint = name_hint(name_error("points"), {"points": 2}, ["", "%run points.py"])

    assert hint is not None
    assert "`--push points` sends it" in hint


def test_a_name_that_the_notebook_lacks_too_needs_no_answer() -> None:
    assert name_hint(name_error("points"), {}, [""]) is None


def test_other_errors_need_no_answer() -> None:
    assert name_hint(Failure("raised", "m", "ValueError", "'points'"), {"points": 1}, [""]) is None
    assert name_hint(Failure("timeout", "m"), {"points": 1}, [""]) is None
