"""Samples: cold then warm, failures kept as failures, an interrupt keeps what there is."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone

import pytest

from warp_nbprobe.data.model import Failure, Run
from warp_nbprobe.errors import KernelDidNotStart, KernelNotFound
from warp_nbprobe.run.measure import measure_samples
from warp_nbprobe.run.runner import RunClock

FAILED = Failure("raised", "It raised.")
STOPPED = Failure("interrupted", "It was interrupted.")


def run_of(sample: int, word: str, failure: Failure | None = None) -> Run:
    return Run(sample, word, 1, datetime.now(timezone.utc), (), failure, 0, 0, 0)  # type: ignore[arg-type]


class Scripted:
    """A runner whose runs fail as told: {"2 cold": a failure or an error to raise}."""

    def __init__(self, script: dict[str, Failure | Exception] | None = None, press_in: str = "") -> None:
        self.script = script or {}
        self.press_in = press_in
        self.made: list[str] = []
        self.open = 0

    @contextmanager
    def sample(self, number: int) -> Iterator[Callable[[str], Run]]:
        self.open += 1

        def start(word: str) -> Run:
            name = f"{number} {word}"
            self.made.append(name)
            if name == self.press_in:
                os.kill(os.getpid(), signal.SIGINT)
            outcome = self.script.get(name)
            if isinstance(outcome, Exception):
                raise outcome
            return run_of(number, word, outcome)

        try:
            yield start
        finally:
            self.open -= 1


def test_every_sample_is_a_cold_and_then_a_warm_run() -> None:
    runner = Scripted()
    runs, interrupted = measure_samples(runner, samples=3)  # type: ignore[arg-type]
    assert runner.made == ["1 cold", "1 warm", "2 cold", "2 warm", "3 cold", "3 warm"]
    assert [(run.sample, run.run) for run in runs] == [(int(name[0]), name[2:]) for name in runner.made]
    assert not interrupted
    assert runner.open == 0


def test_a_failed_first_cold_run_ends_the_measurement() -> None:
    runner = Scripted({"1 cold": FAILED})
    runs, _ = measure_samples(runner, samples=3)  # type: ignore[arg-type]
    assert runner.made == ["1 cold"]
    assert runs[0].failure is FAILED


@pytest.mark.parametrize(
    ("failing", "made"),
    [
        ("1 warm", ["1 cold", "1 warm", "2 cold", "2 warm"]),
        ("2 cold", ["1 cold", "1 warm", "2 cold"]),
        ("2 warm", ["1 cold", "1 warm", "2 cold", "2 warm"]),
    ],
)
def test_a_later_failure_is_one_failed_sample(failing: str, made: list[str]) -> None:
    runner = Scripted({failing: FAILED})
    measure_samples(runner, samples=2)  # type: ignore[arg-type]
    assert runner.made == made


def test_each_run_is_told_of_as_soon_as_it_is_there() -> None:
    told: list[int] = []
    measure_samples(Scripted(), samples=2, after_run=lambda runs: told.append(len(runs)))  # type: ignore[arg-type]
    assert told == [1, 2, 3, 4]


def test_an_interrupted_run_is_the_last_and_finished_samples_are_kept() -> None:
    runs, interrupted = measure_samples(Scripted({"2 warm": STOPPED}), samples=3)  # type: ignore[arg-type]
    assert interrupted
    assert [(run.sample, run.run) for run in runs] == [(1, "cold"), (1, "warm"), (2, "cold"), (2, "warm")]


def test_a_press_between_the_childs_end_and_the_next_is_not_lost() -> None:
    runner = Scripted(press_in="1 warm")
    _, interrupted = measure_samples(runner, samples=3)  # type: ignore[arg-type]
    assert interrupted
    assert runner.made == ["1 cold", "1 warm"]
    assert runner.open == 0


def test_an_error_that_leaves_nothing_to_measure_passes_through() -> None:
    with pytest.raises(KernelNotFound):
        measure_samples(Scripted({"1 cold": KernelNotFound("x", [])}), samples=3)  # type: ignore[arg-type]


def test_a_kernel_that_does_not_start_later_on_is_one_failed_sample() -> None:
    error = KernelDidNotStart(None, "it ended with exit code 1.")
    error.run = run_of(2, "cold", Failure("died", "It did not start."))
    runs, _ = measure_samples(Scripted({"2 cold": error}), samples=3)  # type: ignore[arg-type]
    assert [run.failure is None for run in runs] == [True, True, False, True, True]


def test_the_rest_is_estimated_once_a_sample_is_known() -> None:
    now = [0.0]
    clock = RunClock(samples=3, now=lambda: now[0])
    clock.begin(1, "cold")
    now[0] = 10.0
    assert clock.estimate_s() is None
    clock.end()
    clock.begin(1, "warm")
    now[0] = 14.0
    clock.end()
    clock.begin(2, "cold")
    now[0] = 17.0
    assert clock.estimate_s() == 7.0 + 4.0 + 14.0
    now[0] = 99.0
    assert clock.estimate_s() == 4.0 + 14.0
    assert clock.elapsed_s() == 99.0
