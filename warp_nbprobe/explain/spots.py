"""Places in the words of a person."""

from __future__ import annotations

from warp_nbprobe.data.events import place_text
from warp_nbprobe.data.model import Run
from warp_nbprobe.data.records import Place, Wire


def line_of(run: Run, wire: Wire, place: Place | None) -> str:
    """Return ``cell 3, line 2``, or ``an unknown line``."""
    return place_text(run, place, wire)[2] or "an unknown line"
