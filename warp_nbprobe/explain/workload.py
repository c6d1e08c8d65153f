"""Whether two measurements launched the same: by signature and order, per thread and process, not by name.

A kernel that moves from a closure to module scope gets another name and is a right fix, so names are no part of
the comparison; they come back as advice. Where the samples of one side disagree among themselves (threads that
share work, loops that run until convergence), only the set of distinct signatures is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from warp_nbprobe.data.model import Recording
from warp_nbprobe.explain.environment import good_runs
from warp_nbprobe.explain.launch_sides import Launch, Outcome, Parting, Sides
from warp_nbprobe.explain.launch_streams import FIELDS, NAMES, RunLaunches, missing_fields, run_launches
from warp_nbprobe.explain.renames import Rename, changed_counts, renames

_UNSEEN_UPSTREAM: Final = ("replay", "graph")


@dataclass(frozen=True, slots=True)
class Workload:
    """What became of comparing the launches."""

    outcome: Outcome
    recorded: tuple[bool, bool]  # whether each side recorded any launch
    totals: tuple[int, int]
    disagree: tuple[bool, bool]  # whether a side's own samples disagree: then only sets were compared
    counts: tuple[tuple[str, int, int], ...]  # kernels whose number of launches changed
    renames: tuple[Rename, ...]
    parting: Parting | None
    only: tuple[tuple[Launch, ...], tuple[Launch, ...]]  # kinds of launch that only one side has
    not_checked: tuple[str, ...]

    @property
    def by_set(self) -> bool:
        """Whether only the sets of distinct signatures were compared."""
        return any(self.disagree)


def workload(baseline: Recording, candidate: Recording) -> Workload:
    """Compare the launches of the good samples' cold runs."""
    upstream = baseline.upstream is not None, candidate.upstream is not None
    left_out = _UNSEEN_UPSTREAM if any(upstream) else ()
    ours, theirs = _side(baseline, left_out), _side(candidate, left_out)
    not_checked = _unseen(ours, theirs, mixed=upstream[0] != upstream[1])
    fields, lacking = _fields(ours, theirs, upstream)
    sides = Sides(ours, theirs, fields, like_upstream=any(upstream))
    outcome = sides.outcome()
    if outcome == "changed" and upstream[0] != upstream[1]:
        # NVIDIA's file lists the arrays that were passed; one that was None is in our types and not in its.
        looser = tuple(name for name in fields if name != "dtypes")
        again = Sides(ours, theirs, looser, like_upstream=True)
        if again.outcome() != "changed":
            sides, outcome = again, again.outcome()
            lacking = (*lacking, "dtypes")
    if not ours or not theirs or _unable(ours) or _unable(theirs):
        outcome = "unknown"
    not_checked += [f"launches: {NAMES[name]}, which one side did not record" for name in lacking]
    changed = outcome == "changed"
    renamed = renames(sides)
    return Workload(
        outcome=outcome,
        recorded=(_launched(baseline, ours, left_out), _launched(candidate, theirs, left_out)),
        totals=(_total(ours), _total(theirs)),
        disagree=sides.disagree,
        counts=tuple(changed_counts(sides, renamed)) if changed else (),
        renames=tuple(renamed),
        parting=sides.parting() if changed and not any(sides.disagree) else None,
        only=sides.only() if changed else ((), ()),
        not_checked=tuple(not_checked),
    )


def _side(recording: Recording, left_out: Sequence[str]) -> list[RunLaunches]:
    """Return the launches of each good sample; of NVIDIA's files only the first sample is known."""
    runs = good_runs(recording)
    if not recording.good_samples():
        return []
    return [run_launches(run, leave_out=left_out) for run in (runs[:1] if recording.upstream is not None else runs)]


def _any(side: Sequence[RunLaunches]) -> bool:
    return any(launches.total for launches in side)


def _launched(recording: Recording, side: Sequence[RunLaunches], left_out: Sequence[str]) -> bool:
    """Whether any launch was recorded, of whatever kind and also by a side without a good sample."""
    return _any(side) if side and not left_out else _any([run_launches(run) for run in good_runs(recording)])


def _total(side: Sequence[RunLaunches]) -> int:
    return side[0].total if side else 0


def _unable(side: Sequence[RunLaunches]) -> bool:
    """Whether a side could not record launches at all: it then has none to compare."""
    hooks = [wire.warp.hooks.get("launch", "ok") for run in side for wire in run.run.wires if wire.warp]
    return bool(hooks) and not _any(side) and any(said != "ok" for said in hooks)


def _unseen(ours: Sequence[RunLaunches], theirs: Sequence[RunLaunches], *, mixed: bool) -> list[str]:
    found = []
    for name, side in (("baseline", ours), ("candidate", theirs)):
        if not side:
            found.append(f"launches: the {name} has no good sample")
        elif _unable(side):
            found.append(f"launches: the {name} could not record them")
        beyond = max((launches.beyond for launches in side), default=0)
        if beyond:
            found.append(f"launches: the order of the last {beyond} of the {name}, for which there was no room")
        if any(wire.truncated for launches in side for wire in launches.run.wires):
            found.append(f"launches: what a process of the {name} did after its record was cut off")
    if mixed:
        found.append("launches: replayed commands and graphs, which NVIDIA's script does not record")
    return found


def _fields(
    ours: Sequence[RunLaunches], theirs: Sequence[RunLaunches], upstream: tuple[bool, bool]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the fields that both sides recorded, and those that only one did."""
    lacks = missing_fields(ours), missing_fields(theirs)
    dropped = lacks[0] | lacks[1]
    if any(upstream):
        dropped |= {"kind"}
    told = {name for name in dropped if (name in lacks[0]) != (name in lacks[1])}
    if upstream[0] != upstream[1]:
        told.add("kind")
    return tuple(name for name in FIELDS if name not in dropped), tuple(name for name in FIELDS if name in told)
