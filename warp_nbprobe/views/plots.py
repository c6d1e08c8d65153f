"""The time line as a picture, for pages that strip styles: same lanes, colours and words as in the card."""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from warp_nbprobe.views.headline import headline
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.style import PARTS, TINTS, hexa, visible
from warp_nbprobe.views.text_table import cut, wrapped
from warp_nbprobe.views.timeline import Bar, Lane, Timeline, described, timeline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH_IN = 10.0
_LANE_IN = 0.26
_AROUND_IN = 1.55
_NAME_SHOWS = 9.0  # per cent of the scale from which a bar carries its name
_WORDS_NEED = 14.0  # and per cent of it that a lane's words take
_EDGE_SHOWS = 0.5  # and from which its edge is drawn in full
_GROUND, _INK, _GRID = "#ffffff", "#202428", "#d8dade"


def timeline_figure(m: Shown) -> Figure:
    """Return the time line as a matplotlib figure; it belongs to no window and to no pyplot state."""
    line = timeline(m)
    lanes = len(line.lanes) if line is not None else 1
    figure = Figure(figsize=(_WIDTH_IN, _AROUND_IN + _LANE_IN * lanes), facecolor=_GROUND, layout="constrained")
    axes = figure.add_subplot()
    # A name of the user's program is text: a dollar sign in it must not start a formula.
    title = "\n".join(wrapped(headline(m), 112))
    figure.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold", color=_INK, parse_math=False)
    if line is None:
        axes.set_axis_off()
        axes.text(0, 0.5, "No module was built or loaded, or when could not be seen.", fontsize=9, color=_INK)
        return figure
    _draw_lanes(axes, line)
    _draw_scale(axes, line)
    handles = [Patch(facecolor=hexa(PARTS[key][1]), label=PARTS[key][0]) for key in line.parts()]
    if any(bar.status == "error" for lane in line.lanes for bar in lane.bars):
        handles.append(Patch(facecolor=hexa(TINTS["wrong"]), label="failed"))
    figure.legend(handles=handles, loc="outside lower left", ncols=7, fontsize=8, frameon=False, handlelength=1.1)
    axes.set_xlabel("\n".join(wrapped(described(line), 120)), fontsize=8, color=_INK, loc="left", parse_math=False)
    return figure


def timeline_png(m: Shown) -> bytes:
    """Return the picture as PNG, readable on light and dark pages."""
    buffer = BytesIO()
    with warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes; the report's text has it in full.
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)
        timeline_figure(m).savefig(buffer, format="png", dpi=110, metadata={"Description": visible(headline(m))})
    return buffer.getvalue()


def _draw_lanes(axes: Axes, line: Timeline) -> None:
    for at, lane in enumerate(line.lanes):
        if lane.colour is not None:
            spans = [(bar.start_ms, max(bar.ms, 1e-3)) for bar in lane.bars]
            axes.broken_barh(spans, (at - 0.14, 0.28), facecolors=hexa(lane.colour), linewidth=0)
            _draw_words(axes, line, lane, at)
            continue
        if lane.run in line.walls:
            axes.broken_barh([(0.0, line.walls[lane.run])], (at - 0.4, 0.8), facecolors="#e6e7ea", linewidth=0)
        for bar in lane.bars:
            _draw_bar(axes, line, bar, at)


def _draw_words(axes: Axes, line: Timeline, lane: Lane, at: int) -> None:
    """Write what a lane's mark is into its widest gap."""
    begin, end = lane.gap(line)
    if end - begin > _WORDS_NEED:
        left = line.begin_ms + begin / 100 * (line.end_ms - line.begin_ms)
        axes.text(left, at, f"  {lane.words}", fontsize=7, va="center", color=_INK, parse_math=False)


def _draw_bar(axes: Axes, line: Timeline, bar: Bar, at: int) -> None:
    failed = bar.status == "error"
    fills = [(hexa(PARTS[key][1]), ms) for key, ms in bar.parts]
    start = bar.start_ms
    for colour, ms in [(hexa(TINTS["wrong"]), bar.ms)] if failed or not fills else fills:
        shade = colour if failed or fills else "#999999"
        axes.broken_barh([(start, ms)], (at - 0.4, 0.8), facecolors=shade, linewidth=0)
        start += ms
    least = (line.end_ms - line.begin_ms) / 400
    axes.broken_barh(
        [(bar.start_ms, max(bar.ms, least))], (at - 0.4, 0.8), facecolors="none", edgecolors="#55595f", linewidth=0.4
    )
    width = line.place(bar.start_ms + bar.ms) - line.place(bar.start_ms)
    if width > _NAME_SHOWS:
        name = cut(f"failed: {bar.name}" if failed else bar.name, int(width * 1.3))
        axes.text(
            bar.start_ms, at, f" {name}", fontsize=7.5, va="center", color="#141414", clip_on=True, parse_math=False
        )


def _draw_scale(axes: Axes, line: Timeline) -> None:
    axes.set_xlim(line.begin_ms, line.end_ms)
    axes.set_ylim(len(line.lanes) - 0.4, -0.6)
    ticks = line.ticks()
    axes.set_xticks([ms for ms, _ in ticks], [text for _, text in ticks], fontsize=8, color=_INK)
    labels = []
    for at, lane in enumerate(line.lanes):
        first = at == 0 or line.lanes[at - 1].run != lane.run
        labels.append(cut(f"{lane.run} {lane.label}".strip() if first else lane.label, 28))
    axes.set_yticks(range(len(labels)), labels, fontsize=8, color=_INK, parse_math=False)
    axes.tick_params(length=0)
    axes.grid(axis="x", color=_GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    if line.begin_ms < 0:
        axes.axvline(0.0, color=_INK, linewidth=0.8)
    for side in axes.spines.values():
        side.set_visible(False)
