"""HTML tables: plain markup that also reads where every style is stripped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warp_nbprobe.views.style import DIM, HAIRLINE, NUMBERS, div, esc, linked, tag

_TABLE = f"width:100%;table-layout:auto;border-collapse:collapse;margin:0;font-size:12px;{NUMBERS}"


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading, what it means on hover, and whether it holds figures (right aligned)."""

    heading: str
    why: str = ""
    figures: bool = False
    narrow: bool = False  # never broken into lines
    long: bool = False  # names without spaces: broken anywhere rather than wider than the cell
    width: str = ""

    @property
    def style(self) -> str:
        """The style of the column's cells."""
        flow = ";white-space:nowrap" if self.narrow else ";word-break:break-word" if self.long else ""
        return f"padding:3px 6px;text-align:{'right' if self.figures else 'left'}{flow}"


@dataclass(frozen=True, slots=True)
class TableRow:
    """The cells' HTML, the builds the row stands for, and the row's ground where it has one."""

    cells: tuple[str, ...]
    builds: tuple[str, ...] = ()
    ground: str = ""  # a colour


def table_html(columns: Sequence[Column], rows: Sequence[TableRow], *, under: str = "", kind: str = "") -> str:
    """Return a table as wide as its cell. ``kind`` names what the rows are, for the script's filter."""
    heads = "".join(_head(column) for column in columns)
    styles = [f' style="{column.style}"' for column in columns]
    body = "".join(_row(row, styles) for row in rows)
    named = f' data-table="{esc(kind)}"' if kind else ""
    below = div(under, f"{DIM};font-size:12px;padding:4px 6px 0 6px") if under else ""
    table = f'<table{named} style="{_TABLE}"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'
    # Where even broken names do not fit, the table scrolls by itself; with the keyboard as well, hence the tabindex.
    return f'<div tabindex="0" style="overflow:auto">{table}</div>{below}'


def _head(column: Column) -> str:
    width = f";width:{column.width}" if column.width else ""
    style = f"{column.style};font-weight:600;vertical-align:bottom;border-bottom:{HAIRLINE}{width};word-break:normal"
    return tag("th", esc(column.heading), style, title=column.why, link=' scope="col"')


def _row(row: TableRow, styles: Sequence[str]) -> str:
    cells = "".join(f"<td{style}>{cell}</td>" for style, cell in zip(styles, row.cells, strict=True))
    return tag("tr", cells, f"background-color:{row.ground}" if row.ground else "", link=linked(*row.builds))
