"""Tables in plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence

from warp_nbprobe.views.style import visible

_GAP = 2


def table_lines(
    heads: Sequence[str], rows: Sequence[Sequence[str]], wide: int, *, right: Collection[int] = (), indent: int = 2
) -> list[str]:
    """Return the table's lines. Where it is too wide, the widest left aligned columns are cut."""
    widths = [max(len(visible(row[at])) for row in [heads, *rows]) for at in range(len(heads))]
    room = wide - indent - _GAP * (len(heads) - 1)
    while sum(widths) > room:
        soft = [at for at in range(len(heads)) if at not in right and widths[at] > 6]
        if not soft:
            break
        widths[max(soft, key=lambda at: widths[at])] -= 1
    lines = [heads, *rows]
    return [
        " " * indent + (" " * _GAP).join(_cell(row[at], widths[at], at in right) for at in range(len(heads)))
        for row in lines
    ]


def wrapped(text: str, wide: int, indent: str = "", first: str | None = None) -> list[str]:
    """Return a sentence in lines; ``first`` stands before it, ``indent`` before the lines that follow."""
    start = indent if first is None else first
    lines = textwrap.wrap(visible(text), wide, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False)
    return lines or [start]


def cut(text: str, width: int) -> str:
    """Return the text in at most ``width`` characters; the end of a long name says more than its middle."""
    text = visible(text)
    if len(text) <= width:
        return text
    head = max(1, (width - 1) // 2)
    tail = width - 1 - head
    return text[:head] + "…" + (text[-tail:] if tail else "")


def _cell(text: str, width: int, right: bool) -> str:
    shown = cut(text, width)
    return shown.rjust(width) if right else shown.ljust(width)
