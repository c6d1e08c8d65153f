"""How the code of two measurements differs, line by line."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from warp_nbprobe.views.style import DIM, MONO, SMALL, div, esc, tag, tint

MOST_LINES = 400
_CONTEXT = 3
_TINTS = {"+": "good", "-": "wrong"}


def diff_lines(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return the differing lines with ``+`` and ``-`` before them and three lines around; empty when equal."""
    found = list(difflib.unified_diff(old, new, n=_CONTEXT, lineterm=""))[2:]
    left = len(found) - MOST_LINES
    return found if left <= 0 else [*found[:MOST_LINES], f"... {left} more lines"]


def diff_html(lines: Sequence[str]) -> str:
    """Return the lines of a diff on the grounds of what came and went; the signs stand before them all the same."""
    if not lines:
        return div("The code is the same on both sides.", DIM)
    return "".join(_line(line) for line in lines)


def _line(line: str) -> str:
    ground = _TINTS.get(line[:1])
    style = f"{MONO};{SMALL};margin:0;padding:0 4px;white-space:pre-wrap;word-break:break-word"
    style += f";background-color:{tint(ground, 0.14)}" if ground else ";background-color:rgba(0,0,0,0)"
    return tag("pre", esc(line) or " ", style + (f";{DIM}" if line.startswith("@@") else ""))
