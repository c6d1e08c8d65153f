"""The measurements of a session, one in a line: what was built, drawn on one scale, and how steady it was."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from warp_nbprobe.views.figures_html import composition
from warp_nbprobe.views.headline import headline
from warp_nbprobe.views.rows import figure, good_samples
from warp_nbprobe.views.style import DIM, PARTS, SMALL, div, esc, heading, prose, rgb, span
from warp_nbprobe.views.tables import Column, TableRow, table_html
from warp_nbprobe.views.text_table import table_lines
from warp_nbprobe.views.timeline_html import legend_html
from warp_nbprobe.views.units import plural, time_text

_TALL_PX = 22
_LEAST_PX = 2


class Remembered(Protocol):
    """One measurement of a session, when it ended, and the number of the cell that asked for it."""

    @property
    def measurement(self) -> Any: ...
    @property
    def time(self) -> datetime: ...
    @property
    def cell(self) -> int: ...


def history_html(history: Sequence[Remembered]) -> str:
    """Return the list, the newest last; it reads with no kernel."""
    title = heading("Measurements of this session", plural(len(history), "measurement") if history else "none so far")
    if not history:
        return div(div(title) + div("%%warp_cold on top of a cell makes one.", DIM), _FRAME)
    parts = [composition(entry.measurement) for entry in history]
    longest = max((sum(ms for _, ms in found) for found in parts), default=0.0)
    waits = [figure(entry.measurement, "compile_elapsed_ms").values for entry in history]
    tallest = max((value for values in waits for value in values), default=0.0)
    columns = (
        Column("cell", "the number of the cell that asked for it", figures=True),
        Column("label", long=True, width="12%"),
        Column("at", narrow=True),
        Column("builds", "module time in its parts, on one scale for all", width="24%"),
        Column("waits", "how much longer each sample took cold than warm, on one scale for all", narrow=True),
        Column("headline", long=True),
    )
    body = [
        TableRow(
            (
                str(entry.cell),
                f"<b>{esc(entry.measurement.label)}</b>",
                esc(f"{entry.time:%H:%M:%S}"),
                _strip(found, longest),
                _columns(values, tallest) or span("–", DIM),
                prose(headline(entry.measurement)) + _samples(entry.measurement),
            )
        )
        for entry, found, values in zip(history, parts, waits, strict=True)
    ]
    legend = legend_html([key for key in PARTS if any(key == name for found in parts for name, _ in found)])
    return div(
        div(title, "padding:0 0 4px 0") + table_html(columns, body) + div(legend, "padding:5px 6px 0 6px"), _FRAME
    )


def history_text(history: Sequence[Remembered], wide: int = 100) -> str:
    """Return the list as plain text."""
    if not history:
        return "No measurement has been made in this session; %%warp_cold on top of a cell makes one."
    body = [(str(e.cell), e.measurement.label, f"{e.time:%H:%M:%S}", headline(e.measurement)) for e in history]
    return "\n".join(line.rstrip() for line in table_lines(("cell", "label", "at", "headline"), body, wide, right=(0,)))


KEYS_SCRIPT = (
    "<script>(function(){var a=document.currentScript.closest('.jp-OutputArea');"
    "if(a)a.addEventListener('focusin',function(e){e.target.dataset.lmSuppressShortcuts='true'})})()</script>"
)
"""Lets the panel below have its arrow keys and Enter, which JupyterLab takes from an output otherwise."""

_FRAME = "font-size:13px;line-height:1.45;max-width:1400px;text-align:left;padding:4px 2px"


def _strip(parts: Sequence[tuple[str, float]], longest: float) -> str:
    """Return one measurement's module time as a bar of its parts, as long as its share of the longest."""
    total = sum(ms for _, ms in parts)
    if not total or not longest:
        return span("nothing built", DIM)
    said = f"{time_text(total)}: " + ", ".join(f"{PARTS[key][0]} {time_text(ms)}" for key, ms in parts)
    bars = "".join(div("", f"width:{100 * ms / total:.1f}%;background-color:{rgb(PARTS[key][1])}") for key, ms in parts)
    style = f"display:flex;height:12px;width:{max(1.0, 100 * total / longest):.1f}%;overflow:hidden"
    return div(bars, style, title=said)


def _columns(values: Sequence[float], tallest: float) -> str:
    """Return a sparkline: one column for each sample, as tall as its wait."""
    if not values or tallest <= 0:
        return ""
    heights = [max(_LEAST_PX, round(_TALL_PX * max(0.0, value) / tallest)) for value in values]
    colour = rgb(PARTS["native"][1])
    bars = "".join(div("", f"width:6px;height:{height}px;background-color:{colour}") for height in heights)
    said = f"waited {', '.join(time_text(value) for value in values)}"
    return div(bars, f"display:flex;gap:2px;align-items:flex-end;height:{_TALL_PX}px", title=said)


def _samples(m: Any) -> str:
    good = good_samples(m)
    said = plural(good, "sample") if good == m.samples else f"{good} of {plural(m.samples, 'sample')}"
    return div(esc(said), f"{SMALL};{DIM}")
