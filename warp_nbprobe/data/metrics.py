"""The figures of the measurement page over the good samples: spread, source, and why one is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any, Final, Literal

import pandas as pd

from warp_nbprobe.data.columns import SUMMARY, frame_of
from warp_nbprobe.data.figures import Figure, missing, sample_figures
from warp_nbprobe.data.model import Recording
from warp_nbprobe.data.upstream import NOT_THERE, upstream_rows

METRICS: Final[dict[str, Literal["ms", "bytes", "count", "ratio"]]] = {
    "cold_module_ms": "ms",
    "header_ms": "ms",
    "build_ms": "ms",
    "native_ms": "ms",
    "lto_ms": "ms",
    "codegen_ms": "ms",
    "load_ms": "ms",
    "hash_ms": "ms",
    "rehash_ms": "ms",
    "other_ms": "ms",
    "cold_wall_ms": "ms",
    "warm_wall_ms": "ms",
    "compile_elapsed_ms": "ms",
    "build_span_ms": "ms",
    "elsewhere_ms": "ms",
    "overlap_factor": "ratio",
    "warm_module_ms": "ms",
    "identities": "count",
    "avoidable_ms": "ms",
    "modules": "count",
    "compiled": "count",
    "cached": "count",
    "errors": "count",
    "source_bytes": "bytes",
    "lto_artifacts": "count",
    "lto_bytes": "bytes",
    "launches": "count",
    "probe_ms": "ms",
}
"""Every metric with its unit, in the order of the measurement page."""

NOT_DIAGNOSED: Final = "What could be avoided was not worked out for this sample."


def summary_frame(recording: Recording, avoidable: Mapping[int, float | None]) -> pd.DataFrame:
    """Return one row per metric over the good samples; ``avoidable`` gives ``avoidable_ms`` of each."""
    good = recording.good_samples()
    if recording.upstream is not None:
        return _upstream_frame(recording)
    figures = [_with_avoidable(sample_figures(recording, sample), avoidable.get(sample)) for sample in good]
    nothing = None if good else why_nothing(recording)
    frame = frame_of((_row(name, [of[name] for of in figures], nothing) for name in METRICS), SUMMARY)
    frame.index = pd.Index(list(METRICS), name="metric", dtype="object")
    return frame


def _upstream_frame(recording: Recording) -> pd.DataFrame:
    """Return the figures that a report of NVIDIA's script has of its own."""
    assert recording.upstream is not None
    run = recording.first_cold_run()
    launches = sum(len(wire.order) for wire in run.wires) if run else 0
    rows = upstream_rows(recording.upstream, launches)
    absent = {"median": None, "mad": None, "n": 0, "values": (), "source": "none"}
    absent["reason"] = NOT_THERE if rows else why_nothing(recording)
    frame = frame_of(({**absent, **rows.get(name, {}), "unit": unit} for name, unit in METRICS.items()), SUMMARY)
    frame.index = pd.Index(list(METRICS), name="metric", dtype="object")
    return frame


def why_nothing(recording: Recording) -> str:
    """Return why no sample is good: the first failure, in one sentence."""
    failures = [run.failure for run in recording.runs if run.failure is not None]
    if failures:
        return f"No sample is good: {failures[0].message}"
    if recording.interrupted:
        return "No sample is good: the measurement was stopped before the first one was complete."
    return "No sample is good: the first one is not complete."


def spread(values: Iterable[float]) -> tuple[float, float | None]:
    """Return the median and the median absolute deviation, which one value alone does not have."""
    given = list(values)
    middle = median(given)
    return middle, median(abs(value - middle) for value in given) if len(given) > 1 else None


def _with_avoidable(figures: Mapping[str, Figure], ms: float | None) -> dict[str, Figure]:
    known = missing(NOT_DIAGNOSED) if ms is None else Figure(ms, figures["cold_module_ms"].source)
    return {**figures, "avoidable_ms": known}


def _row(name: str, figures: list[Figure], nothing: str | None) -> dict[str, Any]:
    values = [figure.value for figure in figures if figure.value is not None]
    absent = [figure.reason for figure in figures if figure.value is None]
    middle, deviation = spread(values) if values else (None, None)
    reason = nothing or (absent[0] if absent else None)
    if values and absent:
        reason = f"missing in {len(absent)} of {len(figures)} samples: {absent[0]}"
    sources = {figure.source for figure in figures if figure.value is not None}
    return {
        "median": middle,
        "mad": deviation,
        "n": len(values),
        "values": tuple(float("nan") if of.value is None else float(of.value) for of in figures),
        "unit": METRICS[name],
        "source": next((source for source in ("log", "hook") if source in sources), "none"),
        "reason": reason,
    }
