"""A launch that still uses an old value is said once per kernel, name and line; what is no such launch is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.child.running import line_of, run
from warp_nbprobe.data.records import Stale, Wire

pytestmark = pytest.mark.warp

OLD = """
    import importlib, sys, types
    import warp as wp

    wp.config.use_precompiled_headers = False
    x = wp.zeros(4, dtype=float, device="cpu")
    other = types.ModuleType("other")
    other.SCALE = 1.0

    class Config:
        rate = 1.0

    RATE, WHOLE, VECTOR, SAME = 1.0, 2, wp.vec3(1.0, 2.0, 3.0), 5.0

    @wp.struct
    class Pair:
        first: float

    KIND = wp.float32

    @wp.func
    def inner(v: float):
        return v * RATE

    @wp.func
    def outer(v: float):
        return inner(v) + 1.0

    @wp.kernel
    def reads(a: wp.array(dtype=float)):
        pair = Pair()
        a[wp.tid()] = outer(other.SCALE) + float(WHOLE) + VECTOR[0] + float(KIND(1)) + Config.rate + SAME + pair.first

    @wp.kernel(module="unique")
    def alone(a: wp.array(dtype=float)):
        a[wp.tid()] = inner(1.0)

    @wp.kernel(module="again")
    def edited(a: wp.array(dtype=float)):
        a[wp.tid()] = 1.0

    before = edited
    wp.set_module_options({"strip_hash": True}, module=wp.get_module("stripped"))

    @wp.kernel(module="stripped")
    def stripped(a: wp.array(dtype=float)):
        a[wp.tid()] = 1.0

    for kernel in (reads, alone, edited, stripped):
        wp.launch(kernel, dim=4, inputs=[x])  # built
    RATE = 2.0
    wp.launch(reads, dim=4, inputs=[x])  # through a function
    wp.launch(reads, dim=4, inputs=[x])  # from another line
    wp.launch(alone, dim=4, inputs=[x])  # unique
    RATE = 1.0
    wp.launch(reads, dim=4, inputs=[x])  # put back
    WHOLE = 3
    wp.launch(reads, dim=4, inputs=[x])  # a whole number
    WHOLE = 2
    other.SCALE = 7.0
    wp.launch(reads, dim=4, inputs=[x])  # of a module
    other.SCALE = 1.0
    KIND = wp.float64
    wp.launch(reads, dim=4, inputs=[x])  # a type
    KIND = wp.float32
    Config.rate = 2.0
    wp.launch(reads, dim=4, inputs=[x])  # of a class
    Config.rate = 1.0
    VECTOR = wp.vec3(9.0, 2.0, 3.0)
    wp.launch(reads, dim=4, inputs=[x])  # a vector
    VECTOR = wp.vec3(1.0, 2.0, 3.0)
    SAME = float("5.0")
    wp.launch(reads, dim=4, inputs=[x])  # an equal value

    @wp.kernel(module="again")
    def edited(a: wp.array(dtype=float)):
        a[wp.tid()] = 2.0

    wp.launch(edited, dim=4, inputs=[x])  # the newest
    wp.launch(before, dim=4, inputs=[x])  # an older definition

    @wp.kernel(module="stripped")
    def stripped(a: wp.array(dtype=float)):
        a[wp.tid()] = 2.0

    wp.launch(stripped, dim=4, inputs=[x])  # edited under strip_hash
    RATE = 4.0
"""

IMPORTED = """
    import importlib
    import warp as wp

    wp.config.use_precompiled_headers = False

    def write(factor):
        with open("of_mine.py", "w") as file:
            file.write("import warp as wp" + chr(10) + "LIMIT = " + factor + chr(10) + "@wp.func" + chr(10)
                       + "def scaled(v: float):" + chr(10) + "    return v * " + factor + chr(10))

    write("1.0")
    import of_mine
    from of_mine import LIMIT, scaled

    @wp.kernel(module="unique")
    def uses(a: wp.array(dtype=float)):
        a[wp.tid()] = scaled(LIMIT)

    x = wp.zeros(4, dtype=float, device="cpu")
    wp.launch(uses, dim=4, inputs=[x])
    write("22.0")
    importlib.reload(of_mine)
    wp.launch(uses, dim=4, inputs=[x])  # the old names
    from of_mine import LIMIT, scaled
    wp.launch(uses, dim=4, inputs=[x])  # the new names
