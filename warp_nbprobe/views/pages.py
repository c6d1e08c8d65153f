"""Parts of long tables: what a filter keeps, in which order, and one page of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from warp_nbprobe.views.marks import event_name
from warp_nbprobe.views.modules_html import MarksBySeq
from warp_nbprobe.views.rows import Row, rows_of
from warp_nbprobe.views.units import count_text, plural

MODULES_PER_PAGE: Final = 25
LAUNCHES_PER_PAGE: Final = 25

ORDERS: Final[dict[str, Callable[[Row], Any] | None]] = {
    "as they happened": None,
    "longest first": lambda row: -(row["ms"] or 0.0),
    "by module": lambda row: (row["module"], row["seq"]),
    "by native time": lambda row: -(row["native_ms"] or 0.0),
    "by code generation": lambda row: -(row["codegen_ms"] or 0.0),
    "by LTO": lambda row: -(row["lto_ms"] or 0.0),
    "by kernels": lambda row: -len(row["kernels"] or ()),
}
"""The orders of the modules table, by the words a person chooses."""

GROUP_ORDERS: Final[dict[str, tuple[str, ...]]] = {
    "as they happened": (),
    "most often first": ("count",),
    "by kernel": ("kernel", "module"),
    "by module": ("module", "kernel"),
    "by line": ("cell", "cell_line", "location"),
}
"""The orders of the kinds of launches: the columns that each goes by; counts fall, all else rises."""

_LAUNCH_TEXT = ("kernel", "module", "device", "kind", "location")


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its rows, its number from 0, how many pages and rows there are in all."""

    rows: list[Row]
    number: int
    pages: int
    total: int

    def words(self, one: str, many: str | None = None) -> str:
        """Return ``page 2 of 5, 200 builds``."""
        found = plural(self.total, one, many)
        return f"page {count_text(self.number + 1)} of {count_text(self.pages)}, {found}" if self.pages > 1 else found


def kept(rows: Sequence[Row], text: str, order: str, marks: MarksBySeq) -> list[Row]:
    """Return the events that hold every word of ``text`` (in name, hash, device, cause, line or marks), in order."""
    words = text.lower().split()
    found = [row for row in rows if all(word in _searched(row, marks) for word in words)]
    key = ORDERS[order]
    return found if key is None else sorted(found, key=key)


def page_of(rows: Sequence[Row], number: int, size: int) -> Page:
    """Return a page of rows; a number past the ends is the nearest page."""
    first, last, at, pages = _bounds(len(rows), number, size)
    return Page(list(rows[first:last]), at, pages, len(rows))


def launches_page(frame: pd.DataFrame, number: int, size: int, text: str) -> Page:
    """Return a page of ``launches`` or ``launch_groups``; only its own rows are ever looked at one by one."""
    found = frame
    for word in text.lower().split():
        hit = pd.Series(False, index=found.index)
        for name in _LAUNCH_TEXT:
            hit |= _holds(found[name], word)
        found = found[hit]
    first, last, at, pages = _bounds(len(found), number, size)
    return Page(rows_of(found.iloc[first:last]), at, pages, len(found))


def groups_in_order(groups: pd.DataFrame, order: str) -> pd.DataFrame:
    """Return the kinds of launches in one of ``GROUP_ORDERS``; equal ones stay as they happened."""
    names = list(GROUP_ORDERS[order])
    if not names:
        return groups
    ordered: pd.DataFrame = groups.sort_values(names, ascending=[name != "count" for name in names], kind="stable")
    return ordered


def _holds(column: pd.Series[Any], word: str) -> pd.Series[bool]:
    """Return where a column of text holds a word: each different text is looked at once."""
    texts = column.unique()
    hits = [text for text in texts if not pd.isna(text) and word in str(text).lower()]
    return column.isin(hits)


def _searched(row: Row, marks: MarksBySeq) -> str:
    said = [
        event_name(row),
        row["hash"],
        row["device"],
        row["status"],
        row["trigger"],
        row["location"],
        row["cause"],
        row["detail"],
        *(row["kernels"] or ()),
        *(mark.word for mark in marks[row["seq"]]),
    ]
    return " ".join(str(part) for part in said if part).lower()


def _bounds(total: int, number: int, size: int) -> tuple[int, int, int, int]:
    pages = max(1, -(-total // size))
    at = min(max(number, 0), pages - 1)
    return at * size, min(total, (at + 1) * size), at, pages
