"""The table of module events: what was built, how often, what it cost and why."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

from warp_nbprobe.views.marks import BUILT, Mark, event_name, row_marks
from warp_nbprobe.views.rows import Row, target_text
from warp_nbprobe.views.style import DIM, div, esc, missing, prose, tint
from warp_nbprobe.views.tables import Column, TableRow, table_html
from warp_nbprobe.views.timeline import parts_of
from warp_nbprobe.views.timeline_html import gradient
from warp_nbprobe.views.units import count_text, hash_text, plural, sentence, time_cell

MarksBySeq: TypeAlias = dict[int, tuple[Mark, ...]]

MOST_ROWS = 100

_TIMES = {
    "codegen_ms": Column("code gen.", "Python code generation, without LTO", figures=True),
    "lto_ms": Column("LTO", "making link-time-optimisation objects for tile operations", figures=True),
    "native_ms": Column("native", "inside the native compiler, the precompiled header included", figures=True),
    "header_ms": Column("header", "the part of native spent making the precompiled header", figures=True),
    "load_ms": Column("load", "linking and loading the binary", figures=True),
    "hash_ms": Column("hashing", "hashing the module: before Warp's own timer, so not in the total", figures=True),
}
HEADINGS = {name: column.heading for name, column in _TIMES.items()}
"""The headings of the columns of parts."""

_NOTABLE_HASHING_MS = 10.0
_ALWAYS = ("codegen_ms", "native_ms", "load_ms")

_TINT_OF_ROW = {"wrong": 0.14, "redundant": 0.1, "opportunity": 0.08, "lto": 0.1}


def modules_html(
    rows: Sequence[Row], *, marked: Collection[str] = (), reasons: dict[str, str] | None = None, most: int = MOST_ROWS
) -> str:
    """Return the table of one run's events; ``reasons`` says why a part was not measured."""
    shown = longest(rows, most)
    if not shown:
        return div("No module was built or loaded.", DIM)
    return _table(shown, marks_by_row(rows), times_shown(rows), marked, _notes(rows, shown, reasons or {}))


def page_html(rows: Sequence[Row], page: Sequence[Row], *, marked: Collection[str] = ()) -> str:
    """Return a part of the table; marks and columns are those of the whole."""
    return _table(page, marks_by_row(rows), times_shown(rows), marked, "")


def marks_by_row(rows: Sequence[Row]) -> MarksBySeq:
    """Return each event's marks by its ``seq``."""
    return {row["seq"]: marks for row, marks in zip(rows, row_marks(rows), strict=True)}


def times_shown(rows: Sequence[Row]) -> list[str]:
    """Return the columns of parts worth showing: those that happened, and the usual ones that were seen."""
    shown = []
    for name in _TIMES:
        seen = [row[name] for row in rows if row[name] is not None]
        if name == "hash_ms" and max(seen, default=0.0) < _NOTABLE_HASHING_MS:
            continue
        if seen and (any(seen) or name in _ALWAYS):
            shown.append(name)
    return shown


def longest(rows: Sequence[Row], most: int) -> list[Row]:
    """Return at most ``most`` rows, those that took longest, in their own order."""
    if len(rows) <= most:
        return list(rows)
    kept = sorted(rows, key=lambda row: -(row["ms"] or 0.0))[:most]
    return [row for row in rows if row in kept]


def _table(shown: Sequence[Row], marks: MarksBySeq, times: Sequence[str], marked: Collection[str], under: str) -> str:
    columns = [
        Column("module", "with the first seven digits of its hash and what is worth a mark", long=True),
        Column("device", "and block_dim", narrow=True),
        Column("total", "Warp's own timer of the load", figures=True, width="12%"),
        *(_TIMES[name] for name in times),
        Column("why", "what changed since the earlier build, and the line that asked for it", long=True, width="28%"),
    ]
    most = max((row["ms"] or 0.0 for row in shown), default=0.0) or 1.0
    body = [_row(row, marks[row["seq"]], times, most, marked) for row in shown]
    return table_html(columns, body, under=under, kind="modules")


def _row(row: Row, marks: Sequence[Mark], times: Sequence[str], most: float, marked: Collection[str]) -> TableRow:
    name = event_name(row)
    chosen = name in marked and row["status"] in BUILT
    cells = (
        _name_cell(row, marks, ["chosen"] if chosen else []),
        esc(target_text(row)),
        _total_cell(row, most),
        *(_part_cell(row, part) for part in times),
        _why_cell(row),
    )
    strongest = next((mark.tint for mark in marks if mark.tint in _TINT_OF_ROW), None)
    ground = tint("chosen", 0.25) if chosen else tint(strongest, _TINT_OF_ROW[strongest]) if strongest else ""
    return TableRow(cells, (name,) if row["status"] in BUILT else (), ground)


def _name_cell(row: Row, marks: Sequence[Mark], chosen: Sequence[str]) -> str:
    """Return the name, and under it the hash, how many kernels, and the words of its marks."""
    words = f" · <b>{esc(' · '.join([*(mark.word for mark in marks), *chosen]))}</b>" if marks or chosen else ""
    kernels = "" if row["kernels"] is None else f" · {plural(len(row['kernels']), 'kernel')}"
    status = "" if row["status"] in BUILT else f"{esc(row['status'])} · "
    under = f"{status}{esc(hash_text(row['hash']))}{kernels}{words}"
    return esc(event_name(row)) + div(under, "font-size:11px;opacity:.8", title=", ".join(row["kernels"] or ()))


def _total_cell(row: Row, most: float) -> str:
    """Return the total over a bar of its parts, as long as its share of the longest build."""
    if row["ms"] is None:
        return missing(None)
    width = f"width:{100 * row['ms'] / most:.0f}%"
    fill = gradient(parts_of(row)) or "#aaa"
    return time_cell(row["ms"]) + div("", f"height:4px;{width};background:{fill}")


def _part_cell(row: Row, part: str) -> str:
    return missing("this build's part could not be seen") if row[part] is None else time_cell(row[part])


def _why_cell(row: Row) -> str:
    asked = f"for {row['trigger']} " if row["trigger"] else ""
    asked += f"at {row['location']}" if row["location"] else ""
    return prose(cause_text(row)) + (div(esc(asked), "opacity:.8") if asked else "")


def cause_text(row: Row) -> str:
    """Return why an event happened, as sentences of plain text."""
    if row["detail"]:
        said = [sentence(row["detail"])]
    elif row["cause"] == "first":
        said = ["First build." if row["status"] in BUILT else "First load."]
    else:
        said = [sentence(row["cause"].replace("_", " "))] if row["cause"] else []
    place = row["cause_location"]
    if place and place != row["location"] and place not in (row["detail"] or ""):
        said.append(f"Caused at {place}.")
    return " ".join(said)


def _notes(rows: Sequence[Row], shown: Sequence[Row], reasons: dict[str, str]) -> str:
    """Return what stands under the table: what is not in it, and why."""
    said: list[str] = []
    if len(shown) < len(rows):
        said.append(f"The {count_text(len(shown))} longest of {plural(len(rows), 'event')}; all are in .modules.")
    unseen: dict[str, list[str]] = {}
    for name, column in _TIMES.items():
        if all(row[name] is None for row in rows):
            unseen.setdefault(reasons.get(name, "").rstrip("."), []).append(
                "code generation" if name == "codegen_ms" else column.heading
            )
    for why, names in unseen.items():
        said.append(f"Not measured: {', '.join(names)}{f' ({why})' if why else ''}.")
    if any(row[name] == 0 for row in rows for name in times_shown(rows)):
        said.append("A dash: that part did not happen.")
    return esc(" ".join(said))
