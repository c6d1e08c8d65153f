"""Whether a figure moved: by more than the band, and with every sample on one side of every other.

With three samples and no change at all a quarter to half of all pairs leave the band alone; with separation as
well one in eleven, and with five samples one in a hundred.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any, Final, Literal

import pandas as pd

Moved = Literal["down", "up", "inside"]

LEAST_SAMPLES: Final = 3
LEAST_MS: Final = 5.0
LEAST_SHARE: Final = 0.01


@dataclass(frozen=True, slots=True)
class Spread:
    """One side's figure: median and deviation over its samples, and the values where they are known."""

    median: float | None
    mad: float | None = None
    n: int = 0
    values: tuple[float, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """One figure on both sides. ``moved`` is ``None`` where nothing can be said, for which ``reason`` is given."""

    metric: str
    unit: str
    baseline: Spread
    candidate: Spread
    delta: float | None
    band: float | None
    moved: Moved | None
    separated: bool | None = None  # None: a side has no values of its samples
    reason: str | None = None


def spread_of(summary: pd.DataFrame, metric: str) -> Spread:
    """Return one row of a summary."""
    row: dict[Any, Any] = dict(summary.loc[metric])
    values = tuple(float(value) for value in row["values"] or () if not isnan(value))
    reason = None if pd.isna(row["reason"]) else str(row["reason"])
    return Spread(_number(row["median"]), _number(row["mad"]), int(row["n"]), values, reason)


def _number(value: Any) -> float | None:
    return None if pd.isna(value) else float(value)


def move(metric: str, unit: str, baseline: Spread, candidate: Spread) -> Move:
    """Compare one figure. With fewer than three samples on a side it has moved neither way, nor stood still."""
    if baseline.median is None or candidate.median is None:
        return Move(metric, unit, baseline, candidate, None, None, None, reason=_absent(baseline, candidate))
    delta = candidate.median - baseline.median
    allowed = band(unit, baseline, candidate)
    separated = _separated(baseline, candidate)
    if min(baseline.n, candidate.n) < LEAST_SAMPLES:
        few = f"not enough evidence: {baseline.n} and {candidate.n} samples, {LEAST_SAMPLES} are needed on each side"
        return Move(metric, unit, baseline, candidate, delta, allowed, None, separated, few)
    moved: Moved = "inside"
    if abs(delta) > allowed and separated is not False:
        moved = "down" if delta < 0 else "up"
    return Move(metric, unit, baseline, candidate, delta, allowed, moved, separated)


def band(unit: str, baseline: Spread, candidate: Spread) -> float:
    """Return by how much a figure has to move. Counts are exact but for what their own samples show."""
    parts = [2 * (baseline.mad or 0.0), 2 * (candidate.mad or 0.0)]
    if unit != "count":
        parts.append(LEAST_SHARE * abs(baseline.median or 0.0))
    if unit == "ms":
        parts.append(LEAST_MS)
    return max(parts)


def _separated(baseline: Spread, candidate: Spread) -> bool | None:
    ours, theirs = baseline.values, candidate.values
    if not ours or not theirs:
        return None
    return bool(max(ours) < min(theirs) or max(theirs) < min(ours))


def _absent(baseline: Spread, candidate: Spread) -> str:
    said = [
        f"{side}: {(found.reason or 'not measured').rstrip('.')}"
        for side, found in (("baseline", baseline), ("candidate", candidate))
        if found.median is None
    ]
    return "; ".join(said)


def without(found: Move, reason: str) -> Move:
    """Return a figure that is shown and not judged."""
    return Move(
        found.metric,
        found.unit,
        found.baseline,
        found.candidate,
        found.delta,
        found.band,
        None,
        found.separated,
        reason,
    )


def moves(units: Mapping[str, str], baseline: pd.DataFrame, candidate: pd.DataFrame) -> dict[str, Move]:
    """Compare every metric of two summaries."""
    return {
        metric: move(metric, unit, spread_of(baseline, metric), spread_of(candidate, metric))
        for metric, unit in units.items()
    }
