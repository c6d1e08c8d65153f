"""Which parts changed between two states of one kernel: the innermost ones, without what merely follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from warp_nbprobe.data.records import Place
from warp_nbprobe.explain.pairing import Kernel, token_of
from warp_nbprobe.explain.parts import Part, Value, function_of

Parts = dict[Part, Value]


@dataclass(frozen=True, slots=True)
class Change:
    """One part of a kernel that changed: old and new text, ``None`` when it came or went."""

    part: Part
    old: str | None
    new: str | None
    place: Place | None
    text_only: bool = False  # a source of which only comments or blank lines changed
    hidden: bool = False  # a global that the code does not read, since something of its own has that name
    hider: str = ""  # what has it: an argument or a loop variable
    origin: str | None = None  # of a constant


def changes(before: Kernel, now: Kernel) -> tuple[Change, ...]:
    """Return what changed, sources first.

    A change of a source explains the constants, types and calls that came or went with it, so these are
    named only where the source that refers to them is the same.
    """
    old, new = before.parts, now.parts
    sources = list(_sources(old, new))
    edited = {change.part.holder for change in sources if not change.text_only}
    found = [*sources, *_values(old, new, edited), *_structs(old, new)]
    if "" not in edited:
        found += _plain(old, new, "arguments")
        found += _plain(old, new, "decorator")
    found += _types(old, new, edited)
    if not edited and not found:
        found += _plain(old, new, "calls")
    return tuple(found)


def _sources(old: Parts, new: Parts) -> Iterator[Change]:
    """Yield the kernel's and its functions' own texts that changed; functions by overload."""
    holders_old = {part.holder for part in old if part.kind == "source"}
    holders_new = {part.holder for part in new if part.kind == "source"}
    for holder in sorted(holders_old & holders_new):
        part = Part("source", holder)
        before, now = old[part], new[part]
        if before.token != now.token:
            same_tree = before.tree is not None and before.tree == now.tree
            yield Change(part, before.text, now.text, now.place, text_only=same_tree)
    came, went = holders_new - holders_old, holders_old - holders_new
    known = {function_of(holder) for holder in holders_old} & {function_of(holder) for holder in holders_new}
    for name in sorted(known - {""}):
        added = sorted(holder for holder in came if function_of(holder) == name)
        lost = sorted(holder for holder in went if function_of(holder) == name)
        if added or lost:
            now_value = new[Part("source", added[0])] if added else None
            old_value = old[Part("source", lost[0])] if lost else None
            place = now_value.place if now_value else old_value.place if old_value else None
            yield Change(
                Part("source", added[0] if added else lost[0]),
                old_value.text if old_value else None,
                now_value.text if now_value else None,
                place,
            )


def _values(old: Parts, new: Parts, edited: set[str]) -> Iterator[Change]:
    """Yield constants and static values that changed, or that came or went under an unchanged source."""
    for part in sorted(old.keys() | new.keys()):
        if part.kind not in ("constant", "static") or token_of(old, part) == token_of(new, part):
            continue
        before, now = old.get(part), new.get(part)
        if (before is None or now is None) and not _same_source(old, new, part.holder, edited):
            continue
        value = now or before
        assert value is not None
        yield Change(
            part,
            before.text if before else None,
            now.text if now else None,
            value.place,
            hidden=value.hidden,
            hider=value.hider,
            origin=value.origin,
        )


def _same_source(old: Parts, new: Parts, holder: str, edited: set[str]) -> bool:
    part = Part("source", holder)
    return part in old and part in new and holder not in edited


def _structs(old: Parts, new: Parts) -> Iterator[Change]:
    """Yield the structs whose own fields changed, else those that Warp hashed otherwise."""
    both = sorted(part for part in old.keys() & new.keys() if part.kind == "struct")
    own = [part for part in both if old[part].text != new[part].text]
    for part in own or [part for part in both if old[part].token != new[part].token]:
        yield Change(part, old[part].text, new[part].text, new[part].place)


def _types(old: Parts, new: Parts, edited: set[str]) -> Iterator[Change]:
    """Yield, per holder with an unchanged source, the types that its names now stand for."""
    differing = [part for part in old.keys() ^ new.keys() if part.kind == "type"]
    for holder in sorted({part.holder for part in differing}):
        if _same_source(old, new, holder, edited):
            went = sorted(part.name for part in differing if part.holder == holder and part in old)
            came = sorted(part.name for part in differing if part.holder == holder and part in new)
            place = new[Part("source", holder)].place
            yield Change(Part("type", holder), ", ".join(went) or None, ", ".join(came) or None, place)


def _plain(old: Parts, new: Parts, kind: str) -> Iterator[Change]:
    for part in sorted(old.keys() | new.keys()):
        if part.kind == kind and token_of(old, part) != token_of(new, part):
            before, now = old.get(part), new.get(part)
            place = new[Part("source")].place
            yield Change(part, before.text if before else None, now.text if now else None, place)
