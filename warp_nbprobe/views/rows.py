"""Rows and figures as plain Python: frames stop here, missing is ``None`` from here on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from warp_nbprobe.views.shown import Shown

Row: TypeAlias = dict[str, Any]

_LONGEST_DEVICE = 12


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the summary."""

    metric: str
    median: float | None
    mad: float | None
    n: int
    values: tuple[float, ...]
    unit: str
    source: str  # "hook", "log", "none"
    reason: str | None


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list, dict)):
        return value
    if pd.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value


def rows_of(frame: pd.DataFrame) -> list[Row]:
    """Return the frame's rows with ``None`` for every missing value. Slice large frames first."""
    columns = [[_plain(value) for value in frame[name]] for name in frame.columns]
    names = [str(name) for name in frame.columns]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def figure(m: Shown, metric: str) -> Figure:
    """Return one figure of the summary; missing, with a reason, where the summary lacks the metric."""
    if metric not in m.summary.index:
        return Figure(metric, None, None, 0, (), "", "none", "this report has no such figure")
    row = {str(name): _plain(value) for name, value in m.summary.loc[metric].items()}
    values = tuple(value for value in row.get("values") or () if _plain(value) is not None)
    return Figure(
        metric=metric,
        median=row.get("median"),
        mad=row.get("mad"),
        n=row.get("n") or 0,
        values=values,
        unit=row.get("unit") or "",
        source=row.get("source") or "none",
        reason=row.get("reason"),
    )


def median(m: Shown, metric: str) -> float | None:
    """Return a figure's median, ``None`` when it could not be had."""
    return figure(m, metric).median


def shown_sample(m: Shown) -> int | None:
    """Return the sample whose events the views show: the first good one, else the first."""
    runs = rows_of(m.runs[["sample", "run", "ok"]])
    good = {kind: {row["sample"] for row in runs if row["run"] == kind and row["ok"]} for kind in ("cold", "warm")}
    both = good["cold"] & good["warm"]
    for candidates in (both, good["cold"], {row["sample"] for row in runs}):
        if candidates:
            return int(min(candidates))
    return None


def events(m: Shown, run: str) -> list[Row]:
    """Return the module events of the shown sample's ``cold`` or ``warm`` run, setup included."""
    sample = shown_sample(m)
    if sample is None:
        return []
    frame = m.modules
    shown = (frame["sample"] == sample) & (frame["run"] == run)
    if frame["rehearsed"].any():
        shown &= frame["device"] != "cpu"  # what the CPU builds to go on is no part of what is rehearsed
    return rows_of(frame[shown])


def rehearsed(m: Shown) -> str | None:
    """Return for what the shown run was rehearsed: ``sm_90``, or ``sm_90, not executed``; ``None`` for a real run."""
    row = run_row(m, "cold")
    about = row["environment"] if row is not None else None
    archs = about.get("rehearsed") if isinstance(about, dict) else None
    if not isinstance(about, dict) or not archs:
        return None
    return str(archs) if about.get("executed", True) else f"{archs}, not executed"


def run_row(m: Shown, run: str) -> Row | None:
    """Return the shown sample's row of ``runs``."""
    sample = shown_sample(m)
    return next((row for row in rows_of(m.runs) if row["sample"] == sample and row["run"] == run), None)


def good_samples(m: Shown) -> int:
    """Return how many samples have figures."""
    ok: dict[int, list[bool]] = {}
    for row in rows_of(m.runs[["sample", "ok"]]):
        ok.setdefault(row["sample"], []).append(row["ok"])
    return sum(all(flags) and len(flags) == 2 for flags in ok.values())


def findings(m: Shown) -> list[Row]:
    """Return the findings in their order, notes last."""
    return rows_of(m.findings)


def target_text(row: Row) -> str:
    """Return what a build or a launch was for: ``cuda:0 · 256``. Short, whatever stands in the recording."""
    device = str(row["device"] or "")
    short = device if len(device) <= _LONGEST_DEVICE else f"{device[: _LONGEST_DEVICE - 1]}…"
    return short if row["block_dim"] is None else f"{short} · {row['block_dim']}"
