"""The whole report as plain text: for terminals, and as the card's ``text/plain``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from warp_nbprobe.views.figures_html import missing_figures, tiles
from warp_nbprobe.views.findings_html import SURE, where_text
from warp_nbprobe.views.headline import headline, is_clean, one_line
from warp_nbprobe.views.highlights import highlights
from warp_nbprobe.views.launches_html import launch_words
from warp_nbprobe.views.lto_html import lto_aside, lto_lines, lto_rows
from warp_nbprobe.views.report_html import differences, launches_aside, modules_aside, subtitle, troubles
from warp_nbprobe.views.rows import Row, events, findings, rows_of, target_text
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.style import visible
from warp_nbprobe.views.text_modules import modules_lines
from warp_nbprobe.views.text_table import table_lines, wrapped
from warp_nbprobe.views.text_timeline import timeline_lines
from warp_nbprobe.views.timeline import timeline
from warp_nbprobe.views.units import count_text, dim_text, plural, share_text, time_text

__all__ = ["headline", "one_line", "report_text"]

DEFAULT_WIDTH = 100
_NARROWEST, _WIDEST = 72, 140
_MOST_LAUNCHES = 12


def report_text(m: Shown, *, width: int | None = None) -> str:
    """Return the report in lines of at most ``width`` characters (72 to 140)."""
    wide = min(max(width or DEFAULT_WIDTH, _NARROWEST), _WIDEST)
    blocks = [list(_top(m, wide))]
    if not m.failed:
        blocks.append(_figures(m, wide))
    blocks += [
        list(_findings(m, wide)),
        _titled("Timeline", timeline_lines(timeline(m), wide)),
        _titled(f"Modules: {modules_aside(events(m, 'cold'))}", modules_lines(events(m, "cold"), wide)),
        _titled(f"LTO objects: {lto_aside(lto_rows(m))}", lto_lines(lto_rows(m), wide)),
        _titled(f"Launches: {launches_aside(m)}", _launches(m, wide)),
        list(_checked(m, wide)),
    ]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block)


def _titled(title: str, lines: Sequence[str]) -> list[str]:
    return [title, *lines] if lines else []


def _top(m: Shown, wide: int) -> Iterator[str]:
    yield from wrapped(f"Warp cold start · {subtitle(m)}", wide)
    yield from wrapped(headline(m), wide)
    for found in highlights(events(m, "cold")):
        yield from wrapped(found.text, wide, "    ", "  * ")
    for line in [*troubles(m), *differences(m)]:
        yield from wrapped(line, wide, "  ", "! ")
    for note in m.notes:
        yield from wrapped(note, wide, "  ", "- ")


def _figures(m: Shown, wide: int) -> list[str]:
    lines = []
    shown = tiles(m)
    name_width = max(len(tile.name) for tile in shown)
    value_width = max(len(tile.value) for tile in shown)
    for tile in shown:
        start = f"  {tile.name:<{name_width}}  {tile.value:>{value_width}}  "
        lines += wrapped(", ".join(line for line in tile.under if line), wide, " " * len(start), start)
    return lines


def _findings(m: Shown, wide: int) -> Iterator[str]:
    rows = findings(m)
    clean = is_clean(m)
    if not rows and not clean:
        return
    yield "Findings"
    if clean:
        yield "  clean: no redundant builds"
    for row in rows:
        yield from _finding(row, wide)


def _finding(row: Row, wide: int) -> Iterator[str]:
    cost = ""
    if row["cost_ms"] is not None:
        cost = time_text(row["cost_ms"])
        cost += f", {share_text(row['share'])} of build" if row["share"] is not None else ""
    sure = "" if row["kind"] == "note" else SURE.get(row["certainty"] or "", "")
    facts = [row["rule"], where_text(row), cost, sure]
    yield from wrapped(" · ".join(fact for fact in facts if fact), wide, "    ", f"  [{row['kind']}] ")
    yield from wrapped(row["what"] or "", wide, "    ", "    ")
    if row["kind"] == "note":
        return
    if row["fix"]:
        yield from wrapped(row["fix"], wide, "        ", "    Do: ")
    for line in (row["snippet"] or "").strip("\n").split("\n"):
        if line.strip():
            yield f"        {visible(line)}"
    if row["not_for"]:
        yield from wrapped(row["not_for"], wide, "             ", "    Not for: ")


def _launches(m: Shown, wide: int) -> list[str]:
    if m.launch_groups.empty:
        return []
    shown = rows_of(m.launch_groups.head(_MOST_LAUNCHES))
    body = [
        (
            count_text(row["count"]),
            row["kernel"] or "a graph",
            row["module"] or "",
            dim_text(row["dim"]),
            target_text(row),
            launch_words(row),
            row["location"] or "",
        )
        for row in shown
    ]
    lines = table_lines(("count", "kernel", "module", "dim", "device", "kind", "at"), body, wide, right=(0, 3))
    left = len(m.launch_groups) - len(shown)
    return [*lines, f"  {plural(left, 'more kind')} in .launch_groups"] if left else lines


def _checked(m: Shown, wide: int) -> Iterator[str]:
    rows = rows_of(m.checked)
    for outcome, title in (("ruled out", "Ruled out"), ("not observable", "Not observable")):
        names = [row["rule"].replace("_", " ") for row in rows if row["outcome"] == outcome]
        if names:
            yield from wrapped(", ".join(names), wide, "  ", f"{title}: ")
    gone = missing_figures(m)
    if gone:
        yield "Not measured"
        for reason, names in gone:
            yield from wrapped(f"{', '.join(names)}: {reason}", wide, "    ", "  ")
