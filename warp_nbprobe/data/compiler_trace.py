"""What the compiler of CUDA told of a build, read from a wire with all the distrust that a file deserves."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from warp_nbprobe.data.lines_rehearsal import CompilerTrace

_MOST_BYTES: Final = 2**26


@dataclass(frozen=True, slots=True)
class CompilerStep:
    """One step of the compiler, in microseconds since it began."""

    name: str
    begin: float
    duration: float
    detail: str | None


def compiler_steps(line: CompilerTrace) -> list[CompilerStep]:
    """Return the steps in order of their begin; none where the trace was left out or is damaged."""
    try:
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(base64.b64decode(line.zlib, validate=True), _MOST_BYTES)
        told = json.loads(text)
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        return []
    events = told.get("traceEvents") if isinstance(told, dict) else told
    steps = sorted(_steps(events if isinstance(events, list) else []), key=lambda step: (step.begin, -step.duration))
    first = steps[0].begin if steps else 0.0
    return [CompilerStep(step.name, step.begin - first, step.duration, step.detail) for step in steps]


def _steps(events: list[Any]) -> Iterator[CompilerStep]:
    for event in events:
        if not isinstance(event, dict) or event.get("ph") != "X" or not isinstance(event.get("name"), str):
            continue
        begin, duration = _time(event.get("ts")), _time(event.get("dur"))
        if begin is None or duration is None:
            continue
        about = event.get("args")
        detail = about.get("detail") if isinstance(about, dict) else None
        yield CompilerStep(event["name"], begin, duration, detail if isinstance(detail, str) else None)


def _time(value: object) -> float | None:
    known = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0
    return float(value) if known and isinstance(value, int | float) else None
