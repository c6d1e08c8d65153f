"""The figures of one sample, each with its source or the reason why it could not be had."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from warp_nbprobe.data.events import clock, counted_events, is_rehearsal, ordered_events
from warp_nbprobe.data.frames_launches import launch_table
from warp_nbprobe.data.frames_modules import event_ms, header_ms, other_ms
from warp_nbprobe.data.log import FROM_LOG, UNTIMED
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import Event
from warp_nbprobe.data.walls import walls

FigureSource = Literal["hook", "log", "none"]

WARM_COMPILED: Final = "the warm run compiled too"
REHEARSED: Final = "In a rehearsal only the builds are timed."
_NO_WIRE: Final = "Nothing arrived from the probe in the child."
_NO_END: Final = "The code did not come to its end."
_NO_TIMES: Final = "Warp's printed lines tell how long a build took, not when."
_NOTHING_BUILT: Final = "nothing was compiled"
_LOG_SILENT: Final = "Warp's log does not tell it."
_NO_CACHE: Final = "The files in the run's cache could not be counted."


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of one sample; ``value`` is ``None`` where it could not be had."""

    value: float | None
    source: FigureSource
    reason: str | None = None


def missing(reason: str) -> Figure:
    """Return a figure that could not be had."""
    return Figure(None, "none", reason)


def sample_figures(recording: Recording, sample: int) -> dict[str, Figure]:
    """Return every metric of a good sample but ``avoidable_ms``, which the diagnosis finds."""
    cold, warm = recording.pair(sample)
    if cold is None or warm is None:
        raise ValueError(f"sample {sample} is not complete")
    found = {**_build_figures(cold), **_count_figures(cold)}
    found["warm_module_ms"] = _warm_module(warm)
    found |= _elapsed_figures(cold, warm, found["build_span_ms"])
    return found


def measured_events(run: Run) -> list[Event]:
    """Return the events of the run's measured code, without those of its setup, in order.

    Of a rehearsal those for the GPU: what the CPU builds to go on is in no figure.
    """
    time = clock(run)
    return [event for _, event in counted_events(run) if not time.in_setup(event.t0)]


def _heard(run: Run) -> bool:
    return any(wire.header is not None for wire in run.wires)


_PARTS: Final[dict[str, Callable[[Event], float | None]]] = {
    "cold_module_ms": event_ms,
    "header_ms": header_ms,
    "native_ms": lambda event: event.native_ms,
    "lto_ms": lambda event: event.lto_ms,
    "codegen_ms": lambda event: event.codegen_ms,
    "load_ms": lambda event: event.load_ms,
    "other_ms": other_ms,
    "source_bytes": lambda event: event.source_bytes,
}
"""Metrics that are sums over the compiled events."""


def _build_figures(cold: Run) -> dict[str, Figure]:
    names = (*_PARTS, "build_ms", "hash_ms", "rehash_ms", "build_span_ms", "overlap_factor")
    if not _heard(cold):
        return dict.fromkeys(names, missing(_NO_WIRE))
    events = measured_events(cold)
    compiled = [event for event in events if event.status == "compiled"]
    found = {name: _sum(compiled, name, part) for name, part in _PARTS.items()}
    hashed = [event for event in events if event.status != "error"]
    found["build_ms"] = _difference(found["cold_module_ms"], found["header_ms"])
    found["hash_ms"] = _sum(hashed, "hash_ms", lambda event: event.hash_ms)
    found["rehash_ms"] = _rehash(cold)
    found["build_span_ms"] = span = _span(compiled)
    if not compiled:
        found["overlap_factor"] = missing(_NOTHING_BUILT)
    elif span.value:
        total = sum(event_ms(event) for event in compiled)
        found["overlap_factor"] = Figure(total / span.value, span.source)
    else:
        found["overlap_factor"] = missing(span.reason or _NO_TIMES)
    return found


def _sum(events: Sequence[Event], name: str, part: Callable[[Event], float | None]) -> Figure:
    values = [part(event) for event in events]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        lacking = [event for event, value in zip(events, values, strict=True) if value is None]
        reason = _reason(lacking[0], name)
        return missing(reason if len(known) == 0 else f"{len(lacking)} of {len(values)} builds: {reason}")
    return Figure(float(sum(known)), _source(events, name))


def _reason(event: Event, name: str) -> str:
    """Return why the event lacks the part; for ``other_ms`` why it lacks the first part it needs."""
    needed = ("codegen_ms", "lto_ms", "native_ms", "load_ms") if name == "other_ms" else (name,)
    found = next((event.why[part] for part in needed if isinstance(event.why.get(part), str)), None)
    return found or f"{event.module}: {name} was not seen."


def _source(events: Iterable[Event], name: str) -> FigureSource:
    told = any(event.source == "log" or event.why.get(name) == FROM_LOG for event in events)
    return "log" if told else "hook"


