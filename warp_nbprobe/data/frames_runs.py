"""The ``runs`` and ``log`` frames: one row per child, one per line that Warp printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from warp_nbprobe.data.columns import LOG, RUNS, frame_of
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import Wire
from warp_nbprobe.data.walls import walls


def runs_frame(recording: Recording) -> pd.DataFrame:
    """Return the children in the order in which they ran, failed ones included."""
    return frame_of(map(_row, recording.runs), RUNS)


def _row(run: Run) -> dict[str, Any]:
    main = run.wires[0] if run.wires else None
    time = walls(run)
    return {
        "sample": run.sample,
        "run": run.run,
        "pid": run.pid,
        "start": run.start,
        "wall_ms": time.wall_ms,
        "probe_ms": time.probe_ms,
        "setup_ms": time.setup_ms,
        "ok": run.ok,
        "exit_code": run.exit_code,
        "reason": run.failure.reason if run.failure else None,
        "warp": next((wire.warp.version for wire in run.wires if wire.warp), None),
        "python": main.header.python if main and main.header else None,
        "truncated": not run.wires or any(wire.truncated for wire in run.wires),
        "unknown_lines": sum(wire.unknown_lines for wire in run.wires),
        "environment": environment_of(run),
    }


def environment_of(run: Run) -> dict[str, Any]:
    """Return what the run stood on; where its main process did without Warp, the first that used it says that part."""
    found: dict[str, Any] = {}
    for wire in run.wires:
        found = {**environment(wire), **found}
        if wire.runtime:
            break
    return found


def environment(wire: Wire) -> dict[str, Any]:
    """Return what a process stood on, as far as its wire tells; a key that is missing was not seen."""
    found: dict[str, Any] = {}
    if wire.header:
        header = wire.header
        found |= {name: header.machine[name] for name in ("host", "cpu", "cores") if name in header.machine}
        found |= {
            "platform": header.platform,
            "python": header.python,
            "executable": header.executable,
            "argv": header.argv,
            "cwd": header.cwd,
            "env": dict(header.env),
        }
    if wire.warp:
        found |= {"warp": wire.warp.version, "warp_path": wire.warp.path}
    if wire.runtime:
        runtime = wire.runtime
        found |= {
            "devices": runtime.devices,
            "toolkit": runtime.toolkit,
            "driver": runtime.driver,
            "cache_dir": runtime.cache_dir,
        }
    if wire.rehearsals:
        found |= {
            "rehearsed": ", ".join(wire.rehearsals[0].archs),
            "executed": not any(line.only for line in wire.rehearsals),
        }
    return {name: value for name, value in found.items() if value is not None}


def log_frame(recording: Recording) -> pd.DataFrame:
    """Return every line of every run in the order in which it was printed."""
    return frame_of((row for run in recording.runs for row in _lines(run)), LOG)


def _lines(run: Run) -> Iterator[dict[str, Any]]:
    lines = sorted(((line, wire) for wire in run.wires for line in wire.log), key=lambda pair: pair[0].t)
    for line, wire in lines:
        for text in line.text.splitlines() or [""]:
            yield {"sample": run.sample, "run": run.run, "pid": wire.pid, "text": text, "shown": line.shown}
    if not lines:
        for text in run.printed:
            yield {"sample": run.sample, "run": run.run, "pid": run.pid, "text": text, "shown": True}
