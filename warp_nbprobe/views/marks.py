"""What is worth a mark on a build, each with the word that says it: colour never stands alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from warp_nbprobe.views.rows import Row

BUILT = ("compiled", "error")


@dataclass(frozen=True, slots=True)
class Mark:
    """A word on a row, with the sentence that explains it and the tint it has where colours are shown."""

    word: str
    why: str
    tint: str  # a name of style.TINTS


def event_name(row: Row) -> str:
    """Return the stable name of an event: ``app.stages [1/3]``, or the module's name where nothing was built."""
    return str(row["build"] or row["module"])


def built(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that are builds, failed ones included."""
    return [row for row in rows if row["status"] in BUILT]


def repeated_modules(rows: Sequence[Row]) -> list[str]:
    """Return the modules built more than once, in order of their first build."""
    counts: dict[str, int] = {}
    for row in built(rows):
        counts[row["module"]] = counts.get(row["module"], 0) + 1
    return [module for module, count in counts.items() if count > 1]


def lto_dominates(row: Row) -> bool:
    """Whether more than half of a build went into link-time-optimisation objects."""
    return bool(row["lto_ms"] and row["ms"] and row["lto_ms"] > row["ms"] / 2)


def row_marks(rows: Sequence[Row]) -> list[tuple[Mark, ...]]:
    """Return the marks of each row, in the order of the rows."""
    names = set(repeated_modules(rows))
    hashes: dict[str, set[str]] = {}
    blocks: dict[str, set[int]] = {}
    for row in built(rows):
        if row["hash"]:
            hashes.setdefault(row["module"], set()).add(row["hash"])
        if row["block_dim"] is not None:
            blocks.setdefault(row["module"], set()).add(row["block_dim"])
    return [_marks(row, names, hashes, blocks) for row in rows]


def _marks(row: Row, names: set[str], hashes: dict[str, set[str]], blocks: dict[str, set[int]]) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    if row["status"] == "error":
        marks.append(Mark("failed", "This build failed; its time is in no figure.", "wrong"))
    if row["status"] in BUILT:
        module = row["module"]
        if module in names:
            marks.append(Mark("repeated", "This module was built more than once in this run.", "redundant"))
        if len(hashes.get(module, ())) > 1:
            count = len(hashes[module])
            marks.append(Mark(f"{count} hashes", "Its content differed between the builds.", "redundant"))
        if len(blocks.get(module, ())) > 1:
            dims = ", ".join(str(dim) for dim in sorted(blocks[module]))
            marks.append(Mark(f"{len(blocks[module])} block dims", f"Built for block_dim {dims}.", "opportunity"))
        if lto_dominates(row):
            marks.append(Mark("mostly LTO", "More than half of it went into LTO objects.", "lto"))
    if row["phase"] == "setup":
        marks.append(Mark("setup", "In the setup code: not counted in the figures.", "note"))
    if row.get("rehearsed"):
        marks.append(Mark("rehearsed", "Built for this device without having one.", "note"))
    return tuple(marks)
