"""From a recording to its findings: why each event came about, what that cost, what was checked and ruled out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from statistics import median
from typing import Any, Final

import pandas as pd

from warp_nbprobe.data.columns import CHECKED, FINDINGS, frame_of
from warp_nbprobe.data.events import place_text
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import Place
from warp_nbprobe.explain.causes import Explained, explain
from warp_nbprobe.explain.contents import Catalog
from warp_nbprobe.explain.costs import avoidable_ms, charges
from warp_nbprobe.explain.details import told
from warp_nbprobe.explain.rule import KINDS, Evidence, Rule
from warp_nbprobe.explain.rules import LAST, RULES
from warp_nbprobe.explain.rules_again import CACHE_NOT_REUSED
from warp_nbprobe.explain.rules_notes import is_not_compilation
from warp_nbprobe.explain.scene import Scene
from warp_nbprobe.explain.whose import Ownership
from warp_nbprobe.explain.words import ms_text, percent

EventKey = tuple[int, str, int]
"""``sample``, ``run``, ``seq`` of an event."""

LEAST_SHARE: Final = 0.08
LEAST_MS: Final = 50.0
"""An opportunity below either is not raised: smaller ones come and go between runs."""

_FIRST_WRONG: Final = ("stale_value", "build_failed", "cache_dir_pinned")


@dataclass(frozen=True, slots=True)
class EventCause:
    """Why one event came about. ``detail`` and ``place`` are missing for a first build."""

    cause: str
    causes: tuple[str, ...]
    detail: str | None
    place: Place | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One row of ``findings``: what happened, at which line, what it cost, and what to do."""

    rule: str
    kind: str
    cost_ms: float | None
    share: float | None
    modules: tuple[str, ...]
    what: str
    fix: str
    snippet: str | None
    not_for: str | None
    certainty: str
    cell: int | None
    cell_line: int | None
    location: str | None
    cause_cell: int | None
    cause_line: int | None
    cause_location: str | None
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """One row of ``checked``: what became of one rule, and by which signal."""

    rule: str
    kind: str
    outcome: str
    signal: str


@dataclass(frozen=True)
class Diagnosis:
    """What was found in a recording. ``avoidable_ms`` is by sample."""

    findings: tuple[Finding, ...]
    checks: tuple[Checked, ...]
    avoidable_ms: Mapping[int, float]

    @cached_property
    def table(self) -> pd.DataFrame:
        """The findings as a frame, in their order."""
        names = [field.name for field in fields(Finding)]
        return frame_of(({name: getattr(one, name) for name in names} for one in self.findings), FINDINGS)

    @cached_property
    def checked(self) -> pd.DataFrame:
        """One row per rule, by kind."""
        names = [field.name for field in fields(Checked)]
        return frame_of(({name: getattr(one, name) for name in names} for one in self.checks), CHECKED)

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong and no build was redundant. Never a claim that nothing could be faster."""
        return not any(finding.kind in ("wrong", "redundant") for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explained events of every run by (sample, run), with the catalog of what their builds are made of."""

    events: Mapping[tuple[int, str], tuple[Explained, ...]]
    catalog: Catalog


def explanation_of(recording: Recording) -> Explanation:
    """Return what causes and findings are both made from, so that who wants both explains once."""
    catalog = Catalog()
    return Explanation(explain(recording, catalog), catalog)


def explain_events(recording: Recording, explanation: Explanation | None = None) -> dict[EventKey, EventCause]:
    """Return the causes of every event of a recording, with a sentence and the line that caused it."""
    explanation = explanation or explanation_of(recording)
    found: dict[EventKey, EventCause] = {}
    for (sample, run), events in explanation.events.items():
        for item in events:
            detail, place = told(item)
            found[sample, run, item.build.seq] = EventCause(item.cause, item.causes, detail, place)
    return found


def diagnose(recording: Recording, *, own: Sequence[str] = (), explanation: Explanation | None = None) -> Diagnosis:
    """Return what a recording shows to be wrong, redundant, or cheaper to have.

    ``own`` are installed packages that count as the user's own code. Findings come from the first good sample
    (else the first there is); of several samples a cost is the median.
    """
    scenes = _scenes(recording, Ownership(tuple(own)), explanation or explanation_of(recording))
    if not scenes:
        return Diagnosis((), tuple(_unseen(rule) for rule in RULES), {})
    first = scenes[0]
    names = _build_names(first.cold, first.all_cold)
    if first.warm is not None:
        names |= _build_names(first.warm, first.all_warm)
    found: list[tuple[Rule, Evidence]] = []
    checks: list[Checked] = []
    for rule in (*(rule for rule in RULES if rule not in LAST), *LAST):
        reason = rule.cannot_tell(first)
        if reason is not None:
            checks.append(Checked(rule.name, rule.kind, "not observable", reason))
            continue
        evidence, held_back = _look(rule, scenes)
        found += [(rule, one) for one in evidence]
        checks.append(_checked(rule, first, evidence, held_back))
        if evidence:
            for scene in scenes:
                scene.earlier |= {rule.name}
    build_ms = median(scene.build_ms for scene in scenes)
    findings = [(_finding(rule, one, first, build_ms, names), _order(rule, one)) for rule, one in found]
    findings.sort(key=lambda pair: pair[1])
    order = [rule.name for rule in RULES]
    checks.sort(key=lambda check: order.index(check.rule))
    spared = {scene.cold.sample: avoidable_ms(scene.charges) for scene in scenes}
    return Diagnosis(tuple(finding for finding, _ in findings), tuple(checks), spared)


