"""The live part of a session's dashboard: two of its measurements to compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warp_nbprobe.views.history_html import Remembered
from warp_nbprobe.views.widgets.comparing import PairOf


def history_panel(history: Sequence[Remembered]) -> Any:
    """Return the widget; the list of the measurements, ``history_html``, is an output of its own before it."""
    return PairOf(history).widget
