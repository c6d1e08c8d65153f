"""Link-time-optimisation objects of tile operations: per module and operation, made or reused."""

from __future__ import annotations

from collections.abc import Sequence

from warp_nbprobe.views.rows import Row, rows_of, shown_sample
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.style import esc
from warp_nbprobe.views.tables import Column, TableRow, table_html
from warp_nbprobe.views.text_table import table_lines
from warp_nbprobe.views.units import figure_text, plural, time_text

_COLUMNS = (
    Column("build", long=True),
    Column("operation", long=True),
    Column(
        "direction", "of the operation, or of its adjoint; the module's option enable_backward decides", narrow=True
    ),
    Column("objects", figures=True),
    Column("made", "or taken from the cache", narrow=True),
    Column("bytes", figures=True),
    Column("time", figures=True),
)


def lto_rows(m: Shown) -> list[Row]:
    """Return the shown sample's cold run, setup included."""
    sample, frame = shown_sample(m), m.lto
    return [] if sample is None else rows_of(frame[(frame["sample"] == sample) & (frame["run"] == "cold")])


def lto_aside(rows: Sequence[Row]) -> str:
    """Return how many objects there were, how many for adjoints, and their time."""
    objects = sum(row["objects"] for row in rows)
    adjoint = sum(row["objects"] for row in rows if row["direction"] == "adjoint")
    total = time_text(sum(row["ms"] for row in rows))
    return f"{plural(objects, 'object')}, {adjoint} for running backwards, {total}"


def lto_html(rows: Sequence[Row]) -> str:
    """Return the table; empty without a tile operation that needs an object."""
    if not rows:
        return ""
    return table_html(_COLUMNS, [TableRow(tuple(map(esc, _cells(row)))) for row in rows])


def lto_lines(rows: Sequence[Row], wide: int) -> list[str]:
    """Return the table as plain text."""
    heads = [column.heading for column in _COLUMNS]
    return table_lines(heads, [_cells(row) for row in rows], wide, right=(3, 5, 6)) if rows else []


def _cells(row: Row) -> tuple[str, ...]:
    made = "reused" if not row["made"] else "made" if not row["reused"] else f"{row['made']} made"
    return (
        str(row["build"] or row["module"]),
        str(row["operation"] or "unknown"),
        str(row["direction"] or "unknown"),
        str(row["objects"]),
        made,
        "unknown" if row["bytes"] is None else figure_text(row["bytes"], "bytes"),
        time_text(row["ms"]),
    )
