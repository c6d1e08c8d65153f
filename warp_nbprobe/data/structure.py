"""Whether the samples of one measurement compiled the same thing, and what differs where they did not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from warp_nbprobe.data.events import clock, counted_events
from warp_nbprobe.data.figures import Identity, identities
from warp_nbprobe.data.frames_launches import launch_table
from warp_nbprobe.data.inputs import input_leaves
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import Event, Inputs, KernelState, Wire


@dataclass(frozen=True, slots=True)
class Difference:
    """A module that two samples built differently."""

    module: str
    samples: tuple[int, int]
    inputs: tuple[str, ...]  # what differs, with both values; empty where it was not recorded
    by_collection: bool  # only old versions of generic kernels, which live until Python collects them

    @property
    def text(self) -> str:
        """One sentence for a person."""
        which = f"{self.module} was not built alike in samples {self.samples[0]} and {self.samples[1]}"
        if self.by_collection:
            return f"{which}: old versions of generic kernels had been collected in one of them."
        said = "; ".join(self.inputs[:_NAMED]) or "what went into its hash was not recorded"
        rest = len(self.inputs) - _NAMED
        return f"{which}: {said}{f'; and {rest} more' if rest > 0 else ''}."


@dataclass(frozen=True, slots=True)
class Structure:
    """How the good samples of one measurement relate."""

    differences: tuple[Difference, ...]
    launches_differ: bool
    launch_samples: tuple[int, ...] = ()  # those that launched otherwise than the first good one

    @property
    def same(self) -> bool:
        """Whether all samples compiled the same thing, old generic versions left aside."""
        return all(difference.by_collection for difference in self.differences)


_NAMED = 4

_Built = list[tuple[Wire, Event]]


def structure(recording: Recording) -> Structure:
    """Compare the cold runs of all good samples with that of the first; NVIDIA's files tell of one alone."""
    if recording.upstream is not None:
        return Structure((), False)
    good = recording.good_samples()
    runs = [run for run in recording.runs if run.run == "cold" and run.sample in good]
    differences: list[Difference] = []
    for other in runs[1:]:
        differences += _differences(runs[0], other)
    launches = [_launches(run) for run in runs]
    others = tuple(run.sample for run, found in zip(runs, launches, strict=True) if found != launches[0])
    return Structure(tuple(differences), bool(others), others)


def _compiled(run: Run) -> _Built:
    time = clock(run)
    return [(w, e) for w, e in counted_events(run) if e.status == "compiled" and not time.in_setup(e.t0)]


def _launches(run: Run) -> Counter[tuple[str, ...]]:
    """Count the launches by what they do, whatever line, thread or process they come from."""
    table = launch_table(run)
    names = ("kernel", "dim", "device", "dtypes", "block_dim", "requested_block_dim", "adjoint", "kind")
    counts = np.bincount(table.codes, minlength=len(table.rows))
    found: Counter[tuple[str, ...]] = Counter()
    for index, row in enumerate(table.rows):
        if row["phase"] != "setup":
            found[tuple(str(row[name]) for name in names)] += int(counts[index])
    return found


def _differences(first: Run, second: Run) -> list[Difference]:
    ours, theirs = _compiled(first), _compiled(second)
    everything = identities([event for _, event in (*ours, *theirs)])
    only_ours, only_theirs = _lacking(ours, theirs, everything), _lacking(theirs, ours, everything)
    samples = (first.sample, second.sample)
    found = []
    for module in dict.fromkeys(event.module for _, event in (*only_ours, *only_theirs)):
        left = [pair for pair in only_ours if pair[1].module == module]
        right = [pair for pair in only_theirs if pair[1].module == module]
        if not left or not right:  # one sample built more: set it against what the other built of the module
            left = left or [pair for pair in ours if pair[1].module == module]
            right = right or [pair for pair in theirs if pair[1].module == module]
        found.append(_difference(module, samples, left, right))
    return found


def _lacking(ours: _Built, theirs: _Built, everything: set[Identity]) -> _Built:
    """Return what only the first side built."""
    there = {_identity(event, everything) for _, event in theirs}
    return [(wire, event) for wire, event in ours if _identity(event, everything) not in there]


def _identity(event: Event, everything: set[Identity]) -> Identity:
    (own,) = identities([event])
    longer = (known for known in everything if known[0] == own[0] and known[2:] == own[2:])
    return next((known for known in longer if (known[1] or "").startswith(own[1] or "") and own[1]), own)


def _difference(module: str, samples: tuple[int, int], left: _Built, right: _Built) -> Difference:
    collected = bool(left and right)
    inputs: dict[str, None] = {}
    for wire, event in left:
        partners = [(w, e) for w, e in right if (e.device, e.block_dim) == (event.device, event.block_dim)]
        best = min(
            (_told(wire, event, *partner) for partner in partners or right),
            key=lambda told: len(told[0]),
            default=None,
        )
        if best is None:
            collected = False
            continue
        inputs |= dict.fromkeys(best[0])
        collected = collected and best[1]
    if not left or not right:
        inputs |= {f"built only in sample {samples[0] if left else samples[1]}": None}
    return Difference(module, samples, tuple(inputs), collected)


def _told(wire: Wire, event: Event, other_wire: Wire, other: Event) -> tuple[list[str], bool]:
    """Return the inputs in which two builds differ, and whether collection alone explains them."""
    ours = wire.inputs.get(event.inputs) if event.inputs is not None else None
    theirs = other_wire.inputs.get(other.inputs) if other.inputs is not None else None
    if ours is None or theirs is None:
        return [], False
    first, second = input_leaves(wire, ours), input_leaves(other_wire, theirs)
    names = [name for name in sorted({*first, *second}) if first.get(name) != second.get(name)]
    told = [f"{name} ({first.get(name, 'absent')}, {second.get(name, 'absent')})" for name in names]
    return told, _by_collection(wire, ours, other_wire, theirs)


def _by_collection(wire: Wire, ours: Inputs, other_wire: Wire, theirs: Inputs) -> bool:
    """Whether the builds differ only in generic instances of which both hold a version of another source."""
    first, second = _states(wire, ours), _states(other_wire, theirs)
    if ours.options != theirs.options or ours.block_dim != theirs.block_dim:
        return False
    extra = [(first | second)[key] for key in first.keys() ^ second.keys()]
    shared = {kernel.key for key, kernel in first.items() if key in second}
    return bool(extra) and all(kernel.parent is not None and kernel.key in shared for kernel in extra)


def _states(wire: Wire, inputs: Inputs) -> dict[tuple[str | None, str | None], KernelState]:
    kernels = (wire.kernels[number] for number in inputs.kernels if number in wire.kernels)
    return {(kernel.key, kernel.hash): kernel for kernel in kernels}
