"""Writes a recording as NVIDIA's ``warp_compile_probe.py`` would, so that its ``compare`` can judge ours.

Its walls are of a whole process and ours of the user's code; its structure is that of the first good sample.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd

from warp_nbprobe.data.figures import measured_events
from warp_nbprobe.data.files import write_whole
from warp_nbprobe.data.frames_launches import launch_table
from warp_nbprobe.data.frames_modules import event_ms
from warp_nbprobe.data.metrics import summary_frame
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.redact import redacted

_ARRAY = re.compile(r"\w*[aA]rray\w*\((.*)\)")


def save_upstream(recording: Recording, path: str | Path, *, redact: bool = False) -> None:
    """Write NVIDIA's report file; all of the file or none. Raises ``OSError``."""
    report = upstream_report(redacted(recording) if redact else recording)
    write_whole(path, json.dumps(report, indent=2, allow_nan=False).encode("utf-8") + b"\n")


def upstream_report(recording: Recording) -> dict[str, Any]:
    """Return the report as JSON; one that was read from such a file comes back with its own figures."""
    run = recording.first_cold_run()
    events = measured_events(run) if run is not None else []
    own: dict[str, Any] = dict(recording.upstream or {})
    if recording.upstream is None:
        own = {**_asked(recording), **_times(recording), **_counts(summary_frame(recording, {}))}
    hashes = min((len(event.hash) for event in events if event.hash), default=7)
    own["module_events"] = [
        {
            "label": f"{event.module} {(event.hash or '')[: min(hashes, 7)]}".strip(),
            "device": event.device,
            "block_dim": event.block_dim,
            "ms": round(event_ms(event), 2),
            "status": event.status,
            "name": event.module,
            "hash": (event.hash or "")[: min(hashes, 7)],
        }
        for event in events
    ]
    for name, empty in (("command", []), ("cwd", "."), ("label", "")):  # left out where it was handed on
        own.setdefault(name, empty)
    own["launches"] = _launches(run) if run is not None else []
    return own


def _asked(recording: Recording) -> dict[str, Any]:
    command = recording.options.get("command")
    failed = len({run.sample for run in recording.runs if run.failure and run.failure.reason != "interrupted"})
    return {
        "command": list(map(str, command)) if isinstance(command, list | tuple) else ["warp_nbprobe", "cells"],
        "cwd": str(recording.options.get("cwd") or "."),
        "label": recording.label,
        "samples": len(recording.good_samples()) + failed,
        "failed_samples": failed,
    }


def _times(recording: Recording) -> dict[str, Any]:
    summary = summary_frame(recording, {})
    found: dict[str, Any] = {}
    for name, key in (("cold_module_ms", "cold_module_ms"), ("cold_wall_ms", "cold_wall_ms")):
        values = _values(summary, name)
        found[f"{key}_median"] = median(values) if values else 0.0
        found[f"{key}_mad"] = _mad(values)
        found[f"{key}_values"] = values
        if name == "cold_module_ms":
            found["native_compile_ms_median"] = _median(summary, "native_ms") or 0.0
            found["warm_module_ms_median"] = _median(summary, "warm_module_ms")
    found["warm_wall_ms_median"] = _median(summary, "warm_wall_ms")
    found["compile_elapsed_ms_median"] = elapsed = _median(summary, "compile_elapsed_ms")
    found["compile_elapsed_ms_mad"] = None if elapsed is None else _mad(_values(summary, "compile_elapsed_ms"))
    # Its own formula: the sum of the builds by the difference of the walls.
    found["overlap_factor"] = found["cold_module_ms_median"] / elapsed if elapsed and elapsed > 0 else None
    return found


def _counts(summary: pd.DataFrame) -> dict[str, Any]:
    names = {
        "identities": "identities",
        "modules": "modules",
        "compiled_events": "compiled",
        "cached_events": "cached",
        "error_events": "errors",
        "generated_source_bytes": "source_bytes",
        "lto_artifacts": "lto_artifacts",
        "lto_bytes": "lto_bytes",
    }
    return {key: int((_values(summary, name) or [0.0])[0]) for key, name in names.items()}


def _values(summary: pd.DataFrame, name: str) -> list[float]:
    values: Any = summary.at[name, "values"]
    return [float(value) for value in values or () if value == value]


def _median(summary: pd.DataFrame, name: str) -> float | None:
    value: Any = summary.at[name, "median"]
    return None if pd.isna(value) else float(value)


def _mad(values: list[float]) -> float:
    return median(abs(value - median(values)) for value in values) if values else 0.0


def _launches(run: Run) -> list[dict[str, Any]]:
    """Return the launches one by one, as the script sees them: neither replays nor graphs, ``block_dim`` as asked."""
    table = launch_table(run)
    wanted = [row["phase"] != "setup" and row["kind"] in ("launch", "tiled") for row in table.rows]
    rows = [_launch(row) for row in table.rows]
    return [rows[code] for code in table.codes.tolist() if wanted[code]]


def _launch(row: dict[str, Any]) -> dict[str, Any]:
    tiled = row["kind"] == "tiled"
    arrays = [found[1] for dtype in row["dtypes"] or () if (found := _ARRAY.fullmatch(dtype))]
    return {
        "kernel": row["kernel_key"] or row["kernel"] or "",
        "module": row["module"],
        "dim": [*(row["dim"] or ()), *([row["block_dim"]] if tiled and row["block_dim"] is not None else [])],
        "device": row["device"],
        "dtypes": arrays,
        "block_dim": row["block_dim"] if tiled else row["requested_block_dim"],
        "adjoint": row["adjoint"],
    }
