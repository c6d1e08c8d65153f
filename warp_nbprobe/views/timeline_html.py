"""The time line as HTML: one div a build, split by a gradient; hover text needs no script."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from warp_nbprobe.views.marks import BUILT
from warp_nbprobe.views.style import (
    DIM,
    HAIRLINE,
    NUMBERS,
    PARTS,
    REPEATED,
    TINTS,
    div,
    esc,
    hexa,
    linked,
    rgb,
    span,
    tag,
)
from warp_nbprobe.views.timeline import Bar, Lane, Timeline, described
from warp_nbprobe.views.units import plural

_HEIGHT = 18
_NAME_SHOWS = 7.0  # per cent of the track from which a bar carries its name
_EDGE_SHOWS = 1.0  # and from which it has an edge
_PIXEL = 0.1

_LABEL = (
    "flex:0 0 112px;min-width:0;padding:0 8px 0 0;text-align:right;"
    "overflow:hidden;white-space:nowrap;text-overflow:ellipsis"
)
_TRACK = "position:relative;flex:1;min-width:0;overflow:hidden;white-space:nowrap"
_SWATCH = "display:inline-block;width:10px;height:10px;margin:0 5px 0 0;border:1px solid rgba(0,0,0,.25)"


def timeline_html(line: Timeline | None, *, marked: Collection[str] = ()) -> str:
    """Return the figure; ``marked`` names the builds that stand out, the others fade."""
    if line is None:
        return div("No time line: nothing was built or loaded, or when could not be seen.", DIM)
    rows: list[str] = []
    run = ""
    for lane in line.lanes:
        rows.append(_lane(line, lane, first=lane.run != run, marked=marked))
        run = lane.run
    more = f" {plural(line.left_out, 'more line')} of bars not drawn." if line.left_out else ""
    caption = tag("figcaption", esc(described(line) + more), f"{DIM};font-size:12px;padding:4px 0 0 0")
    return tag("figure", "".join(rows) + _axis(line) + caption, "margin:0;padding:0;font-size:11px;line-height:1.3")


def legend_html(keys: Collection[str], figures: dict[str, str] | None = None) -> str:
    """Return the parts' colours with their words, and beside each a figure where one is given."""
    items = []
    for key in keys:
        words, colour = PARTS[key]
        value = f" <b>{esc(figures[key])}</b>" if figures and key in figures else ""
        swatch = span("", f"{_SWATCH};background-color:{rgb(colour)}")
        items.append(span(f"{swatch}{words}{value}", "white-space:nowrap;margin:0 14px 0 0"))
    return div(" ".join(items), f"font-size:12px;line-height:1.7;{NUMBERS}")


def gradient(parts: Sequence[tuple[str, float]], *, least: float = 0.01) -> str:
    """Return the CSS fill of a build: its parts in order, those under ``least`` of it left out."""
    total = sum(ms for _, ms in parts)
    kept = [(hexa(PARTS[key][1]), ms) for key, ms in parts if ms >= total * least]
    if len(kept) < 2:
        return kept[0][0] if kept else ""
    whole = sum(ms for _, ms in kept)
    stops: list[str] = []
    reached = 0.0
    for colour, ms in kept:
        if reached:
            stops.append(f"{colour} {reached:.0f}%")
        reached += 100 * ms / whole
        stops.append(f"{colour} {reached:.0f}%")
    return f"linear-gradient(90deg,{','.join(stops)})"


def _lane(line: Timeline, lane: Lane, *, first: bool, marked: Collection[str]) -> str:
    again = [other.bars[0].module for other in line.lanes if other.repeated]
    colours = {module: hexa(colour) for module, colour in zip(again, REPEATED, strict=False)}
    if lane.repeated:
        colour = colours[lane.bars[0].module]
        inner = _grid(line) + "".join(_tick(line, bar, marked, colour) for bar in lane.bars)
    else:
        stripes = colours if lane.run == "cold" else {}
        bars = (_bar(line, bar, marked, stripes.get(bar.module, "")) for bar in lane.bars)
        inner = _grid(line) + _wall(line, lane.run) + "".join(bars)
    name = (f"<b>{lane.run}</b> " if first else "") + esc(lane.label)
    height = 8 if lane.repeated else _HEIGHT + 2
    return div(
        div(name, _LABEL, title=lane.label)
        + div(inner, f"{_TRACK};padding:{3 if lane.repeated else 2}px 0 0 0;height:{height}px"),
        f"display:flex;align-items:center;margin:{6 if first else 1}px 0 0 0",
    )


