"""Launches grouped by signature, and pages of their sequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warp_nbprobe.views.rows import Row, target_text
from warp_nbprobe.views.style import DIM, div, esc, span
from warp_nbprobe.views.tables import Column, TableRow, table_html
from warp_nbprobe.views.units import count_text, dim_text, plural

MOST_GROUPS = 100
_LONG_TYPES = 60

_COLUMNS = (
    Column("kernel", long=True),
    Column("module", long=True),
    Column("dim", "launch dimensions", figures=True),
    Column("device", "and block_dim as resolved", narrow=True),
    Column("kind", "adjoint launches and replays are told apart", narrow=True),
    Column("arguments", "one type per argument, in order", long=True),
    Column("at", "the nearest line in your own code", long=True),
)


def launch_groups_html(groups: Sequence[Row], *, most: int = MOST_GROUPS, total: int | None = None) -> str:
    """Return one row per kind of launch. ``total`` is the number of groups when ``groups`` is a part of them."""
    if not groups:
        return div("No launch was recorded.", DIM)
    shown = groups[:most]
    columns = (Column("count", figures=True), *_COLUMNS)
    body = [TableRow((count_text(row["count"]), *_cells(row))) for row in shown]
    count = len(groups) if total is None else total
    under = f"{count_text(len(shown))} of {plural(count, 'kind')} of launch; all are in .launch_groups."
    return table_html(columns, body, under=under if len(shown) < count else "", kind="launches")


def launch_page_html(rows: Sequence[Row], events: Mapping[int, str]) -> str:
    """Return a page of the sequence: rows of ``launches``; ``events`` names the module events by their ``seq``."""
    columns = (Column("#", "position in the run", figures=True), *_COLUMNS, Column("caused", "the build or load"))
    body = [TableRow((count_text(row["seq"]), *_cells(row), esc(events.get(row["triggered"], "")))) for row in rows]
    return table_html(columns, body)


def launch_words(row: Row) -> str:
    """Return how a launch came about: ``adjoint``, ``replay``, ``graph``..."""
    words = [] if row["kind"] == "launch" else [str(row["kind"])]
    if row["adjoint"]:
        words.append("adjoint")
    if row["phase"] == "setup":
        words.append("setup")
    return ", ".join(words) or "launch"


def _cells(row: Row) -> tuple[str, ...]:
    types = ", ".join(row["dtypes"] or ())
    asked = row["requested_block_dim"]
    device = esc(target_text(row))
    cut = types if len(types) <= _LONG_TYPES else f"{types[: _LONG_TYPES - 2]}…"
    return (
        esc(row["kernel"] or "a graph"),
        esc(row["module"] or ""),
        esc(dim_text(row["dim"])),
        device if asked is None else span(device, title=f"block_dim {asked} was asked for"),
        esc(launch_words(row)),
        esc(cut) if cut == types else span(esc(cut), title=types),
        esc(row["location"] or ""),
    )
