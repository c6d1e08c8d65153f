"""How a run went wrong, from what the child said last or left behind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warp_nbprobe.data.model import Cell, Failure
from warp_nbprobe.data.records import Wire
from warp_nbprobe.errors import OLDEST_WARP, NBProbeError, NoWarp, RehearsalError, WarpTooOld, signal_name

_FRAME = re.compile(r'File "(?P<file>.+)", line (?P<line>\d+)')
_IMPORT_ERRORS = ("ModuleNotFoundError", "ImportError")
_LONGEST_VALUE = 300


def raised(reply: dict[str, Any], cell: Cell, index: int) -> Failure | None:
    """Return the failure that an error reply stands for; ``None`` for ``sys.exit(0)``."""
    ename, evalue = str(reply.get("ename")), str(reply.get("evalue"))
    exit_code = exit_status(evalue) if ename == "SystemExit" else None
    if exit_code == 0:
        return None
    if exit_code is not None:
        message = f"{where(cell)} left with exit status {exit_code}."
    elif ename == "StdinNotImplementedError":
        message = (
            f"{where(cell)} asked for input, and nobody can answer a measured cell: "
            f"give the value in the setup code instead."
        )
    else:
        first = evalue.strip().splitlines()[0] if evalue.strip() else ""
        said = f"{ename}: {first[:_LONGEST_VALUE]}" if first else ename
        message = f"{where(cell)} raised {said}"
    return Failure("raised", _sentence(message), ename, evalue, traceback_of(reply), exit_code, index)


def stopped(by: str, reply: dict[str, Any] | None, cell: Cell | None, index: int | None,
            timeout_s: float) -> Failure:  # fmt: skip
    """Return the failure of a run that was stopped: ``by`` is ``timeout`` or ``interrupted``."""
    during = f"while {where(cell, small=True)} ran" if cell else "before the first cell ran"
    lines = traceback_of(reply or {})
    if by == "timeout":
        message = f"The run took longer than {timeout_s:g} s and was stopped {during}."
        return Failure("timeout", message, traceback=lines, cell=index)
    message = f"The run was interrupted {during}."
    return Failure("interrupted", message, "KeyboardInterrupt", "", lines, cell=index)


def died(exit_code: int | None, crash: str | None, index: int | None, cells: Sequence[Cell],
         wires: Sequence[Wire], *, after: bool = False) -> Failure:  # fmt: skip
    """Return the failure of a run whose child ended by itself or was killed by another.

    Args:
        exit_code: Negative for a signal; ``None`` where nobody saw it end.
        crash: What a crash in native code left behind.
        index: The cell that ran last; ``None`` when none had begun.
        after: That cell had ended already.
    """
    name = signal_name(exit_code)
    if index is None:
        during = "before the first cell ran"
    else:
        last = where(cells[index], small=True)
        during = f"after {last} had ended" if after else f"while {last} ran"
    place = _crash_place(crash, cells, wires)
    if name == "SIGKILL":
        message = f"The child was killed (SIGKILL) {during}: most often by the system when memory runs out."
    elif name is not None:
        message = f"The child was ended by {name} {f'in {place}' if place else during}."
    elif exit_code is None:
        message = f"The child vanished {during}."
    else:
        message = f"The child left with exit code {exit_code} {during}."
    return Failure("died", message, exit_code=exit_code, cell=index, crash=crash)


def exit_status(evalue: str) -> int:
    """Return the exit status that ``SystemExit`` with this text stands for, as Python has it."""
    if evalue in ("", "None", "False"):
        return 0
    try:
        return int(evalue)
    except ValueError:
        return 1  # a text is printed, and the status is 1


def traceback_of(reply: dict[str, Any]) -> tuple[str, ...]:
    """Return a reply's traceback as IPython formats it."""
    return tuple(map(str, reply.get("traceback") or ()))


def where(cell: Cell, *, small: bool = False) -> str:
    """Return what a person calls the cell, at the start of a sentence unless ``small``."""
    if cell.phase == "setup":
        name = f"setup code {cell.name!r}" if cell.name else "setup code"
        return f"the {name}" if small else f"The {name}"
    return f"cell {cell.number}" if small else f"Cell {cell.number}"


def crash_text(folder: Path) -> str | None:
    """Return what a crash in native code left in a run's folder."""
    path = folder / "crash.txt"
    text = path.read_text("utf-8", "replace").strip() if path.exists() else ""
    return text or None


def refusal(wires: Sequence[Wire], failure: Failure | None, executable: str) -> NBProbeError | None:
    """Return the error that says that the child's Warp is missing or too old to be measured."""
    for wire in wires:
        cannot = next((one for one in wire.rehearsals if one.error), None)
        if cannot is not None:
            return RehearsalError(", ".join(cannot.archs), str(cannot.error))
    for wire in wires[:1]:
        if wire.header is not None and wire.header.executable:
            executable = wire.header.executable
        if wire.warp is not None and (version := _version(wire.warp.version)) and version < OLDEST_WARP:
            return WarpTooOld(executable, wire.warp.version)
        missing = wire.no_warp if wire.no_warp is not None and wire.no_warp.missing else None
        if missing is not None and failure is not None and failure.ename in _IMPORT_ERRORS:
            return NoWarp(executable, missing.error)
    return None


def _version(text: str) -> tuple[int, ...]:
    """Return the leading numbers of a version; empty where it has none."""
    found = re.match(r"(\d+)\.(\d+)", text)
    return tuple(map(int, found.groups())) if found else ()


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _crash_place(crash: str | None, cells: Sequence[Cell], wires: Sequence[Wire]) -> str | None:
    """Return the cell and line that the crashed thread was in, as the notebook's editor numbers it."""
    begun = {begin.file: begin for wire in wires for begin, _ in wire.cells if begin.file}
    current = (crash or "").partition("Current thread")[2].partition("\n\n")[0]
    for frame in _FRAME.finditer(current):
        begin = begun.get(frame["file"])
        if begin is not None and begin.cell < len(cells):
            line = int(frame["line"]) + begin.first_line - 1
            return f"{where(cells[begin.cell], small=True)}, line {line}"
    return None
