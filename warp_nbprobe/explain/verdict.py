"""The one ordered list of verdicts of the measurement page: the first row that holds is the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from warp_nbprobe.explain.environment import Environment
from warp_nbprobe.explain.noise import LEAST_SAMPLES, Move
from warp_nbprobe.explain.words import counted, listed, ms_text
from warp_nbprobe.explain.workload import Workload

Word = Literal[
    "invalid", "not comparable", "unverified", "not enough evidence", "regressed", "inconclusive", "improved"
]

WORDS: Final[tuple[Word, ...]] = (
    "invalid",
    "not comparable",
    "unverified",
    "not enough evidence",
    "regressed",
    "inconclusive",
    "improved",
)
"""Every verdict, the gravest first."""


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a verdict rests on. Texts are clauses for a person."""

    good: tuple[int, int]  # good samples of each side
    failed: tuple[str, ...]  # the candidate's failed samples
    errors: tuple[str, ...]  # builds that fail in the candidate alone
    results: tuple[str, ...]  # checked values that moved
    workload: Workload
    environment: Environment
    warm_compiled: tuple[int, int]  # what each side's warm runs compiled
    unsteady: tuple[tuple[str, ...], tuple[str, ...]]  # in what a side's own samples were built differently
    work: Move
    elapsed: Move
    same_work: bool  # launches, hashes and LTO objects are the same


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict: its word, its row in the list, and why."""

    word: Word
    row: int
    reason: str


Said = tuple[Word, str] | None
_Row = Callable[[Facts], Said]


def verdict(facts: Facts) -> Verdict:
    """Return the first row that holds."""
    return next(rows_that_hold(facts))


def rows_that_hold(facts: Facts) -> Iterator[Verdict]:
    """Yield every row that would hold by itself, in order; the last one always does."""
    for number, row in enumerate(ROWS, start=1):
        said = row(facts)
        if said is not None:
            yield Verdict(said[0], number, said[1])


def _invalid(facts: Facts) -> Said:
    said = [*facts.failed]
    if facts.errors:
        said.append(f"the candidate has builds that fail and the baseline has not: {listed(facts.errors)}")
    if facts.results:
        said.append(f"results moved: {listed(facts.results)}")
    if facts.workload.outcome == "changed":
        said.append(f"the workload changed: {workload_text(facts.workload)}")
    return ("invalid", "; ".join(said)) if said else None


def _not_comparable(facts: Facts) -> Said:
    found = facts.environment
    said = [f"the machines differ ({fact.text})" for fact in found.machine]
    if found.rehearsal:
        said.append("a rehearsal is set against a real run")
    if found.traced:
        said.append("the compiler's trace, which is a part of every hash, was on in one of the two alone")
    if facts.workload.outcome == "device":
        said.append("the launches are the same but for their devices")
    if found.setup is not None:
        said.append(f"the setup code differs and built other identities ({found.setup.text})")
    return ("not comparable", "; ".join(said)) if said else None


def _unverified(facts: Facts) -> Said:
    if not any(facts.workload.recorded):
        return "unverified", "neither side recorded a launch: the workload is neither equal nor changed"
    if facts.workload.outcome == "unknown" and min(facts.good):
        return "unverified", "a side could not record its launches: the workload is neither equal nor changed"
    return None


def _not_enough(facts: Facts) -> Said:
    if min(facts.good) < LEAST_SAMPLES:
        ours, theirs = facts.good
        return "not enough evidence", (
            f"{counted(ours, 'good sample')} of the baseline and {theirs} of the candidate; "
            f"{LEAST_SAMPLES} are needed on each side"
        )
    if facts.work.moved is None:
        return "not enough evidence", f"the work was not measured on both sides ({facts.work.reason})"
    return None


def _warm_compiles(facts: Facts) -> Said:
    before, now = facts.warm_compiled
    if now and not before:
        return "regressed", (
            f"the candidate's warm run compiles ({counted(now, 'build')}) and the baseline's did not: "
            "a cost of the first run became a cost of every run"
        )
    return None


def _unsteady(facts: Facts) -> Said:
    sides = [f"the {name}: {found[0]}" for name, found in zip(_SIDES, facts.unsteady, strict=True) if found]
    if not sides:
        return None
    return "inconclusive", f"a side's own samples did not compile the same thing, {'; '.join(sides)}"


def _better(facts: Facts) -> Said:
    work, elapsed = facts.work.moved, facts.elapsed.moved
    if work == "down" and elapsed != "up":
        return "improved", f"less work: {both_text(facts)}"
    if work == "inside" and elapsed == "down" and not _rose_all_the_same(facts):
        return "improved", f"a shorter wait for the same work: {both_text(facts)}"
    return None


def _rose_all_the_same(facts: Facts) -> bool:
    """Whether the work's median rose beyond its band, and the wait has no samples that could outweigh it.

    So it is between files of NVIDIA's script, which calls that a regression.
    """
    work = facts.work
    return facts.elapsed.separated is None and (work.delta or 0.0) > (work.band or 0.0)


def _longer_wait(facts: Facts) -> Said:
    if facts.work.moved == "down" and facts.elapsed.moved == "up":
        return "inconclusive", f"less work, longer wait: {both_text(facts)}"
    return None


def _contention(facts: Facts) -> Said:
    if facts.work.moved != "up" or not facts.same_work:
        return None
    same = "nothing more was built, so the rise in work is contention"
    word: Word = "inconclusive"
    if facts.elapsed.moved == "down":
        word = "improved"
    elif facts.elapsed.moved is None:
        word = "unverified"
    return word, f"{same}; by the wait alone: {both_text(facts)}"


def _worse(facts: Facts) -> Said:
    work, elapsed = facts.work.moved, facts.elapsed.moved
    if work == "up":
        return "regressed", f"more work: {both_text(facts)}"
    if work == "inside" and elapsed == "up":
        return "regressed", f"a longer wait for the same work: {both_text(facts)}"
    return None


def _anything_else(facts: Facts) -> Said:
    return "inconclusive", f"no difference beyond the noise: {both_text(facts)}"


ROWS: Final[tuple[_Row, ...]] = (
    _invalid,
    _not_comparable,
    _unverified,
    _not_enough,
    _warm_compiles,
    _unsteady,
    _better,
    _longer_wait,
    _contention,
    _worse,
    _anything_else,
)
"""The list, in its order; each row alone says whether it holds."""

_SIDES: Final = ("baseline", "candidate")
_WHAT: Final = {"build_ms": "build", "cold_module_ms": "build, header included", "compile_elapsed_ms": "wait"}


def both_text(facts: Facts) -> str:
    """Return both clocks in words."""
    return f"{move_text(facts.work)}; {move_text(facts.elapsed)}"


def move_text(found: Move) -> str:
    """Return one figure in words: moved or inside the noise, by how much, of how many samples."""
    name = _WHAT.get(found.metric, found.metric)
    before, now = found.baseline.median, found.candidate.median
    if before is None or now is None or found.delta is None or found.band is None:
        return f"{name} is missing ({found.reason})"
    of = f"{found.baseline.n} and {found.candidate.n} samples"
    sizes = f"{ms_text(before)} to {ms_text(now)}"
    if found.moved in ("down", "up"):
        return f"{name} {found.moved} by {ms_text(abs(found.delta))} ({sizes}, band {ms_text(found.band)}, {of})"
    if found.moved is None:
        return f"{name} {sizes} ({found.reason})"
    why = "the samples overlap" if abs(found.delta) > found.band else f"band {ms_text(found.band)}"
    return f"{name} inside the noise ({sizes}, {why}, {of})"


def workload_text(found: Workload) -> str:
    """Return how the launches differ, in one clause."""
    ours, theirs = found.totals
    said = f"{counted(ours, 'launch')} before, {theirs} now".replace("launchs", "launches")
    if found.by_set:
        kinds = len(found.only[0]), len(found.only[1])
        return f"{said}; {kinds[0]} kinds of launch are gone, {kinds[1]} are new"
    if found.parting is None:
        return said
    parting = found.parting
    if parting.baseline is None or parting.candidate is None:
        side = "baseline" if parting.baseline is None else "candidate"
        return f"{said}; the {side} ends before launch {parting.position} of {parting.thread}"
    fields = listed(list(parting.fields))
    return f"{said}; they part at launch {parting.position} of {parting.thread} ({fields})"