def _weakest(*figures: Figure) -> FigureSource:
    sources = {figure.source for figure in figures}
    return "none" if "none" in sources else "log" if "log" in sources else "hook"


def _difference(first: Figure, second: Figure) -> Figure:
    if first.value is None or second.value is None:
        return missing((first.reason if first.value is None else second.reason) or _LOG_SILENT)
    return Figure(first.value - second.value, _weakest(first, second))


def _rehash(run: Run) -> Figure:
    """Return the hashing without event since the setup's end, as far as the wire was told of it then."""
    if any(event.source == "log" for _, event in ordered_events(run)):
        return missing(_LOG_SILENT)
    time, total = clock(run), 0.0
    for wire in run.wires:
        total += sum(rehash.ms for rehash in wire.rehashes.values())
        before = {rehash.module: rehash.ms for rehash in wire.rehash_history if time.in_setup(rehash.t)}
        total -= sum(before.values())
    return Figure(total, "hook")


def _span(compiled: Sequence[Event]) -> Figure:
    """Return the length of the union of the builds' intervals."""
    if any(event.t0 == UNTIMED for event in compiled):
        return missing(_NO_TIMES)
    covered, until = 0, 0
    for event in sorted(compiled, key=lambda event: event.t0):
        covered += max(event.t1 - max(event.t0, until), 0)
        until = max(until, event.t1)
    return Figure(covered / 1e6, _source(compiled, "ms"))


def _warm_module(warm: Run) -> Figure:
    if not _heard(warm):
        return missing(_NO_WIRE)
    loaded = [event for event in measured_events(warm) if event.status != "error"]
    return Figure(float(sum(map(event_ms, loaded))), _source(loaded, "ms"))


def _elapsed_figures(cold: Run, warm: Run, span: Figure) -> dict[str, Figure]:
    first, second = walls(cold), walls(warm)
    found = {
        "cold_wall_ms": _known(first.wall_ms, _NO_END),
        "warm_wall_ms": _known(second.wall_ms, _NO_END),
        "probe_ms": _known(first.probe_ms, _NO_END),
    }
    if is_rehearsal(cold):
        # Both walls hold what the CPU built and ran in the GPU's place.
        return {**found, "compile_elapsed_ms": span, "elsewhere_ms": missing(REHEARSED)}
    if any(event.status != "cached" for event in measured_events(warm)):
        elapsed = missing(WARM_COMPILED)
    else:
        elapsed = _difference(found["cold_wall_ms"], found["warm_wall_ms"])
    return {**found, "compile_elapsed_ms": elapsed, "elsewhere_ms": _difference(elapsed, span)}


def _known(value: float | None, reason: str) -> Figure:
    return missing(reason) if value is None else Figure(float(value), "hook")


def _count_figures(cold: Run) -> dict[str, Figure]:
    found = {
        "lto_artifacts": _known(cold.lto_artifacts, _NO_CACHE),
        "lto_bytes": _known(cold.lto_bytes, _NO_CACHE),
    }
    names = ("identities", "modules", "compiled", "cached", "errors", "launches")
    if not _heard(cold):
        return {**found, **dict.fromkeys(names, missing(_NO_WIRE))}
    events = measured_events(cold)
    compiled = [event for event in events if event.status == "compiled"]
    counts = {
        "identities": len(identities(compiled)),
        "modules": len({event.module for event in compiled}),
        **{name: sum(event.status == name for event in events) for name in ("compiled", "cached")},
        "errors": sum(event.status == "error" for event in events),
    }
    source = _source(events, "status")
    found |= {name: Figure(float(count), source) for name, count in counts.items()}
    return {**found, "launches": _launches(cold)}


def _launches(cold: Run) -> Figure:
    """Count the measured launches, those included for whose order there was no room."""
    for wire in cold.wires:
        said = wire.warp.hooks.get("launch", "ok") if wire.warp else "ok"
        if said != "ok":
            return missing(f"Launches were not recorded: {said}")
    table = launch_table(cold)
    measured = np.array([row["phase"] != "setup" for row in table.rows], dtype=bool)
    known = int(np.count_nonzero(measured[table.codes])) if len(table.codes) else 0
    beyond = sum(max(wire.footer.launches - len(wire.order), 0) for wire in cold.wires if wire.footer)
    return Figure(float(known + beyond), "hook")


Identity = tuple[str, str | None, str | None, int | None]
"""``module``, ``hash``, ``device``, ``block_dim``."""


def identities(compiled: Iterable[Event]) -> set[Identity]:
    """Return what was built; a hash and its first digits, as a log has them, count as one."""
    events = list(compiled)
    hashes = sorted({event.hash for event in events if event.hash}, key=lambda text: -len(text))
    whole = {text: next(other for other in hashes if other.startswith(text)) for text in hashes}
    return {
        (event.module, whole[event.hash] if event.hash else None, event.device, event.block_dim) for event in events
    }
