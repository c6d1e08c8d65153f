"""What two measurements stood on: machines, software, what was asked for, and setup code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from warp_nbprobe.data.events import clock, counted_events, is_rehearsal
from warp_nbprobe.data.figures import Identity, identities
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import Wire

GONE: Final = "[left out]"
"""What a report that was handed on has in place of something private."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact on both sides, as text."""

    name: str
    baseline: str
    candidate: str

    @property
    def text(self) -> str:
        """The fact as a clause: ``Warp 1.18.0 before, 1.19.0 now``."""
        return f"{self.name}: {self.baseline} before, {self.candidate} now"


@dataclass(frozen=True, slots=True)
class Environment:
    """What differs. ``unknown`` names what could not be compared."""

    machine: tuple[Fact, ...]  # these forbid a comparison of times
    software: tuple[Fact, ...]  # what changed
    asked: tuple[Fact, ...]  # commands, arguments, folders: worth a warning
    rehearsal: bool  # one side was rehearsed, the other was not
    setup: Fact | None  # the setup code differs and built other identities
    setup_text_differs: bool
    unknown: tuple[str, ...]
    traced: bool = False  # the compiler's trace was on in one of the two alone


def environment(baseline: Recording, candidate: Recording) -> Environment:
    """Compare what two recordings stood on."""
    unknown: list[str] = []
    ours, theirs = _machine(baseline), _machine(candidate)
    left = "host" if None not in (ours["CPU"], theirs["CPU"]) else "CPU"
    unknown += ["CPU"] if left == "CPU" else []
    machine = [*_compared(_but(ours, left), _but(theirs, left), unknown)]
    software = [*_compared(_software(baseline), _software(candidate), unknown)]
    asked = [*_compared(_asked(baseline), _asked(candidate), [])]
    texts = _setup_text(baseline), _setup_text(candidate)
    built = _setup_identities(baseline), _setup_identities(candidate)
    setup_differs = texts[0] != texts[1]
    if any(texts) and GONE in texts:
        unknown.append("the text of the setup code (left out of a report that was handed on)")
        setup_differs = False
    setup = None
    if setup_differs and _plain(built[0]) != _plain(built[1]):
        setup = Fact("setup code", f"{len(built[0])} identities built", f"{len(built[1])} other")
    return Environment(
        tuple(machine),
        tuple(software),
        tuple(asked),
        _rehearsed(baseline) != _rehearsed(candidate),
        setup,
        setup_differs,
        tuple(unknown),
        bool(baseline.options.get("trace")) != bool(candidate.options.get("trace")),
    )


def good_runs(recording: Recording, word: str = "cold") -> list[Run]:
    """Return the runs of the good samples; without one, the first cold run that there is."""
    good = set(recording.good_samples())
    found = [run for run in recording.runs if run.run == word and run.sample in good]
    first = recording.first_cold_run()
    return found if found or word != "cold" or first is None else [first]


def main_wires(recording: Recording) -> Iterator[Wire]:
    """Yield the main process's record of each run that the figures come from."""
    return (run.wires[0] for run in good_runs(recording) if run.wires)


_Facts = dict[str, str | None]
"""Name to text; ``None``: not known."""


def _compared(ours: _Facts, theirs: _Facts, unknown: list[str]) -> Iterator[Fact]:
    for name in ours:
        first, second = ours[name], theirs.get(name)
        if first is None or second is None:
            if first != second or name in _WORTH_SAYING:
                unknown.append(name)
        elif first != second:
            yield Fact(name, first, second)


_WORTH_SAYING: Final = ("cores", "Warp")


def _but(facts: _Facts, left_out: str) -> _Facts:
    """Return the facts without one: the host's name counts only where a CPU's model is unknown."""
    return {name: text for name, text in facts.items() if name != left_out}


def _first(recording: Recording, read: Callable[[Wire], Any]) -> str | None:
    for wire in main_wires(recording):
        value = read(wire)
        if value is not None and value != GONE:
            return str(value)
    return None


def _machine(recording: Recording) -> _Facts:
    cpu = _first(recording, lambda wire: wire.header.machine.get("cpu") if wire.header else None)
    cores = _first(recording, lambda wire: wire.header.machine.get("cores") if wire.header else None)
    host = _first(recording, lambda wire: wire.header.machine.get("host") if wire.header else None)
    return {
        "CPU": cpu,
        "host": host,
        "cores": cores,
        "devices": _first(recording, _devices),
        "driver": _first(recording, lambda wire: (wire.runtime.driver or "none") if wire.runtime else None),
    }


def _devices(wire: Wire) -> str | None:
    if wire.runtime is None:
        return None
    found = [f"{one.get('alias')} {one.get('name')} {one.get('arch') or ''}".strip() for one in wire.runtime.devices]
    return ", ".join(found) or "none"


def _software(recording: Recording) -> _Facts:
    return {
        "Warp": _first(recording, lambda wire: wire.warp.version if wire.warp else None),
        "Python": _first(recording, lambda wire: _minor(wire.header.python) if wire.header else None),
        "CUDA toolkit": _first(recording, lambda wire: (wire.runtime.toolkit or "none") if wire.runtime else None),
    }


def _minor(version: str | None) -> str | None:
    found = re.match(r"\d+\.\d+", version or "")
    return found[0] if found else None


def _asked(recording: Recording) -> _Facts:
    options = recording.options
    found: _Facts = {}
    for name, key in (("command", "command"), ("folder", "cwd"), ("kernel", "kernel"), ("rehearsed for", "rehearse")):
        value = options.get(key)
        text = " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "none")
        found[name] = None if text == GONE else text
    for name, key in (("variables sent", "push"), ("environment variables", "env")):
        value = options.get(key)
        found[name] = ", ".join(sorted(map(str, value))) or "none" if isinstance(value, list | tuple) else "none"
    return found


def _rehearsed(recording: Recording) -> bool:
    return any(is_rehearsal(run) or _has_rehearsed(run) for run in good_runs(recording))


def _has_rehearsed(run: Run) -> bool:
    return any(event.rehearsed for wire in run.wires for event in wire.events)


def _setup_text(recording: Recording) -> str:
    cells = [cell.source.strip() for cell in recording.cells if cell.phase == "setup"]
    if cells and not any(cells) and recording.extra.get("redacted"):
        return GONE
    return "\n\n".join(cells)


def _setup_identities(recording: Recording) -> set[Identity]:
    found: set[Identity] = set()
    for run in good_runs(recording):
        time = clock(run)
        events = [event for _, event in counted_events(run) if time.in_setup(event.t0) and event.status == "compiled"]
        found |= identities(events)
    return found


def _plain(found: set[Identity]) -> set[Identity]:
    """Return identities whose hashes are as short as logs have them, so that both kinds of report compare."""
    return {(module, digest[:7] if digest else None, device, block_dim) for module, digest, device, block_dim in found}
