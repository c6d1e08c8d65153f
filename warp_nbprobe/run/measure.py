"""Repeats a cold run and its warm run; keeps failures as failures."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, Literal, Protocol

from warp_nbprobe.data.model import Run
from warp_nbprobe.errors import NBProbeError
from warp_nbprobe.run.stop import Stop, stoppable

_PAIR: Final[tuple[Literal["cold"], Literal["warm"]]] = ("cold", "warm")


class Runner(Protocol):
    """Makes the runs of a measurement."""

    def sample(self, number: int) -> AbstractContextManager[Callable[[Literal["cold", "warm"]], Run]]:
        """Open one sample; what is handed out makes its cold and then its warm run."""


def measure_samples(
    runner: Runner,
    *,
    samples: int,
    after_run: Callable[[tuple[Run, ...]], None] | None = None,
) -> tuple[tuple[Run, ...], bool]:
    """Return all runs in order, and whether the user stopped the measurement.

    A failed first cold run ends it; later a failed run is one failed sample, and a failed cold run has no warm
    run. ``after_run`` is told after each run what there is so far. An error that leaves nothing to measure (no
    kernel, no Warp) passes through when it comes with the first run. While this runs, an interrupt is counted and
    not raised: the run that it stops is the last one.
    """
    runs: list[Run] = []
    with stoppable() as stop:
        for number in range(1, samples + 1):
            with runner.sample(number) as start:
                for word in _PAIR:
                    run = _one_run(start, word, first=not runs)
                    runs.append(run)
                    if after_run is not None:
                        after_run(tuple(runs))
                    if _stopped(run, stop):
                        return tuple(runs), True
                    if word == "cold" and run.failure is not None:
                        break
            if runs[0].failure is not None:
                break
    return tuple(runs), False


def _one_run(start: Callable[[Literal["cold", "warm"]], Run], word: Literal["cold", "warm"], *, first: bool) -> Run:
    try:
        return start(word)
    except NBProbeError as error:
        if first or not isinstance(error.run, Run) or error.run.failure is None:
            raise
        return error.run  # a kernel that started before and does not start now: one failed sample


def _stopped(run: Run, stop: Stop) -> bool:
    return bool(stop) or (run.failure is not None and run.failure.reason == "interrupted")
