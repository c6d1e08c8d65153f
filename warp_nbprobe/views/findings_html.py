"""Findings: what happened, at which line, what it cost, what to do, and when not to."""

from __future__ import annotations

from collections.abc import Sequence

from warp_nbprobe.views.rows import Row
from warp_nbprobe.views.style import (
    DIM,
    MONO,
    SMALL,
    TINTS,
    chip,
    div,
    esc,
    folded,
    linked,
    notice,
    prose,
    span,
    tag,
)
from warp_nbprobe.views.tables import Column, TableRow, table_html
from warp_nbprobe.views.units import sentence, share_text, time_text

SURE = {
    "measured": "measured in this run",
    "inferred": "inferred: the recording points to it",
    "estimate": "an estimate: nothing has measured the change",
}
_NAMED_EVENTS = 6
_CODE = (
    f"{MONO};{SMALL};line-height:1.4;background-color:rgba(128,128,128,.12);padding:5px 8px;margin:4px 0;"
    "white-space:pre-wrap;word-break:break-word"
)
_OUTCOMES = {"found": "redundant", "not observable": "note", "ruled out": "good"}
"""The outcomes of a check in the order they are shown, with their tint."""


def findings_html(rows: Sequence[Row], *, clean: bool) -> str:
    """Return the findings, notes folded. ``clean``: whether "no redundant builds" may be said."""
    found = [row for row in rows if row["kind"] != "note"]
    notes = [row for row in rows if row["kind"] == "note"]
    parts = [finding_html(row) for row in found]
    if clean:
        parts.insert(0, div(f"{chip('clean', 'good')} No redundant builds.", "margin:0 0 6px 0"))
    if notes:
        names = ", ".join(dict.fromkeys(row["rule"].replace("_", " ") for row in notes))
        inner = div("".join(finding_html(row) for row in notes), "padding:4px 0 0 0")
        parts.append(folded(span(f"Notes: {esc(names)}", f"{SMALL};{DIM}"), inner))
    return "".join(parts)


def finding_html(row: Row) -> str:
    """Return one finding, open."""
    kind = row["kind"] if row["kind"] in TINTS else "note"
    name = f"{chip(kind, kind)} {span(esc(row['rule']), f'{MONO};font-size:11px;{DIM}')} {_where(row)}"
    lines = [
        div(div(name, "flex:1;min-width:0") + _cost(row), "display:flex;gap:8px;align-items:baseline"),
        div(_what(row["what"]), "padding:1px 0 0 0"),
    ]
    if row["fix"]:
        lines.append(div(f"{span('Do:', DIM)} {prose(row['fix'])}"))
    if row["snippet"]:
        lines.append(snippet_html(row["snippet"]))
    if aside(row):
        lines.append(div(prose(aside(row)), f"{SMALL};{DIM}"))
    return div(notice("".join(lines), kind), link=linked(*(row["events"] or ())))


def snippet_html(text: str) -> str:
    """Return code to copy."""
    return tag("pre", esc(text.strip("\n")), _CODE)


def where_text(row: Row) -> str:
    """Return the finding's line, and the line that caused it."""
    said = [row["location"]] if row["location"] else []
    if row["cause_location"] and row["cause_location"] != row["location"]:
        said.append(f"caused at {row['cause_location']}")
    return ", ".join(said)


def aside(row: Row) -> str:
    """Return when not to follow a finding, which builds it is about, and how sure it is."""
    said = [f"Not for: {row['not_for']}"] if row["not_for"] else []
    events = row["events"] or ()
    if events:
        more = f" and {len(events) - _NAMED_EVENTS} more" if len(events) > _NAMED_EVENTS else ""
        said.append(f"Builds: {', '.join(events[:_NAMED_EVENTS])}{more}.")
    if row["certainty"]:
        said.append(f"{sentence(SURE.get(row['certainty']) or row['certainty'])}")
    return " ".join(said)


def finding_title(row: Row) -> str:
    """Return a finding in one line of plain text."""
    cost = f", {time_text(row['cost_ms'])}" if row["cost_ms"] is not None else ""
    where = f" ({row['location']})" if row["location"] else ""
    return f"{row['kind']}: {row['rule'].replace('_', ' ')}{cost}{where}"


def checked_html(rows: Sequence[Row]) -> str:
    """Return what was looked for, and the signal that found it or ruled it out."""
    order = list(_OUTCOMES)
    columns = (
        Column("outcome", narrow=True),
        Column("rule", long=True),
        Column("kind", narrow=True),
        Column("signal", long=True),
    )
    body = [
        TableRow(
            (
                chip(row["outcome"], _OUTCOMES.get(row["outcome"], "note")),
                esc(row["rule"].replace("_", " ")),
                esc(row["kind"]),
                prose(row["signal"] or ""),
            )
        )
        for row in sorted(rows, key=lambda row: order.index(row["outcome"]) if row["outcome"] in order else 9)
    ]
    return table_html(columns, body)


def _what(text: str) -> str:
    """Return what happened, its first sentence in bold."""
    first, stop, rest = text.partition(". ")
    return tag("b", prose(first + stop.rstrip()), "font-weight:600") + (f" {prose(rest)}" if rest else "")


def _where(row: Row) -> str:
    return span(esc(where_text(row)), SMALL) if where_text(row) else ""


def _cost(row: Row) -> str:
    if row["cost_ms"] is None:
        return ""
    cost = tag("b", prose(time_text(row["cost_ms"])), "font-weight:600")
    share = span(f" {share_text(row['share'])} of build", DIM) if row["share"] is not None else ""
    return div(cost + share, "white-space:nowrap")
