"""A cell as it is sent to a child, so that lines keep the numbers that the notebook's editor shows."""

from __future__ import annotations

from typing import Any

from warp_nbprobe.data.model import Cell


def sent_source(cell: Cell) -> tuple[str, int]:
    """Return the code to send and the editor's number of its first line.

    IPython drops leading blank lines, and the magic's own line is not part of the cell: comments take their
    places, indented as the first line of code, since IPython takes that line's indentation from all. A cell that
    begins with a cell magic has to keep it in front, so there the number of the first line says it.
    """
    lines = cell.source.split("\n")
    blank = 0
    while blank < len(lines) and not lines[blank].strip():
        blank += 1
    if blank == len(lines):
        return cell.source, cell.first_line
    body = "\n".join(lines[blank:])
    if body.lstrip().startswith("%%"):
        return body, cell.first_line + blank
    missing = cell.first_line - 1 + blank
    indent = lines[blank][: len(lines[blank]) - len(lines[blank].lstrip())]
    return f"{indent}#\n" * missing + body, 1


def request_metadata(cell: Cell, ordinal: int, first_line: int) -> dict[str, Any]:
    """Return what the probe is told of a cell."""
    return {
        "warp_nbprobe": {
            "cell": ordinal,
            "number": cell.number,
            "phase": cell.phase,
            "name": cell.name,
            "first_line": first_line,
        }
    }
