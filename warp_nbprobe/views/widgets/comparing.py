"""Comparing: which measurement with which, and the compare view of the two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.views.compare_html import compare_html
from warp_nbprobe.views.headline import one_line
from warp_nbprobe.views.history_html import Remembered
from warp_nbprobe.views.style import DIM, div, heading, visible
from warp_nbprobe.views.units import plural
from warp_nbprobe.views.widgets.parts import NONE, button, column, dropdown, framed, html, row

_TITLE = 70  # characters of a choice


class _Compared:
    """The compare view of two measurements; each pair is compared once."""

    def __init__(self, measurements: Sequence[Any]) -> None:
        self._measurements = measurements
        self._made: dict[tuple[int, int], str] = {}
        self.widget = html()

    def show(self, baseline: int, candidate: int) -> None:
        """Show one pair, by position; nothing where a side is not chosen."""
        pair = baseline, candidate
        if NONE in pair:
            self.widget.value = ""
        elif baseline == candidate:
            self.widget.value = framed(div("Choose two different measurements.", DIM))
        else:
            if pair not in self._made:
                sides = (self._measurements[at] for at in pair)
                self._made[pair] = framed(compare_html(Comparison(*sides)))
            self.widget.value = self._made[pair]


class CompareTab:
    """One measurement against another of the session, either of them as the baseline."""

    def __init__(self, m: Any, history: Sequence[Remembered]) -> None:
        others = [entry for entry in history if entry.measurement is not m]
        self._view = _Compared([*(entry.measurement for entry in others), m])
        self._own = len(others)
        self._swapped = False
        # The newest other one is first: it is what a changed cell is compared with.
        options = [("none chosen", NONE), *((_title(others[at]), at) for at in reversed(range(self._own)))]
        self._other = dropdown("compare with", options, lambda _: self._show())
        self._swap = button("swap", "baseline and candidate change places", self._swapped_over)
        self._said = html()
        self.widget = column(row(self._other, self._swap), self._said, self._view.widget)
        self._show()

    def _swapped_over(self) -> None:
        self._swapped = not self._swapped
        self._show()

    def _show(self) -> None:
        chosen = self._other.value
        self._swap.disabled = chosen == NONE
        pair = (self._own, chosen) if self._swapped else (chosen, self._own)
        if self._own == 0:
            said = "There is nothing to compare with yet: the other measurements of this session stand here."
        elif chosen == NONE:
            said = f"{plural(self._own, 'other measurement')} of this session to compare with."
        else:
            said = ""
        self._said.value = framed(div(said, DIM)) if said else ""
        self._view.show(*((NONE, NONE) if chosen == NONE else pair))


class PairOf:
    """Any two measurements of the session."""

    def __init__(self, history: Sequence[Remembered]) -> None:
        self._view = _Compared([entry.measurement for entry in history])
        self._choosing = False
        options = [("none chosen", NONE), *((_title(entry), at) for at, entry in enumerate(history))]
        self._baseline = dropdown("baseline", options, lambda _: self._show())
        self._candidate = dropdown("candidate", options, lambda _: self._show())
        swap = button("swap", "baseline and candidate change places", self._swap)
        if len(history) < 2:
            self.widget = html(div("With a second measurement there are two to compare here.", DIM))
            return
        title = html(heading("Compare", "any two measurements of this session"))
        self.widget = column(title, row(self._baseline, self._candidate, swap), self._view.widget)

    def _swap(self) -> None:
        self._choosing = True
        try:
            self._baseline.value, self._candidate.value = self._candidate.value, self._baseline.value
        finally:
            self._choosing = False
        self._show()

    def _show(self) -> None:
        if not self._choosing:
            self._view.show(self._baseline.value, self._candidate.value)


def _title(entry: Remembered) -> str:
    words = visible(f"[{entry.cell}] {one_line(entry.measurement)}")
    return words if len(words) <= _TITLE else f"{words[: _TITLE - 1]}…"
