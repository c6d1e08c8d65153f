"""Launches grouped by signature, and pages of their sequence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from warp_nbprobe.views.rows import Row, target_text
from warp_nbprobe.views.style import DIM, div, esc, span, tint
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


def launch_groups_html(
    groups: Sequence[Row],
    *,
    most: int = MOST_GROUPS,
    total: int | None = None,
    marked: Collection[tuple[str, str, str]] = (),
) -> str:
    """Return one row per kind of launch.

    ``total`` is the number of groups when ``groups`` is a part of them; ``marked`` names module, kernel and line of
    those that stand out.
    """
    if not groups:
        return div("No launch was recorded.", DIM)
    shown = groups[:most]
    columns = (Column("count", figures=True), *_COLUMNS)
    body = []
    for row in shown:
        chosen = (row["module"], row["kernel"], row["location"]) in marked
        body.append(TableRow((count_text(row["count"]), *_cells(row, chosen)), ground=_ground(chosen)))
    count = len(groups) if total is None else total
    under = f"{count_text(len(shown))} of {plural(count, 'kind')} of launch; all are in .launch_groups."
    return table_html(columns, body, under=under if len(shown) < count else "", kind="launches")


def launch_page_html(rows: Sequence[Row], events: Mapping[int, str], *, marked: Collection[str] = ()) -> str:
    """Return a page of the sequence: rows of ``launches``; ``events`` names the module events by their ``seq``."""
    columns = (Column("#", "position in the run", figures=True), *_COLUMNS, Column("caused", "the build or load"))
    body = []
    for row in rows:
        caused = events.get(row["triggered"], "")
        chosen = caused in marked
        body.append(TableRow((count_text(row["seq"]), *_cells(row, chosen), esc(caused)), ground=_ground(chosen)))
    return table_html(columns, body)


def launch_words(row: Row) -> str:
    """Return how a launch came about: ``adjoint``, ``replay``, ``graph``..."""
    words = [] if row["kind"] == "launch" else [str(row["kind"])]
    if row["adjoint"]:
        words.append("adjoint")
    if row["phase"] == "setup":
        words.append("setup")
    return ", ".join(words) or "launch"


def _ground(chosen: bool) -> str:
    return tint("chosen", 0.25) if chosen else ""


def _cells(row: Row, chosen: bool = False) -> tuple[str, ...]:
    types = ", ".join(row["dtypes"] or ())
    asked = row["requested_block_dim"]
    device = esc(target_text(row))
    cut = types if len(types) <= _LONG_TYPES else f"{types[: _LONG_TYPES - 2]}…"
    return (
        esc(row["kernel"] or "a graph") + (" <b>chosen</b>" if chosen else ""),
        esc(row["module"] or ""),
        esc(dim_text(row["dim"])),
        device if asked is None else span(device, title=f"block_dim {asked} was asked for"),
        esc(launch_words(row)),
        esc(cut) if cut == types else span(esc(cut), title=types),
        esc(row["location"] or ""),
    )
