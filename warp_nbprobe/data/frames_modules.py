"""The ``modules`` frame: one row per module event of every run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import pandas as pd

from warp_nbprobe.data.columns import MODULES, frame_of
from warp_nbprobe.data.events import Spot, clock, counts, ordered_events, place_text
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import Event, Place

EventKey = tuple[int, str, int]
"""``sample``, ``run``, ``seq``: names one event of a recording."""


class Caused(Protocol):
    """What is known of why an event happened; ``explain`` finds it."""

    @property
    def cause(self) -> str: ...
    @property
    def causes(self) -> tuple[str, ...]: ...
    @property
    def detail(self) -> str | None: ...
    @property
    def place(self) -> Place | None: ...


def modules_frame(recording: Recording, causes: Mapping[EventKey, Caused]) -> pd.DataFrame:
    """Return the events by sample, cold before warm, start time; what ``causes`` lacks stays missing."""
    runs = sorted(recording.runs, key=lambda run: (run.sample, run.run))
    return frame_of((row for run in runs for row in _rows(run, causes)), MODULES)


def event_ms(event: Event) -> float:
    """Return the time of a build or load: Warp's own timer, the probe's stretch where that did not run."""
    return event.ms if event.ms is not None else (event.t1 - event.t0) / 1e6


def header_ms(event: Event) -> float | None:
    """Return the time of the CPU's precompiled header, of which a build for a GPU has none."""
    gpu = event.device is not None and event.device != "cpu"
    return 0.0 if event.header_ms is None and gpu and event.status != "error" else event.header_ms


def other_ms(event: Event) -> float | None:
    """Return what no part accounts for; ``None`` when a part could not be seen."""
    parts = (event.codegen_ms, event.lto_ms, event.native_ms, event.load_ms)
    known = [part for part in parts if part is not None]
    return event_ms(event) - sum(known) if len(known) == len(parts) else None


def lto_made(event: Event) -> int | None:
    """Return how many link-time objects the event made (not those it reused)."""
    return None if event.lto is None else sum(1 for made in event.lto if made.get("made") is not False)


def trigger_text(event: Event) -> str | None:
    """Return the kernel whose launch asked for the build, else the call that did."""
    asked = event.trigger.get("kernel") or event.trigger.get("call")
    return asked if isinstance(asked, str) else None


def build_names(run: Run) -> list[str | None]:
    """Return the name of each event's build, by ``seq``: ``app.stages [1/3]``; ``None`` for what came from a cache.

    What the CPU builds to go on with a rehearsal is numbered apart: ``app.stages [cpu 1/1]``.
    """
    events = [event for _, event in ordered_events(run)]
    keys = [None if event.status == "cached" else (event.module, counts(run, event)) for event in events]
    total, seen = Counter(keys), Counter[tuple[str, bool] | None]()
    names: list[str | None] = []
    for key in keys:
        seen[key] += 1
        names.append(f"{key[0]} [{'' if key[1] else 'cpu '}{seen[key]}/{total[key]}]" if key is not None else None)
    return names


def _rows(run: Run, causes: Mapping[EventKey, Caused]) -> Iterator[dict[str, Any]]:
    pairs, time = ordered_events(run), clock(run)
    names = build_names(run)
    for seq, (wire, event) in enumerate(pairs):
        caused = causes.get((run.sample, run.run, seq))
        yield {
            "sample": run.sample,
            "run": run.run,
            "phase": "setup" if time.in_setup(event.t0) else run.run,
            "seq": seq,
            "pid": wire.pid,
            "build": names[seq],
            **_facts(event),
            "start_ms": time.since_start_ms(event.t0),
            **_spot("cell", "cell_line", "location", place_text(run, event.place, wire)),
            "cause": caused.cause if caused else None,
            "causes": caused.causes if caused else (),
            "detail": caused.detail if caused else None,
            **_spot(
                "cause_cell",
                "cause_line",
                "cause_location",
                place_text(run, caused.place if caused else None, wire),
            ),
        }


def _facts(event: Event) -> dict[str, Any]:
    return {
        "thread": event.thread,
        "module": event.module,
        "hash": event.hash,
        "device": event.device,
        "block_dim": event.block_dim,
        "status": event.status,
        "kernels": tuple(sorted(event.kernels)),
        "ms": event_ms(event),
        "hash_ms": event.hash_ms,
        "codegen_ms": event.codegen_ms,
        "lto_ms": event.lto_ms,
        "native_ms": event.native_ms,
        "header_ms": header_ms(event),
        "load_ms": event.load_ms,
        "other_ms": other_ms(event),
        "source_bytes": event.source_bytes,
        "lto_artifacts": lto_made(event),
        "options": event.options,
        "trigger": trigger_text(event),
        "rehearsed": event.rehearsed,
        "source": event.source,
    }


def _spot(cell: str, line: str, location: str, spot: Spot) -> dict[str, Any]:
    return {cell: spot[0], line: spot[1], location: spot[2]}
