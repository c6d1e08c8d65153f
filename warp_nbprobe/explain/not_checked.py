"""What a comparison could not compare, said in words: a verdict never stands without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from warp_nbprobe.data.model import Recording
from warp_nbprobe.explain.environment import Environment
from warp_nbprobe.explain.noise import Move
from warp_nbprobe.explain.results import Compared
from warp_nbprobe.explain.verdict import Facts
from warp_nbprobe.explain.words import listed
from warp_nbprobe.explain.workload import Workload


class _Holds(Protocol):
    @property
    def recording(self) -> Recording: ...


class _Comparing(Protocol):
    """What this file reads of a comparison."""

    @property
    def baseline(self) -> _Holds: ...
    @property
    def candidate(self) -> _Holds: ...
    @property
    def environment(self) -> Environment: ...
    @property
    def workload(self) -> Workload: ...
    @property
    def compared_results(self) -> Sequence[Compared]: ...
    @property
    def facts(self) -> Facts: ...
    @property
    def work(self) -> Move: ...


def not_checked(found: _Comparing) -> tuple[str, ...]:
    """Return what could not be compared, one clause each."""
    return tuple(dict.fromkeys(_all(found)))


def _all(found: _Comparing) -> Iterator[str]:
    for name in found.environment.unknown:
        yield f"machine and software: {name}, which was not recorded on both sides"
    yield from found.workload.not_checked
    yield from _results(found.compared_results)
    yield from _times(found)
    for name, side in (("baseline", found.baseline.recording), ("candidate", found.candidate.recording)):
        yield from _of_side(name, side)


def _results(rows: Sequence[Compared]) -> Iterator[str]:
    if not rows:
        yield "results: no expression was checked (--check)"
    for row in rows:
        if row.outcome == "not checked":
            yield f"results: {row.check}{row.part}, {row.detail}"


def _times(found: _Comparing) -> Iterator[str]:
    elapsed = found.facts.elapsed
    if elapsed.moved is None and elapsed.delta is None:
        yield f"the wait: {elapsed.reason}"
    if found.work.metric == "cold_module_ms":
        yield "work without the precompiled header: a side has no figure for it, so cold_module_ms stands for the work"
    for move in (found.work, elapsed):
        if move.separated is None and move.delta is not None:
            yield f"{move.metric}: whether the samples are separated, since a side has no values of single samples"


def _of_side(name: str, side: Recording) -> Iterator[str]:
    if side.upstream is not None:
        yield f"the {name}'s samples among themselves, and what its warm runs compiled: NVIDIA's file has one cold run"
    if side.interrupted:
        yield f"samples that the {name} did not come to: it was stopped"
    wires = [wire for run in side.runs for wire in run.wires if wire.warp]
    hooks = {hook for wire in wires if wire.warp for hook, said in wire.warp.hooks.items() if said != "ok"}
    if hooks:
        yield f"what the {name}'s Warp gives no hook for: {listed(sorted(hooks))}"
    if any(run.ok and run.lto_artifacts is None for run in side.runs) and side.upstream is None:
        yield f"link-time objects: those in the {name}'s cache could not be counted"
