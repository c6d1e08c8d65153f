"""Whole programs, recorded: every build has the causes, and the run the findings, that the program's header says."""

from __future__ import annotations

from fnmatch import fnmatch

import pytest

from tests.explain.program_wires import NAMES, Expected, expected, recorded
from warp_nbprobe.data.events import ordered_events
from warp_nbprobe.data.model import Recording
from warp_nbprobe.explain.diagnose import Diagnosis, diagnose, explain_events


def check_events(recording: Recording, wanted: Expected) -> None:
    """Compare the events that are no plain first load from the cache with what the header lists."""
    causes = explain_events(recording)
    for run in recording.runs:
        seen = []
        for seq, (_, event) in enumerate(ordered_events(run)):
            cause = causes[1, run.run, seq]
            assert cause.cause != "unknown", cause.detail
            if event.status != "cached" or cause.cause != "first":
                seen.append((event.module, cause))
        listed = wanted.events if run.run == "cold" else wanted.warm
        if run.run == "warm" and not listed:
            continue
        told = [(module, cause.causes, cause.detail) for module, cause in seen]
        assert len(seen) == len(listed), told
        for (module, cause), (pattern, causes_wanted, words) in zip(seen, listed, strict=True):
            assert fnmatch(module, pattern), told
            assert cause.causes == causes_wanted, told
            assert words in (cause.detail or ""), told


def check_findings(diagnosis: Diagnosis, wanted: Expected) -> None:
    """Compare the findings with what the header lists."""
    found = {(finding.rule, finding.kind) for finding in diagnosis.findings}
    serious = {rule for rule, kind in found if kind in ("wrong", "redundant")}
    others = {rule for rule, kind in found if kind not in ("wrong", "redundant")}
    assert serious == wanted.rules, [finding.what for finding in diagnosis.findings]
    assert wanted.also <= others
    assert not wanted.absent & others
    assert diagnosis.clean == (not wanted.rules)


@pytest.mark.parametrize("name", NAMES)
def test_builds_have_the_causes_that_the_header_lists(name: str) -> None:
    check_events(recorded(name), expected(name))


@pytest.mark.parametrize("name", NAMES)
def test_findings_are_those_that_the_header_lists(name: str) -> None:
    check_findings(diagnose(recorded(name)), expected(name))


@pytest.mark.parametrize("name", NAMES)
def test_no_more_is_called_avoidable_than_was_built(name: str) -> None:
    recording = recorded(name)
    diagnosis = diagnose(recording)

    built = sum(
        (event.ms or 0.0) - (event.header_ms or 0.0)
        for run in recording.runs
        if run.run == "cold"
        for _, event in ordered_events(run)
        if event.status == "compiled"
    )

    assert 0.0 <= diagnosis.avoidable_ms[1] <= built + 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_is_answered(name: str) -> None:
    diagnosis = diagnose(recorded(name))

    outcomes = {check.rule: check.outcome for check in diagnosis.checks}

    assert set(outcomes.values()) <= {"found", "ruled out", "not observable"}
    assert {rule for rule, outcome in outcomes.items() if outcome == "found"} == {f.rule for f in diagnosis.findings}
