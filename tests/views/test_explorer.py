"""The explorer: choosing marks, filters keep, pages turn, and the saved state stays small."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import ipywidgets
import pandas as pd
import pytest

from tests.views import fakes
from tests.views.reading import Document
from warp_nbprobe.data.columns import LAUNCHES
from warp_nbprobe.views.widgets import explorer

CHOSEN = "0 0 0 2px rgb(240,200,40)"


@pytest.fixture(autouse=True)
def no_widgets_left() -> Iterator[None]:
    yield
    ipywidgets.Widget.close_all()


class Seen:
    """An explorer with its parts by name."""

    def __init__(self, m: fakes.FakeMeasurement) -> None:
        self.widget = explorer(m)
        self.widgets: list[Any] = list(self._all(self.widget))
        (self.tabs,) = [w for w in self.widgets if isinstance(w, ipywidgets.Tab)]

    def _all(self, widget: Any) -> Iterator[Any]:
        yield widget
        for child in getattr(widget, "children", ()):
            yield from self._all(child)

    def dropdown(self, name: str) -> Any:
        return next(w for w in self.widgets if isinstance(w, ipywidgets.Dropdown) and w.description == name)

    def tab(self, title: str) -> Any:
        return self.tabs.children[self.tabs.titles.index(title)]

    def inside(self, title: str, kind: type) -> list[Any]:
        return [w for w in self._all(self.tab(title)) if isinstance(w, kind)]

    def html(self, title: str) -> str:
        return "".join(w.value for w in self.inside(title, ipywidgets.HTML))

    def text(self, title: str) -> str:
        return Document(self.html(title)).text

    def press(self, title: str, label: str) -> None:
        next(w for w in self.inside(title, ipywidgets.Button) if label in w.description).click()

    def details(self) -> str:
        return Document(self.widget.children[2].value).text


def test_only_core_widgets_that_read_well_are_used() -> None:
    kinds = {type(w).__name__ for w in Seen(fakes.small()).widgets}
    assert kinds <= {"VBox", "HBox", "Tab", "HTML", "Dropdown", "Text", "ToggleButtons", "Button"}


def test_choosing_a_finding_marks_its_builds_everywhere() -> None:
    seen = Seen(fakes.small())
    assert CHOSEN not in seen.html("Timeline")
    seen.dropdown("finding").value = 0
    assert "Define the kernels of a module before its first launch." in seen.details()
    assert seen.html("Timeline").count(CHOSEN) == 4  # two bars and two in the lane of the repeated module
    assert seen.text("Modules").count("chosen") == 2
    assert "rgba(240,200,40,0.25)" in seen.html("Source")


def test_choosing_a_finding_marks_the_launches_that_asked_for_its_builds() -> None:
    seen = Seen(fakes.small())
    seen.dropdown("finding").value = 0
    assert "drift chosen" in seen.text("Launches")
    assert "kick chosen" in seen.text("Launches")


def test_a_finding_without_builds_marks_its_lines() -> None:
    m = fakes.small()
    m.findings["events"] = [()] * len(m.findings)
    seen = Seen(m)
    seen.dropdown("finding").value = 0
    assert seen.text("Source").count("chosen") == 2  # where it shows, and what caused it
    seen.dropdown("finding").value = -1
    assert "chosen" not in seen.text("Source")


def test_kinds_of_launches_are_ordered_by_what_a_person_asks() -> None:
    seen = Seen(fakes.small())
    (order,) = seen.inside("Launches", ipywidgets.Dropdown)
    order.value = "by line"
    assert seen.text("Launches").index("drift") < seen.text("Launches").index("kick")
    (how,) = seen.inside("Launches", ipywidgets.ToggleButtons)
    how.value = "one by one"
    assert order.disabled


def test_without_other_measurements_the_compare_tab_says_so() -> None:
    seen = Seen(fakes.small())
    assert "nothing to compare with yet" in seen.text("Compare")


def test_choosing_a_build_shows_its_parts_options_kernels_and_cause() -> None:
    seen = Seen(fakes.small())
    seen.dropdown("finding").value = 0
    seen.dropdown("build").value = 2
    assert seen.dropdown("finding").label == "none chosen"
    details = seen.details()
    for words in ("native compile 240 ms", "2 kernels: drift, kick", "enable_backward = True", "Kernel kick was added"):
        assert words in details
    assert seen.text("Modules").count("chosen") == 1


def test_showing_all_takes_every_mark_away() -> None:
    seen = Seen(fakes.small())
    seen.dropdown("build").value = 2
    next(w for w in seen.widgets if isinstance(w, ipywidgets.Button) and w.description == "show all").click()
    assert seen.dropdown("build").label == "none chosen"
    assert CHOSEN not in seen.html("Timeline")
    assert seen.details() == ""


def test_a_build_on_a_later_page_is_turned_to() -> None:
    seen = Seen(fakes.many())
    seen.dropdown("build").value = 100
    assert "page 5 of 8" in seen.text("Modules")
    assert "chosen" in seen.text("Modules")


def test_modules_are_filtered_by_any_words_and_ordered() -> None:
    seen = Seen(fakes.many())
    (words,) = seen.inside("Modules", ipywidgets.Text)
    words.value = "stage_07 block_dim"
    assert "4 events" in seen.text("Modules") or "3 events" in seen.text("Modules")
    words.value = "mostly lto"
    (order,) = seen.inside("Modules", ipywidgets.Dropdown)
    order.value = "longest first"
    assert seen.text("Modules").index("693") > 0
    words.value = "no such module"
    assert "0 events" in seen.text("Modules")


def test_launches_are_paged_and_only_expanded_when_asked_for() -> None:
    class Counted(fakes.FakeMeasurement):
        expanded = 0

        @property  # type: ignore[override]
        def launches(self) -> pd.DataFrame:
            Counted.expanded += 1
            return fakes.small().launches

        @launches.setter
        def launches(self, value: pd.DataFrame) -> None:
            pass

    seen = Seen(Counted(**vars_of(fakes.small())))
    assert Counted.expanded == 0
    assert "3 rows" in seen.text("Launches")
    (how,) = seen.inside("Launches", ipywidgets.ToggleButtons)
    how.value = "one by one"
    assert Counted.expanded == 1
    assert "page 1 of 17, 403 rows" in seen.text("Launches")
    assert "__main__ [1/3]" in seen.text("Launches")
    seen.press("Launches", "next")
    assert "page 2 of 17" in seen.text("Launches")
    seen.press("Launches", "back")
    (words,) = seen.inside("Launches", ipywidgets.Text)
    words.value = "graph"
    assert "page 1 of 6, 134 rows" in seen.text("Launches")


def test_a_million_launches_put_one_page_into_the_document() -> None:
    m = fakes.small()
    m.launches = m.launches.iloc[[n % 3 for n in range(1_050_000)]].reset_index(drop=True)
    m.launches["seq"] = range(len(m.launches))
    seen = Seen(m)
    (how,) = seen.inside("Launches", ipywidgets.ToggleButtons)
    how.value = "one by one"
    assert Document(seen.html("Launches")).tags["tr"] == 26
    (words,) = seen.inside("Launches", ipywidgets.Text)
    words.value = "kick"
    assert "350\u202f000 rows" in seen.html("Launches")


def test_the_saved_state_of_two_hundred_builds_is_small() -> None:
    explorer(fakes.many(200))
    assert len(json.dumps(ipywidgets.Widget.get_manager_state(drop_defaults=True))) < 200_000


def test_names_of_the_program_are_text_in_every_tab() -> None:
    seen = Seen(fakes.hostile())
    seen.dropdown("build").value = 1
    seen.dropdown("finding").value = 0
    for widget in seen.widgets:
        if isinstance(widget, ipywidgets.HTML):
            document = Document(widget.value)
            assert document.tags["img"] == document.tags["script"] == 0
            assert document.open_tags == []


@pytest.mark.parametrize("make", [fakes.failed, fakes.nothing, fakes.log_only, fakes.threads])
def test_it_opens_on_whatever_was_measured(make: Any) -> None:
    assert Seen(make()).tabs.titles[0] == "Timeline"


def vars_of(m: fakes.FakeMeasurement) -> dict[str, Any]:
    return {name: value for name, value in vars(m).items() if name != "launches"}


def test_the_launch_columns_are_those_of_the_data_page() -> None:
    assert list(fakes.small().launches.columns) == list(LAUNCHES)
