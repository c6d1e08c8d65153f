"""What could have been spared: the builds that were thrown away, each charged once."""

from __future__ import annotations

import pytest

from tests.explain.wire_builder import WireBuilder, recording, run
from warp_nbprobe.explain.diagnose import Diagnosis, Finding, diagnose


def found(wire: WireBuilder, *more: WireBuilder) -> Diagnosis:
    return diagnose(recording(run(wire, *more)))


def finding(diagnosis: Diagnosis, rule: str) -> Finding:
    return next(one for one in diagnosis.findings if one.rule == rule)


def notebook() -> WireBuilder:
    wire = WireBuilder()
    wire.cell()
    return wire


def test_the_build_that_was_thrown_away_is_charged_and_not_the_last_one() -> None:
    wire = notebook()
    f = wire.kernel("f")
    wire.event([f], ms=150.0)
    wire.event([f, wire.kernel("g")], ms=5000.0)

    diagnosis = found(wire)

    assert diagnosis.avoidable_ms == {1: 150.0}
    assert finding(diagnosis, "late_kernel").cost_ms == 150.0
    assert finding(diagnosis, "late_kernel").share == pytest.approx(150.0 / 5150.0)


def test_the_header_is_in_no_cost() -> None:
    wire = notebook()
    f = wire.kernel("f")
    wire.event([f], ms=1500.0, header_ms=1300.0)
    wire.event([f, wire.kernel("g")], ms=300.0)

    assert found(wire).avoidable_ms == {1: 200.0}


def test_a_header_that_could_not_be_told_stays_in_every_time() -> None:
    wire = notebook()
    f = wire.kernel("f")
    wire.event([f], ms=1500.0, header_ms=None)
    wire.event([f, wire.kernel("g")], ms=300.0)

    assert found(wire).avoidable_ms == {1: 1500.0}


def test_a_kernel_that_is_gone_was_needed_once() -> None:
    wire = notebook()
    f, once = wire.kernel("f"), wire.kernel("once")
    wire.event([f, once], ms=400.0, sizes=[1000, 3000])
    wire.event([f, wire.kernel("g")], ms=300.0)

    assert found(wire).avoidable_ms == {1: 100.0}


def test_a_kernel_with_other_content_makes_the_next_build_needed() -> None:
    wire = notebook()
    f = wire.kernel("f")
    wire.event([f, wire.kernel("g", "def g(a): a[0] = 1")])
    wire.event([f, wire.kernel("g", "def g(a): a[0] = 2"), wire.kernel("h")])

    diagnosis = found(wire)

    assert diagnosis.avoidable_ms == {1: 0.0}
    assert finding(diagnosis, "late_kernel").cost_ms == 0.0


def test_a_build_of_the_setup_is_named_and_costs_nothing() -> None:
    wire = WireBuilder()
    wire.cell(phase="setup")
    f = wire.kernel("f")
    wire.event([f], ms=500.0)
    wire.cell()
    wire.event([f, wire.kernel("g")], ms=300.0)

    diagnosis = found(wire)

    assert diagnosis.avoidable_ms == {1: 0.0}
    assert "belongs to the setup code" in finding(diagnosis, "late_kernel").what


def test_each_device_and_block_dimension_has_builds_of_its_own() -> None:
    wire = notebook()
    f = wire.kernel("f")
    wire.event([f], ms=100.0, block_dim=64)
    wire.event([f], ms=200.0, block_dim=128)
    wire.launch(f, block_dim=64)
    wire.launch(f, block_dim=128)

    assert found(wire).avoidable_ms == {1: 0.0}


def test_a_cost_goes_to_the_rule_of_the_next_builds_first_cause() -> None:
    wire = notebook()
    f = wire.kernel("f")
    wire.event([f], ms=100.0)
    wire.event([f, wire.kernel("g")], ms=200.0, options={"fast_math": "True"})

    diagnosis = found(wire)

    assert finding(diagnosis, "late_kernel").cost_ms == 100.0
    assert finding(diagnosis, "late_option").cost_ms == 0.0


def test_what_a_library_brings_about_is_not_called_avoidable() -> None:
    wire = notebook()
    theirs = wire.place(1, user=False, file="/opt/site-packages/lib/a.py")
    f, g = (wire.kernel(name, defined=theirs, module="lib", pymodule="lib.a") for name in "fg")
    wire.event([f], module="lib")
    wire.event([f, g], module="lib")

    diagnosis = found(wire)

    assert diagnosis.avoidable_ms == {1: 0.0}
    assert diagnosis.clean
    assert "would be called late" in finding(diagnosis, "hidden_modules").what


