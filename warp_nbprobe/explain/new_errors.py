"""Builds that fail in the candidate and not in the baseline. Those that fail in both are part of the program."""

from __future__ import annotations

from collections import Counter

from warp_nbprobe.data.figures import measured_events
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import Event
from warp_nbprobe.explain.environment import good_runs
from warp_nbprobe.explain.words import times

_Key = tuple[str, str]
"""The module that failed, and the kernel at fault as far as it is known."""


def new_errors(baseline: Recording, candidate: Recording) -> tuple[str, ...]:
    """Return the candidate's failed builds that the baseline has not, one clause each.

    Matched by module and kernel, then by kernel alone: a module of its own is named after its content.
    """
    found: list[str] = []
    for word in ("cold", "warm"):
        before, now = _errors(baseline, word), _errors(candidate, word)
        left, there = now - before, before - now
        for module, kernel in list(left):
            twin = next((key for key in there if kernel and key[1] == kernel), None)
            if twin is not None:
                shared = min(left[module, kernel], there[twin])
                left[module, kernel] -= shared
                there[twin] -= shared
        for (module, kernel), count in (+left).items():
            whose = f" (kernel {kernel})" if kernel else ""
            run = " in the warm run" if word == "warm" else ""
            found.append(f"{module}{whose} failed to build {times(count)}{run}")
    return tuple(found)


def _errors(recording: Recording, word: str) -> Counter[_Key]:
    """Return the most failed builds of each kind in any sample."""
    found: Counter[_Key] = Counter()
    for run in good_runs(recording, word):
        found |= Counter(_key(event) for event in _failed(run))
    return found


def _failed(run: Run) -> list[Event]:
    return [event for event in measured_events(run) if event.status == "error"]


def _key(event: Event) -> _Key:
    kernel = (event.error or {}).get("kernel")
    return event.module, kernel.rpartition(".")[2] if isinstance(kernel, str) else ""
