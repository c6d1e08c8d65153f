"""A measurement in the Trace Event format, which Perfetto and other trace viewers open.

Every process of every run is a process of the trace, every thread a track of it. All runs begin at the same moment,
so that a cold run and its warm run stand above each other. Of the parts of a build only the lengths were measured:
they are laid out in the order in which they happen.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, TypeAlias

import pandas as pd

from warp_nbprobe.data.compiler_trace import compiler_steps
from warp_nbprobe.data.events import clock
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import CellBegin, Wire
from warp_nbprobe.views.marks import event_name
from warp_nbprobe.views.rows import Row, rows_of
from warp_nbprobe.views.style import PARTS
from warp_nbprobe.views.timeline import parts_of

_Event: TypeAlias = dict[str, Any]

COMPILER = 1_000_000
"""Number of the main thread's track for the compiler's own steps; those of other threads follow."""

_TOLD = (
    "module", "hash", "device", "block_dim", "status", "kernels", "trigger", "location", "cause", "detail",
    "cause_location", "hash_ms", "source_bytes", "rehearsed", "phase",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Slice:
    """A stretch of time on one track, in microseconds."""

    name: str
    kind: str  # "code", "cell", "call", "import", "build", "load", "error", "part"
    begin: float
    end: float
    about: dict[str, Any]


def trace_bytes(recording: Recording, modules: pd.DataFrame) -> bytes:
    """Return the trace as JSON; ``modules`` is the recording's frame, with causes."""
    return json.dumps(trace(recording, modules), ensure_ascii=True, allow_nan=False).encode("ascii") + b"\n"


def trace(recording: Recording, modules: pd.DataFrame) -> dict[str, Any]:
    """Return the trace as plain data. Events of which nobody noted the time are left out, and counted."""
    runs = sorted(recording.runs, key=lambda run: (run.sample, run.run))
    events: list[_Event] = []
    numbers = count(1)
    for run in runs:
        rows = rows_of(modules[(modules["sample"] == run.sample) & (modules["run"] == run.run)])
        for position, wires in enumerate(_processes(run)):
            own = [row for row in rows if row["pid"] == wires[0].pid]
            events += _process(next(numbers), run, position, wires, own)
    begin = min((event["ts"] for event in events if "ts" in event), default=0.0)
    for event in events:
        if "ts" in event:
            event["ts"] = round(event["ts"] - begin, 3)
    return {
        "traceEvents": events,
        "displayTimeUnit": "ms",
        "otherData": {
            "tool": f"warp_nbprobe {recording.tool_version}",
            "label": recording.label,
            "events without a time": int(modules["start_ms"].isna().sum()),
        },
    }


def _processes(run: Run) -> list[list[Wire]]:
    """Return the wires of a run by process; one that became another program has several."""
    found: dict[int | None, list[Wire]] = {}
    for wire in run.wires:
        found.setdefault(wire.pid, []).append(wire)
    return list(found.values())


def _process(number: int, run: Run, position: int, wires: Sequence[Wire], rows: Sequence[Row]) -> Iterator[_Event]:
    """Yield the events of one process; ``number`` is its own in the trace, where pids may come again."""
    which = "" if position == 0 else f", process {position + 1}"
    yield _named("process_name", number, 0, f"{run.run} run, sample {run.sample}{which} (pid {wires[0].pid})")
    yield {"name": "process_sort_index", "ph": "M", "pid": number, "tid": 0, "args": {"sort_index": number}}
    tracks: dict[int, list[Slice]] = {0: []}
    start = _start(run, wires[0])
    for thread, found in _slices(start, wires, rows):
        tracks.setdefault(thread, []).append(found)
    for thread, slices in sorted(tracks.items()):
        yield _named("thread_name", number, thread, _track_name(thread))
        for each in nested(slices):
            yield {
                "name": each.name,
                "cat": each.kind,
                "ph": "X",
                "ts": each.begin,
                "dur": round(each.end - each.begin, 3),
                "pid": number,
                "tid": thread,
                "args": each.about,
            }
    for ts, so_far in _launches(start, wires):
        yield {"name": "launches", "ph": "C", "ts": ts, "pid": number, "args": {"launches": so_far}}


def _named(what: str, number: int, thread: int, name: str) -> _Event:
    return {"name": what, "ph": "M", "pid": number, "tid": thread, "args": {"name": name}}


def _start(run: Run, wire: Wire) -> int:
    """Return the moment that all runs have in common: the start of the user's code, as far as it is known."""
    start = clock(run).start
    main = run.wires[0].header or wire.header
    return start if start is not None else main.t if main is not None else 0


