"""Programs with their wires as recordings, and what their headers say that a report must say of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import read_wire

TESTS = Path(__file__).parents[1]
PROGRAMS = TESTS / "programs" / "explain"
WIRES = TESTS / "wire" / "explain"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py"))

_LINE = re.compile(r"^(event|warm|rule|also|absent): *(.*)$", re.MULTILINE)


@dataclass
class Expected:
    """``events`` and ``warm``: module pattern, causes, words of the detail, for each event that is no plain load.

    ``rules`` are all findings of kind wrong and redundant; ``also`` and ``absent`` are some of the others.
    """

    events: list[tuple[str, tuple[str, ...], str]] = field(default_factory=list)
    warm: list[tuple[str, tuple[str, ...], str]] = field(default_factory=list)
    rules: set[str] = field(default_factory=set)
    also: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)


def expected(name: str) -> Expected:
    """Read the header of a program."""
    header = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8").split('"""')[1]
    found = Expected()
    for kind, text in _LINE.findall(header):
        if kind in ("event", "warm"):
            told, _, words = text.partition(" | ")
            module, _, causes = told.strip().partition(" ")
            events = found.events if kind == "event" else found.warm
            events.append((module, tuple(re.split(r", *", causes.strip())), words.strip()))
        else:
            names = {name for name in re.split(r", *", text.strip()) if name}
            target = {"rule": found.rules, "also": found.also, "absent": found.absent}[kind]
            target |= names
    return found


def recorded(name: str) -> Recording:
    """Return a program's wires as a measurement of one sample."""
    kinds: tuple[Literal["cold", "warm"], ...] = ("cold", "warm")
    runs = [run for run in (_run(name, kind) for kind in kinds) if run is not None]
    return Recording(name, (), 1, tuple(runs), {}, datetime(2025, 1, 1, tzinfo=timezone.utc), "0.1.0")


def _run(name: str, kind: Literal["cold", "warm"]) -> Run | None:
    paths = sorted((WIRES / name / kind).glob("wire-*.jsonl"))
    wires = tuple(read_wire(path, strict=True) for path in paths)
    if not wires:
        return None
    start = datetime.fromtimestamp(wires[0].header.time if wires[0].header else 0, timezone.utc)
    return Run(1, kind, wires[0].pid, start, wires, None, 0, 0, 0)
