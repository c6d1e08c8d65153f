"""The ``launches`` and ``launch_groups`` frames: signatures expanded only here, by numpy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from warp_nbprobe.data.columns import LAUNCH_GROUPS, LAUNCHES, column_of, frame_of
from warp_nbprobe.data.events import clock, ordered_events, place_text
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import Order, Signature, Wire

_Codes = npt.NDArray[np.int64]
# The wire tells array2d(float32) from array(float32), the frames do not.
_DIMENSIONS = re.compile(r"(?<=rray)\d+d(?=\()")


@dataclass(frozen=True, slots=True, eq=False)
class LaunchTable:
    """The launches of one run by kind: ``rows`` as in ``launch_groups``, ``codes`` the row of each launch.

    In order of launch within a process; the main process comes first.
    """

    rows: list[dict[str, Any]]
    codes: _Codes


def launch_table(run: Run) -> LaunchTable:
    """Return the run's launches by signature and phase; rows that no launch uses are left out."""
    rows: list[dict[str, Any]] = []
    codes = []
    for wire in run.wires:
        ids, phases = wire.order, _setup_flags(run, wire)
        known = {number: index for index, number in enumerate(wire.signatures)}
        lookup = np.full(int(ids.max(initial=0)) + 1, len(known), dtype=np.int64)
        for number, index in known.items():
            if 0 <= number < len(lookup):
                lookup[number] = index
        codes.append(len(rows) + 2 * lookup[ids] + phases)
        for signature in (*wire.signatures.values(), None):
            row = _row(run, wire, signature)
            rows += [{**row, "phase": run.run}, {**row, "phase": "setup"}]
    if not codes:
        return LaunchTable([], np.zeros(0, dtype=np.int64))
    return _used(rows, np.concatenate(codes))


def _used(rows: list[dict[str, Any]], codes: _Codes) -> LaunchTable:
    """Keep the rows that are launched, in order of their first launch."""
    used = np.flatnonzero(np.bincount(codes, minlength=len(rows)))
    first = np.full(len(rows), len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    ordered = used[np.argsort(first[used], kind="stable")]
    lookup = np.zeros(len(rows), dtype=np.int64)
    lookup[ordered] = np.arange(len(ordered))
    return LaunchTable([rows[index] for index in ordered], lookup[codes])


def _setup_flags(run: Run, wire: Wire) -> _Codes:
    """Return 1 for each launch of the setup code, 0 for the others."""
    time = clock(run)
    flags = np.zeros(len(wire.order), dtype=np.int64)
    if time.setup_until is None:
        return flags
    if wire is run.wires[0]:
        flags[: time.launches] = 1
    elif wire.header is not None and time.in_setup(wire.header.t):
        flags[:] = 1
    return flags


def _row(run: Run, wire: Wire, signature: Signature | None) -> dict[str, Any]:
    if signature is None:  # an id whose line was lost
        signature = Signature(id=0, kind_of="launch")
    cell, line, location = place_text(run, signature.place, wire)
    return {
        "kernel": signature.kernel,
        "kernel_key": signature.key,
        "module": signature.module,
        "dim": signature.dim,
        "device": signature.device,
        "dtypes": None if signature.dtypes is None else tuple(_DIMENSIONS.sub("", text) for text in signature.dtypes),
        "block_dim": signature.block_dim,
        "requested_block_dim": signature.requested_block_dim,
        "adjoint": bool(signature.adjoint),
        "kind": signature.kind_of,
        "cell": cell,
        "cell_line": line,
        "location": location,
        "thread": signature.thread,
        "pid": wire.pid,
    }


def launches_frame(recording: Recording) -> pd.DataFrame:
    """Return one row per launch of the first good cold run, else of the first cold run."""
    run = recording.first_cold_run()
    if run is None:
        return frame_of((), LAUNCHES)
    table = launch_table(run)
    columns: dict[str, Any] = {"seq": pd.array(np.arange(len(table.codes)), dtype="Int64")}
    for name in LAUNCHES:
        if name in LAUNCH_GROUPS:
            columns[name] = column_of([row[name] for row in table.rows], LAUNCHES[name]).array.take(table.codes)
    columns["triggered"] = _triggered(run, len(table.codes))
    index = pd.RangeIndex(len(table.codes))
    frame: pd.DataFrame = pd.DataFrame(columns, columns=list(LAUNCHES), index=index, copy=False)
    return frame


def launch_groups_frame(recording: Recording) -> pd.DataFrame:
    """Return one row per signature and phase with its count, in order of first launch."""
    run = recording.first_cold_run()
    if run is None:
        return frame_of((), LAUNCH_GROUPS)
    table = launch_table(run)
    counts = np.bincount(table.codes, minlength=len(table.rows))
    return frame_of(
        ({**row, "count": int(count)} for row, count in zip(table.rows, counts, strict=True)), LAUNCH_GROUPS
    )


def _triggered(run: Run, count: int) -> pd.Series[Any]:
    """Return for each launch the ``seq`` of the module event it caused."""
    seqs, missing = np.zeros(count, dtype=np.int64), np.ones(count, dtype=bool)
    for row, seq in _causing(run):
        if row < count and missing[row]:
            seqs[row], missing[row] = seq, False
    column: pd.Series[Any] = pd.Series(pd.arrays.IntegerArray(seqs, missing))
    return column


def _causing(run: Run) -> Iterator[tuple[int, int]]:
    starts: dict[int, int] = {}
    begin = 0
    for wire in run.wires:
        starts[id(wire)] = begin
        begin += len(wire.order)
    for seq, (wire, event) in enumerate(ordered_events(run)):
        if event.launch is not None and 0 <= event.launch < len(wire.order):
            yield starts[id(wire)] + event.launch, seq


def orders_by_thread(run: Run) -> list[Order]:
    """Return the signature ids of each thread and process, in order of first launch."""
    found = []
    for wire in run.wires:
        ids = wire.order
        threads = np.zeros(int(ids.max(initial=0)) + 1, dtype=np.int64)
        for number, signature in wire.signatures.items():
            if 0 <= number < len(threads):
                threads[number] = signature.thread
        of_launch = threads[ids]
        _, first = np.unique(of_launch, return_index=True)
        found += [ids[of_launch == of_launch[position]] for position in np.sort(first)]
    return found
