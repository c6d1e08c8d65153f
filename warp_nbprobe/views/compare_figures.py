"""The figures of a comparison, each with a small picture: the band, and every sample of both sides."""

from __future__ import annotations

from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.views.compare_words import (
    band_text,
    delta_text,
    figure_rows,
    heads,
    moved_text,
    samples_text,
)
from warp_nbprobe.views.rows import Row
from warp_nbprobe.views.style import DIM, MONO, TINTS, chip, div, esc, folded, missing, prose, rgb, span
from warp_nbprobe.views.tables import Column, TableRow, table_html
from warp_nbprobe.views.units import figure_text

_HEIGHT = 22
_MARGIN = 0.06
_MOVES = {"down": "good", "up": "wrong", "inside": "note"}


def figures_html(c: Comparison) -> str:
    """Return the figures that matter, then the others folded."""
    first, rest = figure_rows(c)
    more = [row for row in rest if row["baseline"] is not None or row["candidate"] is not None]
    shown = _table(c, [row for row in first if row["baseline"] is not None or row["candidate"] is not None])
    return shown + (folded(span("all other figures", DIM), _table(c, more), "margin:4px 0 0 0") if more else "")


def _table(c: Comparison, rows: list[Row]) -> str:
    ours, theirs = heads(c)
    columns = (
        Column("figure", narrow=True),
        Column(ours, figures=True),
        Column(theirs, figures=True),
        Column("change", figures=True),
        Column("band", "by how much it has to move to count", figures=True),
        Column("samples", "good samples of either side", narrow=True),
        Column("moved", narrow=True),
        Column("band and samples", "above: the baseline's samples; below: the candidate's", width="30%"),
    )
    return table_html(columns, [_row(row) for row in rows])


def _row(row: Row) -> TableRow:
    why = row["reason"] or ""
    moved = chip(moved_text(row), _MOVES.get(row["moved"], "note"), why) if row["delta"] is not None else ""
    return TableRow(
        (
            span(esc(row["metric"]), f"{MONO};font-size:11px"),
            _value(row, "baseline"),
            _value(row, "candidate"),
            prose(delta_text(row)),
            prose(band_text(row)),
            esc(samples_text(row)),
            moved,
            picture_html(row),
        )
    )


def _value(row: Row, side: str) -> str:
    if row[side] is None:
        return missing(row["reason"])
    return prose(figure_text(row[side], row["unit"]))


def picture_html(row: Row) -> str:
    """Return the band as a grey field, the baseline's samples as marks above, the candidate's below.

    Only literal colours and percentages, so that it shows where pages are made safe.
    """
    if row["baseline"] is None or row["candidate"] is None or row["band"] is None:
        return ""
    sides = {
        name: [value for value in row[f"values_{name}"] or () if value == value] or [row[name]]
        for name in ("baseline", "candidate")
    }
    low_band, high_band = row["baseline"] - row["band"], row["baseline"] + row["band"]
    everything = [*sides["baseline"], *sides["candidate"], low_band, high_band]
    low, high = min(everything), max(everything)
    if low == high:
        return div("", f"height:{_HEIGHT}px", title=_words(row))
    span_ = (high - low) * (1 + 2 * _MARGIN)
    low -= (high - low) * _MARGIN

    def at(value: float) -> float:
        return float(100 * (value - low) / span_)

    band = div(
        "",
        f"position:absolute;left:{at(low_band):.1f}%;width:{at(high_band) - at(low_band):.1f}%;top:0;"
        f"height:{_HEIGHT}px;background-color:rgba(128,128,128,.22)",
    )
    marks = [_mark(at(value), top=1, colour="rgb(90,90,90)") for value in sides["baseline"]]
    colour = rgb(TINTS[_MOVES.get(row["moved"], "chosen")]) if row["moved"] != "inside" else rgb(TINTS["opportunity"])
    marks += [_mark(at(value), top=_HEIGHT // 2 + 1, colour=colour) for value in sides["candidate"]]
    return div(band + "".join(marks), f"position:relative;height:{_HEIGHT}px;min-width:80px", title=_words(row))


def _mark(left: float, *, top: int, colour: str) -> str:
    style = f"position:absolute;left:{left:.1f}%;top:{top}px;width:3px;height:{_HEIGHT // 2 - 2}px"
    return div("", f"{style};background-color:{colour}")


def _words(row: Row) -> str:
    """Return the picture in words: what hovering shows."""
    lines = []
    for name in ("baseline", "candidate"):
        values = ", ".join(figure_text(value, row["unit"]) for value in row[f"values_{name}"] or ()) or "not kept"
        lines.append(f"{name}: {figure_text(row[name], row['unit'])} (samples: {values})")
    return "\n".join([*lines, f"band {band_text(row)}; {moved_text(row)}"])
