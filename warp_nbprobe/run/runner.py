"""Makes the runs of one measurement, with children that are kernels or commands."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

from warp_nbprobe.data.model import Cell, Run
from warp_nbprobe.data.results import without_repeats
from warp_nbprobe.run.command import CommandSpec, run_command
from warp_nbprobe.run.kernel import ChildSpec, run_cells
from warp_nbprobe.run.outputs import HeldRelay, Relay
from warp_nbprobe.run.progress import Progress, Tell
from warp_nbprobe.run.sandbox import Sandbox, open_sandbox

Word = Literal["cold", "warm"]


class RunOnce(Protocol):
    """Makes one run."""

    def __call__(
        self, *, sandbox: Sandbox, run: Word, sample: int, relay: Relay | None, progress: Tell | None
    ) -> Run: ...


class SampleRunner:
    """Makes the same run again and again, each sample in a sandbox of its own.

    The first cold run's output is passed on in full, a later run's only when it fails. ``kept`` lists the private
    folders that were not removed.
    """

    def __init__(
        self,
        run_once: RunOnce,
        *,
        samples: int,
        relay: Relay | None = None,
        progress: Tell | None = None,
        keep_scratch: bool = False,
    ) -> None:
        self.kept: list[Path] = []
        self._run_once = run_once
        self._samples = samples
        self._relay = relay
        self._progress = progress
        self._keep_scratch = keep_scratch
        self._clock = RunClock(samples)
        self._known_values: set[tuple[str, str, str]] = set()

    @contextmanager
    def sample(self, number: int) -> Iterator[Callable[[Word], Run]]:
        """Open the sandbox of one sample (from 1); what is handed out makes its runs."""
        with open_sandbox(keep=self._keep_scratch) as sandbox:
            if self._keep_scratch:
                self.kept.append(sandbox.root)

            def run(word: Word) -> Run:
                return self._run(number, word, sandbox)

            yield run

    def _run(self, sample: int, word: Word, sandbox: Sandbox) -> Run:
        first = sample == 1 and word == "cold"
        held = None if first or self._relay is None else HeldRelay()
        self._clock.begin(sample, word)
        result = self._run_once(
            sandbox=sandbox,
            run=word,
            sample=sample,
            relay=self._relay if first else held,
            progress=self._tell if self._progress is not None else None,
        )
        self._clock.end()
        if result.results:
            result = replace(result, results=without_repeats(result.results, self._known_values))
        failed = result.failure is not None and result.failure.reason != "interrupted"
        if failed and held is not None and self._relay is not None:
            held.show(self._relay, f"output of the {word} run of sample {sample}, which failed")
        return result

    def _tell(self, progress: Progress) -> None:
        if self._progress is not None:
            self._progress(
                replace(
                    progress,
                    samples=self._samples,
                    elapsed_s=self._clock.elapsed_s(),
                    estimate_s=self._clock.estimate_s(),
                )
            )


class KernelRunner(SampleRunner):
    """Runs the same cells again and again."""

    def __init__(self, cells: Sequence[Cell], spec: ChildSpec, *, samples: int, relay: Relay | None = None,
                 progress: Tell | None = None, keep_scratch: bool = False) -> None:  # fmt: skip
        once = partial(run_cells, tuple(cells), spec=spec)
        super().__init__(once, samples=samples, relay=relay, progress=progress, keep_scratch=keep_scratch)


class CommandRunner(SampleRunner):
    """Runs the same command again and again."""

    def __init__(self, spec: CommandSpec, *, samples: int, relay: Relay | None = None,
                 progress: Tell | None = None, keep_scratch: bool = False) -> None:  # fmt: skip
        once = partial(run_command, spec)
        super().__init__(once, samples=samples, relay=relay, progress=progress, keep_scratch=keep_scratch)


class RunClock:
    """Estimates what is left of a measurement from how long its runs took so far."""

    def __init__(self, samples: int, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._started_s = now()
        self._run_started_s = self._started_s
        self._took_s: dict[Word, list[float]] = {"cold": [], "warm": []}
        self._samples = samples
        self._sample = 1
        self._word: Word = "cold"

    def begin(self, sample: int, word: Word) -> None:
        """A run begins."""
        self._sample, self._word, self._run_started_s = sample, word, self._now()

    def end(self) -> None:
        """The run has ended."""
        self._took_s[self._word].append(self._now() - self._run_started_s)

    def elapsed_s(self) -> float:
        """Return the time since the measurement began."""
        return self._now() - self._started_s

    def estimate_s(self) -> float | None:
        """Return the time that is left, or ``None`` until a cold and a warm run are known."""
        if not all(self._took_s.values()):
            return None
        cold_s, warm_s = (sum(took) / len(took) for took in self._took_s.values())
        this_s = cold_s if self._word == "cold" else warm_s
        left_s = max(0.0, this_s - (self._now() - self._run_started_s))
        left_s += warm_s if self._word == "cold" else 0.0
        return left_s + (self._samples - self._sample) * (cold_s + warm_s)
