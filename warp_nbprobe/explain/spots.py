"""Places in the words of a person."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Final

from warp_nbprobe.data.events import cells_of, place_text
from warp_nbprobe.data.model import Run
from warp_nbprobe.data.records import Place, Wire

_DEFINITION: Final = re.compile(r"(?P<name>.*) \((?P<file>[^():]+\.py):(?P<line>\d+)\)")


def line_of(run: Run, wire: Wire, place: Place | None) -> str:
    """Return ``cell 3, line 2``, or ``an unknown line``."""
    return place_text(run, place, wire)[2] or "an unknown line"


def definition_line(run: Run, wire: Wire, shown: str | None) -> str | None:
    """Return the line in a text such as ``drag (4195319149.py:3)``, ``None`` in any other text."""
    match = _DEFINITION.fullmatch(shown or "")
    if match is None:
        return None
    for begin in cells_of(run, wire).values():
        if begin.file and PurePath(begin.file).name == match["file"]:
            return line_of(run, wire, Place(begin.file, int(match["line"]), begin.cell, True))
    return f"{match['file']}:{match['line']}"


def value_text(run: Run, wire: Wire, shown: str) -> str:
    """Return a recorded value; of a function its name and its line."""
    match = _DEFINITION.fullmatch(shown)
    return f"{match['name']} ({definition_line(run, wire, shown)})" if match is not None else shown
