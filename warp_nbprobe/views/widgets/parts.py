"""The few kinds of widgets that the panels are made of, each with its label."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import ipywidgets

from warp_nbprobe.views.compact import compact
from warp_nbprobe.views.pages import Page
from warp_nbprobe.views.style import DIM, div, esc

NONE: Final = -1  # the value of a choice when nothing is chosen

_FRAME: Final = "font-size:13px;line-height:1.45;text-align:left;padding:2px"
# Only the card's script reads these; a panel has Python instead, and a smaller saved state without them.
_LINKS: Final = re.compile(r' data-b="[0-9a-f ]*"')


def html(value: str = "") -> Any:
    """Return a widget that shows HTML; filled by ``framed``."""
    return ipywidgets.HTML(value=framed(value) if value else "")


def framed(value: str) -> str:
    """Return HTML as a panel shows it."""
    return compact(div(_LINKS.sub("", value), _FRAME))


def dropdown(name: str, options: Sequence[tuple[str, Any]], chosen: Callable[[Any], None], *, value: Any = NONE) -> Any:
    """Return a labelled choice that calls ``chosen`` with the new value."""
    layout = {
        "width": "auto",
        "flex": "1 1 240px",
        "min_width": "200px",
        "max_width": "440px",
        "margin": "2px 12px 2px 2px",
    }
    widget = ipywidgets.Dropdown(options=list(options), description=name, value=value, layout=layout)
    widget.style.description_width = "initial"
    widget.observe(lambda change: chosen(change["new"]), names="value")
    return widget


def button(words: str, tooltip: str, pressed: Callable[[], None]) -> Any:
    """Return a button as wide as its words."""
    widget = ipywidgets.Button(description=words, tooltip=tooltip, layout={"width": "auto"})
    widget.on_click(lambda _: pressed())
    return widget


def row(*widgets: Any) -> Any:
    """Return widgets side by side, in several lines where the cell is narrow."""
    return ipywidgets.HBox(list(widgets), layout={"flex_flow": "row wrap", "align_items": "center"})


def column(*widgets: Any) -> Any:
    """Return widgets below each other."""
    return ipywidgets.VBox(list(widgets))


class Pager:
    """A filter, two buttons and the words between them; calls ``show`` with the page asked for."""

    def __init__(self, what: str, show: Callable[[int, str], Page], one: str, many: str) -> None:
        self._show, self._one, self._many = show, one, many
        self._number = 0
        self._text = ipywidgets.Text(
            placeholder=f"filter {what}", continuous_update=False, layout={"width": "auto", "flex": "0 1 220px"}
        )
        self._text.observe(lambda _: self.show(0), names="value")
        self._back = button("‹ back", "the page before", lambda: self.show(self._number - 1))
        self._next = button("next ›", "the page after", lambda: self.show(self._number + 1))
        self._words = html()
        self.widgets = [self._text, self._back, self._next, self._words]

    def show(self, number: int) -> None:
        """Show a page, and what page it is; buttons that lead nowhere are off."""
        page = self._show(number, self._text.value)
        self._number = page.number
        self._back.disabled = page.number == 0
        self._next.disabled = page.number >= page.pages - 1
        self._words.value = div(esc(page.words(self._one, self._many)), f"{DIM};padding:0 0 0 6px")
