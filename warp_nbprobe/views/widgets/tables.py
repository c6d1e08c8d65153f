"""The tables of modules and of launches: filtered, ordered and paged from the kernel."""

from __future__ import annotations

from typing import Any

import ipywidgets

from warp_nbprobe.views.launches_html import launch_groups_html, launch_page_html
from warp_nbprobe.views.marks import event_name
from warp_nbprobe.views.modules_html import marks_by_row, page_html
from warp_nbprobe.views.pages import (
    GROUP_ORDERS,
    LAUNCHES_PER_PAGE,
    MODULES_PER_PAGE,
    ORDERS,
    Page,
    groups_in_order,
    kept,
    launches_page,
    page_of,
)
from warp_nbprobe.views.report_html import launches_aside, modules_aside
from warp_nbprobe.views.rows import Row
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.style import heading
from warp_nbprobe.views.widgets.parts import Pager, column, framed, html, row


class ModulesTab:
    """The modules table: filtered, ordered, paged, marked."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows
        self._marks = marks_by_row(rows)
        self._marked: frozenset[str] = frozenset()
        self._table = html()
        self._order = _orders(list(ORDERS))
        self._pager = Pager("modules", self._page, "event", "events")
        self._order.observe(lambda _: self._pager.show(0), names="value")
        title = html(heading("Modules", modules_aside(rows)))
        self.widget = column(title, row(self._order, *self._pager.widgets), self._table)

    def mark(self, marked: frozenset[str]) -> None:
        """Mark builds, and turn to the first page that has one."""
        self._marked = marked
        found = [at for at, row in enumerate(self._kept("")) if event_name(row) in marked]
        self._pager.show(found[0] // MODULES_PER_PAGE if found else 0)

    def _kept(self, text: str) -> list[Row]:
        return kept(self._rows, text, self._order.value, self._marks)

    def _page(self, number: int, text: str) -> Page:
        page = page_of(self._kept(text), number, MODULES_PER_PAGE)
        self._table.value = framed(page_html(self._rows, page.rows, marked=self._marked))
        return page


class LaunchesTab:
    """Launches by kind, or one by one in pages; the sequence is expanded only when asked for."""

    def __init__(self, m: Shown, rows: list[Row]) -> None:
        self._m = m
        self._events = {row["seq"]: event_name(row) for row in rows}
        self._marks = marks_by_row(rows)
        self._marked: frozenset[str] = frozenset()
        self._rows = rows
        self._table = html()
        self._how = ipywidgets.ToggleButtons(
            options=["grouped", "one by one"], style={"button_width": "auto"}, tooltips=["one row per kind", "in order"]
        )
        self._order = _orders(list(GROUP_ORDERS))
        self._pager = Pager("launches", self._page, "row", "rows")
        self._how.observe(lambda _: self._turned(), names="value")
        self._order.observe(lambda _: self._pager.show(0), names="value")
        bar = row(self._how, self._order, *self._pager.widgets)
        self.widget = column(html(heading("Launches", launches_aside(m))), bar, self._table)
        self._pager.show(0)

    def mark(self, marked: frozenset[str]) -> None:
        """Mark the launches of the kernels that asked for these builds."""
        if marked != self._marked:
            self._marked = marked
            self._pager.show(0)

    def _turned(self) -> None:
        self._order.disabled = self._how.value != "grouped"
        self._pager.show(0)

    def _page(self, number: int, text: str) -> Page:
        if self._how.value == "grouped":
            groups = groups_in_order(self._m.launch_groups, self._order.value)
            page = launches_page(groups, number, LAUNCHES_PER_PAGE, text)
            self._table.value = framed(launch_groups_html(page.rows, marked=self._asked()))
        else:
            page = launches_page(self._m.launches, number, LAUNCHES_PER_PAGE, text)
            self._table.value = framed(launch_page_html(page.rows, self._events, marked=self._marked))
        return page

    def _asked(self) -> frozenset[tuple[str, str, str]]:
        """Return module, kernel and line of the launches that asked for the marked builds."""
        return frozenset(
            (row["module"], row["trigger"], row["location"]) for row in self._rows if event_name(row) in self._marked
        )


def _orders(words: list[str]) -> Any:
    layout = {"width": "auto", "flex": "0 1 190px"}
    return ipywidgets.Dropdown(
        options=words, layout=layout, description="order", style={"description_width": "initial"}
    )
