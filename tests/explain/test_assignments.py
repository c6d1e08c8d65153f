"""Which lines give a name its value, by the text alone."""

from __future__ import annotations

import pytest

from warp_nbprobe.explain.assignments import bindings, outermost_loop


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("dt = 1", [1]),
        ("a = dt = 1", [1]),
        ("a, (b, dt) = 1, (2, 3)", [1]),
        ("first, *dt = [1, 2]", [1]),
        ("dt: float = 1", [1]),
        ("dt: float", []),
        ("dt += 1", [1]),
        ("for dt in (1, 2):\n    pass", [1]),
        ("for i in range(3):\n    if i:\n        dt = i", [3]),
        ("with open('x') as dt:\n    pass", [1]),
        ("try:\n    dt = 1\nexcept OSError:\n    dt = 2\nfinally:\n    pass", [2, 4]),
        ("while True:\n    dt = 1", [2]),
        ("if (dt := 3) > 2:\n    pass", [1]),
        ("import numpy as dt", [1]),
        ("from constants import dt", [1]),
        ("match 3:\n    case 3:\n        dt = 1", [3]),
        ("def f():\n    dt = 1", []),
        ("def f(v):\n    global dt\n    dt = v", [3]),
        ("class A:\n    dt = 1", []),
        ("x.dt = 1", []),
        ("other = 1", []),
        ("await thing()\ndt = 2", [2]),
    ],
)
def test_lines_that_assign(source: str, lines: list[int]) -> None:
    assert [binding.line for binding in bindings(source, "dt")] == lines


def test_a_dotted_name_is_an_attribute() -> None:
    assert [binding.line for binding in bindings("x = 1\nmodule.dt = 2", "module.dt")] == [2]


@pytest.mark.parametrize(
    "source", ["%matplotlib inline\ndt = 1", "!ls\ndt = 1", "%%time\ndt = 1", "files = !ls\ndt = 1", "dt?\ndt = 1"]
)
def test_magics_are_passed_over(source: str) -> None:
    assert [binding.line for binding in bindings(source, "dt")] == [2]


def test_a_text_that_is_no_python_assigns_nothing() -> None:
    assert bindings("dt = = 1", "dt") == ()


def test_literal_values_are_known() -> None:
    (binding,) = bindings("dt = -0.5", "dt")

    assert binding.literal == -0.5


def test_the_loop_around_a_line() -> None:
    source = "x = 1\nfor i in range(3):\n    for j in range(3):\n        x = j\nx = 2"

    assert outermost_loop(source, 4) == (2, 4)
    assert outermost_loop(source, 5) is None
