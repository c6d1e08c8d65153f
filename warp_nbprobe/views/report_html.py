"""What the card says about the measurement as a whole: its name, troubles, all figures, what was checked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from warp_nbprobe.views.figures_html import all_figures, missing_figures
from warp_nbprobe.views.findings_html import checked_html, snippet_html
from warp_nbprobe.views.headline import failed_reason
from warp_nbprobe.views.marks import built, repeated_modules
from warp_nbprobe.views.modules_html import modules_html
from warp_nbprobe.views.rows import Row, events, figure, good_samples, rehearsed, rows_of, run_row
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.style import DIM, MONO, SMALL, div, esc, heading, missing, notice, prose, section, span, tag
from warp_nbprobe.views.tables import Column, TableRow, table_html
from warp_nbprobe.views.units import plural, time_text

_PARTS = ("hash_ms", "codegen_ms", "lto_ms", "native_ms", "header_ms", "load_ms")
_REASONS = {
    "raised": "the code raised an exception",
    "timeout": "it ran longer than the time-out",
    "died": "the process ended before the code did",
    "interrupted": "it was stopped",
}
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SOURCES = {"hook": "measured", "log": "Warp's log", "none": ""}
"""Where a figure comes from, in a person's words."""


def subtitle(m: Shown) -> str:
    """Return what stands above the headline: name, samples, Warp, Python, devices."""
    good = good_samples(m)
    said = [m.label, plural(good, "sample") if good == m.samples else f"{good} of {plural(m.samples, 'sample')}"]
    row = run_row(m, "cold")
    if row is not None:
        known = row["python"] is not None  # a report of NVIDIA's script tells of neither
        said.append(f"Warp {row['warp']}" if row["warp"] else "Warp was not imported" if known else "")
        said.append(f"Python {row['python']}" if row["python"] else "")
    said += sorted({str(event["device"]) for event in events(m, "cold") if event["device"]})
    return " · ".join(part for part in said if part)


def troubles(m: Shown) -> list[str]:
    """Return what went wrong, one sentence each."""
    lines = [failed_reason(m)] if m.error is not None and not m.failed else []
    # A run that was stopped has not failed, and the headline says how many samples are whole.
    runs = [row for row in rows_of(m.runs) if row["reason"] != "interrupted"]
    for row in runs:
        if not row["ok"]:
            why = _REASONS.get(row["reason"], row["reason"] or "no reason was recorded")
            code = f", exit code {row['exit_code']}" if row["exit_code"] else ""
            if code and row["reason"] == "raised":
                why, code = f"it left with exit status {row['exit_code']}", ""
            lines.append(f"The {row['run']} run of sample {row['sample']} failed: {why}{code}.")
    cut = sum(bool(row["truncated"]) for row in runs)
    if cut:
        lines.append(
            f"In {plural(cut, 'run')} a process ended before its record was closed: what came last of it may not be in "
            "this report."
        )
    return list(dict.fromkeys(lines))


def differences(m: Shown) -> list[str]:
    """Return how the samples differ, one sentence each; empty when they compiled and launched the same."""
    found = m.structure
    lines = [difference.text for difference in found.differences]
    if not found.same:
        lines.append("The samples did not compile the same thing: no change of time between them means anything.")
    if found.launches_differ:
        others = ", ".join(map(str, found.launch_samples))
        which = f"sample{'s' if len(found.launch_samples) > 1 else ''} {others} launched" if others else "some launched"
        lines.append(f"The samples did not launch the same kernels equally often: {which} otherwise than the first.")
    return lines


def troubles_html(m: Shown) -> str:
    """Return the troubles on a red edge, what differs on a yellow one, then the notes; empty without any."""
    lines = "".join(div(prose(line)) for line in troubles(m))
    apart = "".join(div(prose(line)) for line in differences(m))
    notes = "".join(div(prose(note), f"{SMALL};{DIM}") for note in m.notes)
    red = div(notice(lines, "wrong"), "padding:6px 0 0 0") if lines else ""
    return red + (div(notice(apart, "redundant"), "padding:6px 0 0 0") if apart else "") + notes