"""

NOT_OLD = """
    import warp as wp

    wp.config.use_precompiled_headers = False
    x = wp.zeros(4, dtype=float, device="cpu")
    dt, i, n, unused, FIXED, LATER, gone = 0.1, 1, 2.0, 1.0, 3.0, 1.0, 1.0

    def make(scale):
        @wp.kernel
        def captured(a: wp.array(dtype=float)):
            a[wp.tid()] = scale
        return captured

    @wp.kernel
    def step(a: wp.array(dtype=float), dt: float):
        n = 2.0
        for i in range(2):
            a[wp.tid()] = a[wp.tid()] + dt * n + wp.static(FIXED) + LATER + gone

    captured = make(1.0)
    wp.launch(step, dim=4, inputs=[x, dt])
    wp.launch(captured, dim=4, inputs=[x])
    for dt in (0.1, 0.2, 0.3):  # an argument's name
        i, n, unused, FIXED = dt, dt, dt, dt
        wp.launch(step, dim=4, inputs=[x, dt])
    captured.func.__closure__[0].cell_contents = 2.0
    wp.launch(captured, dim=4, inputs=[x])

    LATER = 5.0

    @wp.kernel
    def more(a: wp.array(dtype=float)):
        a[wp.tid()] = LATER

    wp.launch(step, dim=4, inputs=[x, dt])  # builds anew with the new value
    del gone
    wp.launch(step, dim=4, inputs=[x, dt])
    LATER = 6.0  # after the last launch
"""


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Wire:
    ran = run(tmp_path_factory.mktemp("old"), OLD)
    assert ran.code == 0, ran.error
    assert ran.wire.troubles == ()
    return ran.wire


def at(wire: Wire, program: str, comment: str) -> list[Stale]:
    line = line_of(program, f"  # {comment}")
    return [stale for stale in wire.stales if stale.place is not None and stale.place.line == line]


@pytest.mark.parametrize(
    ("comment", "name", "value", "before", "after"),
    [
        ("through a function", "reads", "RATE", "1.0", "2.0"),
        ("from another line", "reads", "RATE", "1.0", "2.0"),
        ("unique", "alone", "RATE", "1.0", "2.0"),
        ("a whole number", "reads", "WHOLE", "2", "3"),
        ("of a module", "reads", "other.SCALE", "1.0", "7.0"),
        ("a type", "reads", "KIND", "float32", "float64"),
        ("of a class", "reads", "Config.rate", "1.0", "2.0"),
        ("a vector", "reads", "VECTOR", "vec3f([1.0, 2.0, 3.0])", "vec3f([9.0, 2.0, 3.0])"),
    ],
)
def test_a_rebound_value_is_old_at_the_next_launch(
    old: Wire, comment: str, name: str, value: str, before: str, after: str
) -> None:
    (stale,) = at(old, OLD, comment)

    assert (stale.name, stale.value, stale.old, stale.new, stale.how) == (name, value, before, after, "global")
    assert stale.launch is not None
    assert old.signatures[int(old.order[stale.launch])].place == stale.place


@pytest.mark.parametrize("comment", ["built", "put back", "an equal value", "the newest"])
def test_a_value_that_the_code_has_is_not_old(old: Wire, comment: str) -> None:
    assert at(old, OLD, comment) == []


def test_an_older_definition_is_old(old: Wire) -> None:
    (stale,) = at(old, OLD, "an older definition")

    assert (stale.name, stale.value, stale.how) == ("edited", "kernel", "redefined")


def test_an_edited_kernel_is_never_built_under_strip_hash(old: Wire) -> None:
    (stale,) = at(old, OLD, "edited under strip_hash")

    assert (stale.name, stale.value, stale.how) == ("stripped", "kernel", "strip_hash")


def test_imported_names_are_followed(tmp_path: Path) -> None:
    ran = run(tmp_path, IMPORTED)

    assert ran.code == 0, ran.error
    assert ran.wire.troubles == ()
    assert at(ran.wire, IMPORTED, "the old names") == []
    found = {(stale.value, stale.old, stale.new) for stale in at(ran.wire, IMPORTED, "the new names")}
    assert found == {
        ("LIMIT", "1.0", "22.0"),
        ("scaled", "scaled (of_mine.py:3)", "scaled (of_mine.py:3)"),
    }


def test_what_code_does_not_read_from_outside_is_never_old(tmp_path: Path) -> None:
    ran = run(tmp_path, NOT_OLD)

    assert ran.code == 0, ran.error
    assert ran.wire.troubles == ()
    assert ran.wire.stales == ()