def _scenes(recording: Recording, ownership: Ownership, explanation: Explanation) -> list[Scene]:
    """Return the good samples, the first of which gives the findings; without one, the first cold run."""
    catalog, explained = explanation.catalog, explanation.events
    good = list(recording.good_samples())
    first = recording.first_cold_run()
    samples = good or ([first.sample] if first is not None else [])
    scenes: list[Scene] = []
    for sample in samples:
        cold, warm = recording.pair(sample)
        if cold is None:
            continue
        warm_events = explained.get((sample, "warm"), ())
        scene = Scene(recording, cold, warm, explained[sample, "cold"], warm_events, catalog, ownership)
        scene.charges = charges(scene)
        scenes.append(scene)
    return scenes


def _unseen(rule: Rule) -> Checked:
    return Checked(rule.name, rule.kind, "not observable", "Nothing was recorded.")


def _look(rule: Rule, scenes: Sequence[Scene]) -> tuple[list[Evidence], str | None]:
    """Return the rule's evidence with costs over all samples, and why some was held back."""
    first = scenes[0]
    evidence = list(rule.find(first))
    if not evidence:
        return [], None
    if rule.kind == "opportunity" and is_not_compilation(first):
        return [], "Building takes so little of the time that nothing is worth changing for it."
    others = [{one.key: one.cost_ms for one in rule.find(scene)} for scene in scenes[1:]]
    evidence = [_over_samples(one, others) for one in evidence]
    if not rule.gated:
        return evidence, None
    build_ms = median(scene.build_ms for scene in scenes)
    worth = sum(one.cost_ms or 0.0 for one in evidence)
    if worth >= LEAST_MS and build_ms and worth >= LEAST_SHARE * build_ms:
        return evidence, None
    share = percent(worth / build_ms) if build_ms else "nothing"
    limits = f"{percent(LEAST_SHARE)} and {ms_text(LEAST_MS)}"
    return [], f"There is some ({ms_text(worth)}, {share} of the build time), but below {limits}."


def _over_samples(one: Evidence, others: Iterable[Mapping[tuple[object, ...], float | None]]) -> Evidence:
    if one.cost_ms is None:
        return one
    known = [cost for cost in (other.get(one.key) for other in others) if cost is not None]
    values = {field.name: getattr(one, field.name) for field in fields(Evidence)}
    cost = values["cost_ms"] = median([one.cost_ms, *known])
    said, meant = ms_text(one.cost_ms), ms_text(cost)
    if one.what.count(said) == 1:  # the sentence was written with the first sample's cost
        values["what"] = one.what.replace(said, meant)
    return Evidence(**values)


def _checked(rule: Rule, scene: Scene, evidence: Sequence[Evidence], held_back: str | None) -> Checked:
    if evidence:
        return Checked(rule.name, rule.kind, "found", evidence[0].what)
    return Checked(rule.name, rule.kind, "ruled out", held_back or rule.cleared(scene))


def _build_names(run: Run, events: Sequence[Explained]) -> dict[Explained, str]:
    """Return the stable ids that every view shows: ``app.stages [1/3]``, or ``app.stages (cached)``."""
    built = [item.build.event.module for item in events if item.build.event.status != "cached"]
    seen: dict[str, int] = {}
    names: dict[Explained, str] = {}
    for item in events:
        module = item.build.event.module
        if item.build.event.status == "cached":
            names[item] = f"{module} (cached)"
            continue
        seen[module] = seen.get(module, 0) + 1
        names[item] = f"{module} [{seen[module]}/{built.count(module)}]"
    return names


def _finding(rule: Rule, one: Evidence, scene: Scene, build_ms: float, names: Mapping[Explained, str]) -> Finding:
    build = one.events[0].build if one.events else None
    run, wire = (build.run, build.wire) if build is not None else (scene.cold, one.wire)
    cell, cell_line, location = place_text(run, one.place, wire)
    cause = one.cause_place
    if cause is not None and cause.file.startswith("<"):
        cause = None  # code that Warp wrote itself has no line
    cause_cell, cause_line, cause_location = place_text(run, cause, wire)
    return Finding(
        rule=rule.name,
        kind=rule.kind,
        cost_ms=one.cost_ms if rule.kind != "note" else None,
        share=_share(rule, one, build_ms),
        modules=one.modules,
        what=one.what,
        fix=one.fix,
        snippet=one.snippet,
        not_for=one.not_for or rule.not_for,
        certainty=one.certainty,
        cell=cell,
        cell_line=cell_line,
        location=location,
        cause_cell=cause_cell,
        cause_line=cause_line,
        cause_location=cause_location,
        events=tuple(names[item] for item in one.events if item in names),
    )


def _share(rule: Rule, one: Evidence, build_ms: float) -> float | None:
    """Return the part of ``build_ms``; what a warm run costs is no part of it."""
    if one.cost_ms is None or not build_ms or rule.kind == "note" or rule.name == CACHE_NOT_REUSED.name:
        return None
    return one.cost_ms / build_ms


def _order(rule: Rule, one: Evidence) -> tuple[Any, ...]:
    """Return what findings are sorted by: kind, what is worst, cost with missing ones last, first event."""
    worst = _FIRST_WRONG.index(rule.name) if rule.name in _FIRST_WRONG else len(_FIRST_WRONG)
    first = min((item.build.event.t0 for item in one.events), default=2**63)
    cost = -one.cost_ms if one.cost_ms is not None else float("inf")
    return KINDS.index(rule.kind), worst, cost, first
