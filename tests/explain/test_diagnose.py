"""The diagnosis as a whole: order, frames, what was checked, several samples, runs that failed."""

from __future__ import annotations

from tests.explain.wire_builder import WireBuilder, recording, run
from warp_nbprobe.data.columns import CHECKED, FINDINGS
from warp_nbprobe.explain.diagnose import diagnose
from warp_nbprobe.explain.rule import KINDS
from warp_nbprobe.explain.rules import RULES


def notebook() -> WireBuilder:
    wire = WireBuilder()
    wire.cell()
    return wire


def busy() -> WireBuilder:
    """Return a program with findings of every kind."""
    wire = notebook()
    f = wire.kernel("f")
    wire.event([f], ms=300.0, header_ms=100.0, options={"enable_backward": "True"})
    wire.event([f, wire.kernel("g")], ms=400.0, options={"enable_backward": "True"})
    other = wire.kernel("h", module="other")
    wire.event([other], module="other", ms=500.0)
    wire.event([other, wire.kernel("i", module="other")], module="other", ms=500.0)
    wire.assign("kernel_cache_dir", "None", "'/data'")
    wire.add(
        "stale", t=wire.tick(), kid=wire.kid(f), name="f", value="x", old="1", new="2", how="global",
        place=wire.place(1), defined=wire.place(1), launch=0,
    )  # fmt: skip
    bad = wire.kernel("bad", module="bad")
    wire.event([bad], module="bad", status="error", error={"type": "E", "message": "no", "kernel": "bad"})
    return wire


def test_findings_stand_by_kind_then_by_what_is_worst_then_by_cost() -> None:
    diagnosis = diagnose(recording(run(busy())))

    kinds = [KINDS.index(finding.kind) for finding in diagnosis.findings]  # type: ignore[arg-type]
    assert kinds == sorted(kinds)
    assert [one.rule for one in diagnosis.findings][:3] == ["stale_value", "build_failed", "cache_dir_pinned"]
    late = [(one.modules, one.cost_ms) for one in diagnosis.findings if one.rule == "late_kernel"]
    assert late == [(("other",), 500.0), (("__main__",), 200.0)]


def test_the_frames_have_the_columns_of_the_contract() -> None:
    diagnosis = diagnose(recording(run(busy())))

    assert list(diagnosis.table.columns) == list(FINDINGS)
    assert list(diagnosis.checked.columns) == list(CHECKED)
    assert len(diagnosis.table) == len(diagnosis.findings)


def test_the_frames_are_the_same_when_there_is_nothing() -> None:
    diagnosis = diagnose(recording())

    assert diagnosis.table.dtypes.astype(str).to_dict() == dict(FINDINGS)
    assert set(diagnosis.checked["outcome"]) == {"not observable"}
    assert diagnosis.avoidable_ms == {}


def test_every_rule_is_answered_once_and_by_kind() -> None:
    diagnosis = diagnose(recording(run(busy())))

    assert sorted(check.rule for check in diagnosis.checks) == sorted(rule.name for rule in RULES)
    order = [KINDS.index(check.kind) for check in diagnosis.checks]  # type: ignore[arg-type]
    assert order == sorted(order)
    assert all(check.signal for check in diagnosis.checks)


def test_what_the_recording_lacks_cannot_be_ruled_out() -> None:
    wire = WireBuilder(hooks={"ModuleHasher": "this Warp hashes otherwise", "launch": "no such function"})
    wire.cell()
    wire.event(inputs=None, hash="abcdefg", source="log")

    checks = {check.rule: check for check in diagnose(recording(run(wire))).checks}

    for rule in ("stale_value", "late_kernel", "unused_build", "overbuilt", "shadowed_global"):
        assert checks[rule].outcome == "not observable"
    assert "this Warp hashes otherwise" in checks["late_kernel"].signal
    assert checks["build_failed"].outcome == "ruled out"


def test_rules_about_the_second_run_need_one() -> None:
    checks = {check.rule: check for check in diagnose(recording(run(notebook()))).checks}

    for rule in ("cache_not_reused", "ship_the_cache", "not_compilation"):
        assert (checks[rule].outcome, checks[rule].signal) == ("not observable", "There was no warm run.")


def test_findings_come_from_the_first_good_sample() -> None:
    late = notebook()
    f = late.kernel("f")
    late.event([f])
    late.event([f, late.kernel("g")])
    cold, warm = notebook(), notebook()
    cold.event([cold.kernel("f")])
    warm.event([warm.kernel("f")], status="cached")
    runs = [run(late, failed=True), run(cold, sample=2), run(warm, kind="warm", sample=2)]

    diagnosis = diagnose(recording(*runs))

    assert diagnosis.clean
    assert set(diagnosis.avoidable_ms) == {2}


def test_a_run_that_failed_is_diagnosed_when_there_is_no_other() -> None:
    wire = notebook()
    bad = wire.kernel("bad")
    wire.event([bad], status="error", error={"type": "E", "message": "no", "kernel": "bad"})

    diagnosis = diagnose(recording(run(wire, failed=True)))

    assert [finding.rule for finding in diagnosis.findings] == ["build_failed"]


def test_events_are_named_as_every_view_names_them() -> None:
    wire = notebook()
    f = wire.kernel("f")
    wire.event([f])
    wire.event([f, wire.kernel("g")])
    wire.event([wire.kernel("h", module="other")], module="other")

    (late,) = [one for one in diagnose(recording(run(wire))).findings if one.rule == "late_kernel"]

    assert late.events == ("__main__ [2/2]",)


def test_clean_is_a_claim_about_the_first_two_kinds_only() -> None:
    wire = notebook()
    f = wire.kernel("f")
    sources = [{"kernel": f, "bytes": 1000, "adjoint_bytes": 600, "shared_bytes": 0}]
    wire.event([f], ms=800.0, sources=sources, options={"enable_backward": "True"})

    diagnosis = diagnose(recording(run(wire)))

    assert [finding.kind for finding in diagnosis.findings] == ["opportunity"]
    assert diagnosis.clean


def test_no_text_for_a_person_speaks_of_mechanism_numbers_or_hashes_alone() -> None:
    diagnosis = diagnose(recording(run(busy())))

    for finding in diagnosis.findings:
        for text in (finding.what, finding.fix, finding.not_for or ""):
            assert "CS-" not in text
            assert text == text.strip()
            assert "  " not in text
