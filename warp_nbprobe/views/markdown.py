"""The report as Markdown that fits a pull request comment: short on top, tables folded."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from warp_nbprobe.views.figures_html import missing_figures, tiles
from warp_nbprobe.views.findings_html import SURE, where_text
from warp_nbprobe.views.headline import headline
from warp_nbprobe.views.launches_html import launch_words
from warp_nbprobe.views.marks import event_name, row_marks
from warp_nbprobe.views.modules_html import HEADINGS, cause_text, longest, times_shown
from warp_nbprobe.views.report_html import differences, launches_aside, modules_aside, subtitle, troubles
from warp_nbprobe.views.rows import Row, events, findings, rows_of
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.style import visible
from warp_nbprobe.views.units import count_text, dim_text, hash_text, plural, share_text, time_text

MOST_CHARACTERS = 60_000  # a comment on GitHub holds 65 536
_MOST_BUILDS, _MOST_LAUNCHES = 60, 30
_SPECIAL = re.compile(r"([\\*_{}\[\]<>~|!])")
_REFERENCE = re.compile(r"([@#])(?=\w)")
_CODE = re.compile(r"`([^`]+)`")


def report_markdown(m: Shown) -> str:
    """Return the report; tables and findings that would make it too long for a comment are left out, and named."""
    blocks = [block for block in _blocks(m) if block]
    kept: list[str] = []
    room, left_out = MOST_CHARACTERS, 0
    for block in blocks:
        if len(block) > room:
            left_out += 1
            continue
        kept.append(block)
        room -= len(block) + 2
    if left_out:
        kept.append(f"*{plural(left_out, 'part')} of the report would not fit here.*")
    return "\n\n".join(kept) + "\n"


def _blocks(m: Shown) -> Iterator[str]:
    yield f"### Warp cold start: {text(m.label)}"
    yield f"**{text(headline(m))}**"
    yield "\n".join(f"- ⚠️ {text(line)}" for line in [*troubles(m), *differences(m)])
    if not m.failed:
        yield _figures(m)
    found = findings(m)
    for row in found:
        if row["kind"] != "note":
            yield _finding(row)
    cold = events(m, "cold")
    yield _folded(modules_aside(cold), _modules(cold))
    yield _folded(launches_aside(m), _launches(m))
    notes = [
        f"- {text(row['rule'].replace('_', ' '))}: {text(row['what'] or '')}" for row in found if row["kind"] == "note"
    ]
    notes += [f"- {text(note)}" for note in m.notes]
    notes += [f"- Not measured: {text(', '.join(names))}. {text(reason)}" for reason, names in missing_figures(m)]
    yield _folded("Notes", "\n".join(notes))
    yield f"<sub>{text(subtitle(m))}</sub>"


def _figures(m: Shown) -> str:
    shown = tiles(m)
    rows = [
        (tile.name, f"**{text(tile.value)}**", text(", ".join(line for line in tile.under if line))) for tile in shown
    ]
    return _table(("figure", "value", ""), rows)


def _finding(row: Row) -> str:
    cost = time_text(row["cost_ms"]) if row["cost_ms"] is not None else ""
    cost += f", {share_text(row['share'])} of build" if cost and row["share"] is not None else ""
    facts = [
        f"**{text(row['kind'])}** {code(row['rule'])}",
        text(where_text(row)),
        cost,
        SURE.get(row["certainty"] or "", ""),
    ]
    lines = [f"- {' · '.join(fact for fact in facts if fact)}", text(row["what"] or "")]
    lines += [f"**Do:** {text(row['fix'])}"] if row["fix"] else []
    lines = ["  \n  ".join(line for line in lines if line)]  # two blanks at its end break a line
    if row["snippet"]:
        lines += ["", *(f"  {line}" for line in _block(row["snippet"].strip("\n"))), ""]
    if row["not_for"]:
        lines.append(f"  *Not for:* {text(row['not_for'])}")
    return "\n".join(lines).rstrip()


def _modules(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    shown, times = longest(rows, _MOST_BUILDS), times_shown(rows)
    marks = {row["seq"]: found for row, found in zip(rows, row_marks(rows), strict=True)}
    heads = ("module", "hash", "device", "total", *(HEADINGS[name] for name in times), "at", "why")
    body = [
        (
            code(event_name(row)) + ("" if row["status"] == "compiled" else f" ({text(row['status'])})"),
            code(hash_text(row["hash"])),
            text((row["device"] or "") + (f" · {row['block_dim']}" if row["block_dim"] is not None else "")),
            time_text(row["ms"], digits=3),
            *("?" if row[name] is None else time_text(row[name], digits=3) for name in times),
            code(row["location"]) if row["location"] else "",
            text(", ".join([*(mark.word for mark in marks[row["seq"]]), cause_text(row)]).strip(", ")),
        )
        for row in shown
    ]
    more = f"\n\nThe {len(shown)} longest of {plural(len(rows), 'event')}." if len(shown) < len(rows) else ""
    return _table(heads, body) + more


def _launches(m: Shown) -> str:
    if m.launch_groups.empty:
        return ""
    body = [
        (
            count_text(row["count"]),
            code(row["kernel"]) if row["kernel"] else "a graph",
            code(row["module"]) if row["module"] else "",
            dim_text(row["dim"]),
            text((row["device"] or "") + (f" · {row['block_dim']}" if row["block_dim"] is not None else "")),
            text(launch_words(row)),
            code(row["location"]) if row["location"] else "",
        )
        for row in rows_of(m.launch_groups.head(_MOST_LAUNCHES))
    ]
    left = len(m.launch_groups) - len(body)
    more = f"\n\nAnd {plural(left, 'more kind')}." if left > 0 else ""
    return _table(("count", "kernel", "module", "dim", "device", "kind", "at"), body) + more


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cell.replace(chr(10), ' ') for cell in line)} |" for line in lines)


def _folded(title: str, inner: str) -> str:
    return f"<details><summary>{html.escape(title)}</summary>\n\n{inner}\n\n</details>" if inner else ""


def text(value: object) -> str:
    """Return text of any origin as Markdown that shows just that; what stands between backticks stays code."""
    parts = _CODE.split(" ".join(visible(line) for line in str(value).split("\n")))
    return "".join(code(part) if at % 2 else _plain(part) for at, part in enumerate(parts))


def _plain(part: str) -> str:
    # Neither a person nor an issue is to be named by a program's text.
    escaped = _SPECIAL.sub(r"\\\1", part).replace("`", "\\`").replace("&", "&amp;")
    return _REFERENCE.sub(r"\1<!-- -->", escaped)


def code(value: object) -> str:
    """Return a name as code, whatever it holds."""
    name = " ".join(visible(line) for line in str(value).split("\n")).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", name)), default=0) + 1)
    pad = " " if name.startswith("`") or name.endswith("`") else ""
    return f"{fence}{pad}{name}{pad}{fence}"


def _block(source: str) -> list[str]:
    lines = [visible(line) for line in source.split("\n")]
    fence = "`" * max(3, max((len(run) for line in lines for run in re.findall("`+", line)), default=0) + 1)
    return [f"{fence}python", *lines, fence]
