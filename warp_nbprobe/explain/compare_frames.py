"""The frames of a comparison, columns declared once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import pandas as pd

from warp_nbprobe.data.columns import Columns, frame_of
from warp_nbprobe.data.events import place_text
from warp_nbprobe.data.frames_modules import event_ms, lto_made
from warp_nbprobe.explain.identities import Named, Pairing
from warp_nbprobe.explain.noise import Move
from warp_nbprobe.explain.results import Compared
from warp_nbprobe.explain.workload import Workload

FIGURES: Final[Columns] = {
    "baseline": "float64",
    "candidate": "float64",
    "delta": "float64",
    "band": "float64",
    "moved": "string",
    "unit": "string",
    "n_baseline": "Int64",
    "n_candidate": "Int64",
    "values_baseline": "object",
    "values_candidate": "object",
    "reason": "string",
}

IDENTITIES: Final[Columns] = {
    "phase": "string",
    "change": "string",
    "baseline": "string",
    "candidate": "string",
    "baseline_hash": "string",
    "candidate_hash": "string",
    "baseline_device": "string",
    "candidate_device": "string",
    "baseline_block_dim": "Int64",
    "candidate_block_dim": "Int64",
    "baseline_ms": "float64",
    "candidate_ms": "float64",
    "baseline_bytes": "Int64",
    "candidate_bytes": "Int64",
    "baseline_lto": "Int64",
    "candidate_lto": "Int64",
    "cause": "string",
    "detail": "string",
    "cause_location": "string",
}

COMPARED_LAUNCHES: Final[Columns] = {
    "kernel": "string",
    "baseline": "Int64",
    "candidate": "Int64",
    "delta": "Int64",
}

RENAMES: Final[Columns] = {"baseline": "string", "candidate": "string", "launches": "Int64"}

RESULTS: Final[Columns] = {
    "check": "string",
    "part": "string",
    "outcome": "string",
    "largest_abs": "float64",
    "largest_rel": "float64",
    "at": "string",
    "baseline": "string",
    "candidate": "string",
    "spread": "float64",
    "dtype": "string",
    "shape": "object",
    "detail": "string",
}


def figures_frame(moves: Mapping[str, Move]) -> pd.DataFrame:
    """Return one row per metric, in the order of the measurement page."""
    frame = frame_of((_figure(found) for found in moves.values()), FIGURES)
    frame.index = pd.Index(list(moves), name="metric", dtype="object")
    return frame


def _figure(found: Move) -> dict[str, Any]:
    return {
        "baseline": found.baseline.median,
        "candidate": found.candidate.median,
        "delta": found.delta,
        "band": found.band,
        "moved": found.moved,
        "unit": found.unit,
        "n_baseline": found.baseline.n,
        "n_candidate": found.candidate.n,
        "values_baseline": found.baseline.values,
        "values_candidate": found.candidate.values,
        "reason": found.reason,
    }


def identities_frame(pairings: Iterable[Pairing]) -> pd.DataFrame:
    """Return one row per build of either side: setup, then cold, then what warm runs compiled."""
    return frame_of(map(_identity, pairings), IDENTITIES)


def _identity(pair: Pairing) -> dict[str, Any]:
    differs = pair.change == "changed"
    ours, theirs = _build(pair.baseline, differs), _build(pair.candidate, differs)
    location = None
    if pair.candidate is not None:
        build = pair.candidate.build
        location = place_text(build.run, pair.place, build.wire)[2]
    return {
        "phase": pair.phase,
        "change": pair.change,
        "baseline": pair.baseline.name if pair.baseline else None,
        "candidate": pair.candidate.name if pair.candidate else None,
        **{f"baseline_{name}": value for name, value in ours.items()},
        **{f"candidate_{name}": value for name, value in theirs.items()},
        "cause": pair.cause,
        "detail": pair.detail,
        "cause_location": location,
    }


def _build(named: Named | None, differs: bool) -> dict[str, Any]:
    """Return a build's facts. Source bytes hold line numbers and paths: they mean something where hashes differ."""
    if named is None:
        return dict.fromkeys(("hash", "device", "block_dim", "ms", "bytes", "lto"))
    event = named.build.event
    return {
        "hash": named.build.hash,
        "device": event.device,
        "block_dim": event.block_dim,
        "ms": event_ms(event),
        "bytes": event.source_bytes if differs else None,
        "lto": lto_made(event),
    }


def launches_frame(found: Workload) -> pd.DataFrame:
    """Return the kernels whose number of launches changed."""
    rows = ({"kernel": k, "baseline": a, "candidate": b, "delta": b - a} for k, a, b in found.counts)
    return frame_of(rows, COMPARED_LAUNCHES)


def renames_frame(found: Workload) -> pd.DataFrame:
    """Return the kernels that do the same work under another name."""
    rows = ({"baseline": old, "candidate": new, "launches": count} for old, new, count in found.renames)
    return frame_of(rows, RENAMES)


def results_frame(rows: Iterable[Compared]) -> pd.DataFrame:
    """Return one row per part of each checked expression."""
    return frame_of(({name: getattr(row, name) for name in RESULTS} for row in rows), RESULTS)
