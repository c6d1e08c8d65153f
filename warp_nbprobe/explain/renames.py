"""Kernels that do the same work under another name, and those that are launched more or less often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from warp_nbprobe.explain.launch_sides import Sides

Rename = tuple[str, str, int]
"""The old name, the new one, and how many launches of the candidate have it."""


def renames(sides: Sides) -> list[Rename]:
    """Return the kernels that do the same work under another name."""
    if not all(sides.sides):
        return []
    return _aligned(sides) if sides.equal and not any(sides.disagree) else _likely(sides)


def changed_counts(sides: Sides, renamed: list[Rename]) -> Iterator[tuple[str, int, int]]:
    """Yield the kernels whose number of launches changed, a renamed one under its old name."""
    ours, theirs = sides.by_name(0), sides.by_name(1)
    old_names = {new: old for old, new, _ in renamed if new not in ours and old not in theirs}
    counts: Counter[str] = Counter()
    for name, count in theirs.items():
        counts[old_names.get(name, name)] += count
    for name in dict.fromkeys([*ours, *counts]):
        if ours[name] != counts[name]:
            yield name, ours[name], counts[name]


def _aligned(sides: Sides) -> list[Rename]:
    """Go through equal streams side by side."""
    ours, theirs = sides.sides[0][0], sides.sides[1][0]
    old: dict[str, int] = {}
    new: dict[str, int] = {}
    first = np.array([old.setdefault(sides.name(row), len(old)) for row in ours.rows], dtype=np.int64)
    second = np.array([new.setdefault(sides.name(row), len(new)) for row in theirs.rows], dtype=np.int64)
    found: Counter[tuple[int, int]] = Counter()
    for mine, other in sides.pairs(equal_only=True):
        both = first[ours.streams[mine].codes] * len(new) + second[theirs.streams[other].codes]
        counts = np.bincount(both)
        for pair in np.flatnonzero(counts):
            found[divmod(int(pair), len(new))] += int(counts[pair])
    before, after = list(old), list(new)
    return [(before[a], after[b], count) for (a, b), count in sorted(found.items()) if before[a] != after[b]]


def _likely(sides: Sides) -> list[Rename]:
    """Match a kernel that is gone with one that came, by what they were launched with, then by their last name."""
    ours, theirs = sides.by_name(0), sides.by_name(1)
    came = [name for name in theirs if name not in ours]
    work = _work(sides, 0), _work(sides, 1)
    found = []
    for old in ours:
        if old in theirs:
            continue
        fitting = [new for new in came if work[0][old] == work[1][new]]
        chosen = next((new for new in fitting or came if _last(new) == _last(old)), None)
        chosen = chosen or next(iter(fitting), None)
        if chosen is not None:
            came.remove(chosen)
            found.append((old, chosen, theirs[chosen]))
    return found


def _work(sides: Sides, side: int) -> dict[str, set[int]]:
    """Return the signatures that each kernel is launched with."""
    launches = sides.sides[side][0]
    found: dict[str, set[int]] = {}
    for row, code, count in zip(launches.rows, sides.words.lookup(launches), launches.counts(), strict=True):
        if count:
            found.setdefault(sides.name(row), set()).add(int(code))
    return found


def _last(name: str) -> str:
    return name.rpartition(".")[2]
