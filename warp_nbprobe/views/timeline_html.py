"""The time line as HTML: one div a build, split by a gradient; hover text needs no script."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from warp_nbprobe.views.marks import BUILT
from warp_nbprobe.views.style import (
    DIM,
    HAIRLINE,
    NUMBERS,
    PARTS,
    TINTS,
    div,
    esc,
    hexa,
    linked,
    rgb,
    span,
    tag,
)
from warp_nbprobe.views.text_table import cut
from warp_nbprobe.views.timeline import Bar, Lane, Timeline, described
from warp_nbprobe.views.units import plural, time_text

_HEIGHT = 18
_NAME_SHOWS = 7.0  # per cent of the track from which a bar carries its name
_EDGE_SHOWS = 1.0  # and from which it has an edge
_LABEL_LONG = 16  # characters that fit in front of a track
_PIXEL = 0.1
_NAMED = 4  # builds that a stroke of many names on hover
_WORDS_NEED = 16.0  # per cent of the track that a lane's words take

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
    if lane.colour is not None:
        inner = _grid(line) + _ticks(line, lane, marked) + _lane_words(line, lane)
    else:
        stripes = {module: hexa(colour) for module, colour in line.colours().items()} if lane.run == "cold" else {}
        bars = (
            _loads(line, group) if len(group) > 1 else _bar(line, group[0], marked, stripes.get(group[0].module, ""))
            for group in _touching_loads(line, lane.bars)
        )
        inner = _grid(line) + _wall(line, lane.run) + "".join(bars)
    # Names of modules differ at their ends, which a cut by the style would take.
    name = (f"<b>{lane.run}</b> " if first else "") + esc(cut(lane.label, _LABEL_LONG) if lane.repeated else lane.label)
    height = 11 if lane.repeated else _HEIGHT + 2
    return div(
        div(name, _LABEL, title=f"{lane.label}: {lane.words}" if lane.words else lane.label)
        + div(inner, f"{_TRACK};padding:{4 if lane.repeated else 2}px 0 0 0;height:{height}px"),
        f"display:flex;align-items:center;margin:{6 if first else 1}px 0 0 0",
    )


def _touching_loads(line: Timeline, bars: Sequence[Bar]) -> list[list[Bar]]:
    """Return the bars, those put together that are loads too short and too close to be told apart."""
    groups: list[list[Bar]] = []
    for bar in bars:
        last = groups[-1][-1] if groups else None
        short = bar.status not in BUILT and line.place(bar.start_ms + bar.ms) - line.place(bar.start_ms) < _PIXEL
        if last is not None and short and last.status == bar.status:
            gap = line.place(bar.start_ms) - line.place(last.start_ms + last.ms)
            width = line.place(last.start_ms + last.ms) - line.place(last.start_ms)
            if gap < _PIXEL and width < _PIXEL:
                groups[-1].append(bar)
                continue
        groups.append([bar])
    return groups


def _loads(line: Timeline, bars: Sequence[Bar]) -> str:
    """Return many loads as one bar."""
    left = line.place(bars[0].start_ms)
    width = max(line.place(bars[-1].start_ms + bars[-1].ms) - left, 2 * _PIXEL)
    said = f"{plural(len(bars), 'module')} {bars[0].status}, {time_text(sum(bar.ms for bar in bars))}"
    fill = hexa(PARTS["load"][1])
    return div("", f"position:absolute;left:{left:.2f}%;width:{width:.2f}%;background:{fill};height:18px", title=said)


def _lane_words(line: Timeline, lane: Lane) -> str:
    """Return the words of a lane's mark in its widest gap, where that has room for them."""
    begin, end = lane.gap(line)
    if end - begin < _WORDS_NEED:
        return ""
    style = "position:absolute;top:0;font-size:10px;line-height:15px;opacity:.8;overflow:hidden"
    return span(esc(lane.words), f"{style};left:{begin:.2f}%;max-width:{end - begin:.2f}%;text-indent:6px")


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
        shown = esc(" · ".join([f"failed: {bar.name}" if failed else bar.name, *_said(bar)]))
        style += ";overflow:hidden;text-indent:4px;color:#141414"
    link = linked(bar.name) if bar.status in BUILT else ""
    return div(shown, style + _emphasis(bar, marked), title=bar.title, link=link)


def _said(bar: Bar) -> list[str]:
    """Return the words of a bar's marks; ``failed`` stands before its name already."""
    return [word for word in bar.words if word != "failed"]


def _ticks(line: Timeline, lane: Lane, marked: Collection[str]) -> str:
    """Return a lane's bars as thin strokes; strokes that touch are one, which keeps long lanes light."""
    strokes: list[list[Bar]] = []
    for bar in sorted(lane.bars, key=lambda bar: bar.start_ms):
        last = strokes[-1][-1] if strokes else None
        touch = last is not None and line.place(bar.start_ms) - line.place(last.start_ms + last.ms) < _PIXEL
        if last is not None and lane.module is None and touch and (last.name in marked) == (bar.name in marked):
            strokes[-1].append(bar)
        else:
            strokes.append([bar])
    return "".join(_stroke(line, bars, marked, hexa(lane.colour or (128, 128, 128))) for bars in strokes)


def _stroke(line: Timeline, bars: Sequence[Bar], marked: Collection[str], colour: str) -> str:
    left = line.place(bars[0].start_ms)
    width = max(line.place(bars[-1].start_ms + bars[-1].ms) - left, 2 * _PIXEL)
    style = f"position:absolute;left:{left:.2f}%;width:{width:.2f}%;height:5px;background:{colour}"
    names = [bar.name for bar in bars]
    said = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    return div("", style + _emphasis(bars[0], marked), title=said, link=linked(*names))


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
        if line.place(ms) < 93
    )
    setup = "setup before 0" if line.begin_ms < 0 else ""
    track = div(texts, f"{_TRACK};height:16px;border-top:{HAIRLINE};{NUMBERS}")
    return div(div(setup, _LABEL) + track, f"display:flex;margin:3px 0 0 0;{DIM}")
