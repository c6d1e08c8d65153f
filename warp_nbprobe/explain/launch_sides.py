"""Two sides' launches under one set of fields: whether they are equal, how their threads match, where they part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from warp_nbprobe.explain.launch_streams import NAMES, Codes, Row, RunLaunches, Vocabulary, as_upstream, digests


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch in words: which, of what kind, where."""

    kernel: str | None
    row: Row
    position: int  # from 1, in its thread


@dataclass(frozen=True, slots=True)
class Parting:
    """The first launch at which two runs part; a side that has ended there has none."""

    thread: str
    position: int  # from 1
    baseline: Launch | None
    candidate: Launch | None
    fields: tuple[str, ...]  # in which they differ, in words


Outcome = Literal["same", "device", "changed", "unknown"]
"""``device``: the same but for the names of devices, as between a GPU and a CPU."""


class Sides:
    """Two sides under one set of fields."""

    def __init__(
        self, ours: Sequence[RunLaunches], theirs: Sequence[RunLaunches], fields: tuple[str, ...], like_upstream: bool
    ) -> None:
        self.sides = ours, theirs
        self._fields = fields
        self.like_upstream = like_upstream
        self.words = Vocabulary(fields, like_upstream)
        self.streams = [[self.words.streams(launches) for launches in side] for side in self.sides]
        self._digests = [[Counter(digests(streams)) for streams in side] for side in self.streams]
        self.disagree = (_disagree(ours, self._digests[0]), _disagree(theirs, self._digests[1]))

    def outcome(self) -> Outcome:
        """Return how the sides relate."""
        if self.equal:
            return "same"
        rest = tuple(name for name in self._fields if name not in ("device", "block_dim"))
        if "device" not in self._fields or self._devices(0) == self._devices(1):
            return "changed"
        # On a CPU a block has one lane unless asked otherwise, so the resolved dimension goes with the device.
        return "device" if Sides(*self.sides, rest, self.like_upstream).equal else "changed"

    @cached_property
    def equal(self) -> bool:
        """Whether the launches are the same; sides without a run are."""
        ours, theirs = self._digests
        if not ours or not theirs:
            return True
        if any(self.disagree):
            return self._distinct(0) == self._distinct(1)
        return ours[0] == theirs[0] and self.sides[0][0].beyond == self.sides[1][0].beyond

    def _devices(self, side: int) -> set[Any]:
        return {
            row["device"]
            for launches in self.sides[side]
            for row, count in zip(launches.rows, launches.counts(), strict=True)
            if count
        }

    def _distinct(self, side: int) -> set[int]:
        streams = (codes for streams in self.streams[side] for codes in streams)
        return {int(code) for codes in streams for code in np.flatnonzero(np.bincount(codes))}

    def by_name(self, side: int) -> Counter[str]:
        """Return how often each kernel is launched in the side's first run."""
        found: Counter[str] = Counter()
        for launches in self.sides[side][:1]:
            for row, count in zip(launches.rows, launches.counts(), strict=True):
                if count:
                    found[self.name(row)] += int(count)
        return found

    def name(self, row: Row) -> str:
        """Return what a launch's kernel is called in both sides' terms."""
        if row["kind"] == "graph":
            return "a graph"
        name = row["kernel_key"] if self.like_upstream else row["kernel"] or row["kernel_key"]
        return str(name or "a kernel whose name was not recorded")

    def pairs(self, *, equal_only: bool = False) -> list[tuple[int, int]]:
        """Match the streams of both sides: equal ones, then those with the same first launch, then the rest."""
        ours, theirs = self.streams[0][0], self.streams[1][0]
        signs = digests(ours), digests(theirs)
        left, free = list(range(len(ours))), list(range(len(theirs)))
        pairs: list[tuple[int, int]] = []

        def match(same: Callable[[int, int], bool]) -> None:
            for mine in list(left):
                other = next((other for other in free if same(mine, other)), None)
                if other is not None:
                    pairs.append((mine, other))
                    left.remove(mine)
                    free.remove(other)

        match(lambda mine, other: signs[0][mine] == signs[1][other])
        if not equal_only:
            match(lambda mine, other: bool(ours[mine][0] == theirs[other][0]))
            match(lambda mine, other: True)
        return pairs

    def parting(self) -> Parting | None:
        """Return the first launch at which the runs part, in the first stream that differs."""
        if not all(self.sides):
            return None
        ours, theirs = self.streams[0][0], self.streams[1][0]
        pairs = self.pairs()
        for mine, other in sorted(pairs):
            at = _first_difference(ours[mine], theirs[other])
            if at is not None:
                return self._parting(mine, other, at)
        paired = {mine for mine, _ in pairs}, {other for _, other in pairs}
        for side, streams in enumerate((ours, theirs)):
            for stream in range(len(streams)):
                if stream not in paired[side]:
                    return self._parting(stream if side == 0 else None, None if side == 0 else stream, 0)
        return None

    def _parting(self, mine: int | None, other: int | None, at: int) -> Parting:
        first, second = self._launch(0, mine, at), self._launch(1, other, at)
        fields: tuple[str, ...] = ()
        if first is not None and second is not None:
            rows = [as_upstream(of.row) if self.like_upstream else of.row for of in (first, second)]
            fields = tuple(NAMES[name] for name in self._fields if rows[0][name] != rows[1][name])
        which = self.sides[0][0].streams[mine] if mine is not None else self.sides[1][0].streams[other or 0]
        processes = len({stream.pid for side in self.sides for stream in side[0].streams})
        thread = "the main thread" if which.thread == 0 else f"thread {which.thread}"
        return Parting(f"{thread} of process {which.pid}" if processes > 2 else thread, at + 1, first, second, fields)

    def _launch(self, side: int, stream: int | None, at: int) -> Launch | None:
        if stream is None:
            return None
        launches = self.sides[side][0]
        codes = launches.streams[stream].codes
        if at >= len(codes):
            return None
        row = launches.rows[int(codes[at])]
        return Launch(self.name(row), row, at + 1)

    def only(self) -> tuple[tuple[Launch, ...], tuple[Launch, ...]]:
        """Return one launch of each signature that only one side has."""
        there = self._distinct(0), self._distinct(1)
        return self._examples(0, there[0] - there[1]), self._examples(1, there[1] - there[0])

    def _examples(self, side: int, wanted: set[int]) -> tuple[Launch, ...]:
        found: dict[int, Launch] = {}
        for launches in self.sides[side]:
            codes, counts = self.words.lookup(launches), launches.counts()
            for at, row in enumerate(launches.rows):
                code = int(codes[at])
                if counts[at] and code in wanted and code not in found:
                    found[code] = Launch(self.name(row), row, 0)
        return tuple(found.values())


def _disagree(side: Sequence[RunLaunches], found: Sequence[Counter[bytes]]) -> bool:
    totals = {launches.beyond for launches in side}
    return any(other != found[0] for other in found[1:]) or len(totals) > 1


def _first_difference(ours: Codes, theirs: Codes) -> int | None:
    shared = min(len(ours), len(theirs))
    apart = np.flatnonzero(ours[:shared] != theirs[:shared])
    if len(apart):
        return int(apart[0])
    return None if len(ours) == len(theirs) else shared
