"""The comparison as HTML: verdict first; reads with no script, untrusted and printed, like the report card."""

from __future__ import annotations

from collections.abc import Sequence

from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.views.compare_figures import figures_html
from warp_nbprobe.views.compare_text import shared_scale
from warp_nbprobe.views.compare_words import (
    MARKS,
    TINTS,
    build_rows,
    cells_text,
    heads,
    more_reasons,
    phase_text,
    result_text,
    sides,
    target_text,
    title,
    took_text,
    why_text,
    workload_lines,
)
from warp_nbprobe.views.html import whole_page
from warp_nbprobe.views.rows import Row, rows_of
from warp_nbprobe.views.source_diff import diff_html, diff_lines
from warp_nbprobe.views.style import DIM, MONO, SMALL, chip, div, esc, heading, notice, prose, section, span, tag, tint
from warp_nbprobe.views.tables import Column, TableRow, table_html
from warp_nbprobe.views.timeline_html import legend_html, timeline_html
from warp_nbprobe.views.units import count_text, plural

_CARD = "font-size:13px;line-height:1.45;max-width:1400px;text-align:left;padding:4px 2px 8px 2px;word-break:normal"
_CHANGES = {"changed": "redundant", "appeared": "wrong", "gone": "good", "same": "note"}
_OUTCOMES = {
    "same": "good",
    "within tolerance": "good",
    "not reproducible": "note",
    "moved": "wrong",
    "not checked": "note",
}
_FOLD_FROM = 12


def compare_html(c: Comparison) -> str:
    """Return the compare view."""
    source = diff_lines(*(cells_text(tuple(m.cells)) for m in sides(c)))
    parts = [
        _top(c),
        section(heading("Figures", "grey: the band around the baseline's median"), figures_html(c)),
        section(heading("Workload", _workload_aside(c)), _workload(c)),
        section(heading("Results", f"tolerance: {c.tolerance.text}"), _results(c)) if len(c.results) else "",
        section(heading("Builds", _builds_aside(c)), _builds(c), fold=len(c.identities) > _FOLD_FROM),
        section(heading("Timelines", "both on one scale"), _timelines(c)),
        section(heading("Source", _source_aside(source)), diff_html(source), fold=not source),
        section(heading("Not checked"), _list(c.not_checked) or div("Everything was compared.", DIM)),
    ]
    return div("".join(parts), _CARD)


def compare_page(c: Comparison) -> str:
    """Return the compare view as a page of its own: no network, light and dark, printable."""
    return whole_page(f"{title(c)}: Warp cold start", f"<h1>{esc(title(c))}</h1>{compare_html(c)}")


def _top(c: Comparison) -> str:
    word = span(f"{MARKS[c.verdict]} {esc(c.verdict)}", "font-size:18px;font-weight:600;padding:0 10px 0 0")
    first = word + span(prose(c.reasons[0]), "font-size:13px")
    return div(esc(title(c)), f"{SMALL};{DIM};word-break:break-word") + div(
        notice(div(first, "line-height:1.5") + _list(more_reasons(c)), TINTS[c.verdict]), "padding:4px 0 0 0"
    )


def _list(lines: Sequence[str]) -> str:
    items = "".join(tag("li", prose(line), "margin:0") for line in lines)
    return tag("ul", items, f"margin:2px 0 0 0;padding:0 0 0 20px;{SMALL};word-break:break-word") if items else ""


def _workload_aside(c: Comparison) -> str:
    outcome = {"same": "the same", "device": "the same on other devices", "changed": "changed", "unknown": "not known"}
    return outcome[c.workload.outcome] if any(c.workload.recorded) else "no launches"


def _workload(c: Comparison) -> str:
    lines = "".join(div(prose(line), "word-break:break-word") for line in workload_lines(c))
    if not len(c.launches):
        return lines
    ours, theirs = heads(c)
    columns = (Column("kernel", long=True), *(Column(name, figures=True) for name in (ours, theirs, "change")))
    body = [
        TableRow(
            (
                esc(row["kernel"]),
                count_text(row["baseline"]),
                count_text(row["candidate"]),
                f"{row['delta']:+}",
            )
        )
        for row in rows_of(c.launches)
    ]
    return lines + table_html(columns, body)


def _results(c: Comparison) -> str:
    columns = (Column("checked", long=True), Column("outcome", narrow=True), Column("how far apart", long=True))
    body = [
        TableRow(
            (
                span(esc(row["check"] + row["part"]), MONO),
                chip(row["outcome"], _OUTCOMES[row["outcome"]]),
                prose(result_text(row)),
            )
        )
        for row in rows_of(c.results)
    ]
    return table_html(columns, body)


def _builds_aside(c: Comparison) -> str:
    changes = [row["change"] for row in rows_of(c.identities)]
    said = [f"{changes.count(word)} {word}" for word in ("changed", "appeared", "gone", "same") if word in changes]
    more = " · more was built" if c.more_built else ""
    return (", ".join(said) or "nothing was built") + more


def _builds(c: Comparison) -> str:
    if not len(c.identities):
        return div("Nothing was built on either side.", DIM)
    ours, theirs = heads(c)
    columns = (
        Column("", narrow=True),
        Column("module", long=True),
        Column("run", narrow=True),
        Column(ours, "hash, device and block dimension"),
        Column(theirs, "hash, device and block dimension"),
        Column("took", figures=True),
        Column("now", figures=True),
        Column("why", long=True),
    )
    return table_html(columns, [_build(row) for row in build_rows(c)])


def _build(row: Row) -> TableRow:
    name = row["baseline"] or row["candidate"]
    if row["baseline"] and row["candidate"] and row["baseline"] != row["candidate"]:
        name = f"{row['baseline']}, now {row['candidate']}"
    cells = (
        chip(row["change"], _CHANGES[row["change"]]),
        esc(name),
        esc(phase_text(row)),
        span(esc(target_text(row, "baseline")), MONO),
        span(esc(target_text(row, "candidate")), MONO),
        prose(took_text(row, "baseline")),
        prose(took_text(row, "candidate")),
        prose(why_text(row)),
    )
    return TableRow(cells, ground=tint("wrong", 0.06) if row["phase"] == "warm" else "")


def _timelines(c: Comparison) -> str:
    found = shared_scale(c)
    drawn = [line for _, line in found if line is not None]
    keys = [key for line in drawn for key in line.parts()]
    parts = [
        div(esc(label), f"{SMALL};font-weight:600;padding:6px 0 0 0") + timeline_html(line) for label, line in found
    ]
    return "".join(parts) + (legend_html(list(dict.fromkeys(keys))) if keys else "")


def _source_aside(lines: Sequence[str]) -> str:
    came = sum(line.startswith("+") for line in lines)
    went = sum(line.startswith("-") for line in lines)
    return f"{plural(came, 'line')} came, {went} went" if lines else "the same on both sides"
