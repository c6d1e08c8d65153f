"""Which lines of the measured code triggered, caused or set something."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from warp_nbprobe.data.model import Cell
from warp_nbprobe.views.marks import built, event_name
from warp_nbprobe.views.rows import Row

_SETTINGS = ("option_changed",)


@dataclass(slots=True)
class LineMarks:
    """What one line is marked with; each word with the builds or rules it stands for."""

    triggered: list[str] = field(default_factory=list)
    caused: list[str] = field(default_factory=list)
    set: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    ms: float = 0.0  # of the builds triggered here
    chosen: bool = False  # whether it stands out, whatever it is marked for

    def builds(self) -> tuple[str, ...]:
        """Return every build the line is marked for, once."""
        return tuple(dict.fromkeys([*self.triggered, *self.caused, *self.set]))

    def words(self) -> list[tuple[str, list[str]]]:
        """Return the words in the gutter, each with what it stands for."""
        pairs = [
            ("triggered here", self.triggered),
            ("caused here", self.caused),
            ("set here", self.set),
            ("finding here", self.rules),
        ]
        return [(word, names) for word, names in pairs if names]


def line_marks(rows: Iterable[Row], findings: Iterable[Row]) -> dict[str, LineMarks]:
    """Return the marks by location (``cell 3, line 2``), in the order of the events."""
    marks: dict[str, LineMarks] = {}
    for row in built(rows):
        name = event_name(row)
        if row["location"]:
            here = marks.setdefault(row["location"], LineMarks())
            here.triggered.append(name)
            here.ms += row["ms"] or 0.0
        if row["cause_location"]:
            here = marks.setdefault(row["cause_location"], LineMarks())
            (here.set if row["cause"] in _SETTINGS else here.caused).append(name)
    for row in findings:
        for place in dict.fromkeys((row["location"], row["cause_location"])):
            # A build's own marks say more than the rule's name beside them.
            if place and row["kind"] != "note" and (not row["events"] or place not in marks):
                marks.setdefault(place, LineMarks()).rules.append(row["rule"])
    return marks


def line_location(cell: Cell, line: int) -> str:
    """Return the text that ``location`` has for a line, by the editor's number of it."""
    if cell.kind == "py":
        return f"{cell.name}:{line}"
    if cell.phase == "setup":
        return f"setup {cell.name or 'default'}, line {line}"
    return f"cell {cell.number}, line {line}"
