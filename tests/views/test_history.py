"""The measurements of a session as a list, and two of them compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import ipywidgets
import pytest

from tests.compare.pairs import BASE, LESS
from tests.views import fakes
from tests.views.reading import Document
from warp_nbprobe.views.history_html import history_html, history_text
from warp_nbprobe.views.widgets import explorer, history_panel


@dataclass
class Entry:
    measurement: Any
    cell: int
    time: datetime = field(default_factory=lambda: datetime(2025, 1, 2, 3, 4, 5))


def session() -> list[Entry]:
    """Return three real measurements: a baseline, one that builds less, one that failed."""
    less = replace(BASE, work=LESS, label="tuned")
    broken = replace(BASE, work=(), wait=(), failed=1, label="broken")
    return [Entry(made.measurement(), 3 + at) for at, made in enumerate((BASE, less, broken))]


@pytest.fixture(autouse=True)
def no_widgets_left() -> Iterator[None]:
    yield
    ipywidgets.Widget.close_all()


def all_of(widget: Any, kind: type) -> list[Any]:
    found = [widget] if isinstance(widget, kind) else []
    for child in getattr(widget, "children", ()):
        found += all_of(child, kind)
    return found


def shown(widget: Any) -> str:
    return Document("".join(html.value for html in all_of(widget, ipywidgets.HTML))).text


def test_every_measurement_has_a_line_with_its_builds_and_waits_drawn_on_one_scale() -> None:
    html = history_html(session())
    document = Document(html)
    assert document.tags["tr"] == 4
    assert "3 measurements" in document.text
    titles = [value for _, name, value in document.attributes if name == "title"]
    assert "waited 400 ms, 401 ms, 402 ms" in " ".join(titles)
    assert "nothing built" in document.text  # of the failed one no figure is shown


def test_the_list_is_plain_text_as_well() -> None:
    assert "tuned" in history_text(session())
    assert "No measurement" in history_text([])
    assert "none so far" in Document(history_html([])).text


def test_names_in_the_list_are_text() -> None:
    document = Document(history_html([Entry(fakes.hostile(), 3)]))
    assert document.tags["img"] == document.tags["script"] == 0
    assert document.open_tags == []


def test_two_measurements_are_picked_and_change_places() -> None:
    panel = history_panel(session())
    baseline, candidate = all_of(panel, ipywidgets.Dropdown)
    baseline.value, candidate.value = 0, 1
    assert "tuned against base" in shown(panel)
    assert "improved" in shown(panel)
    (swap,) = all_of(panel, ipywidgets.Button)
    swap.click()
    assert "base against tuned" in shown(panel)
    assert "inconclusive" in shown(panel)


def test_a_measurement_is_not_compared_with_itself() -> None:
    panel = history_panel(session())
    baseline, candidate = all_of(panel, ipywidgets.Dropdown)
    baseline.value = candidate.value = 1
    assert "two different measurements" in shown(panel)


def test_one_measurement_alone_waits_for_another() -> None:
    assert "With a second measurement" in shown(history_panel(session()[:1]))


def test_the_explorer_compares_with_any_other_measurement_of_the_session() -> None:
    history = session()
    widget = explorer(history[1].measurement, history)
    (tabs,) = all_of(widget, ipywidgets.Tab)
    tab = tabs.children[tabs.titles.index("Compare")]
    (other,) = all_of(tab, ipywidgets.Dropdown)
    assert [value for _, value in other.options] == [-1, 1, 0]  # all but itself, the newest first
    assert "2 other measurements" in shown(tab)
    other.value = 0
    assert "tuned against base" in shown(tab)
    (swap,) = all_of(tab, ipywidgets.Button)
    swap.click()
    assert "base against tuned" in shown(tab)
    other.value = -1
    assert "against" not in shown(tab)
    assert swap.disabled
