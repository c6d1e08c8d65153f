"""Where each build stands on the time line: lanes, bars and one scale for the cold and the warm run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from warp_nbprobe.views.marks import BUILT, event_name, lto_dominates, repeated_modules, row_marks
from warp_nbprobe.views.rows import Row, events, run_row
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.style import PARTS, REPEATED, TINTS
from warp_nbprobe.views.units import plural, time_text

MOST_LANES = 12
MOST_REPEATED = 5
MOST_IN_FULL = 100
"""Up to so many builds each says all of itself on hover; more would weigh down every saved notebook."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One module event: its interval, and its parts (key of ``style.PARTS``, ms) in order."""

    name: str
    module: str
    start_ms: float
    ms: float
    parts: tuple[tuple[str, float], ...]
    status: str
    title: str
    words: tuple[str, ...] = ()  # of its marks


@dataclass(frozen=True, slots=True)
class Lane:
    """One line of bars: a thread of a process, or the builds that have one mark in common.

    A lane of a mark has a colour, and ``words`` that say the mark inside the track.
    """

    run: str
    label: str
    bars: tuple[Bar, ...]
    colour: tuple[int, int, int] | None = None
    words: str = ""
    module: str | None = None  # of which all its builds are

    def gap(self, line: Timeline) -> tuple[float, float]:
        """Return the widest stretch of the track without a bar, in per cent: where its words have most room."""
        free, gaps = 0.0, []
        for bar in sorted(self.bars, key=lambda bar: bar.start_ms):
            gaps.append((free, line.place(bar.start_ms)))
            free = max(free, line.place(bar.start_ms + bar.ms))
        gaps.append((free, 100.0))
        return max(gaps, key=lambda gap: gap[1] - gap[0])

    @property
    def repeated(self) -> bool:
        """Whether it is a lane of a mark, and not one of a thread."""
        return self.colour is not None


@dataclass(frozen=True, slots=True)
class Timeline:
    """Lanes over one scale; ``walls`` is how long the code itself ran, where that is known."""

    begin_ms: float
    end_ms: float
    lanes: tuple[Lane, ...]
    walls: dict[str, float]
    left_out: int  # lanes beyond the most that are drawn
    again: int  # modules built more than once, also those without a lane

    def place(self, ms: float) -> float:
        """Return a time as a percentage of the scale."""
        return 100 * (ms - self.begin_ms) / (self.end_ms - self.begin_ms)

    def ticks(self) -> list[tuple[float, str]]:
        """Return four to nine round times of the scale with their texts."""
        span = self.end_ms - self.begin_ms
        raw = span / 9
        power = 10 ** math.floor(math.log10(raw))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
        first = math.ceil(self.begin_ms / step)
        last = math.floor(self.end_ms / step)
        return [(count * step, _tick_text(count * step, step)) for count in range(first, last + 1)]

    def colours(self) -> dict[str, tuple[int, int, int]]:
        """Return the colours of the modules that were built more than once and have a lane."""
        return {lane.module: lane.colour for lane in self.lanes if lane.module is not None and lane.colour is not None}

    def parts(self) -> list[str]:
        """Return the parts that occur, in order: what a legend has to explain."""
        seen = {key for lane in self.lanes for bar in lane.bars for key, _ in bar.parts}
        return [key for key in PARTS if key in seen]


def timeline(m: Shown) -> Timeline | None:
    """Return the time line of the shown sample; ``None`` when nothing was built or loaded."""
    rows = {run: events(m, run) for run in ("cold", "warm")}
    walls = {}
    for run in rows:
        row = run_row(m, run)
        if row is not None and row["wall_ms"] is not None:
            # Builds stand where the clock had them, the time that the probe took included.
            walls[run] = float(row["wall_ms"]) + float(row["probe_ms"] or 0.0)
    placed = [row for found in rows.values() for row in found if row["start_ms"] is not None]
    if not placed:
        return None
    lanes = [lane for run, found in rows.items() for lane in _lanes(run, found)]
    begin = min(0.0, *(row["start_ms"] for row in placed))
    end = max([row["start_ms"] + (row["ms"] or 0.0) for row in placed] + list(walls.values()))
    kept = _kept(lanes)
    again = len(repeated_modules(rows["cold"]))
    return Timeline(begin, max(end, begin + 1.0), tuple(kept), walls, len(lanes) - len(kept), again)


def _kept(lanes: Sequence[Lane]) -> list[Lane]:
    """Return the lanes that are drawn: all of marks, and as many threads as leave room for them."""
    threads = [lane for lane in lanes if not lane.repeated]
    left_out = {id(lane) for lane in threads[MOST_LANES:]}
    return [lane for lane in lanes if id(lane) not in left_out]


def described(line: Timeline) -> str:
    """Return the time line in words."""
    bars = [bar for lane in line.lanes if lane.run == "cold" and not lane.repeated for bar in lane.bars]
    builds = [bar for bar in bars if bar.status in BUILT]
    threads = sum(lane.run == "cold" and not lane.repeated for lane in line.lanes)
    if not builds:
        return f"{plural(len(bars), 'module')} loaded, none built, in the cold run."
    longest = max(builds, key=lambda bar: bar.ms)
    where = "" if threads == 1 else f" on {threads} threads"
    said = f"{plural(len(builds), 'build')}{where}; the longest is {longest.name}, {time_text(longest.ms)}."
    again = [lane.label for lane in line.lanes if lane.module is not None]
    if not again:
        return said
    more = f" and {line.again - len(again)} more" if line.again > len(again) else ""
    return f"{said} Built more than once: {', '.join(again)}{more}."


