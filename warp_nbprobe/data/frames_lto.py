"""The ``lto`` frame: what each build had of link-time-optimisation objects, by tile operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from warp_nbprobe.data.columns import LTO, frame_of
from warp_nbprobe.data.events import clock, ordered_events
from warp_nbprobe.data.frames_modules import build_names
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import Event


def lto_frame(recording: Recording) -> pd.DataFrame:
    """Return one row per event, operation and direction, in the order of the events; empty without tile operations."""
    runs = sorted(recording.runs, key=lambda run: (run.sample, run.run))
    return frame_of((row for run in runs for row in _rows(run)), LTO)


def _rows(run: Run) -> Iterator[dict[str, Any]]:
    time, names = clock(run), build_names(run)
    for seq, (_, event) in enumerate(ordered_events(run)):
        for (operation, direction), objects in _groups(event).items():
            sizes = [one.get("bytes") for one in objects]
            made = sum(one.get("made") is not False for one in objects)
            yield {
                "sample": run.sample,
                "run": run.run,
                "phase": "setup" if time.in_setup(event.t0) else run.run,
                "seq": seq,
                "module": event.module,
                "build": names[seq],
                "device": event.device,
                "block_dim": event.block_dim,
                "operation": operation,
                "direction": direction,
                "objects": len(objects),
                "made": made,
                "reused": len(objects) - made,
                "bytes": None if None in sizes else sum(int(size) for size in sizes if size is not None),
                "ms": sum(float(one.get("ms") or 0.0) for one in objects),
            }


def _groups(event: Event) -> dict[tuple[str | None, str | None], list[dict[str, Any]]]:
    found: dict[tuple[str | None, str | None], list[dict[str, Any]]] = {}
    for one in event.lto or ():
        adjoint = one.get("adjoint")
        direction = None if adjoint is None else "adjoint" if adjoint else "forward"
        found.setdefault((one.get("op"), direction), []).append(one)
    return found
