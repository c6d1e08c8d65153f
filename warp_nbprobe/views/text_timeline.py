"""The time line in plain text: a letter for each part, so that it reads without colour."""

from __future__ import annotations

from warp_nbprobe.views.style import PARTS
from warp_nbprobe.views.text_table import cut, wrapped
from warp_nbprobe.views.timeline import Bar, Lane, Timeline
from warp_nbprobe.views.units import time_text

_LETTERS = {"codegen": "c", "lto": "L", "header": "h", "native": "n", "load": "l", "other": "o"}
_FAILED, _UNSPLIT, _RUNS, _IDLE = "x", "b", "·", " "


def timeline_lines(line: Timeline | None, wide: int) -> list[str]:
    """Return the lanes, the scale and what the letters mean; none when there is no time line."""
    if line is None:
        return []
    labels = [_label(line, at) for at in range(len(line.lanes))]
    label_width = min(max(len(label) for label in labels), 22)
    columns = wide - label_width - 6
    lines = [
        f"  {cut(label, label_width):>{label_width}} |{_track(line, lane, columns)}|"
        for label, lane in zip(labels, line.lanes, strict=True)
    ]
    lines.append(" " * (label_width + 4) + _scale(line, columns))
    per_column = time_text((line.end_ms - line.begin_ms) / columns)
    legend = [f"{_LETTERS[key]} {PARTS[key][0]}" for key in line.parts()]
    statuses = {bar.status for lane in line.lanes for bar in lane.bars}
    legend += [f"{_FAILED} failed"] if "error" in statuses else []
    legend += [f"{_RUNS} the code itself"] if line.walls else []
    return [*lines, *wrapped(f"{', '.join(legend)}; one letter is {per_column}", wide, "  ")]


def _label(line: Timeline, at: int) -> str:
    lane = line.lanes[at]
    first = at == 0 or line.lanes[at - 1].run != lane.run
    return f"{lane.run if first else ''} {lane.label}".strip()


def _track(line: Timeline, lane: Lane, columns: int) -> str:
    def column(ms: float) -> int:
        return min(columns - 1, max(0, int(line.place(ms) / 100 * columns)))

    track = [_IDLE] * columns
    if lane.run in line.walls and not lane.repeated:
        for at in range(column(0.0), column(line.walls[lane.run]) + 1):
            track[at] = _RUNS
    for bar in lane.bars:
        first, last = column(bar.start_ms), column(bar.start_ms + bar.ms)
        for at in range(first, max(first + 1, last)):
            # The part at the middle of the column is the one that stands for it.
            share = (at - first + 0.5) / max(1, last - first)
            track[at] = "=" if lane.repeated else _letter(bar, share)
    return "".join(track)


def _letter(bar: Bar, share: float) -> str:
    if bar.status == "error":
        return _FAILED
    if not bar.parts:
        return _UNSPLIT
    total = sum(ms for _, ms in bar.parts)
    reached = 0.0
    for key, ms in bar.parts:
        reached += ms
        if share * total <= reached:
            return _LETTERS[key]
    return _LETTERS[bar.parts[-1][0]]


def _scale(line: Timeline, columns: int) -> str:
    scale = [" "] * columns
    free = 0
    for ms, text in line.ticks():
        at = int(line.place(ms) / 100 * columns)
        if at >= free and at + len(text) < columns:
            scale[at : at + len(text)] = list(text)
            free = at + len(text) + 2
    return "".join(scale)
