"""The table of module events in plain text."""

from __future__ import annotations

from collections.abc import Sequence

from warp_nbprobe.views.marks import BUILT, event_name, row_marks
from warp_nbprobe.views.modules_html import HEADINGS, cause_text, longest, times_shown
from warp_nbprobe.views.rows import Row, target_text
from warp_nbprobe.views.text_table import table_lines, wrapped
from warp_nbprobe.views.units import hash_text, plural, time_text

MOST_ROWS = 40
_SHORT = {"codegen_ms": "codegen"}


def modules_lines(rows: Sequence[Row], wide: int) -> list[str]:
    """Return the builds with their parts; under each that has them its marks, its cause and its line."""
    if not rows:
        return []
    marks = {row["seq"]: found for row, found in zip(rows, row_marks(rows), strict=True)}
    shown = longest(rows, MOST_ROWS)
    times = times_shown(rows)
    heads = ("module", "hash", "device", "total", *(_SHORT.get(name, HEADINGS[name]) for name in times))
    body = [
        (
            event_name(row) + ("" if row["status"] in BUILT else f" ({row['status']})"),
            hash_text(row["hash"]),
            target_text(row),
            time_text(row["ms"], digits=3),
            *(_part(row[name]) for name in times),
        )
        for row in shown
    ]
    table = table_lines(heads, body, wide, right=range(3, len(heads)))
    lines = table[:1]
    for row, line in zip(shown, table[1:], strict=True):
        lines.append(line)
        words = ", ".join(mark.word for mark in marks[row["seq"]])
        said = " ".join(part for part in (f"[{words}]" if words else "", _why(row)) if part)
        if said:
            lines += wrapped(said, wide, "      ")
    if len(shown) < len(rows):
        lines.append(f"  the {len(shown)} longest of {plural(len(rows), 'event')}; all are in .modules")
    return lines


def _part(ms: float | None) -> str:
    return "-" if ms == 0 else "?" if ms is None else time_text(ms, digits=3)


def _why(row: Row) -> str:
    said = "" if row["cause"] == "first" and not row["detail"] else cause_text(row)
    asked = f"for {row['trigger']} " if row["trigger"] else ""
    asked += f"at {row['location']}" if row["location"] else ""
    return f"{said} {asked.strip()}".strip()
