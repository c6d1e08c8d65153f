"""One build in full: its parts, what it holds, its options, and why it was made."""

from __future__ import annotations

from collections.abc import Sequence

from warp_nbprobe.views.marks import Mark, event_name
from warp_nbprobe.views.modules_html import cause_text
from warp_nbprobe.views.rows import Row
from warp_nbprobe.views.style import DIM, MONO, SMALL, chip, div, esc, folded, heading, prose, span
from warp_nbprobe.views.timeline import parts_of
from warp_nbprobe.views.timeline_html import gradient, legend_html
from warp_nbprobe.views.units import bytes_text, plural, time_text

_MOST_KERNELS = 60


def build_html(row: Row, marks: Sequence[Mark]) -> str:
    """Return everything that is known of one module event."""
    title = heading(event_name(row), f"{row['status']}, {time_text(row['ms'], digits=3)}")
    chips = " ".join(chip(mark.word, mark.tint, mark.why) for mark in marks)
    parts = parts_of(row)
    bar = div("", f"height:10px;margin:4px 0 2px 0;max-width:620px;background:{gradient(parts)}") if parts else ""
    legend = legend_html([key for key, _ in parts], {key: time_text(ms) for key, ms in parts})
    asked = f"for {row['trigger']} " if row["trigger"] else ""
    asked += f"at {row['location']}" if row["location"] else ""
    lines = [
        div(f"{title} {chips}", "word-break:break-word"),
        bar + legend if parts else div("Its parts could not be seen.", DIM),
        div(prose(cause_text(row)), "word-break:break-word"),
        div(esc(f"Asked {asked}.") if asked else "", DIM),
        div(prose(_facts(row)), f"{SMALL};word-break:break-word"),
        _kernels(row),
        _options(row),
    ]
    return "".join(line for line in lines if line)


def _facts(row: Row) -> str:
    said = [
        f"hash {row['hash'] or 'not known'}",
        f"device {row['device']}" if row["device"] else "",
        f"block_dim {row['block_dim']}" if row["block_dim"] is not None else "",
        f"hashing {time_text(row['hash_ms'])}" if row["hash_ms"] is not None else "hashing not measured",
        f"{bytes_text(row['source_bytes'])} of generated source" if row["source_bytes"] is not None else "",
        plural(row["lto_artifacts"], "LTO object") if row["lto_artifacts"] else "",
        "read from Warp's log" if row["source"] == "log" else "",
    ]
    return " · ".join(part for part in said if part)


def _kernels(row: Row) -> str:
    names = row["kernels"]
    if names is None:
        return div("Its kernels could not be seen.", f"{SMALL};{DIM}")
    shown = ", ".join(names[:_MOST_KERNELS])
    more = f" and {len(names) - _MOST_KERNELS} more" if len(names) > _MOST_KERNELS else ""
    return div(f"{esc(plural(len(names), 'kernel'))}: {esc(shown)}{more}", f"{SMALL};word-break:break-word")


def _options(row: Row) -> str:
    options = row["options"]
    if not options:
        return ""
    lines = "".join(div(f"{esc(name)} = {esc(value)}") for name, value in sorted(options.items()))
    return folded(span("options", f"{SMALL};{DIM}"), div(lines, f"{MONO};font-size:11px;word-break:break-word"))
