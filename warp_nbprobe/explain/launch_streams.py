"""The launches of one run as numbers: one stream for each thread of each process, one number for each signature."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warp_nbprobe.data.frames_launches import launch_table
from warp_nbprobe.data.model import Run

Codes = npt.NDArray[np.int32]

FIELDS: Final = ("kind", "dim", "device", "dtypes", "block_dim", "requested_block_dim", "adjoint")
"""What a launch is, whatever its kernel is called."""

NAMES: Final = {
    "kind": "kind of launch",
    "dim": "dimensions",
    "device": "device",
    "dtypes": "argument types",
    "block_dim": "block dimension (resolved)",
    "requested_block_dim": "block dimension (requested)",
    "adjoint": "adjoint",
}
"""The fields in the words of a person."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """The launches of one thread: ``codes`` index ``RunLaunches.rows``."""

    pid: int | None
    thread: int
    codes: Codes


@dataclass(frozen=True, slots=True, eq=False)
class RunLaunches:
    """The measured launches of one run. ``beyond`` counts those for whose order there was no room."""

    run: Run
    rows: tuple[Row, ...]
    streams: tuple[Stream, ...]
    beyond: int

    @property
    def total(self) -> int:
        """Number of launches, with those beyond the recorded order."""
        return sum(len(stream.codes) for stream in self.streams) + self.beyond

    def counts(self) -> npt.NDArray[np.int64]:
        """Return how often each row was launched."""
        found = np.zeros(len(self.rows), dtype=np.int64)
        for stream in self.streams:
            found += np.bincount(stream.codes, minlength=len(self.rows))
        return found


def run_launches(run: Run, *, leave_out: Sequence[str] = ()) -> RunLaunches:
    """Return a run's launches without those of its setup code, and without ``leave_out`` kinds."""
    table = launch_table(run)
    keep = np.array([row["phase"] != "setup" and row["kind"] not in leave_out for row in table.rows], dtype=bool)
    owners: dict[tuple[int | None, int], int] = {}
    of_row = np.array(
        [owners.setdefault((row["pid"], row["thread"]), len(owners)) for row in table.rows], dtype=np.int32
    )
    codes = table.codes.astype(np.int32)
    if len(codes) and not keep.all():
        codes = codes[keep[codes]]
    beyond = sum(max(wire.footer.launches - len(wire.order), 0) for wire in run.wires if wire.footer)
    return RunLaunches(run, tuple(table.rows), tuple(_streams(codes, of_row, list(owners))), beyond)


def _streams(codes: Codes, of_row: Codes, owners: list[tuple[int | None, int]]) -> Iterable[Stream]:
    if len(owners) == 1:
        if len(codes):
            yield Stream(*owners[0], codes)
        return
    of_launch = of_row[codes] if len(codes) else codes
    present, first = np.unique(of_launch, return_index=True)
    for owner in present[np.argsort(first)]:
        yield Stream(*owners[int(owner)], codes[of_launch == owner])


@dataclass(slots=True)
class Vocabulary:
    """Numbers signatures over both sides, reduced to the fields that both recorded."""

    fields: tuple[str, ...]
    like_upstream: bool = False  # one side is a report of NVIDIA's script
    _numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def lookup(self, launches: RunLaunches) -> Codes:
        """Return the number of each row."""
        return np.array([self._number(row) for row in launches.rows], dtype=np.int32)

    def streams(self, launches: RunLaunches) -> list[Codes]:
        """Return each stream as numbers of signatures."""
        lookup = self.lookup(launches)
        return [lookup[stream.codes] for stream in launches.streams]

    def _number(self, row: Row) -> int:
        seen = as_upstream(row) if self.like_upstream else row
        key = tuple(seen[name] for name in self.fields)
        return self._numbers.setdefault(key, len(self._numbers))


def as_upstream(row: Row) -> Row:
    """Return a launch as NVIDIA's script sees it: a tiled one by its lanes, the types of arrays alone."""
    changed = dict(row)
    if row["kind"] == "tiled" and row["dim"] is not None:
        changed["dim"] = (*row["dim"], row["block_dim"])
        changed["requested_block_dim"] = row["block_dim"]
    changed["dtypes"] = tuple(dtype for dtype in row["dtypes"] or () if "rray(" in dtype)
    return changed


def digests(streams: Iterable[Codes]) -> list[bytes]:
    """Return what stands for each stream's content."""
    return [blake2b(np.ascontiguousarray(codes).tobytes(), digest_size=16).digest() for codes in streams]


def missing_fields(side: Iterable[RunLaunches]) -> set[str]:
    """Return the fields that some launch of a side lacks. A graph has neither kernel nor dimensions of its own."""
    found: set[str] = set()
    for launches in side:
        for row, count in zip(launches.rows, launches.counts(), strict=True):
            if count and row["kind"] != "graph":
                found |= {name for name in ("dim", "device", "dtypes", "block_dim") if row[name] is None}
    return found
