"""The measured cells with what each line did in the gutter; stretches without a mark fold."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from warp_nbprobe.data.model import Cell
from warp_nbprobe.views.source_marks import LineMarks, line_location
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
    prose,
    rgb,
    span,
    tag,
    tint,
)
from warp_nbprobe.views.units import plural, time_text

_CONTEXT = 3
_FOLD_FROM = 16
_NAMES_SHOWN = 2
_NAMES_ON_HOVER = 8
_WORDS = {
    "triggered here": "opportunity",
    "caused here": "redundant",
    "set here": "lto",
    "finding here": "wrong",
}
"""The words of the gutter with their tints; of several on a line the last one tints it."""

_CODE = (
    f"{MONO};{SMALL};line-height:1.45;margin:0;padding:0;white-space:pre-wrap;word-break:break-word;"
    "background-color:rgba(0,0,0,0)"
)
_CAPTION = f"{SMALL};{DIM};padding:0 0 2px 0"
_MARKS = "flex:1 1 0;min-width:0;padding:0 6px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis"


def source_html(
    cells: Sequence[Cell], marks: dict[str, LineMarks], *, chosen: Collection[str] = (), places: Collection[str] = ()
) -> str:
    """Return every main cell, and the setup cells that have a mark; then marks outside all of them.

    Lines stand out that are marked for a build of ``chosen``, or whose location is in ``places``.
    """
    left = dict(marks)
    parts = []
    for cell in cells:
        lines = cell.source.rstrip("\n").split("\n")
        found = {}
        for index in range(len(lines)):
            place = line_location(cell, cell.first_line + index)
            if place in left or place in places:
                found[index] = left.pop(place, LineMarks())
            if place in places:
                found[index] = replace(found[index], chosen=True)
        if found or cell.phase == "main":
            parts.append(_cell(cell, lines, found, chosen))
    parts += [_elsewhere(left)] if left else []
    return "".join(parts) or div("No source was recorded.", DIM)


def _cell(cell: Cell, lines: Sequence[str], found: dict[int, LineMarks], chosen: Collection[str]) -> str:
    name = f"setup {cell.name or 'default'}" if cell.phase == "setup" else f"cell {cell.number}"
    name = cell.name or name if cell.kind == "py" else name
    blocks = "".join(_blocks(cell, lines, found, chosen))
    return div(div(esc(name), _CAPTION) + div(blocks, "border-left:2px solid rgba(128,128,128,.3)"), "margin:0 0 8px 0")


def _blocks(cell: Cell, lines: Sequence[str], found: dict[int, LineMarks], chosen: Collection[str]) -> Iterator[str]:
    start = 0
    for index in sorted(found):
        yield from _unmarked(cell, lines, start, index)
        yield _marked(cell.first_line + index, lines[index], found[index], chosen)
        start = index + 1
    yield from _unmarked(cell, lines, start, len(lines))


def _unmarked(cell: Cell, lines: Sequence[str], start: int, stop: int) -> Iterator[str]:
    """Yield a stretch without marks; of a long one only the first and last lines stay open."""
    if stop - start < _FOLD_FROM:
        yield _plain(cell, lines, start, stop)
        return
    first, last = start + _CONTEXT, stop - _CONTEXT
    numbers = f"lines {cell.first_line + first} to {cell.first_line + last - 1}"
    yield _plain(cell, lines, start, first)
    yield folded(span(numbers, f"{SMALL};{DIM}"), _plain(cell, lines, first, last), "margin:0;padding:0 0 0 30px")
    yield _plain(cell, lines, last, stop)


def _plain(cell: Cell, lines: Sequence[str], start: int, stop: int) -> str:
    if start >= stop:
        return ""
    text = "\n".join(_numbered(cell.first_line + index, lines[index]) for index in range(start, stop))
    return tag("pre", text, _CODE)


def _numbered(number: int, text: str) -> str:
    return span(f"{number:>4}  ", "opacity:.75;user-select:none") + esc(text)


def _marked(number: int, text: str, marks: LineMarks, chosen: Collection[str]) -> str:
    words = marks.words()
    tinted = _WORDS[words[-1][0]] if words else "chosen"
    is_chosen = marks.chosen or any(name in chosen for name in marks.builds())
    ground = tint("chosen", 0.25) if is_chosen else tint(tinted, 0.1)
    code = tag("pre", _numbered(number, text), f"{_CODE};flex:1.3 1 0;min-width:0;max-width:640px")
    said = [
        *([chip("chosen", "chosen")] if is_chosen else []),
        *(_gutter(word, names, marks.ms) for word, names in words),
    ]
    chips = div(" ".join(said), _MARKS)
    style = f"display:flex;background-color:{ground};box-shadow:-2px 0 0 0 {rgb(TINTS[tinted])}"
    return div(code + chips, style, link=linked(*marks.builds()))


def _gutter(word: str, names: Sequence[str], ms: float) -> str:
    more = f" +{len(names) - _NAMES_SHOWN}" if len(names) > _NAMES_SHOWN else ""
    took = f"{time_text(ms)}: " if word == "triggered here" and ms else ""
    said = f"{took}{', '.join(names[:_NAMES_SHOWN])}{more}"
    return chip(word, _WORDS[word]) + " " + span(prose(said), f"{SMALL};{DIM}", title=_listed(names))


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMES_ON_HOVER} more" if len(names) > _NAMES_ON_HOVER else ""
    return ", ".join(names[:_NAMES_ON_HOVER]) + more


def _elsewhere(marks: dict[str, LineMarks]) -> str:
    rows = "".join(
        div(
            f"{span(esc(place), MONO)} " + " ".join(_gutter(word, names, found.ms) for word, names in found.words()),
            f"{SMALL};word-break:break-word",
        )
        for place, found in marks.items()
    )
    return div(f"outside the measured cells: {plural(len(marks), 'line')}", _CAPTION) + rows
