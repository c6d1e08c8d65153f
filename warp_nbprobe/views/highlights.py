"""What stands out in a measurement, in a few words beside the headline; each names the builds it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warp_nbprobe.views.marks import built, event_name, lto_dominates, repeated_modules
from warp_nbprobe.views.rows import Row
from warp_nbprobe.views.style import chip, div, esc, linked, tag
from warp_nbprobe.views.units import plural

MOST_MODULES = 2
"""So many modules are named one by one; more are counted."""


@dataclass(frozen=True, slots=True)
class Highlight:
    """A word with its tint, what it is said of, the sentence on hover, and the builds it marks."""

    word: str
    what: str
    why: str
    tint: str  # a name of style.TINTS
    builds: tuple[str, ...]

    @property
    def text(self) -> str:
        """The highlight as plain text: ``repeated: __main__ 3 times, 3 hashes``."""
        return f"{self.word}: {self.what}"


def highlights(rows: Sequence[Row]) -> list[Highlight]:
    """Return what stands out in one run's events: failures, repeated modules, block dimensions, LTO."""
    builds = built(rows)
    found = []
    failed = [row for row in builds if row["status"] == "error"]
    if failed:
        found.append(_highlight("failed", plural(len(failed), "build"), "Their time is in no figure.", "wrong", failed))
    found += _repeated(builds)
    found += _spread(builds)
    lto = [row for row in builds if lto_dominates(row)]
    if lto:
        why = "More than half of each went into link-time-optimisation objects."
        found.append(_highlight("mostly LTO", plural(len(lto), "build"), why, "lto", lto))
    return found


def highlights_html(rows: Sequence[Row]) -> str:
    """Return the highlights in one line that wraps; empty when nothing stands out."""
    parts = [
        tag("span", _words(found), _ITEM, title=found.why, link=linked(*found.builds)) for found in highlights(rows)
    ]
    return div(" ".join(parts), "padding:4px 0 0 0;font-size:12px;line-height:1.7") if parts else ""


_ITEM = "margin:0 14px 0 0;padding:1px 2px"


def _words(found: Highlight) -> str:
    return f"{chip(found.word, found.tint)} {esc(found.what)}"


def _highlight(word: str, what: str, why: str, tint: str, rows: Sequence[Row]) -> Highlight:
    return Highlight(word, what, why, tint, tuple(event_name(row) for row in rows))


def _repeated(builds: Sequence[Row]) -> list[Highlight]:
    modules = repeated_modules(builds)
    groups = [[row for row in builds if row["module"] == module] for module in modules]
    if len(modules) > MOST_MODULES:
        rows = [row for group in groups for row in group]
        hashes = sum(len(_hashes(group)) > 1 for group in groups)
        said = f"{len(modules)} modules" + (f", {hashes} with several hashes" if hashes else "")
        return [_highlight("repeated", said, "Modules that were built more than once.", "redundant", rows)]
    found = []
    for module, group in zip(modules, groups, strict=True):
        count = len(_hashes(group))
        said = f"{module} {len(group)} times" + (f", {count} hashes" if count > 1 else "")
        why = "Its content differed between the builds." if count > 1 else "The same content was built again."
        found.append(_highlight("repeated", said, why, "redundant", group))
    return found


def _spread(builds: Sequence[Row]) -> list[Highlight]:
    dims: dict[str, set[int]] = {}
    for row in builds:
        if row["block_dim"] is not None:
            dims.setdefault(row["module"], set()).add(row["block_dim"])
    spread = {module: sorted(found) for module, found in dims.items() if len(found) > 1}
    if not spread:
        return []
    rows = [row for row in builds if row["module"] in spread]
    if len(spread) > MOST_MODULES:
        said = f"{len(spread)} modules, {', '.join(map(str, sorted({d for found in spread.values() for d in found})))}"
    else:
        said = "; ".join(f"{module} {', '.join(map(str, found))}" for module, found in spread.items())
    return [_highlight("block dims", said, "Each block dimension is a build of its own.", "opportunity", rows)]


def _hashes(group: Sequence[Row]) -> set[str]:
    return {row["hash"] for row in group if row["hash"]}