def _grid(line: Timeline) -> str:
    return "".join(
        div("", f"position:absolute;left:{line.place(ms):.2f}%;top:0;width:1px;height:30px;background-color:{colour}")
        for ms, _ in line.ticks()
        for colour in (f"rgba(128,128,128,{0.6 if ms == 0 and line.begin_ms < 0 else 0.2})",)
    )


def _wall(line: Timeline, run: str) -> str:
    """Return the ground of a track: tinted as long as the measured code ran."""
    if run not in line.walls:
        return ""
    left, right = line.place(0.0), line.place(line.walls[run])
    style = f"position:absolute;left:{left:.2f}%;width:{right - left:.2f}%;height:{_HEIGHT}px"
    return div("", f"{style};background-color:rgba(128,128,128,.16)")


def _at(line: Timeline, bar: Bar) -> tuple[str, float]:
    """Return where a bar stands, as style, and its width in per cent of the track."""
    left = line.place(bar.start_ms)
    width = line.place(bar.start_ms + bar.ms) - left
    width = max(width, 2 * _PIXEL)
    # Without a top they start at the track's padding: everything in a track is absolute.
    return f"position:absolute;left:{left:.2f}%;width:{width:.2f}%", width


def _bar(line: Timeline, bar: Bar, marked: Collection[str], again: str) -> str:
    """Return one bar. Parts that would be under a pixel are left out; the largest one always stays."""
    place, width = _at(line, bar)
    failed = bar.status == "error"
    largest = max((ms for _, ms in bar.parts), default=0.0) / (sum(ms for _, ms in bar.parts) or 1.0)
    fill = hexa(TINTS["wrong"]) if failed else gradient(bar.parts, least=min(_PIXEL / width, largest)) or "#999"
    style = f"{place};background:{fill};height:{_HEIGHT}px"
    if again:
        style = f"{place};background:{fill};height:{_HEIGHT - 3}px;border-bottom:3px solid {again}"
    if width > _EDGE_SHOWS:
        style += ";box-shadow:-1px 0 0 0 rgba(128,128,128,.6)"
    shown = ""
    if width > _NAME_SHOWS:
        shown = esc(f"failed: {bar.name}" if failed else bar.name)
        style += ";overflow:hidden;text-indent:4px;color:#141414"
    link = linked(bar.name) if bar.status in BUILT else ""
    return div(shown, style + _emphasis(bar, marked), title=bar.title, link=link)


def _tick(line: Timeline, bar: Bar, marked: Collection[str], colour: str) -> str:
    place, _ = _at(line, bar)
    style = f"{place};height:5px;background:{colour}{_emphasis(bar, marked)}"
    return div("", style, title=bar.name, link=linked(bar.name))


def _emphasis(bar: Bar, marked: Collection[str]) -> str:
    if not marked:
        return ""
    if bar.name in marked and bar.status in BUILT:
        return f";box-shadow:0 0 0 2px {rgb(TINTS['chosen'])};z-index:2"
    return ";opacity:.35"


def _axis(line: Timeline) -> str:
    """Return the scale. The labels stand right of their tick, so that none leaves the track."""
    texts = "".join(
        span(text, f"position:absolute;left:{line.place(ms):.2f}%;padding:0 0 0 3px")
        for ms, text in line.ticks()
        if line.place(ms) < 96
    )
    setup = "setup before 0" if line.begin_ms < 0 else ""
    track = div(texts, f"{_TRACK};height:16px;border-top:{HAIRLINE};{NUMBERS}")
    return div(div(setup, _LABEL) + track, f"display:flex;margin:3px 0 0 0;{DIM}")
