"""How long the user's code took in one run, with the probe's own time taken out."""

from __future__ import annotations

from dataclasses import dataclass

from warp_nbprobe.data.model import Run
from warp_nbprobe.data.records import CellBegin, CellEnd, Wire


@dataclass(frozen=True, slots=True)
class Walls:
    """Milliseconds; ``None`` where the code did not come to its end. ``setup_ms`` is 0 without setup code."""

    wall_ms: float | None
    probe_ms: float | None
    setup_ms: float | None


def walls(run: Run) -> Walls:
    """Return the sums over the measured cells, or a command's stretch from start-up hook to exit."""
    if not run.wires:
        return Walls(None, None, None)
    wire = run.wires[0]
    if not wire.cells:
        if wire.code_begin is None or wire.code_end is None:
            return Walls(None, None, 0.0)
        begin, end = wire.code_begin.t, wire.code_end.t
        probe = wire.probe_ns - _probe_before(wire, begin) + len(wire.order) * (wire.launch_ns or 0.0)
        return Walls((end - begin - probe) / 1e6, probe / 1e6, 0.0)
    main = [pair for pair in wire.cells if pair[0].phase == "main"]
    setup = [pair for pair in wire.cells if pair[0].phase != "main"]
    probe_ns = _sum([_probe_in(wire, begin, end) for begin, end in main])
    main_ns, setup_ns = _sum([_elapsed(*pair) for pair in main]), _sum([_elapsed(*pair) for pair in setup])
    if not main:
        main_ns = probe_ns = None
    wall_ns = None if main_ns is None or probe_ns is None else max(main_ns - probe_ns, 0.0)
    return Walls(_ms(wall_ns), _ms(probe_ns), _ms(setup_ns))


def _elapsed(begin: CellBegin, end: CellEnd | None) -> float | None:
    return None if end is None else float(end.t - begin.t)


def _probe_in(wire: Wire, begin: CellBegin, end: CellEnd | None) -> float | None:
    if end is None:
        return None
    launches = (end.launches - begin.launches) * (wire.launch_ns or 0.0)
    before = _probe_before(wire, begin.t) if begin.probe_ns is None else begin.probe_ns
    return max(end.probe_ns - before, 0) + launches


def _probe_before(wire: Wire, t: int) -> int:
    """Return the time that the probe had taken when the code began, as far as the wire tells."""
    ends = [end.probe_ns for _, end in wire.cells if end is not None and end.t <= t]
    return max(ends + [probe.probe_ns for probe in wire.probes if probe.t <= t], default=0)


def _sum(parts: list[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def _ms(ns: float | None) -> float | None:
    return None if ns is None else ns / 1e6
