"""What two measurements built, side by side: every hash of every module, and why one changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from warp_nbprobe.data.events import clock, counts, ordered_events
from warp_nbprobe.data.model import Recording
from warp_nbprobe.data.records import Place
from warp_nbprobe.explain.causes import between
from warp_nbprobe.explain.contents import Build, Catalog
from warp_nbprobe.explain.details import told
from warp_nbprobe.explain.environment import good_runs

Change = Literal["same", "changed", "appeared", "gone"]
Phase = Literal["setup", "cold", "warm"]


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """A build with its stable name: ``app.stages [1/3]``."""

    name: str
    phase: Phase
    build: Build


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """One build on either side, or on both; ``cause`` and ``detail`` say what changed."""

    phase: Phase
    change: Change
    baseline: Named | None
    candidate: Named | None
    cause: str | None = None
    detail: str | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Builds:
    """Both sides' builds of the first good sample."""

    pairings: tuple[Pairing, ...]
    same: bool  # the same hashes for the same devices and block dimensions, as often
    renamed: tuple[tuple[str, str], ...]  # modules with another name: old, new


def builds(baseline: Recording, candidate: Recording) -> Builds:
    """Match the builds of two recordings: by hash, then by name, then by kernels."""
    catalog = Catalog()
    ours, theirs = _named(catalog, baseline), _named(catalog, candidate)
    digits = min((len(one.build.hash) for one in (*ours, *theirs) if one.build.hash), default=64)
    other_warp = _warp(baseline) != _warp(candidate)
    pairings: list[Pairing] = []
    for phase in ("setup", "cold", "warm"):
        mine = [one for one in ours if one.phase == phase]
        other = [one for one in theirs if one.phase == phase]
        pairings += _paired(catalog, mine, other, digits, other_warp)
    cold = [[one.build for one in side if one.phase == "cold"] for side in (ours, theirs)]
    counts = [Counter(_content(build, digits) for build in side) for side in cold]
    moved = [
        (pair.baseline.build.event.module, pair.candidate.build.event.module)
        for pair in pairings
        if pair.baseline is not None and pair.candidate is not None
    ]
    renamed = tuple(dict.fromkeys((old, new) for old, new in moved if old != new))
    return Builds(tuple(pairings), counts[0] == counts[1], renamed)


def _warp(recording: Recording) -> str | None:
    return next((wire.warp.version for run in good_runs(recording) for wire in run.wires if wire.warp), None)


def _named(catalog: Catalog, recording: Recording) -> list[Named]:
    """Return what was built: in the first good sample, setup and cold run, then what its warm run compiled."""
    found: list[Named] = []
    cold = good_runs(recording)[:1]
    warm = good_runs(recording, "warm")[:1]
    for run in (*cold, *warm):
        time = clock(run)
        events = [(seq, pair) for seq, pair in enumerate(ordered_events(run)) if counts(run, pair[1])]
        total = Counter(event.module for _, (_, event) in events if event.status != "cached")
        seen: Counter[str] = Counter()
        for seq, (wire, event) in events:
            if event.status == "cached":
                continue
            seen[event.module] += 1
            name = f"{event.module} [{seen[event.module]}/{total[event.module]}]"
            phase: Phase = run.run if not time.in_setup(event.t0) else "setup"
            if event.status == "compiled" and (phase != "setup" or run.run == "cold"):
                found.append(Named(name, phase, catalog.build(run, seq, wire, event)))
    return found


def _content(build: Build, digits: int) -> Hashable:
    """Return what a build is, whatever its module is called; the name stands in for a hash that is not known."""
    digest = build.hash[:digits] if build.hash else ("module", build.event.module)
    return digest, build.event.device, build.event.block_dim


def _paired(
    catalog: Catalog, ours: Sequence[Named], theirs: Sequence[Named], digits: int, other_warp: bool
) -> Iterable[Pairing]:
    matched = _match(ours, theirs, _keys(digits))
    for mine in ours:
        other = matched.get(mine)
        if other is None:
            yield Pairing(mine.phase, "gone", mine, None)
        else:
            yield _pairing(catalog, mine, other, digits, other_warp)
    taken = set(matched.values())
    for other in theirs:
        if other not in taken:
            yield Pairing(other.phase, "appeared", None, other)


def _keys(digits: int) -> tuple[Callable[[Named], Hashable], ...]:
    """Return what two builds are matched by, the surest first; ``None`` matches nothing."""

    def digest(one: Named) -> str | None:
        return one.build.hash[:digits] if one.build.hash else None

    def kernels(one: Named) -> Hashable:
        names = tuple(sorted(name.rpartition(".")[2] for name in one.build.event.kernels))
        return names or None

    def both(*parts: Hashable) -> Hashable:
        return None if None in parts else parts

    return (
        lambda one: both(digest(one), one.build.target, one.build.event.module),
        lambda one: both(digest(one), one.build.target),
        lambda one: (one.build.event.module, one.build.target),
        lambda one: digest(one),
        lambda one: one.build.event.module,
        lambda one: both(kernels(one), one.build.target),
        kernels,
    )


def _match(
    ours: Sequence[Named], theirs: Sequence[Named], keys: Iterable[Callable[[Named], Hashable]]
) -> dict[Named, Named]:
    matched: dict[Named, Named] = {}
    left, free = list(ours), list(theirs)
    for key in keys:
        waiting: dict[Hashable, list[Named]] = {}
        for other in free:
            waiting.setdefault(key(other), []).append(other)
        for mine in list(left):
            fitting = waiting.get(key(mine)) if key(mine) is not None else None
            if fitting:
                matched[mine] = fitting.pop(0)
                left.remove(mine)
        taken = set(matched.values())
        free = [other for other in free if other not in taken]
    return matched


def _pairing(catalog: Catalog, mine: Named, other: Named, digits: int, other_warp: bool) -> Pairing:
    old, new = mine.build, other.build
    if old.target == new.target and _same_content(old, new, digits):
        return Pairing(mine.phase, "same", mine, other)
    explained = between(catalog, old, new)
    difference = explained.difference
    nothing = difference is not None and (old.contents, old.leaves) == (new.contents, new.leaves)
    if nothing and other_warp:
        same = "The same content, hashed by another version of Warp."
        return Pairing(mine.phase, "changed", mine, other, "unknown", same)
    detail, place = told(explained)
    return Pairing(mine.phase, "changed", mine, other, explained.cause, detail, place)


def _same_content(old: Build, new: Build, digits: int) -> bool:
    if old.hash and new.hash:
        return old.hash[:digits] == new.hash[:digits]
    if old.inputs is not None and new.inputs is not None:
        return (old.contents, old.leaves) == (new.contents, new.leaves)
    return old.event.module == new.event.module