def test_all_but_the_first_to_finish_are_duplicates_and_charged_whole() -> None:
    wire = notebook()
    f = wire.kernel("f")
    wire.event([f], ms=100.0, line=1)
    wire.event([f], ms=300.0, line=2, thread=1)

    diagnosis = found(wire)

    assert diagnosis.avoidable_ms == {1: 300.0}
    assert finding(diagnosis, "duplicate_builds").events == ("__main__ [1/2]", "__main__ [2/2]")


def test_a_duplicate_is_not_charged_again_as_a_superseded_build() -> None:
    wire = notebook()
    f = wire.kernel("f")
    wire.event([f], ms=100.0)
    wire.event([f], ms=300.0)
    wire.event([f, wire.kernel("g")], ms=50.0)

    diagnosis = found(wire)

    assert diagnosis.avoidable_ms == {1: 300.0}
    assert finding(diagnosis, "late_kernel").cost_ms == 0.0


def test_builds_without_kernels_are_no_duplicates() -> None:
    wire = notebook()
    for module in ("one", "two"):
        wire.event([], module=module)

    assert diagnose(recording(run(wire))).clean


def test_the_part_of_an_old_version_is_charged_and_not_the_edit() -> None:
    wire = notebook()
    old = wire.kernel("f", "def f(a): a[0] = 1")
    wire.event([old], ms=200.0)
    new = wire.kernel("f", "def f(a): a[0] = 2")
    wire.event([old, new], ms=400.0, sizes=[500, 1500], source_bytes=2000, holders={str(old): ["Out[1]"]})

    diagnosis = found(wire)

    assert diagnosis.avoidable_ms == {1: 100.0}
    assert finding(diagnosis, "old_versions_kept").cost_ms == 100.0
    assert (finding(diagnosis, "old_versions_kept").snippet or "").startswith("%xdel f")


def test_kernels_never_launched_at_a_block_dimension_are_charged_for_it() -> None:
    wire = notebook()
    f, g = wire.kernel("f"), wire.kernel("g")
    wire.event([f, g], ms=100.0, block_dim=64, sizes=[500, 500], source_bytes=1000)
    wire.event([f, g], ms=200.0, block_dim=128, sizes=[250, 750], source_bytes=1000)
    wire.launch(f, block_dim=64)
    wire.launch(g, block_dim=128)

    diagnosis = found(wire)

    assert diagnosis.avoidable_ms == {1: 100.0}
    spread = finding(diagnosis, "block_dim_spread")
    assert spread.certainty == "estimate"
    assert spread.what.count("At most") == 1
    assert spread.snippet == (
        '@wp.kernel(module="kernels_block64")\ndef f(a: wp.array(dtype=wp.float32)):\n    ...\n\n'
        '@wp.kernel(module="kernels_block128")\ndef g(a: wp.array(dtype=wp.float32)):\n    ...'
    )


def test_a_build_that_nothing_launched_is_charged_whole() -> None:
    wire = notebook()
    f = wire.kernel("f")
    wire.event([f], ms=250.0, block_dim=256, call="force_load")
    wire.event([f], ms=100.0, block_dim=1)
    wire.launch(f, block_dim=1)

    diagnosis = found(wire)

    assert diagnosis.avoidable_ms == {1: 250.0}
    assert "block_dim=1" in finding(diagnosis, "unused_build").fix


def test_avoidable_is_given_for_each_sample_and_a_cost_is_their_median() -> None:
    def sample(ms: float) -> WireBuilder:
        wire = notebook()
        f = wire.kernel("f")
        wire.event([f], ms=ms)
        wire.event([f, wire.kernel("g")], ms=500.0)
        return wire

    runs = [
        run(sample(ms), kind=kind, sample=number)
        for number, ms in ((1, 100.0), (2, 400.0), (3, 130.0))
        for kind in ("cold", "warm")
    ]
    diagnosis = diagnose(recording(*runs))

    assert diagnosis.avoidable_ms == {1: 100.0, 2: 400.0, 3: 130.0}
    assert finding(diagnosis, "late_kernel").cost_ms == 130.0


def test_worths_of_opportunities_leave_out_what_is_charged_already() -> None:
    def wire_with(late: bool) -> WireBuilder:
        wire = notebook()
        given = {"options": {"enable_backward": "True"}}
        f = wire.kernel("f")
        sources = [{"kernel": f, "bytes": 1000, "adjoint_bytes": 500, "shared_bytes": 0}]
        wire.event([f], ms=1002.0, sources=sources, **given)
        if late:
            wire.event([f, wire.kernel("g")], ms=1002.0, **given)
        return wire

    alone, late = found(wire_with(late=False)), found(wire_with(late=True))

    assert finding(alone, "backward_unused").cost_ms == pytest.approx(500.5)
    assert "backward_unused" not in {one.rule for one in late.findings}
