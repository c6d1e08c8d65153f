"""The comparison in plain text: verdict first, then everything it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.views.compare_words import (
    MOST_KERNELS,
    build_rows,
    cells_text,
    figure_rows,
    figure_texts,
    heads,
    labels,
    more_reasons,
    phase_text,
    result_text,
    sides,
    target_text,
    title,
    took_text,
    verdict_line,
    why_text,
    workload_lines,
)
from warp_nbprobe.views.rows import rows_of
from warp_nbprobe.views.source_diff import diff_lines
from warp_nbprobe.views.style import visible
from warp_nbprobe.views.text_table import table_lines, wrapped
from warp_nbprobe.views.text_timeline import timeline_lines
from warp_nbprobe.views.timeline import Timeline, timeline
from warp_nbprobe.views.units import count_text

_WIDTH = 100
_MOST_BUILDS = 40
_MOST_DIFF = 60


def compare_text(c: Comparison, *, width: int = _WIDTH) -> str:
    """Return the comparison in lines of at most ``width`` characters."""
    wide = min(max(width, 60), 140)
    blocks = [
        [*wrapped(f"Warp cold start · {title(c)}", wide), *wrapped(verdict_line(c), wide, "  "), *_reasons(c, wide)],
        ["Figures", *_figures(c, wide)],
        ["Workload", *_workload(c, wide)],
        _titled("Results", [*_results(c, wide)]),
        _titled("Builds", [*_builds(c, wide)]),
        _titled("Timelines, on one scale", [*_timelines(c, wide)]),
        _titled("Source", [*_source(c)]),
        _titled("Not checked", [line for text in c.not_checked for line in wrapped(text, wide, "    ", "  - ")]),
    ]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block)


def compare_line(c: Comparison) -> str:
    """Return the comparison in one line."""
    return f"{title(c)}: {verdict_line(c)}"


def shared_scale(c: Comparison) -> list[tuple[str, Timeline | None]]:
    """Return both timelines with the same beginning and end."""
    found = [(label, timeline(m)) for label, m in zip(labels(c), sides(c), strict=True)]
    drawn = [line for _, line in found if line is not None]
    if not drawn:
        return found
    begin, end = min(line.begin_ms for line in drawn), max(line.end_ms for line in drawn)
    return [(label, line and replace(line, begin_ms=begin, end_ms=end)) for label, line in found]


def _titled(name: str, lines: Sequence[str]) -> list[str]:
    return [name, *lines] if lines else []


def _reasons(c: Comparison, wide: int) -> Iterator[str]:
    for reason in more_reasons(c):
        yield from wrapped(reason, wide, "    ", "  - ")


def _figures(c: Comparison, wide: int) -> list[str]:
    first, rest = figure_rows(c)
    rows = [row for row in first if row["baseline"] is not None or row["candidate"] is not None]
    rows += [row for row in rest if row["moved"] in ("down", "up")]
    body = [
        (
            row["metric"],
            *figure_texts(row),
        )
        for row in rows
    ]
    names = ("figure", *heads(c), "change", "band", "samples", "moved")
    return table_lines(names, body, wide, right=(1, 2, 3, 4))


def _workload(c: Comparison, wide: int) -> Iterator[str]:
    for line in workload_lines(c):
        yield from wrapped(line, wide, "  ", "  ")
    if len(c.launches):
        body = [
            (row["kernel"], count_text(row["baseline"]), count_text(row["candidate"]), f"{row['delta']:+}")
            for row in rows_of(c.launches.head(MOST_KERNELS))
        ]
        yield from table_lines(("kernel", *heads(c), "change"), body, wide, right=(1, 2, 3))
    if len(c.launches) > MOST_KERNELS:
        yield f"  and {len(c.launches) - MOST_KERNELS} more kernels in .launches"


def _results(c: Comparison, wide: int) -> Iterator[str]:
    for row in rows_of(c.results):
        said = result_text(row)
        start = f"  {visible(row['check'])}{visible(row['part'])}: {row['outcome']}"
        yield from wrapped(f"{start.strip()}{f'; {said}' if said else ''}", wide, "      ", "  ")


def _builds(c: Comparison, wide: int) -> Iterator[str]:
    rows = build_rows(c)
    body = [
        (
            row["change"],
            phase_text(row),
            row["baseline"] or row["candidate"],
            target_text(row, "baseline"),
            target_text(row, "candidate"),
            took_text(row, "baseline"),
            took_text(row, "candidate"),
        )
        for row in rows[:_MOST_BUILDS]
    ]
    ours, theirs = heads(c)
    if body:
        yield from table_lines(("", "run", "module", ours, theirs, "took", "now"), body, wide, right=(5, 6))
    for row in rows[:_MOST_BUILDS]:
        said = why_text(row)
        if said:
            yield from wrapped(f"{row['candidate'] or row['baseline']}: {said}", wide, "      ", "    ")
    if len(rows) > _MOST_BUILDS:
        yield f"  and {len(rows) - _MOST_BUILDS} more in .identities"


def _timelines(c: Comparison, wide: int) -> Iterator[str]:
    for label, line in shared_scale(c):
        lines = timeline_lines(line, wide)
        if lines:
            yield f"  {visible(label)}"
            yield from lines


def _source(c: Comparison) -> Iterator[str]:
    ours, theirs = (cells_text(tuple(m.cells)) for m in sides(c))
    lines = diff_lines(ours, theirs)
    for line in lines[:_MOST_DIFF]:
        yield f"  {visible(line)}"
    if len(lines) > _MOST_DIFF:
        yield f"  ... {len(lines) - _MOST_DIFF} more lines"
