"""Rules of kind ``opportunity`` on wires of a few lines: their signals, their worths, their thresholds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.explain.wire_builder import MS, WireBuilder, recording, run
from warp_nbprobe.explain.diagnose import Finding, diagnose


def findings(wire: WireBuilder, rule: str) -> list[Finding]:
    return [one for one in diagnose(recording(run(wire))).findings if one.rule == rule]


def notebook() -> WireBuilder:
    wire = WireBuilder()
    wire.cell()
    return wire


def adjoint_build(wire: WireBuilder, kernel: int, share: float = 0.5, ms: float = 402.0, **given: Any) -> None:
    sources = [{"kernel": kernel, "bytes": 1000, "adjoint_bytes": int(1000 * share), "shared_bytes": 0}]
    wire.event([kernel], ms=ms, sources=sources, options={"enable_backward": "True"}, **given)


def test_backward_code_that_nothing_used_is_worth_its_share() -> None:
    wire = notebook()
    f = wire.kernel("f")
    adjoint_build(wire, f, share=0.5, ms=402.0)
    wire.launch(f)

    (one,) = findings(wire, "backward_unused")

    assert one.cost_ms == pytest.approx(0.5 * 401.0)
    assert one.certainty == "estimate"
    assert "wp.config.enable_backward = False" in (one.snippet or "")


@pytest.mark.parametrize("how", ["adjoint", "taped"])
def test_backward_code_that_was_used_is_no_opportunity(how: str) -> None:
    wire = notebook()
    f = wire.kernel("f")
    adjoint_build(wire, f)
    wire.launch(f, adjoint=how == "adjoint")
    if how == "taped":
        wire.add("taped", t=wire.tick(), kid=1, kernel="f", key="f", module="__main__")

    assert findings(wire, "backward_unused") == []


def test_with_a_tape_in_the_run_only_the_users_own_modules_are_named_and_not_the_config() -> None:
    wire = notebook()
    f, mine = wire.kernel("f"), wire.kernel("g", module="mine")
    library = wire.place(1, user=False, file="/opt/site-packages/lib/a.py")
    theirs = wire.kernel("h", module="lib", defined=library, pymodule="lib.a")
    adjoint_build(wire, f)
    adjoint_build(wire, mine, module="mine")
    adjoint_build(wire, theirs, module="lib")
    wire.add("taped", t=wire.tick(), kid=1, kernel="f", key="f", module="__main__")

    (one,) = findings(wire, "backward_unused")

    assert one.modules == ("mine",)
    assert one.snippet == 'wp.set_module_options({"enable_backward": False}, module=wp.get_module("mine"))'


@pytest.mark.parametrize(("share", "raised"), [(0.13, True), (0.05, False)])
def test_an_opportunity_below_eight_percent_is_not_raised(share: float, raised: bool) -> None:
    wire = notebook()
    adjoint_build(wire, wire.kernel("f"), share=share, ms=1000.0)

    assert bool(findings(wire, "backward_unused")) is raised


def test_an_opportunity_below_fifty_ms_is_not_raised_and_says_why() -> None:
    wire = notebook()
    adjoint_build(wire, wire.kernel("f"), share=0.5, ms=80.0)

    diagnosis = diagnose(recording(run(wire)))
    (check,) = [check for check in diagnosis.checks if check.rule == "backward_unused"]

    assert check.outcome == "ruled out"
    assert "but below 8 % and 50 ms" in check.signal


def lto(count: int, adjoint: int = 0) -> list[dict[str, Any]]:
    return [{"op": "dot", "ms": 100.0, "made": True, "adjoint": number < adjoint} for number in range(count)]


@pytest.mark.parametrize(("ms", "raised"), [(300.0, True), (100.0, False)])
def test_linking_counts_from_half_of_the_build_time_on(ms: float, raised: bool) -> None:
    wire = notebook()
    wire.event([wire.kernel("f")], ms=500.0, lto_ms=ms, lto=lto(3, adjoint=2), device="sm_90", block_dim=64)

    found = findings(wire, "lto_link")

    assert bool(found) is raised
    if raised:
        assert "3 objects in `__main__`, 2 of them for running backwards" in found[0].what
        assert found[0].cost_ms == ms


@pytest.mark.parametrize(("launched", "raised"), [(1, True), (2, False)])
def test_overbuilt_counts_from_half_of_the_source_on(launched: int, raised: bool) -> None:
    wire = notebook()
    kernels = [wire.kernel(name) for name in "fgh"]
    wire.event(kernels, ms=400.0, sizes=[300, 300, 400])
    for kernel in kernels[:launched]:
        wire.launch(kernel)

    assert bool(findings(wire, "overbuilt")) is raised


def test_a_module_of_which_nothing_was_launched_is_not_overbuilt() -> None:
    wire = notebook()
    wire.event([wire.kernel("f")], ms=400.0)
    wire.launch(wire.kernel("other", module="other"))

    assert findings(wire, "overbuilt") == []


def unique(wire: WireBuilder, name: str, *, times: int = 1, **given: Any) -> None:
    f = wire.kernel(name, module=f"{name}_12345678", **given)
    wire.define(f, unique=True, times=times)
    wire.event([f], module=f"{name}_12345678", ms=200.0)


def test_unique_kernels_that_are_defined_once_are_worth_all_but_one_build() -> None:
    wire = notebook()
    for name in "fgh":
        unique(wire, name)

    (one,) = findings(wire, "unique_modules")

    assert one.cost_ms == 400.0


@pytest.mark.parametrize("given", [{"times": 2}, {"captured": {"n": "1"}}, {"statics": {"n": {"text": "1"}}}])
def test_unique_kernels_that_are_made_again_or_capture_are_right(given: dict[str, Any]) -> None:
    wire = notebook()
    for name in "fg":
        unique(wire, name, **given)

    assert findings(wire, "unique_modules") == []


@pytest.mark.parametrize(("count", "raised"), [(5, True), (4, False)])
def test_small_modules_count_from_five_on(count: int, raised: bool) -> None:
    wire = notebook()
    for number in range(count):
        wire.event([wire.kernel(f"k{number}", module=f"part{number}")], module=f"part{number}", ms=100.0)

    assert bool(findings(wire, "granular_modules")) is raised


def test_small_modules_of_different_cells_do_not_belong_together() -> None:
    wire = WireBuilder()
    for number in range(6):
        wire.cell()
        wire.event([wire.kernel(f"k{number}", module=f"part{number}")], module=f"part{number}", ms=100.0)

    assert findings(wire, "granular_modules") == []


def serial(wire: WireBuilder, count: int = 3, ms: float = 1000.0, **given: Any) -> None:
    for number in range(count):
        wire.event(
            [wire.kernel(f"k{number}", module=f"m{number}")], module=f"m{number}", ms=ms, device="cuda:0",
            block_dim=128, **given,
        )  # fmt: skip


def test_gpu_modules_built_one_after_the_other_get_the_ceiling_of_building_at_once() -> None:
    wire = notebook()
    serial(wire)

    (one,) = findings(wire, "serial_builds")

    assert one.cost_ms == pytest.approx(3000.3 - 1000.1)
    assert one.snippet is not None
    assert 'wp.get_module("m0").options["block_dim"] = 128' in one.snippet
    assert 'modules=[wp.get_module("m0"), wp.get_module("m1"), wp.get_module("m2")], max_workers=3' in one.snippet


def test_code_generation_runs_under_one_lock_and_leaves_nothing_to_gain() -> None:
    wire = notebook()
    serial(wire, codegen_ms=900.0)

    assert findings(wire, "serial_builds") == []


def test_cpu_modules_are_not_built_at_once() -> None:
    wire = notebook()
    for number in range(3):
        wire.event([wire.kernel(f"k{number}", module=f"m{number}")], module=f"m{number}", ms=1000.0)

    assert findings(wire, "serial_builds") == []


def test_headers_of_several_threads_cost_more() -> None:
    wire = notebook()
    first = wire.event([wire.kernel("f", module="a")], module="a", thread=1, ms=1500.0, header_ms=1300.0)
    wire.event(
        [wire.kernel("g", module="b")], module="b", thread=2, ms=1500.0, header_ms=1300.0, t0=first["t0"] + MS,
        t1=first["t1"],
    )  # fmt: skip

    assert len(findings(wire, "parallel_load_costs_more")) == 1


@pytest.mark.parametrize(("builds", "raised"), [(1, True), (2, False)])
def test_a_header_pays_when_it_serves_more_than_one_build(builds: int, raised: bool) -> None:
    wire = notebook()
    for number in range(builds):
        header_ms = 0.0 if number else 1300.0
        wire.event([wire.kernel("f", module=f"m{number}")], module=f"m{number}", ms=1500.0, header_ms=header_ms)

    assert bool(findings(wire, "precompiled_header")) is raised


@pytest.mark.parametrize(("builds", "raised"), [(3, True), (2, False)])
def test_a_header_that_is_off_costs_from_three_builds_on(builds: int, raised: bool) -> None:
    wire = notebook()
    for number in range(builds):
        wire.event(
            [wire.kernel("f", module=f"m{number}")], module=f"m{number}", options={"use_precompiled_headers": "False"}
        )

    assert bool(findings(wire, "precompiled_header")) is raised


def unrolling(wire: WireBuilder, size: int, inner: int) -> None:
    text = "@wp.kernel\ndef f(a):\n    for i in range(16):\n        for j in range(N):\n            a[i] = a[j]"
    f = wire.kernel("f", text)
    for line, iterations in ((3, 16), (4, inner)):
        if iterations:
            wire.add(
                "loop", t=wire.tick(), module="__main__", kernel="f", file=wire.place(1)["file"], line=line,
                place=wire.place(line), iterations=iterations,
            )  # fmt: skip
    wire.event([f], sizes=[size], ms=900.0)


@pytest.mark.parametrize(("size", "inner", "raised"), [(150_000, 16, True), (90_000, 16, False), (150_000, 0, False)])
def test_unrolling_needs_much_source_and_many_iterations(size: int, inner: int, raised: bool) -> None:
    wire = notebook()
    unrolling(wire, size, inner)

    found = findings(wire, "unroll")

    assert bool(found) is raised
    if raised:
        assert "272 iterations written out (the loop at cell 1, line 3 has 16 iterations)" in found[0].what


def test_without_its_hook_unrolling_is_told_by_source_per_line() -> None:
    wire = WireBuilder(hooks={"unroll": "this Warp has none"})
    wire.cell()
    wire.event([wire.kernel("f", "@wp.kernel\ndef f(a):\n    a[0] = 1")], sizes=[31_000])

    assert len(findings(wire, "unroll")) == 1


def test_a_large_module_is_named_with_its_kernels_shares() -> None:
    wire = notebook()
    f, g = wire.kernel("f", module="big"), wire.kernel("g", module="big")
    wire.event([f, g], module="big", ms=900.0, sizes=[750, 250])
    wire.event([wire.kernel("s", module="small")], module="small", ms=100.0)
    for kernel in (f, g):
        wire.launch(kernel)

    (one,) = findings(wire, "large_module")

    assert "`big` took 90 % of the build time" in one.what
    assert "`f` 75 % and `g` 25 %" in one.what
    assert "took 100 ms here" in one.what


def test_another_finding_explains_more_than_a_large_module() -> None:
    wire = notebook()
    f = wire.kernel("f", module="big")
    wire.event([f], module="big", ms=100.0)
    wire.event([f, wire.kernel("g", module="big")], module="big", ms=900.0)
    wire.event([wire.kernel("s", module="small")], module="small", ms=100.0)

    assert findings(wire, "large_module") == []
