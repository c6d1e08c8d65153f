"""Whether the values that the user asked to check moved between two measurements.

The baseline's own samples come first: values in which they already differ (sums by atomics) cannot be reproduced,
and that spread is the least tolerance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from warp_nbprobe.data.model import Recording
from warp_nbprobe.data.results import Part, Result
from warp_nbprobe.explain.value_difference import Apart, apart
from warp_nbprobe.explain.words import counted

Outcome = Literal["same", "within tolerance", "not reproducible", "moved", "not checked"]
"""``not reproducible``: no further apart than the baseline's own samples, which differ. Like the two before a pass."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What became of one part of one checked expression."""

    check: str
    part: str
    outcome: Outcome
    detail: str
    largest_abs: float | None = None
    largest_rel: float | None = None
    at: str | None = None
    baseline: str | None = None
    candidate: str | None = None
    spread: float | None = None  # largest difference among the baseline's own samples; None: they are equal
    dtype: str | None = None
    shape: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far apart values may lie: ``atol + rtol * |baseline|``."""

    rtol: float = 0.0
    atol: float = 0.0

    @property
    def text(self) -> str:
        """The tolerance in words."""
        said = [f"{name} {value:g}" for name, value in (("rtol", self.rtol), ("atol", self.atol)) if value]
        return " and ".join(said) or "none"


def tolerance_of(baseline: Recording, candidate: Recording) -> Tolerance:
    """Return the tolerance that the measurements were asked for, the wider of the two."""
    found = {}
    for name in ("rtol", "atol"):
        values = [side.options.get(name) for side in (baseline, candidate)]
        found[name] = max((float(value) for value in values if isinstance(value, int | float)), default=0.0)
    return Tolerance(**found)


def compared_results(baseline: Recording, candidate: Recording, tolerance: Tolerance) -> tuple[Compared, ...]:
    """Compare every checked expression, part by part."""
    ours, theirs = _by_expression(baseline), _by_expression(candidate)
    found: list[Compared] = []
    for check in dict.fromkeys([*ours, *theirs]):
        if check not in ours or check not in theirs:
            side = "baseline" if check in ours else "candidate"
            found.append(Compared(check, "", "not checked", f"checked in the {side} alone"))
        elif any(side.options.get("rehearse_only") for side in (baseline, candidate)):
            found.append(Compared(check, "", "not checked", "no kernel was executed: there is no result"))
        else:
            found += _compared(check, ours[check], theirs[check], tolerance)
    return tuple(found)


def _by_expression(recording: Recording) -> dict[str, list[Result]]:
    """Return what each expression gave in the good samples, values put back where a later run repeats them."""
    found: dict[str, list[Result]] = {}
    values: dict[tuple[str, str, str | None], Part] = {}
    good = set(recording.good_samples())
    for run in recording.runs:
        for result in run.results:
            for part in result.parts:
                if part.data is not None:
                    values.setdefault((result.expression, part.path, part.digest), part)
            if run.sample in good:
                parts = tuple(values.get((result.expression, part.path, part.digest), part) for part in result.parts)
                found.setdefault(result.expression, []).append(replace(result, parts=parts))
    return found


def _compared(check: str, ours: Sequence[Result], theirs: Sequence[Result], tolerance: Tolerance) -> Iterator[Compared]:
    raised = [next((one.error for one in side if one.error), None) for side in (ours, theirs)]
    if raised[0]:
        yield Compared(check, "", "not checked", f"raised {raised[0]} in the baseline")
        return
    if raised[1]:
        yield Compared(check, "", "moved", f"raised {raised[1]} in the candidate, and had a value in the baseline")
        return
    old, new = _by_path(ours), _by_path(theirs)
    for path in dict.fromkeys([*old, *new]):
        if path not in old or path not in new:
            side = "baseline" if path in old else "candidate"
            yield Compared(check, path, "moved", f"only the {side} has it")
        else:
            yield _compared_part(check, path, old[path], new[path], tolerance)
    left_out = max(one.left_out for one in (*ours, *theirs))
    if left_out:
        yield Compared(check, "", "not checked", f"{counted(left_out, 'more part')}, beyond the most that are kept")


def _by_path(results: Sequence[Result]) -> dict[str, list[Part]]:
    """Return the different values of each part over the samples, in order."""
    found: dict[str, list[Part]] = {}
    for result in results:
        for part in result.parts:
            known = found.setdefault(part.path, [])
            if not any((part.kind, part.digest, part.why) == (one.kind, one.digest, one.why) for one in known):
                known.append(part)
    return found


def _compared_part(check: str, path: str, ours: list[Part], theirs: list[Part], tolerance: Tolerance) -> Compared:
    first, last = ours[0], theirs[-1]
    row = Compared(check, path, "same", "", dtype=first.dtype, shape=first.shape if first.kind == "array" else None)
    unreadable = next((part for part in (*ours, *theirs) if part.kind == "unknown"), None)
    if unreadable is not None:
        same_kind = {part.kind for part in ours} == {part.kind for part in theirs}
        return replace(row, outcome="not checked" if same_kind else "moved", detail=unreadable.why or "not read")
    if {part.digest for part in theirs} <= {part.digest for part in ours}:
        if len(ours) == 1:
            return row
        spread = _spread(ours)
        return replace(row, outcome="not reproducible", detail="as in one of the baseline's samples", spread=spread)
    if first.kind == "text" or last.kind == "text":
        detail = "a text that differs" if first.kind == last.kind else "another kind of value"
        shown = replace(row, baseline=first.text, candidate=last.text, detail=detail)
        varies = len(ours) > 1 and first.kind == last.kind
        why = "differs among the baseline's own samples as well"
        return replace(shown, outcome="not checked", detail=why) if varies else replace(shown, outcome="moved")
    other = next((part for part in theirs if part.shape != first.shape), None)
    if other is not None:
        detail = f"shape {list(first.shape)} in the baseline, {list(other.shape)} in the candidate"
        return replace(row, outcome="moved", detail=detail)
    return _judged(row, ours, theirs, tolerance)


def _spread(ours: Sequence[Part]) -> float | None:
    """Return the largest difference among the baseline's own values; ``None`` where they are equal or not kept."""
    found = [apart(a, b, rtol=0.0, atol=0.0) for a, b in combinations(ours, 2) if a.shape == b.shape]
    known = [one.largest_abs for one in found if one is not None]
    return max(known) if known and max(known) > 0 else None


