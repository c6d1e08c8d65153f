"""Two measurements against each other: a change counts when the work stayed the same and the gain beats the noise."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

import pandas as pd

from warp_nbprobe.data.figures import measured_events
from warp_nbprobe.data.metrics import METRICS, summary_frame
from warp_nbprobe.data.model import Recording
from warp_nbprobe.data.structure import structure
from warp_nbprobe.explain.compare_frames import (
    figures_frame,
    identities_frame,
    launches_frame,
    renames_frame,
    results_frame,
)
from warp_nbprobe.explain.environment import Environment, environment, good_runs
from warp_nbprobe.explain.identities import Builds, builds
from warp_nbprobe.explain.more_built import more_built
from warp_nbprobe.explain.new_errors import new_errors
from warp_nbprobe.explain.noise import Move, moves, without
from warp_nbprobe.explain.not_checked import not_checked
from warp_nbprobe.explain.results import Compared, Tolerance, compared_results, tolerance_of
from warp_nbprobe.explain.verdict import Facts, Verdict, both_text, rows_that_hold
from warp_nbprobe.explain.words import quoted
from warp_nbprobe.explain.workload import Workload, workload


class Side(Protocol):
    """What is compared: a ``Measurement``."""

    @property
    def recording(self) -> Recording: ...
    @property
    def label(self) -> str: ...
    @property
    def summary(self) -> pd.DataFrame: ...


class Comparison:
    """A candidate against a baseline. Everything is computed when it is first asked for, and stays."""

    def __init__(
        self, baseline: Side, candidate: Side, *, rtol: float | None = None, atol: float | None = None
    ) -> None:
        """``rtol`` and ``atol`` are for checked values; without them as when the values were measured."""
        self.baseline = baseline
        self.candidate = candidate
        asked = tolerance_of(baseline.recording, candidate.recording)
        self.tolerance = Tolerance(asked.rtol if rtol is None else rtol, asked.atol if atol is None else atol)

    @property
    def verdict(self) -> str:
        """One of the words of the measurement page, the first of its list that holds."""
        return self.judged.word

    @cached_property
    def same_work(self) -> bool:
        """Whether launches, hashes and LTO objects are the same: nothing more was built."""
        launched = any(self.workload.recorded) and self.workload.outcome == "same"
        return launched and self.builds.same and _same_lto(*self._recordings)

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Sentences; the first says why this verdict, the others what else there is to know."""
        return tuple(_sentence(text) for text in self._reasons())

    @cached_property
    def figures(self) -> pd.DataFrame:
        """One row per metric: both medians, what they differ by, the band, and whether that moved."""
        return figures_frame(self._judged_moves(self.baseline.summary, self.candidate.summary))

    @cached_property
    def identities(self) -> pd.DataFrame:
        """One row per build of either side's first good sample, with what changed and why."""
        return identities_frame(self.builds.pairings)

    @cached_property
    def launches(self) -> pd.DataFrame:
        """One row per kernel whose number of launches changed."""
        return launches_frame(self.workload)

    @cached_property
    def renames(self) -> pd.DataFrame:
        """One row per kernel that does the same work under another name: advice, no fault."""
        return renames_frame(self.workload)

    @cached_property
    def results(self) -> pd.DataFrame:
        """One row per part of each checked expression: how far apart, where, and whether that is a pass."""
        return results_frame(self.compared_results)

    @cached_property
    def not_checked(self) -> tuple[str, ...]:
        """What could not be compared, and why."""
        return not_checked(self)

    @cached_property
    def more_built(self) -> tuple[str, ...]:
        """In what the candidate builds more than the baseline, on whatever machines; empty when in nothing."""
        return more_built(*self._recordings, self.builds.renamed)

    @cached_property
    def workload(self) -> Workload:
        """How the launches relate, with the first one at which they part."""
        return workload(*self._recordings)

    @cached_property
    def environment(self) -> Environment:
        """What both sides stood on, and what differs."""
        return environment(*self._recordings)

    @cached_property
    def builds(self) -> Builds:
        """Both sides' builds, matched."""
        return builds(*self._recordings)

    @cached_property
    def compared_results(self) -> tuple[Compared, ...]:
        """The rows of ``results``, as objects."""
        return compared_results(*self._recordings, self.tolerance)

    @cached_property
    def judged(self) -> Verdict:
        """The verdict with its row in the list and its reason."""
        return next(rows_that_hold(self.facts))

    @cached_property
    def facts(self) -> Facts:
        """All that the verdict rests on."""
        baseline, candidate = self._recordings
        return Facts(
            good=(len(baseline.good_samples()), len(candidate.good_samples())),
            failed=tuple(_failed(candidate)),
            errors=_errors(baseline, candidate),
            results=tuple(_moved(self.compared_results)),
            workload=self.workload,
            environment=self.environment,
            warm_compiled=(_warm_compiled(baseline), _warm_compiled(candidate)),
            unsteady=(_unsteady(baseline), _unsteady(candidate)),
            work=self.work,
            elapsed=self._moves["compile_elapsed_ms"],
            same_work=self.same_work,
        )

    @cached_property
    def work(self) -> Move:
        """The work clock: ``build_ms``, or ``cold_module_ms`` where a side has no header figure."""
        build, whole = self._moves["build_ms"], self._moves["cold_module_ms"]
        good = [len(side.good_samples()) for side in self._recordings]
        complete = [found.n >= count for found, count in zip((build.baseline, build.candidate), good, strict=True)]
        return build if build.delta is not None and all(complete) else whole

    @property
    def elapsed(self) -> Move:
        """The clock of waiting."""
        return self.facts.elapsed

    @cached_property
    def _moves(self) -> dict[str, Move]:
        # Without what could be avoided: a verdict never waits for a diagnosis.
        return self._judged_moves(*(summary_frame(side, {}) for side in self._recordings))

    def _judged_moves(self, baseline: pd.DataFrame, candidate: pd.DataFrame) -> dict[str, Move]:
        found = moves(METRICS, baseline, candidate)
        found["source_bytes"] = without(found["source_bytes"], "compared build by build, where hashes differ")
        upstream = [side.upstream is not None for side in self._recordings]
        if upstream[0] != upstream[1]:
            for metric in ("cold_wall_ms", "warm_wall_ms"):
                found[metric] = without(found[metric], "one side has the start-up of the process in it")
        return found

    @property
    def _recordings(self) -> tuple[Recording, Recording]:
        return self.baseline.recording, self.candidate.recording

    def _reasons(self) -> Iterator[str]:
        rows = list(rows_that_hold(self.facts))
        yield rows[0].reason
        yield from (row.reason for row in rows[1:] if row.row <= _LAST_OF_STRUCTURE)
        if any(row.row == _FEW for row in rows):
            yield f"seen so far: {both_text(self.facts)}"
        elif self.judged.row <= _LAST_OF_STRUCTURE:
            timed = next(row for row in rows if row.row > _LAST_OF_STRUCTURE)
            yield f"by time alone: {timed.reason}"
        for fact in self.environment.software:
            yield f"what changed: {fact.text}"
        for fact in self.environment.asked:
            yield f"not asked alike: {fact.text}"
        if self.workload.by_set:
            sides = [name for name, differs in zip(_SIDES, self.workload.disagree, strict=True) if differs]
            yield (
                f"the samples of the {' and of the '.join(sides)} do not launch the same among themselves: only the "
                "kinds of launch were compared"
            )
        for old, new, count in self.workload.renames:
            of = f"{count} launch{'' if count == 1 else 'es'}"
            yield f"{quoted(old)} is called {quoted(new)} now ({of}): a rename, which is no change of work"
        for clause in self.more_built:
            yield f"more was built: {clause}"
        for row in self.compared_results:
            if row.outcome in ("within tolerance", "not reproducible"):
                yield f"{quoted(row.check + row.part)} is {row.outcome}: {row.detail}"

    def __repr__(self) -> str:
        return f"{self.candidate.label} against {self.baseline.label}: {self.verdict}. {self.reasons[0]}"


