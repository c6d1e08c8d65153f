"""Report files as NVIDIA's script writes them, and the verdict that its ``compare`` gives by the rules it follows."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from warp_nbprobe.data.report import load_report
from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.measurement import Measurement

FIXTURE = Path(__file__).parent.parent / "data" / "upstream" / "late-option.json"

LAUNCH = {
    "kernel": "k", "module": "__main__", "dim": [100], "device": "cpu", "dtypes": ["float32"], "block_dim": None,
    "adjoint": False,
}  # fmt: skip


def spread(values: Sequence[float]) -> float:
    return median(abs(value - median(values)) for value in values) if values else 0.0


def report(
    work: Sequence[float] = (1000.0, 1001.0, 1002.0),
    elapsed: float | None = 1200.0,
    *,
    labels: Sequence[str] = ("app abababa",),
    launches: Sequence[Mapping[str, Any]] = (LAUNCH, LAUNCH),
    **given: Any,
) -> dict[str, Any]:
    """Return a file's JSON: ``labels`` are its compiled modules with their hashes."""
    events = [
        {
            "label": label, "device": "cpu", "block_dim": None, "ms": 10.0, "status": "compiled",
            "name": label.split()[0], "hash": label.partition(" ")[2],
        }
        for label in labels
    ]  # fmt: skip
    events += [{**events[0], "status": "error"} for _ in range(given.get("error_events", 0))]
    return {
        "command": ["python", "t1.py"],
        "cwd": ".",
        "label": "",
        "samples": len(work) + given.get("failed_samples", 0),
        "failed_samples": 0,
        "cold_module_ms_median": median(work) if work else 0.0,
        "cold_module_ms_mad": spread(work),
        "cold_module_ms_values": list(work),
        "native_compile_ms_median": 0.0,
        "warm_module_ms_median": 2.0,
        "cold_wall_ms_median": 2000.0,
        "cold_wall_ms_mad": 1.0,
        "cold_wall_ms_values": [2000.0] * len(work),
        "warm_wall_ms_median": 800.0,
        "compile_elapsed_ms_median": elapsed,
        "compile_elapsed_ms_mad": None if elapsed is None else 1.0,
        "overlap_factor": 0.9,
        "identities": len(set(labels)),
        "modules": len({label.split()[0] for label in labels}),
        "compiled_events": len(labels),
        "cached_events": 0,
        "error_events": 0,
        "generated_source_bytes": 1000,
        "lto_artifacts": 0,
        "lto_bytes": 0,
        "module_events": events,
        "launches": [dict(launch) for launch in launches],
        **given,
    }


def loaded(given: Mapping[str, Any]) -> Measurement:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        path.write_text(json.dumps(given))
        return Measurement(load_report(path))


def compared(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Comparison:
    return Comparison(loaded(ours), loaded(theirs))


def script_verdict(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """Return what the script's ``compare`` prints last."""
    if theirs["failed_samples"] or theirs["error_events"]:
        return "INVALID"
    if not ours["launches"] and not theirs["launches"]:
        return "UNVERIFIED"
    if [_shape(launch) for launch in ours["launches"]] != [_shape(launch) for launch in theirs["launches"]]:
        return "INVALID"
    work = _moved(ours, theirs, "cold_module_ms")
    elapsed = _moved(ours, theirs, "compile_elapsed_ms")
    if work == "up" and _built(ours) == _built(theirs):
        return {"down": "SAME WORK COMPILED IMPROVED", "missing": "SAME WORK COMPILED UNVERIFIED"}.get(
            elapsed, "SAME WORK COMPILED INCONCLUSIVE"
        )
    if work == "up":
        return "REGRESSION"
    if work == "down":
        return "IMPROVED"
    return {"down": "IMPROVED", "up": "REGRESSION"}.get(elapsed, "INCONCLUSIVE")


def _shape(launch: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(repr(launch[name]) for name in ("dim", "device", "dtypes", "block_dim", "adjoint"))


def _built(of: Mapping[str, Any]) -> tuple[Any, ...]:
    labels = sorted(event["label"] for event in of["module_events"] if event["status"] == "compiled")
    return labels, of["lto_artifacts"], of["generated_source_bytes"]


def _moved(ours: Mapping[str, Any], theirs: Mapping[str, Any], name: str) -> str:
    before, now = ours[f"{name}_median"], theirs[f"{name}_median"]
    if before is None or now is None or before <= 0 or now <= 0:
        return "missing"
    mads = max(ours[f"{name}_mad"] or 0.0, theirs[f"{name}_mad"] or 0.0)
    band = max(0.01 * before, 2 * mads, 5.0)
    return "inside" if abs(now - before) <= band else "down" if now < before else "up"
