"""What Warp's own lines tell, for processes whose hooks gave nothing: the net under the probe.

Read from the output of Warp 1.5.1 to 1.19: a module line when a load has ended; at a higher log level also a
line when it begins and one for the native compile. Nothing else of a build is printed, so the other parts
are missing, each with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from warp_nbprobe.data.records import Event, Wire

UNTIMED: Final = -1
"""``t0`` and ``t1`` of an event read from a line whose time nobody noted."""

FROM_LOG: Final = "read from Warp's log"
"""In an event's ``why``: the figure is there, but no hook gave it."""

_MODULE: Final = re.compile(
    r"Module (?P<name>.+?)(?: (?P<hash>[0-9a-f]{7,64}))? load on device '(?P<device>[^']*)'"
    r"(?: \(block_dim=(?P<block_dim>\d{1,9})\))?"
    r" (?:\.\.\.|took (?P<ms>\d+(?:\.\d+)?) ms +\((?P<status>compiled|cached|error)\))\s*"
)
_COMPILE: Final = re.compile(r"\s*Compile (?P<target>\S+)(?: \([^)]*\))? took (?P<ms>\d+(?:\.\d+)?) ms\s*")
_VERSION: Final = re.compile(r"Warp (\d+)\.(\d+)\S* initialized")
_USES_HEADER: Final = "Using existing precompiled header"

_LEVEL: Final = "Warp's log tells the native compile only at its debug level."
_MIXED: Final = "Lines of several builds are interleaved in Warp's log."
_NOT_TOLD: Final = "Warp's log does not tell it."
_FAILED: Final = "The build failed; Warp's log tells only how long it took."


@dataclass(slots=True)
class _Open:
    """What has been read of the builds of one thread that have not ended yet."""

    begun: int = 0
    native: list[float] = field(default_factory=list)
    uses_header: bool = False


def log_events(wire: Wire) -> tuple[Event, ...]:
    """Return the events that the process's log lines tell, in the order in which they ended."""
    version = _two(wire.warp.version) if wire.warp else None
    lines = [(line.text, line.t, line.thread) for line in wire.log]
    return tuple(_events(lines, version))


def printed_events(printed: Iterable[str]) -> tuple[Event, ...]:
    """Return the events told by lines that the host saw on the child's output; their times are unknown."""
    return tuple(_events([(text, UNTIMED, 0) for text in printed], None))


def tells(line: str) -> bool:
    """Whether a line is one that events are read from."""
    return bool(_MODULE.fullmatch(line) or _COMPILE.fullmatch(line) or _VERSION.match(line)) or _USES_HEADER in line


def with_log(wire: Wire) -> tuple[Event, ...]:
    """Return the wire's events, a native time that no hook gave filled from the log where it tells one."""
    if all(event.native_ms is not None for event in wire.events):
        return wire.events
    return tuple(_filled(wire, event) for event in wire.events)


def _filled(wire: Wire, event: Event) -> Event:
    if event.native_ms is not None or event.status != "compiled":
        return event
    found = [
        match["ms"]
        for line in wire.log
        if line.thread == event.thread and event.t0 <= line.t <= event.t1
        for match in (_COMPILE.fullmatch(line.text),)
        if match
    ]
    if len(found) != 1:
        return event
    return replace(event, native_ms=float(found[0]), why={**event.why, "native_ms": FROM_LOG})


def _events(lines: Iterable[tuple[str, int, int]], version: tuple[int, int] | None) -> Iterable[Event]:
    by_thread: dict[int, _Open] = {}
    for text, t, thread in lines:
        for part in text.splitlines():
            state = by_thread.setdefault(thread, _Open())
            match = _MODULE.fullmatch(part)
            if match and match["ms"] is None:
                state.begun += 1
            elif match:
                yield _event(match, state, t, thread, version)
                state.begun = max(state.begun - 1, 0)
                if not state.begun:
                    by_thread[thread] = _Open()
            elif compiled := _COMPILE.fullmatch(part):
                state.native.append(float(compiled["ms"]))
            elif told := _VERSION.match(part):
                version = int(told[1]), int(told[2])
            elif _USES_HEADER in part:
                state.uses_header = True


def _event(match: re.Match[str], state: _Open, t: int, thread: int, version: tuple[int, int] | None) -> Event:
    ms, status, device = float(match["ms"]), match["status"], match["device"]
    parts: dict[str, float | None] = dict.fromkeys(_PARTS)
    why: dict[str, str] = dict.fromkeys(_PARTS, _FAILED if status == "error" else _NOT_TOLD)
    if status == "cached":
        parts |= dict.fromkeys(("codegen_ms", "lto_ms", "native_ms", "header_ms"), 0.0)
    elif status == "compiled":
        mixed = state.begun > 1 or len(state.native) > 1
        parts["native_ms"] = state.native[0] if len(state.native) == 1 and not mixed else None
        why["native_ms"] = _MIXED if mixed else _LEVEL
        if device != "cpu" or (version is not None and version < (1, 13)) or (state.uses_header and not mixed):
            parts["header_ms"] = 0.0
    return Event(
        t0=UNTIMED if t == UNTIMED else t - round(ms * 1e6),
        t1=t,
        module=match["name"],
        status=status,
        ms=ms,
        thread=thread,
        hash=match["hash"],
        device=device,
        block_dim=int(match["block_dim"]) if match["block_dim"] else None,
        why={name: reason for name, reason in why.items() if parts[name] is None}
        | ({} if status == "cached" else {"source_bytes": _NOT_TOLD}),
        source_bytes=0 if status == "cached" else None,
        strip_hash=match["hash"] is None,
        source="log",
        hash_ms=parts["hash_ms"],
        codegen_ms=parts["codegen_ms"],
        lto_ms=parts["lto_ms"],
        native_ms=parts["native_ms"],
        header_ms=parts["header_ms"],
        load_ms=parts["load_ms"],
    )


_PARTS: Final = ("hash_ms", "codegen_ms", "lto_ms", "native_ms", "header_ms", "load_ms")


def _two(version: str) -> tuple[int, int] | None:
    found = re.match(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else None
