"""What a notebook session remembers between magics, and how its cells become code to run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from warp_nbprobe.ask.notebooks import typed_cell
from warp_nbprobe.ask.options import suggestion
from warp_nbprobe.data.model import Cell
from warp_nbprobe.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from warp_nbprobe.measurement import Measurement

_NUMBERS = re.compile(r"\d+(?:-\d+)?(?:[\s,]+\d+(?:-\d+)?)*")


@dataclass(frozen=True, slots=True)
class Entry:
    """One measurement of this session: when it ended, and the number of the cell that asked for it."""

    measurement: Measurement
    time: datetime
    cell: int


@dataclass(slots=True)
class Session:
    """Setup code by name, and the measurements made so far."""

    setups: dict[str, tuple[Cell, ...]] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)

    def setup(self, name: str) -> tuple[Cell, ...]:
        """Return the setup code kept under ``name``.

        Raises:
            UsageError: There is none; names the nearest that there is.
        """
        if name in self.setups:
            return self.setups[name]
        kept = ", ".join(sorted(self.setups)) or "none so far"
        raise UsageError(
            f"There is no setup code {name!r}.{suggestion(name, self.setups)} Kept by %%warp_setup: {kept}."
        )

    def add(self, measurement: Measurement, cell: int) -> None:
        """Remember a measurement that the running cell made."""
        self.entries.append(Entry(measurement, datetime.now(), cell))


_SESSIONS: WeakKeyDictionary[Any, Session] = WeakKeyDictionary()  # what `%reload_ext` must not lose


def session_of(shell: Any) -> Session:
    """Return what is remembered for a shell; an empty session for one that has none yet."""
    return _SESSIONS.setdefault(shell, Session())


class History:
    """The measurements of a session as they were when asked for; subscripts are those of ``frame``."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = tuple(entries)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per measurement, the newest last."""
        return history_frame(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, key: Any) -> Any:
        return self.frame[key]

    def __repr__(self) -> str:
        from warp_nbprobe.views.history_html import history_text

        return history_text(self.entries)


def history_frame(entries: Sequence[Entry]) -> pd.DataFrame:
    """Return one row per measurement of this session, the newest last."""
    import pandas as pd

    from warp_nbprobe.views.headline import headline

    rows = [(e.measurement.label, e.time, e.cell, headline(e.measurement)) for e in entries]
    types = {"label": "string", "time": "datetime64[us]", "cell": "Int64", "headline": "string"}
    frame: pd.DataFrame = pd.DataFrame(rows, columns=list(types)).astype(types)
    return frame


def are_cell_numbers(text: str) -> bool:
    """Return whether ``text`` names cells by number: ``3-5 8``."""
    return _NUMBERS.fullmatch(text.strip()) is not None


def cell_numbers(text: str) -> list[int]:
    """Return the numbers that ``3-5 8`` stands for, in the order given."""
    numbers: list[int] = []
    for part in re.split(r"[\s,]+", text.strip()):
        first, _, last = part.partition("-")
        if last and int(last) < int(first):
            raise UsageError(f"{part} names no cells: the first number is the larger one.")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers


def cells_by_number(
    text: str, inputs: Sequence[str], *, allow_errors: bool = False
) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    """Return cells of this session as they were typed, and what was left out of them.

    Args:
        text: Their numbers: ``3-5 8``.
        inputs: What was typed, indexed by ``In[]`` number.
        allow_errors: Whether to go on after a cell that raises.

    Raises:
        UsageError: A number of a cell that has not been run.
    """
    cells, notes = [], []
    for number in cell_numbers(text):
        source = inputs[number] if 0 < number < len(inputs) else ""
        if not source.strip():
            raise UsageError(f"Cell {number} has not been run in this session: there is no In[{number}].")
        cell, note = typed_cell(source, number, allow_error=allow_errors)
        if cell.source.strip():
            cells.append(cell)
        notes.extend([note] if note else [])
    if not cells:
        raise UsageError(f"Cells {text} hold no code to measure.")
    return tuple(cells), tuple(notes)


def setup_for(session: Session, asked: str | None, inputs: Sequence[str]) -> tuple[Cell, ...]:
    """Return the setup cells that ``--setup`` asks for; without it the default ones, if there are any."""
    if asked is None:
        return session.setups.get("default", ())
    if asked == "none":
        return ()
    if not are_cell_numbers(asked):
        return session.setup(asked)
    cells, _ = cells_by_number(asked, inputs)
    return tuple(replace(cell, phase="setup", name=f"In[{cell.number}]") for cell in cells)


def pushed(names: Sequence[str], namespace: Mapping[str, Any]) -> dict[str, Any]:
    """Return the notebook's variables of these names.

    Raises:
        UsageError: A name that the notebook does not have; names the nearest that it has.
    """
    for name in names:
        if name not in namespace:
            own = [known for known in namespace if not known.startswith("_")]
            raise UsageError(f"--push: this notebook has no variable {name!r}.{suggestion(name, own)}")
    return {name: namespace[name] for name in names}
