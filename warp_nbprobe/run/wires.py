"""The wires of all processes of one run."""

from __future__ import annotations

from pathlib import Path

from warp_nbprobe.data.records import Wire, read_wire


def read_wires(folder: Path, pid: int | None) -> tuple[Wire, ...]:
    """Read the wires of a run: that of its main process first, the others as they began.

    The main process is ``pid``; where that wrote none (a shell, a launcher that is no Python), the first that did.
    One that became another program by ``exec`` has several wires: the one that was closed comes first.
    """
    wires = [read_wire(path) for path in sorted(folder.glob("wire-*.jsonl"))]

    def order(wire: Wire) -> tuple[bool, bool, float]:
        if wire.header is None:
            return True, False, float("inf")
        is_main = wire.header.pid == pid
        return not is_main, is_main and wire.truncated, wire.header.time

    return tuple(sorted(wires, key=order))
