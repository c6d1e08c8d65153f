"""The events of one run in order, and where in the run and in the user's code each of them stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from warp_nbprobe.data.log import UNTIMED, log_events, printed_events, with_log
from warp_nbprobe.data.model import Run
from warp_nbprobe.data.records import CellBegin, CellEnd, Event, Place, Wire, parse_wire


def ordered_events(run: Run) -> list[tuple[Wire, Event]]:
    """Return all module events of a run over its processes, by start time: their index is their ``seq``.

    A process whose hooks gave no event is read from Warp's own log lines; a run that has none either, though
    a hook was missing or the probe never spoke, from what the host saw printed.
    """
    found = [(wire, event) for wire in run.wires for event in (with_log(wire) or log_events(wire))]
    if not found and run.printed and not _hooked(run):
        main = run.wires[0] if run.wires else parse_wire(())
        return [(main, event) for event in printed_events(run.printed)]
    return sorted(found, key=lambda pair: pair[1].t0)


def is_rehearsal(run: Run) -> bool:
    """Whether the run made builds for a GPU that was not there."""
    return any(wire.rehearsals for wire in run.wires)


def counted_events(run: Run) -> list[tuple[Wire, Event]]:
    """Return the events that figures count: of a rehearsal those for the GPU, without what the CPU builds to go on."""
    return [pair for pair in ordered_events(run) if counts(run, pair[1])]


def counts(run: Run, event: Event) -> bool:
    """Whether figures count the event."""
    return event.device != "cpu" or not is_rehearsal(run)


def _hooked(run: Run) -> bool:
    """Whether the main process can have had no event that its hooks did not tell of."""
    main = run.wires[0] if run.wires else None
    if main is None or main.header is None:
        return False
    return main.warp is None or all(said == "ok" for said in main.warp.hooks.values())


def clock(run: Run) -> Clock:
    """Return where the phases of the run lie in time and in the order of its launches."""
    main = run.wires[0] if run.wires else None
    cells = main.cells if main else ()
    setup = any(begin.phase == "setup" for begin, _ in cells)
    first = next((begin for begin, _ in cells if begin.phase == "main"), None)
    if first is not None:
        return Clock(first.t, first.launches, first.t if setup else None)
    if setup:
        last_end = cells[-1][1]
        return Clock(last_end.t if last_end else None, None, _NEVER)
    begin = main.code_begin if main else None
    return Clock(begin.t if begin else None, 0, None)


_NEVER = 2**63


@dataclass(frozen=True, slots=True)
class Clock:
    """When the user's code began (``None``: not known), in time and as a position in the order of launches.

    ``launches`` is ``None`` and ``setup_until`` beyond all time when the run never came past its setup.
    """

    start: int | None
    launches: int | None
    setup_until: int | None

    def in_setup(self, t: int) -> bool:
        """Whether something that happened at ``t``, in any process of the run, belongs to the setup code."""
        return self.setup_until is not None and t != UNTIMED and t < self.setup_until

    def since_start_ms(self, t: int) -> float | None:
        """Return the milliseconds from the start of the user's code, negative in the setup."""
        return None if self.start is None or t == UNTIMED else (t - self.start) / 1e6


def cells_of(run: Run, wire: Wire) -> dict[int, CellBegin]:
    """Return the executed cells that places of ``wire`` refer to: a forked process knows its parent's."""
    main = run.wires[0].cells if run.wires else ()
    return {begin.cell: begin for begin, _ in (*main, *wire.cells)}


def main_cells(run: Run) -> Iterator[tuple[CellBegin, CellEnd | None]]:
    """Yield the measured cells of the run's main process, without setup code."""
    return ((begin, end) for begin, end in (run.wires[0].cells if run.wires else ()) if begin.phase == "main")


Spot = tuple[int | None, int | None, str | None]
"""``cell``, ``cell_line``, ``location`` as the frames have them."""


def place_text(run: Run, place: Place | None, wire: Wire | None = None) -> Spot:
    """Return a place as the user's editor shows it: notebook numbers for cells, ``path.py:12`` for files.

    ``wire`` is the process that recorded the place, the run's main process when left out. Setup code has a
    line and a location but no cell number, since its number may be a measured cell's as well.
    """
    if place is None:
        return None, None, None
    wire = wire or (run.wires[0] if run.wires else None)
    begin = cells_of(run, wire).get(place.cell) if wire and place.cell is not None else None
    if begin is None:
        return None, None, f"{short_path(place.file, _cwd(wire))}:{place.line}"
    line = place.line + begin.first_line - 1
    number = begin.number if begin.number is not None else begin.cell + 1
    if begin.phase == "setup":
        return None, line, f"setup {begin.name or number}, line {line}"
    return number, line, f"cell {number}, line {line}"


def _cwd(wire: Wire | None) -> str | None:
    return wire.header.cwd if wire and wire.header else None


def short_path(path: str, cwd: str | None = None) -> str:
    """Return a path as short as it stays clear: from the working folder, or from the folder of packages."""
    plain = path.replace("\\", "/")
    folder = cwd.replace("\\", "/").rstrip("/") + "/" if cwd else None
    if folder and folder != "/" and plain.startswith(folder):
        return plain[len(folder) :]
    for packages in ("/site-packages/", "/dist-packages/"):
        head, found, tail = plain.rpartition(packages)
        if found and head:
            return tail
    return plain
