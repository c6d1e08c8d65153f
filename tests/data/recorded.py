"""The wires under tests/wire as recordings, without Warp, a kernel or a child."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

from warp_nbprobe.data.model import Cell, Failure, Recording, Run
from warp_nbprobe.data.records import Wire, read_wire

WIRES = Path(__file__).parents[1] / "wire"
CASES = sorted(path.name for path in WIRES.iterdir() if (path / "cold").is_dir())


def recorded_wires(case: str, kind: str, *, strict: bool = False) -> tuple[Wire, ...]:
    """Return the wires of one run, the main process first; none where the run was not made."""
    return tuple(read_wire(path, strict=strict) for path in sorted((WIRES / case / kind).glob("wire-*.jsonl")))


def recorded(case: str) -> Recording:
    """Return the case as a measurement of one sample; a run that did not come to its end has failed."""
    runs = []
    for kind in ("cold", "warm"):
        wires = recorded_wires(case, kind)
        if wires:
            runs.append(_run("cold" if kind == "cold" else "warm", wires))
    cells = tuple(_cells(runs[0].wires[0]))
    return Recording(case, cells, 1, tuple(runs), {}, datetime(2025, 1, 1, tzinfo=timezone.utc), "0.1.0")


def _run(kind: str, wires: tuple[Wire, ...]) -> Run:
    main = wires[0]
    ends = [end for _, end in main.cells]
    failure = None
    if main.truncated:
        failure = Failure("died", "The child was ended by signal SIGSEGV.", exit_code=-11, cell=len(ends) - 1)
    elif ends and ends[-1] is not None and not ends[-1].ok:
        failure = Failure("raised", f"The code raised {ends[-1].ename}.", ends[-1].ename, ends[-1].evalue)
    start = datetime.fromtimestamp(main.header.time if main.header else 0, timezone.utc)
    return Run(1, "cold" if kind == "cold" else "warm", main.pid, start, wires, failure, 0, 0, 0)


def _cells(wire: Wire) -> list[Cell]:
    return [
        Cell(
            begin.source or "",
            begin.number or begin.cell + 1,
            begin.first_line,
            "setup" if begin.phase == "setup" else "main",
            begin.name,
        )
        for begin, _ in wire.cells
    ]
