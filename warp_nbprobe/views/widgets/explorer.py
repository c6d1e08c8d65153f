"""The explorer: the card's fragments, with a finding or a build to choose and everything of it marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets

from warp_nbprobe.views.build_html import build_html
from warp_nbprobe.views.findings_html import finding_html, finding_title
from warp_nbprobe.views.highlights import highlights_html
from warp_nbprobe.views.history_html import Remembered
from warp_nbprobe.views.html import figures_html, timeline_parts
from warp_nbprobe.views.marks import built, event_name
from warp_nbprobe.views.modules_html import marks_by_row
from warp_nbprobe.views.report_html import checked_section, figures_table_html
from warp_nbprobe.views.rows import Row, events, findings
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.source_html import source_html
from warp_nbprobe.views.source_marks import line_marks
from warp_nbprobe.views.style import heading, visible
from warp_nbprobe.views.units import time_text
from warp_nbprobe.views.widgets.comparing import CompareTab
from warp_nbprobe.views.widgets.parts import NONE, button, column, dropdown, framed, html, row
from warp_nbprobe.views.widgets.tables import LaunchesTab, ModulesTab


def explorer(m: Shown, history: Sequence[Remembered] = ()) -> Any:
    """Return the widget; ``history`` holds what ``m`` can be compared with. All but that reads in the card as well."""
    return _Explorer(m, history).widget


class _Explorer:
    """The state of one explorer: which finding or build is chosen, and what follows from it."""

    def __init__(self, m: Shown, history: Sequence[Remembered]) -> None:
        self._m = m
        self._rows = events(m, "cold")
        self._findings = findings(m)
        self._marks = marks_by_row(self._rows)
        self._marked: frozenset[str] = frozenset()
        self._chosen: Row | None = None  # the finding
        self._choosing = False
        names = [("none chosen", NONE), *((visible(finding_title(row)), at) for at, row in enumerate(self._findings))]
        builds = [("none chosen", NONE), *((_build_title(row), row["seq"]) for row in built(self._rows))]
        self._finding = dropdown("finding", names, lambda at: self._choose(at, NONE))
        self._build = dropdown("build", builds, lambda seq: self._choose(NONE, seq))
        clear = button("show all", "nothing chosen, nothing marked", lambda: self._choose(NONE, NONE))
        self._details, self._timeline, self._source = html(), html(), html()
        self._modules = ModulesTab(self._rows)
        self._launches = LaunchesTab(m, self._rows)
        tabs = {
            "Timeline": self._timeline,
            "Modules": self._modules.widget,
            "Source": self._source,
            "Launches": self._launches.widget,
            "Compare": CompareTab(m, history).widget,
            "Figures": html(figures_html(m) + figures_table_html(m)),
            "Checked": html(checked_section(m)),
        }
        self._tabs = ipywidgets.Tab(children=list(tabs.values()), titles=list(tabs))
        title = heading(f"Explore {m.label}", "what belongs to the finding or build you choose is marked in every tab")
        top = html(title + highlights_html(self._rows))
        self.widget = column(top, row(self._finding, self._build, clear), self._details, self._tabs)
        self._render()

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
        self._chosen = None
        if finding != NONE:
            self._chosen = self._findings[finding]
            marked, details = tuple(self._chosen["events"] or ()), finding_html(self._chosen)
        elif build != NONE:
            found = next(row for row in self._rows if row["seq"] == build)
            marked, details = (event_name(found),), build_html(found, self._marks[build])
        self._marked = frozenset(marked)
        self._details.value = framed(details) if details else ""
        self._render()

    def _render(self) -> None:
        title, line = timeline_parts(self._m, self._marked)
        self._timeline.value = framed(title + line)
        marks = line_marks(self._rows, self._findings)
        places = [self._chosen[name] for name in ("location", "cause_location")] if self._chosen else []
        self._source.value = framed(source_html(self._m.cells, marks, chosen=self._marked, places=places))
        self._modules.mark(self._marked)
        self._launches.mark(self._marked)


def _build_title(row: Row) -> str:
    return visible(f"{event_name(row)}, {time_text(row['ms'])}")