def _judged(row: Compared, ours: Sequence[Part], theirs: Sequence[Part], tolerance: Tolerance) -> Compared:
    """Judge arrays of one shape by the candidate's value that lies furthest from the baseline's nearest."""
    spread = _spread(ours) if len(ours) > 1 else None
    worst: Apart | None = None
    for new in theirs:
        found = [apart(old, new, rtol=tolerance.rtol, atol=max(tolerance.atol, spread or 0.0)) for old in ours]
        known = [one for one in found if one is not None]
        if not known:
            return _not_kept(row, ours, tolerance)
        nearest = min(known, key=lambda one: (one.beyond, one.largest_abs))
        if worst is None or (nearest.beyond, nearest.largest_abs) > (worst.beyond, worst.largest_abs):
            worst = nearest
    assert worst is not None
    row = replace(
        row,
        largest_abs=worst.largest_abs,
        largest_rel=worst.largest_rel,
        at=worst.at,
        baseline=worst.baseline,
        candidate=worst.candidate,
        spread=spread,
    )
    outcome, detail = _outcome(worst, ours, theirs, tolerance, spread)
    return replace(row, outcome=outcome, detail=detail)


def _outcome(
    worst: Apart, ours: Sequence[Part], theirs: Sequence[Part], tolerance: Tolerance, spread: float | None
) -> tuple[Outcome, str]:
    size = ours[0].size
    partly = f", of the {worst.compared} values kept of {size}" if worst.compared < size else ""
    dtypes = {part.dtype for part in theirs} - {part.dtype for part in ours}
    asked = bool(tolerance.rtol or tolerance.atol)
    if worst.beyond:
        beyond = f"lie beyond the tolerance ({tolerance.text})" if asked else "differ"
        return "moved", f"{worst.beyond} of {worst.compared} values {beyond}{partly}"
    if dtypes and not asked:
        return "moved", f"dtype {ours[0].dtype} in the baseline, {min(map(str, dtypes))} in the candidate"
    changed = f"; dtype {ours[0].dtype} became {min(map(str, dtypes))}" if dtypes else ""
    if spread is not None and worst.largest_abs > 0:
        return "not reproducible", f"no further apart than the baseline's own samples{partly}{changed}"
    if worst.largest_abs == 0 and not partly and not dtypes:
        return "same", "equal but for the signs of zeros or the bits of NaN"
    if asked:
        return "within tolerance", f"within {tolerance.text}{partly}{changed}"
    return "moved", f"it differs in values that were not kept{partly}"


def _not_kept(row: Compared, ours: Sequence[Part], tolerance: Tolerance) -> Compared:
    """Judge by digests alone: no values were kept, as in a report that was handed on."""
    if tolerance.rtol or tolerance.atol or len(ours) > 1:
        detail = "the digests differ, and without the values nobody can tell by how much"
        return replace(row, outcome="not checked", detail=detail)
    return replace(row, outcome="moved", detail="the digests differ; the values were not kept")