def _slices(start: int, wires: Sequence[Wire], rows: Sequence[Row]) -> Iterator[tuple[int, Slice]]:
    def since(t: int) -> float:
        return (t - start) / 1e3

    for wire in wires:
        if wire.code_begin is not None:
            end = wire.code_end.t if wire.code_end is not None else _last(wire)
            yield 0, Slice("the process's code", "code", since(wire.code_begin.t), since(end), {})
        for begin, cell_end in wire.cells:
            end = cell_end.t if cell_end is not None else _last(wire)
            about = {} if cell_end is None or cell_end.ok else {"raised": cell_end.ename}
            yield 0, Slice(_cell_name(begin), "cell", since(begin.t), since(end), about)
        if wire.warp is not None and wire.warp.t0 is not None and wire.warp.t0 < wire.warp.t:
            yield (
                0,
                Slice("import warp", "import", since(wire.warp.t0), since(wire.warp.t), {"version": wire.warp.version}),
            )
        for call in wire.calls:
            if call.t1 is not None:
                yield call.thread, Slice(call.name, "call", since(call.t), since(call.t1), dict(call.args))
    yield from _compiler(wires, since)
    for row in rows:
        if row["start_ms"] is not None:
            yield from ((row["thread"], each) for each in _build(row))


def _compiler(wires: Sequence[Wire], since: Callable[[int], float]) -> Iterator[tuple[int, Slice]]:
    """Yield what the compiler told of its own steps, on a track beside that of the thread that built."""
    for wire in wires:
        for line in wire.compiler_traces:
            begun = since(line.t)
            about = {"module": line.module, "hash": line.hash, "device": line.device, "block_dim": line.block_dim}
            for step in compiler_steps(line):
                told = {**about, "detail": step.detail} if step.detail else about
                begin = begun + step.begin
                yield COMPILER + line.thread, Slice(step.name, "compiler", begin, begin + step.duration, told)


def _track_name(thread: int) -> str:
    if thread >= COMPILER:
        return f"compiler, {_track_name(thread - COMPILER)}"
    return "main thread" if thread == 0 else f"thread {thread}"


def _cell_name(begin: CellBegin) -> str:
    if begin.phase == "setup":
        return f"setup {begin.name or 'code'}"
    return f"cell {begin.number if begin.number is not None else begin.cell + 1}"


def _last(wire: Wire) -> int:
    """Return when a process that did not end in order was heard of last."""
    times = [event.t1 for event in wire.events] + [line.t for line in wire.log] + [line.t for line in wire.building]
    return max([*times, wire.header.t if wire.header else 0])


def _build(row: Row) -> Iterator[Slice]:
    """Yield a module event and, inside it, its parts: those that took no time or were not seen are left out."""
    begin, ms = row["start_ms"] * 1e3, row["ms"] or 0.0
    kind = {"compiled": "build", "cached": "load"}.get(row["status"], "error")
    about = {name: row[name] for name in _TOLD if row[name] is not None}
    yield Slice(event_name(row), kind, begin, begin + ms * 1e3, about)
    at = begin
    for key, part_ms in parts_of(row):
        if key != "other":
            yield Slice(PARTS[key][0], "part", at, at + part_ms * 1e3, {"measured_ms": part_ms})
        at += part_ms * 1e3


def nested(slices: Iterable[Slice]) -> list[Slice]:
    """Return the slices of one track so that each ends within the one it begins in, as viewers need them."""
    result: list[Slice] = []
    around: list[Slice] = []
    for each in sorted(slices, key=lambda one: (one.begin, -one.end)):
        while around and around[-1].end <= each.begin:
            around.pop()
        end = max(min([each.end, *(outer.end for outer in around)]), each.begin)
        kept = replace(each, begin=round(each.begin, 3), end=round(end, 3))
        around.append(kept)
        result.append(kept)
    return result


def _launches(start: int, wires: Sequence[Wire]) -> list[tuple[float, int]]:
    """Return how many launches there were so far at each moment of which that is known."""
    known: dict[int, int] = {}
    for wire in wires:
        if wire.code_begin is not None:
            known[wire.code_begin.t] = 0
        for begin, end in wire.cells:
            known[begin.t] = begin.launches
            if end is not None:
                known[end.t] = end.launches
        known |= {event.t0: event.launch for event in wire.events if event.launch is not None}
        if wire.footer is not None:
            known[wire.footer.t] = wire.footer.launches
    return [((t - start) / 1e3, so_far) for t, so_far in sorted(known.items())]
