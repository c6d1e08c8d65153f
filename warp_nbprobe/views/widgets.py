"""The explorer: the card's fragments with what needs Python to answer (choosing, filtering, paging).

Core widgets only. What is shown is rendered from the frames each time, so the saved state never
holds more than one page of any table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import ipywidgets

from warp_nbprobe.views.build_html import build_html
from warp_nbprobe.views.findings_html import finding_html, finding_title
from warp_nbprobe.views.html import figures_html, headline_html, timeline_parts
from warp_nbprobe.views.launches_html import launch_groups_html, launch_page_html
from warp_nbprobe.views.marks import built, event_name
from warp_nbprobe.views.modules_html import marks_by_row, page_html
from warp_nbprobe.views.pages import LAUNCHES_PER_PAGE, MODULES_PER_PAGE, ORDERS, Page, kept, launches_page, page_of
from warp_nbprobe.views.report_html import checked_section, figures_table_html, launches_aside, modules_aside
from warp_nbprobe.views.rows import Row, events, findings
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.source_html import source_html
from warp_nbprobe.views.source_marks import line_marks
from warp_nbprobe.views.style import DIM, div, esc, heading, visible
from warp_nbprobe.views.units import time_text

_FRAME: Final = "font-size:13px;line-height:1.45;text-align:left;padding:2px"
_NONE: Final = -1  # the value of a choice when nothing is chosen


def explorer(m: Shown) -> Any:
    """Return the widget. Everything it shows reads in the card as well."""
    return _Explorer(m).widget


class _Explorer:
    """The state of one explorer: which finding or build is chosen, and what follows from it."""

    def __init__(self, m: Shown) -> None:
        self._m = m
        self._rows = events(m, "cold")
        self._findings = findings(m)
        self._marks = marks_by_row(self._rows)
        self._marked: frozenset[str] = frozenset()
        self._choosing = False
        names = [("none chosen", _NONE), *((visible(finding_title(row)), at) for at, row in enumerate(self._findings))]
        builds = [("none chosen", _NONE), *((_build_title(row), row["seq"]) for row in built(self._rows))]
        self._finding = _dropdown("finding", names, self._finding_chosen)
        self._build = _dropdown("build", builds, self._build_chosen)
        clear = ipywidgets.Button(description="show all", tooltip="nothing chosen, nothing marked")
        clear.on_click(lambda _: self._choose(_NONE, _NONE))
        self._details = _html()
        self._timeline = _html()
        self._source = _html()
        self._modules = _ModulesTab(self._rows)
        launches = _LaunchesTab(m, self._rows)
        figures = _html(figures_html(m) + figures_table_html(m))
        self._tabs = ipywidgets.Tab(
            children=[
                self._timeline,
                self._modules.widget,
                self._source,
                launches.widget,
                figures,
                _html(checked_section(m)),
            ],
            titles=["Timeline", "Modules", "Source", "Launches", "Figures", "Checked"],
        )
        choices = ipywidgets.HBox([self._finding, self._build, clear], layout={"flex_flow": "row wrap"})
        self.widget = ipywidgets.VBox([_html(headline_html(m)), choices, self._details, self._tabs])
        self._render()

    def _finding_chosen(self, at: int) -> None:
        self._choose(at, _NONE)

    def _build_chosen(self, seq: int) -> None:
        self._choose(_NONE, seq)

    def _choose(self, finding: int, build: int) -> None:
        """Mark what belongs to a finding or to a build; setting the one clears the other."""
        if self._choosing:
            return
        self._choosing = True
        try:
            self._finding.value, self._build.value = finding, build
        finally:
            self._choosing = False
        marked: tuple[str, ...] = ()
        details = ""
        if finding != _NONE:
            row = self._findings[finding]
            marked, details = tuple(row["events"] or ()), finding_html(row)
        elif build != _NONE:
            row = next(row for row in self._rows if row["seq"] == build)
            marked, details = (event_name(row),), build_html(row, self._marks[build])
        self._marked = frozenset(marked)
        self._details.value = _framed(details) if details else ""
        self._render()

    def _render(self) -> None:
        title, line = timeline_parts(self._m, self._marked)
        self._timeline.value = _framed(title + line)
        marks = line_marks(self._rows, self._findings)
        self._source.value = _framed(source_html(self._m.cells, marks, chosen=self._marked))
        self._modules.mark(self._marked)


class _Pager:
    """A filter, two buttons and the words between them; calls ``show`` with the page asked for."""

    def __init__(self, what: str, show: Callable[[int, str], Page], one: str, many: str) -> None:
        self._show, self._one, self._many = show, one, many
        self._number = 0
        self._text = ipywidgets.Text(placeholder=f"filter {what}", continuous_update=False)
        self._text.observe(lambda _: self.show(0), names="value")
        self._back = ipywidgets.Button(description="‹ back", layout={"width": "auto"}, tooltip="the page before")
        self._next = ipywidgets.Button(description="next ›", layout={"width": "auto"}, tooltip="the page after")
        self._back.on_click(lambda _: self.show(self._number - 1))
        self._next.on_click(lambda _: self.show(self._number + 1))
        self._words = _html()
        self.widgets = [self._text, self._back, self._next, self._words]

    def show(self, number: int) -> None:
        """Show a page, and what page it is; buttons that lead nowhere are off."""
        page = self._show(number, self._text.value)
        self._number = page.number
        self._back.disabled = page.number == 0
        self._next.disabled = page.number >= page.pages - 1
        self._words.value = div(esc(page.words(self._one, self._many)), DIM)


class _ModulesTab:
    """The modules table: filtered, ordered, paged, marked."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows
        self._marks = marks_by_row(rows)
        self._marked: frozenset[str] = frozenset()
        self._table = _html()
        self._order = ipywidgets.Dropdown(options=list(ORDERS), layout={"width": "auto"}, tooltip="order of the rows")
        self._pager = _Pager("modules", self._page, "event", "events")
        self._order.observe(lambda _: self._pager.show(0), names="value")
        bar = ipywidgets.HBox([self._order, *self._pager.widgets], layout={"flex_flow": "row wrap"})
        title = _html(heading("Modules", modules_aside(rows)))
        self.widget = ipywidgets.VBox([title, bar, self._table])

    def mark(self, marked: frozenset[str]) -> None:
        """Mark builds, and turn to the first page that has one."""
        self._marked = marked
        found = [at for at, row in enumerate(self._kept("")) if event_name(row) in marked]
        self._pager.show(found[0] // MODULES_PER_PAGE if found else 0)

    def _kept(self, text: str) -> list[Row]:
        return kept(self._rows, text, self._order.value, self._marks)

    def _page(self, number: int, text: str) -> Page:
        page = page_of(self._kept(text), number, MODULES_PER_PAGE)
        self._table.value = _framed(page_html(self._rows, page.rows, marked=self._marked))
        return page


class _LaunchesTab:
    """Launches by kind, or one by one in pages; the sequence is expanded only when asked for."""

    def __init__(self, m: Shown, rows: list[Row]) -> None:
        self._m = m
        self._events = {row["seq"]: event_name(row) for row in rows}
        self._table = _html()
        self._how = ipywidgets.ToggleButtons(
            options=["grouped", "one by one"], style={"button_width": "auto"}, tooltips=["one row per kind", "in order"]
        )
        self._pager = _Pager("launches", self._page, "row", "rows")
        self._how.observe(lambda _: self._pager.show(0), names="value")
        bar = ipywidgets.HBox([self._how, *self._pager.widgets], layout={"flex_flow": "row wrap"})
        self.widget = ipywidgets.VBox([_html(heading("Launches", launches_aside(m))), bar, self._table])
        self._pager.show(0)

    def _page(self, number: int, text: str) -> Page:
        grouped = self._how.value == "grouped"
        frame = self._m.launch_groups if grouped else self._m.launches
        page = launches_page(frame, number, LAUNCHES_PER_PAGE, text)
        self._table.value = _framed(
            launch_groups_html(page.rows) if grouped else launch_page_html(page.rows, self._events)
        )
        return page


def _build_title(row: Row) -> str:
    return visible(f"{event_name(row)}, {time_text(row['ms'])}")


def _dropdown(name: str, options: list[tuple[str, int]], chosen: Callable[[int], None]) -> Any:
    widget = ipywidgets.Dropdown(options=options, description=name, value=_NONE, layout={"width": "360px"})
    widget.style.description_width = "50px"
    widget.observe(lambda change: chosen(change["new"]), names="value")
    return widget


def _framed(html: str) -> str:
    return div(html, _FRAME)


def _html(html: str = "") -> Any:
    return ipywidgets.HTML(value=_framed(html) if html else "")
