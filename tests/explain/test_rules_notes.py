"""Notes on wires of a few lines."""

from __future__ import annotations

import pytest

from tests.explain.wire_builder import WireBuilder, recording, run
from warp_nbprobe.explain.diagnose import Diagnosis, diagnose


def notebook() -> WireBuilder:
    wire = WireBuilder()
    wire.cell()
    return wire


def pair(cold_ms: float, rest_ms: float) -> Diagnosis:
    """Return a program that builds for ``cold_ms`` in its cold run and does something else for ``rest_ms``."""
    runs = []
    for kind in ("cold", "warm"):
        wire = notebook()
        f = wire.kernel("f")
        sources = [{"kernel": f, "bytes": 1000, "adjoint_bytes": 600, "shared_bytes": 0}]
        if kind == "cold":
            wire.event([f], ms=cold_ms, sources=sources, options={"enable_backward": "True"})
        else:
            wire.event([f], ms=1.0, status="cached", options={"enable_backward": "True"})
        wire.tick(rest_ms)
        runs.append(run(wire, kind="cold" if kind == "cold" else "warm"))
    return diagnose(recording(*runs))


def rules(diagnosis: Diagnosis) -> set[str]:
    return {finding.rule for finding in diagnosis.findings}


def test_building_that_is_a_small_part_of_the_wait_is_said_and_opportunities_are_left_out() -> None:
    diagnosis = pair(cold_ms=600.0, rest_ms=20_000.0)

    assert "not_compilation" in rules(diagnosis)
    assert "backward_unused" not in rules(diagnosis)
    (check,) = [check for check in diagnosis.checks if check.rule == "backward_unused"]
    assert check.outcome == "ruled out"


def test_building_that_is_most_of_the_wait_is_not_called_small() -> None:
    diagnosis = pair(cold_ms=600.0, rest_ms=10.0)

    assert "not_compilation" not in rules(diagnosis)
    assert "backward_unused" in rules(diagnosis)


@pytest.mark.parametrize(("cold_ms", "shown"), [(6000.0, True), (4000.0, False)])
def test_shipping_the_cache_is_shown_from_five_seconds_on(cold_ms: float, shown: bool) -> None:
    assert ("ship_the_cache" in rules(pair(cold_ms, 10.0))) is shown


def test_notes_cost_nothing_and_spoil_nothing() -> None:
    diagnosis = pair(cold_ms=6000.0, rest_ms=10.0)

    (note,) = [finding for finding in diagnosis.findings if finding.rule == "ship_the_cache"]
    assert (note.kind, note.cost_ms, note.share) == ("note", None, None)
    assert diagnosis.clean


def test_the_header_is_noted_with_the_build_that_paid_it() -> None:
    wire = notebook()
    wire.event([wire.kernel("f")], ms=1500.0, header_ms=1300.0)

    (note,) = [one for one in diagnose(recording(run(wire))).findings if one.rule == "header_in_first_build"]

    assert note.what.startswith("1.3 s went into the compiler's precompiled header, within the build of `__main__`.")


def test_everything_from_a_foreign_cache_is_no_cold_start() -> None:
    wire = notebook()
    wire.event([wire.kernel("f")], status="cached")

    (note,) = [one for one in diagnose(recording(run(wire))).findings if one.rule == "nothing_compiled"]

    assert "came from a cache that an earlier run had filled" in note.what


def test_a_failed_build_is_not_nothing() -> None:
    wire = notebook()
    wire.event([wire.kernel("f")], status="error", error={"type": "E", "message": "no"})

    assert "nothing_compiled" not in rules(diagnose(recording(run(wire))))


def test_modules_of_libraries_are_grouped_by_package_and_line() -> None:
    wire = notebook()
    generated = {"file": "<string>", "line": 1, "cell": None, "user": False}
    for line in (3, 3, 7):
        name = f"map_func_{wire.number():016x}"
        wire.event([wire.kernel("map_kernel", module=name, defined=generated, pymodule=None)], module=name, line=line)

    (note,) = [one for one in diagnose(recording(run(wire))).findings if one.rule == "hidden_modules"]

    assert "warp.map: 2 builds because of cell 1, line 3" in note.what
    assert "warp.map: 1 build because of cell 1, line 7" in note.what
