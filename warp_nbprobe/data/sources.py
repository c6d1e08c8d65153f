"""The user's files that the processes of a command ran, with their texts."""

from __future__ import annotations

from typing import Final

from warp_nbprobe.data.events import short_path
from warp_nbprobe.data.model import Cell, Run

MOST_FILES: Final = 20
"""A test suite may define kernels in hundreds of files."""


def file_cells(run: Run) -> tuple[tuple[Cell, ...], int]:
    """Return the files with Warp code as cells, in the order of their first mention, and how many were left out.

    A file that changed while the command ran has the text that it had first.
    """
    found: dict[str, str] = {}
    for wire in run.wires:
        cwd = wire.header.cwd if wire.header else None
        for file in wire.files:
            source = wire.sources.get(file.source)
            if source is not None:
                found.setdefault(short_path(file.file, cwd), source.text)
    cells = [Cell(text, number, name=name, kind="py") for number, (name, text) in enumerate(found.items(), start=1)]
    return tuple(cells[:MOST_FILES]), max(len(cells) - MOST_FILES, 0)
