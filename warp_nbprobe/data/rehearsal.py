"""What a reader has to know of a recording that was rehearsed: for what, whether it ran, what was assumed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from warp_nbprobe.data.events import counts, is_rehearsal, ordered_events, place_text
from warp_nbprobe.data.frames_modules import event_ms
from warp_nbprobe.data.model import Recording, Run


@dataclass(frozen=True, slots=True)
class Answer:
    """A question of the program's that was answered without a GPU, and the line that asked first."""

    name: str
    value: str
    location: str | None


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """How a run was rehearsed."""

    archs: tuple[str, ...]
    executed: bool
    card: dict[str, Any]  # facts of a typical card, assumed
    answers: tuple[Answer, ...]
    missing: tuple[str, ...]  # what this Warp asks in a way that is not understood


def rehearsed(run: Run) -> Rehearsed | None:
    """Return how the run was rehearsed, over all its processes; ``None`` for an ordinary run."""
    lines = [line for wire in run.wires for line in wire.rehearsals]
    if not lines:
        return None
    answers: dict[str, Answer] = {}
    for wire in run.wires:
        for one in wire.assumed:
            answers.setdefault(one.name, Answer(one.name, one.value, place_text(run, one.place, wire)[2]))
    return Rehearsed(
        archs=lines[0].archs,
        executed=not any(line.only for line in lines),
        card=next((line.card for line in lines if line.card), {}),
        answers=tuple(answers.values()),
        missing=tuple(dict.fromkeys(name for line in lines for name in line.missing)),
    )


def rehearsal_notes(recording: Recording) -> tuple[str, ...]:
    """Return what every view says of a rehearsed recording, one sentence each; empty for an ordinary one."""
    run = recording.first_cold_run()
    found = rehearsed(run) if run is not None else None
    return tuple(_notes(run, found)) if run is not None and found is not None else ()


def _notes(run: Run, found: Rehearsed) -> Iterator[str]:
    archs = ", ".join(found.archs)
    if found.executed:
        yield f"Rehearsed for {archs} without a GPU: the builds are real, and the CPU ran the kernels in its place."
    else:
        yield (
            f"NOT EXECUTED: rehearsed for {archs} without running a kernel. Kernels were built, launches recorded, and "
            "arrays kept the values they had: results are not results."
        )
    if len(found.archs) > 1:
        yield "The figures are those of all architectures together; the column `device` tells their builds apart."
    own = [event for _, event in ordered_events(run) if not counts(run, event)]
    if own:
        total_s = sum(map(event_ms, own)) / 1e3
        said = "1 build or load" if len(own) == 1 else f"{len(own)} builds and loads"
        yield f"What the CPU needed for that ({said} for `cpu`, {total_s:.1f} s) is in no figure."
    if found.card:
        yield _card_text(found.card)
    for answer in found.answers:
        where = f" ({answer.location})" if answer.location else ""
        yield f"Answered without a GPU: {answer.name}{where}: {answer.value}."
    if found.missing:
        yield f"Not understood in this Warp, and left as it is: {'; '.join(found.missing)}."


def _card_text(card: dict[str, Any]) -> str:
    facts = [
        f"{card['sm_count']} multiprocessors" if card.get("sm_count") else "",
        f"{card['memory_bytes'] >> 30} GiB of memory" if card.get("memory_bytes") else "",
        f"{card['max_shared_memory_per_block']} bytes of shared memory a block"
        if card.get("max_shared_memory_per_block")
        else "",
        f"programs as {card['output']}" if card.get("output") else "",
    ]
    name = f"{card.get('name', 'a GPU')} as {card.get('alias', 'cuda:0')}"
    return f"Assumed of the device: {', '.join([name, *(fact for fact in facts if fact)])}."


def is_rehearsed(recording: Recording) -> bool:
    """Whether any run of the recording was rehearsed."""
    return any(is_rehearsal(run) for run in recording.runs)