def traceback_html(m: Shown) -> str:
    """Return the traceback of the first failure, folded; empty when there is none."""
    failure = getattr(getattr(m.error, "run", None), "failure", None)
    lines = [*getattr(failure, "traceback", ()), getattr(failure, "crash", None) or ""]
    text = "\n".join(_COLOUR.sub("", line) for line in lines if line)
    if not text:
        return ""
    return section(heading("Traceback", "of the first run that failed"), snippet_html(text), fold=True)


def findings_aside(found: Sequence[Row]) -> str:
    """Return how many findings there are of each kind; notes are in no count."""
    kinds = [row["kind"] for row in found]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("wrong", "redundant", "opportunity") if kind in kinds)


def modules_aside(rows: Sequence[Row]) -> str:
    """Return what the modules table holds, in words."""
    builds, again = built(rows), repeated_modules(rows)
    said = f"{plural(len(builds), 'build')} of {plural(len({row['module'] for row in builds}), 'module')}"
    return f"{said}, {len(again)} built more than once" if again else said


def launches_aside(m: Shown) -> str:
    """Return how many launches there were, in how many kinds."""
    if m.launch_groups.empty:
        return "none recorded"
    total = int(m.launch_groups["count"].sum())
    said = f"{plural(total, 'launch', 'launches')} of {plural(len(m.launch_groups), 'kind')}"
    return f"{said}, recorded and not executed" if "not executed" in (rehearsed(m) or "") else said


def reasons(m: Shown) -> dict[str, str]:
    """Return why parts of builds could not be seen."""
    found = {name: figure(m, name) for name in _PARTS}
    return {name: item.reason for name, item in found.items() if item.reason}


def figures_table_html(m: Shown) -> str:
    """Return every figure of the summary."""
    columns = (
        Column("figure", narrow=True),
        Column("median", figures=True),
        Column("spread", narrow=True),
        Column("from, or why it is missing", long=True),
    )
    body = [
        TableRow(
            (
                span(esc(item.metric), f"{MONO};font-size:11px"),
                missing(item.reason) if item.median is None else esc(text),
                esc(spread),
                esc(item.reason or SOURCES.get(item.source, item.source)),
            )
        )
        for item, text, spread in all_figures(m)
    ]
    return table_html(columns, body)


def checked_section(m: Shown) -> str:
    """Return what was looked for, and what could not be observed and why."""
    parts = [
        div("No rules were applied to this recording.", DIM) if m.checked.empty else checked_html(rows_of(m.checked))
    ]
    gone = missing_figures(m)
    if gone:
        lines = "".join(tag("li", f"{esc(', '.join(names))}: {prose(reason)}", "margin:0") for reason, names in gone)
        parts.append(div("Not measured", "padding:8px 0 2px 0;font-weight:600"))
        parts.append(tag("ul", lines, f"margin:0;padding:0 0 0 20px;{SMALL}"))
    unknown = sum(row["unknown_lines"] or 0 for row in rows_of(m.runs))
    if unknown:
        said = f"{plural(unknown, 'line')} of the recording were not understood and are left out."
        parts.append(div(said, f"{SMALL};padding:4px 0 0 0"))
    return "".join(parts)


def warm_html(rows: Sequence[Row]) -> str:
    """Return the warm run's events: in one line when all came from the cache, else as a table."""
    if not rows:
        return ""
    again = built(rows)
    if again:
        return div("Compiled again in the warm run", "padding:8px 0 4px 0;font-weight:600") + modules_html(again)
    total = sum(row["ms"] or 0.0 for row in rows)
    said = f"The warm run loaded {plural(len(rows), 'module')} from the cache in {time_text(total)}."
    return div(prose(said), f"{DIM};font-size:12px;padding:0 6px")