_SIDES = ("baseline", "candidate")
_FEW = 4  # the row of too few samples
_LAST_OF_STRUCTURE = 6
"""Rows after it are about time; they exclude each other and all say the same figures."""


def _failed(recording: Recording) -> Iterator[str]:
    for run in recording.runs:
        if run.failure is not None and run.failure.reason != "interrupted":
            yield f"the {run.run} run of the candidate's sample {run.sample} failed: {run.failure.message.rstrip('.')}"


def _errors(baseline: Recording, candidate: Recording) -> tuple[str, ...]:
    """Return the candidate's failed builds; between two files of NVIDIA's script any counts, as there."""
    if baseline.upstream is not None and candidate.upstream is not None:
        failed = [
            event for run in good_runs(candidate)[:1] for event in measured_events(run) if event.status == "error"
        ]
        return tuple(dict.fromkeys(event.module for event in failed))
    return new_errors(baseline, candidate)


def _moved(rows: tuple[Compared, ...]) -> Iterator[str]:
    for row in rows:
        if row.outcome == "moved":
            yield f"{quoted(row.check + row.part)} ({row.detail})"


def _warm_compiled(recording: Recording) -> int:
    """Return the most builds of a good sample's warm run."""
    runs = good_runs(recording, "warm")
    return max((sum(event.status == "compiled" for event in measured_events(run)) for run in runs), default=0)


def _unsteady(recording: Recording) -> tuple[str, ...]:
    return tuple(found.text.rstrip(".") for found in structure(recording).differences if not found.by_collection)


def _same_lto(baseline: Recording, candidate: Recording) -> bool:
    counts = [next((run.lto_artifacts for run in good_runs(side)), None) for side in (baseline, candidate)]
    return None in counts or counts[0] == counts[1]


def _sentence(text: str) -> str:
    first, _, _ = text.partition(" ")
    return f"{text[0].upper() if first.isalpha() else text[0]}{text[1:]}" + ("" if text.endswith(".") else ".")
