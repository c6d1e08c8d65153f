"""Kernels, structs, instances and hashing are recorded as often as they matter; old versions with their holders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.child.running import Ran, line_of, run
from warp_nbprobe.data.records import Wire

pytestmark = pytest.mark.warp

REGISTERED = """
    import warp as wp
    from typing import Any

    wp.config.use_precompiled_headers = False
    x = wp.zeros(4, dtype=float, device="cpu")
    SCALE = wp.constant(2.0)

    @wp.struct
    class Inner:
        weight: float

    @wp.struct
    class Outer:
        inner: Inner
        count: int

    @wp.func
    def weigh(outer: Outer):
        return outer.inner.weight * SCALE

    @wp.func_native("return value * 2.0f;")
    def twice(value: float) -> float: ...

    @wp.kernel
    def uses(a: wp.array(dtype=float), outer: Outer):
        a[wp.tid()] = weigh(outer) + twice(1.0) + wp.static(SCALE * 2.0)

    def factory(power):
        @wp.kernel
        def made(a: wp.array(dtype=float)):
            a[wp.tid()] = wp.static(power)
        return made

    for _ in range(5):
        @wp.kernel
        def looped(a: wp.array(dtype=float)):
            a[wp.tid()] = 1.0

        @wp.kernel(module="unique")
        def unique(a: wp.array(dtype=float)):
            a[wp.tid()] = 1.0

    made = [factory(1.0), factory(2.0)]
    outer = Outer()
    wp.launch(uses, dim=4, inputs=[x, outer])
    for _ in range(5):
        @wp.kernel
        def looped(a: wp.array(dtype=float)):
            a[wp.tid()] = 1.0
        wp.launch(looped, dim=4, inputs=[x])

    exec_error = None
    try:
        exec(compile("@wp.func\\ndef refused(v: float):\\n    return v", "<nowhere>", "exec"))  # refused
    except RuntimeError as error:
        exec_error = error
"""

KEPT = """
    import warp as wp
    from typing import Any

    wp.config.use_precompiled_headers = False
    x = wp.zeros(4, dtype=float, device="cpu")

    @wp.kernel
    def f(a: wp.array(dtype=float)):
        a[wp.tid()] = 1.0

    @wp.kernel
    def g(a: wp.array(dtype=float)):
        a[wp.tid()] = 1.0

    @wp.kernel
    def h(a: wp.array(dtype=float)):
        a[wp.tid()] = 1.0

    class Solver:
        def __init__(self, kernel):
            self.kernel = kernel

    mine, many, solver = f, {"step": g, 1: 2}, Solver(h)
    wp.launch(f, dim=4, inputs=[x])

    @wp.kernel
    def f(a: wp.array(dtype=float)):
        a[wp.tid()] = 2.0

    @wp.kernel
    def g(a: wp.array(dtype=float)):
        a[wp.tid()] = 2.0

    @wp.kernel
    def h(a: wp.array(dtype=float)):
        a[wp.tid()] = 2.0

    wp.launch(f, dim=4, inputs=[x])
"""


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Wire:
    ran = run(tmp_path_factory.mktemp("registered"), REGISTERED)
    assert ran.code == 0, ran.error
    assert ran.wire.troubles == ()
    return ran.wire


def test_a_kernel_is_recorded_once_and_counted(wire: Wire) -> None:
    counts = {define.name: wire.define_counts[define.id] for define in wire.defines}

    looped = [wire.define_counts[define.id] for define in wire.defines if define.name == "looped"]
    assert sorted(looped) == [5, 5]  # from two lines
    assert (counts["uses"], counts["factory.<locals>.made"], counts["unique"]) == (1, 2, 5)
    (unique,) = [define for define in wire.defines if define.name == "unique"]
    assert (unique.unique, unique.module) == (True, None)
    (uses,) = [define for define in wire.defines if define.name == "uses"]
    assert uses.defined is not None
    assert uses.defined.line == line_of(REGISTERED, "def uses") - 1


def test_a_kernel_state_has_all_that_was_hashed(wire: Wire) -> None:
    (state,) = [state for state in wire.kernels.values() if state.name == "uses"]
    functions = {wire.functions[known].name: wire.functions[known].overloads[0] for known in state.functions}

    assert set(functions) == {"weigh", "twice"}
    assert functions["weigh"]["constants"]["SCALE"]["text"] == "2.0"
    assert functions["twice"]["native"] is not None
    assert [table["text"] for table in state.statics.values()] == ["4.0"]
    structs = {wire.structs[known].name: wire.structs[known] for known in state.structs}
    assert set(structs) == {"Inner", "Outer"}
    assert structs["Inner"].fields == (("weight", "float32"),)
    assert structs["Inner"].defined is not None
    assert structs["Inner"].defined.line - line_of(REGISTERED, "@wp.struct") in (0, 1)  # Python 3.10: of the class


def test_specialisations_are_told_apart_by_what_they_captured(wire: Wire) -> None:
    made = [state for state in wire.kernels.values() if state.name == "factory.<locals>.made"]

    assert sorted(state.captured["power"] for state in made) == ["1.0", "2.0"]
    assert all(state.in_function for state in made)


def test_a_loop_that_makes_equal_kernels_adds_nothing_but_counts(wire: Wire) -> None:
    assert len([state for state in wire.kernels.values() if state.name == "looped"]) == 1
    assert len(wire.events) == 1
    assert wire.rehashes["__main__"].count == 5
    assert wire.rehashes["__main__"].ms > 0
    (unique,) = [rehash for name, rehash in wire.rehashes.items() if name.startswith("unique")]
    assert unique.count == 4
    assert len([module for module in wire.modules if module.module.startswith("unique")]) == 1


def test_a_function_that_warp_refuses_is_named(wire: Wire) -> None:
    (refused,) = wire.refused

    assert refused.name == "refused"
    assert refused.place is not None
    assert refused.place.line == line_of(REGISTERED, "  # refused")


def test_who_holds_an_old_version_is_said(tmp_path: Path) -> None:
    ran: Ran = run(tmp_path, KEPT)

    assert ran.code == 0, ran.error
    event = ran.wire.events[-1]
    holders = {ran.wire.kernels[int(state)].name: texts for state, texts in event.holders.items()}
    assert {name: list(texts) for name, texts in holders.items()} == {
        "f": ["variable `mine`"],
        "g": ["dict `many`"],
        "h": ["an object of type Solver"],
    }
    assert len(event.kernels) == 6