def _tick_text(ms: float, step: float) -> str:
    if ms == 0:
        return "0"
    if abs(ms) < 1000 and step < 1000 and step % 1000:
        return f"{ms:g} ms"
    return f"{ms / 1000:g} s"


def parts_of(row: Row) -> tuple[tuple[str, float], ...]:
    """Return an event's parts in the order they happen; parts that are 0 or unseen are left out."""
    native, header = row["native_ms"], row["header_ms"] or 0.0
    found = {
        "codegen": row["codegen_ms"],
        "lto": row["lto_ms"],
        "header": header,
        "native": None if native is None else max(native - header, 0.0),
        "load": row["load_ms"],
        "other": row["other_ms"],
    }
    return tuple((key, float(found[key])) for key in PARTS if (found[key] or 0.0) > 0)


def short_title(row: Row, words: Sequence[str]) -> str:
    """Return what hovering over one of very many builds shows: one line."""
    where = f", {row['location']}" if row["location"] else ""
    return f"{event_name(row)}: {time_text(row['ms'])}{where}" + (f", {', '.join(words)}" if words else "")


def build_title(row: Row) -> str:
    """Return what hovering over a build shows, line by line."""
    least = (row["ms"] or 0.0) / 100
    parts = ", ".join(f"{PARTS[key][0]} {time_text(ms)}" for key, ms in parts_of(row) if ms >= least)
    lines = [f"{event_name(row)}: {row['status']}, {time_text(row['ms'])}", parts]
    if row["location"]:
        lines.append(f"at {row['location']}" + (f", for {row['trigger']}" if row["trigger"] else ""))
    if row["detail"]:
        lines.append(row["detail"])
    return "\n".join(line for line in lines if line)


def _bar(row: Row, words: Sequence[str] = (), *, brief: bool = False) -> Bar:
    ms = row["ms"] or 0.0
    title = "\n".join([build_title(row), *([", ".join(words)] if words else [])])
    if brief:
        title = short_title(row, words)
    parts = parts_of(row)
    return Bar(event_name(row), row["module"], row["start_ms"], ms, parts, row["status"], title, tuple(words))


def _lanes(run: str, rows: Sequence[Row]) -> Iterator[Lane]:
    marks = {row["seq"]: [mark.word for mark in found] for row, found in zip(rows, row_marks(rows), strict=True)}
    placed = [row for row in rows if row["start_ms"] is not None]
    brief = sum(row["status"] in BUILT for row in placed) > MOST_IN_FULL
    keys = list(dict.fromkeys((row["pid"], row["thread"]) for row in placed))
    pids = list(dict.fromkeys(pid for pid, _ in keys))
    for pid, thread in keys:
        rows_here = [row for row in placed if (row["pid"], row["thread"]) == (pid, thread)]
        bars = tuple(_bar(row, marks[row["seq"]], brief=brief) for row in rows_here)
        yield Lane(run, _thread_label(pids.index(pid), len(pids), thread, len(keys)), bars)
    if run == "cold":
        yield from _marked_lanes(placed)


def _marked_lanes(placed: Sequence[Row]) -> Iterator[Lane]:
    """Yield a lane for each repeated module, then one for what each other mark is on."""
    builds = [row for row in placed if row["status"] in BUILT]
    again = repeated_modules(builds)
    for module, colour in zip(again[:MOST_REPEATED], REPEATED, strict=False):
        rows = [row for row in builds if row["module"] == module]
        hashes = len({row["hash"] for row in rows if row["hash"]})
        words = "repeated" + (f", {hashes} hashes" if hashes > 1 else "")
        yield _marked_lane(f"{len(rows)}× {module}", words, colour, rows, module)
    rest = set(again[MOST_REPEATED:])
    if rest:
        rows = [row for row in builds if row["module"] in rest]
        yield _marked_lane(f"{len(rest)} more", "repeated", TINTS["redundant"], rows)
    dims: dict[str, set[int]] = {}
    for row in builds:
        if row["block_dim"] is not None:
            dims.setdefault(row["module"], set()).add(row["block_dim"])
    spread = [row for row in builds if len(dims.get(row["module"], ())) > 1]
    if spread:
        found = ", ".join(map(str, sorted(set().union(*(dims[row["module"]] for row in spread)))))
        yield _marked_lane("block dims", found, TINTS["opportunity"], spread)
    lto = [row for row in builds if lto_dominates(row)]
    if lto:
        yield _marked_lane("mostly LTO", plural(len(lto), "build"), TINTS["lto"], lto)


def _marked_lane(
    label: str, words: str, colour: tuple[int, int, int], rows: Sequence[Row], module: str | None = None
) -> Lane:
    return Lane("cold", label, tuple(_bar(row) for row in rows), colour, words, module)


def _thread_label(process: int, processes: int, thread: int, lanes: int) -> str:
    if lanes == 1:
        return ""
    name = "main thread" if not thread else f"thread {thread}"
    return name if processes == 1 else f"process {process + 1}, {name}"
