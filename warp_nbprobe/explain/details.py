"""The sentence that tells a person why a build came about, and the line that caused it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from warp_nbprobe.data.events import place_text
from warp_nbprobe.data.records import Place
from warp_nbprobe.explain import blame
from warp_nbprobe.explain.blame import Blame
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.changes import Change
from warp_nbprobe.explain.contents import Build
from warp_nbprobe.explain.difference import Added, Changed, Difference, Kept
from warp_nbprobe.explain.holders import named_once
from warp_nbprobe.explain.misses import why_missed
from warp_nbprobe.explain.pairing import Kernel
from warp_nbprobe.explain.sentences import change_text
from warp_nbprobe.explain.spots import value_text
from warp_nbprobe.explain.words import listed, plural, quoted

_NAMED: Final = 4  # kernels named in one sentence


@dataclass(frozen=True, slots=True)
class Told:
    """One cause in words, with its line."""

    text: str
    place: Place | None = None


def told(explained: Explained) -> tuple[str | None, Place | None]:
    """Return the detail and the place of an event's first cause; both are missing for a first build."""
    if explained.cause == "first":
        return None, None
    pieces = [piece for cause in explained.causes for piece in _TELL[cause](explained)]
    places = [piece.place for piece in pieces if piece.place is not None]
    place = places[0] if places else None
    if place is not None and _is_generated(place):
        place = explained.build.event.place  # code that Warp wrote has no line; the one that asked for it has
    return " ".join(piece.text for piece in pieces), place


def _is_generated(place: Place) -> bool:
    return place.file.startswith("<")


def where(build: Build, place: Place | None) -> str:
    """Return `` (cell 3, line 2)`` for a place, nothing for none and for code that Warp wrote itself."""
    if place is not None and _is_generated(place):
        return ""
    text = place_text(build.run, place, build.wire)[2]
    return f" ({text})" if text else ""


def at(build: Build, place: Place | None) -> str:
    """Return ``cell 3, line 2``, or ``a line that is not known``."""
    return place_text(build.run, place, build.wire)[2] or "a line that is not known"


def types_text(kernel: Kernel) -> str:
    """Return the argument types of an instance."""
    return ", ".join(f"{name}: {type_}" for name, type_ in kernel.state.args)


def _difference(explained: Explained) -> Difference:
    assert explained.difference is not None
    return explained.difference


def _tell_overloads(explained: Explained) -> Iterable[Told]:
    build = explained.build
    for added in _difference(explained).added:
        if added.kind == "overload":
            place = blame.of_overload(build, added.kernel).place
            name = quoted(added.kernel.state.name)
            yield Told(
                f"Kernel {name} was used with new types ({types_text(added.kernel)}){where(build, place)}.", place
            )


def _tell_added(explained: Explained) -> Iterable[Told]:
    build = explained.build
    added = [item for item in _difference(explained).added if item.kind == "kernel"]
    plain = [item for item in added if item.beside is None]
    if plain:
        names = listed(
            [f"{quoted(item.kernel.state.name)}{where(build, item.kernel.state.defined)}" for item in plain], _NAMED
        )
        yield Told(
            f"{plural(len(plain), 'Kernel')} {names} {'was' if len(plain) == 1 else 'were'} added.",
            plain[0].kernel.state.defined,
        )
    for item in added:
        if item.beside is not None:
            yield _tell_specialisation(build, item)


def _tell_specialisation(build: Build, item: Added) -> Told:
    assert item.beside is not None
    state = item.kernel.state
    values = captured_values(build, item.kernel, item.beside, item.changes)
    said = f" with {listed(values, _NAMED)}" if values else ""
    text = f"Another variant of kernel {quoted(state.name)}{where(build, state.defined)} was added{said}."
    return Told(text, state.defined)


def captured_values(build: Build, kernel: Kernel, beside: Kernel, differing: Sequence[Change]) -> list[str]:
    """Return the captured or static values in which two specialisations of one source differ."""
    found = {
        change.part.name: f"{change.part.name} = {change.new} (besides {change.old})"
        for change in differing
        if change.part.kind in ("constant", "static") and change.new is not None
    }
    for name, text in kernel.state.captured.items():
        other = beside.state.captured.get(name)
        if text != other:
            said = f"{name} = {value_text(build.run, build.wire, text)}"
            found[name] = said + (f" (besides {value_text(build.run, build.wire, other)})" if other is not None else "")
    inner = {change.part.name for change in differing if change.part.kind == "static"}
    if kernel.state.captured and len(found) > len(inner):
        for name in inner & found.keys():
            if name not in kernel.state.captured:
                del found[name]
    other_changes = [change_text(change) for change in differing if change.part.kind not in ("constant", "static")]
    return list(found.values()) or other_changes


def _tell_kept(explained: Explained) -> Iterable[Told]:
    build = explained.build
    for item in _difference(explained).kept:
        name, count = quoted(item.new.state.name), len(item.olds) + 1
        yield Told(
            f"Kernel {name}{where(build, item.new.state.defined)} was defined anew while its older "
            f"{plural(len(item.olds), 'version')} {'is' if count == 2 else 'are'} still there, so {count} "
            f"versions are "
            f"built: {holders_text(build, item)}.",
            item.new.state.defined,
        )


def holders_text(build: Build, item: Kept) -> str:
    """Return who still refers to the old versions of a kernel."""
    holders = build.event.holders
    named = named_once(text for old in item.olds for text in holders.get(str(old.state.id)) or ())
    if named:
        return f"held by {listed(named, _NAMED)}"
    if any(old.state.parent is not None for old in item.olds):
        return "an old version that Python has not collected yet"
    return "who holds the old one was not seen"


def _tell_changed(explained: Explained) -> Iterable[Told]:
    """Tell each change once, with all the kernels that it changed."""
    build = explained.build
    groups: dict[tuple[object, ...], list[tuple[Changed, Change]]] = {}
    for changed in _difference(explained).changed:
        if not changed.changes:
            yield Told(
                f"Kernel {quoted(changed.new.state.name)} changed in a way that the recording does not show.",
                changed.new.state.defined,
            )
        for change in changed.changes:
            own = changed.new.key if change.part.holder == "" and change.part.kind != "constant" else None
            key = (change.part, change.old, change.new, change.hidden, change.text_only, own)
            groups.setdefault(key, []).append((changed, change))
    for members in groups.values():
        yield _tell_change(build, members)


def _tell_change(build: Build, members: list[tuple[Changed, Change]]) -> Told:
    changed, change = members[0]
    found = blame.of_change(build, changed.new, change)
    names = listed(list(dict.fromkeys(quoted(item.new.state.name) for item, _ in members)), _NAMED)
    line = where(build, found.place)
    if found.inferred and line:
        line = f"{line[:-1]}, where the kernel stands; no assignment was found)"
    several = len({item.new.key for item, _ in members}) > 1
    return Told(
        f"{'Kernels' if several else 'Kernel'} {names} changed: {change_text(change, several)}{line}.", found.place
    )


def _tell_removed(explained: Explained) -> Iterable[Told]:
    removed = _difference(explained).removed
    names = listed([quoted(kernel.state.name) for kernel in removed], _NAMED)
    verb = "is" if len(removed) == 1 else "are"
    yield Told(f"{plural(len(removed), 'Kernel')} {names} of the earlier build {verb} gone.", removed[0].state.defined)


def _tell_options(explained: Explained) -> Iterable[Told]:
    build = explained.build
    for option in _difference(explained).options:
        place = blame.of_option(build, option.name, option.new).place
        yield Told(f"Option {quoted(option.name)} went from {option.old} to {option.new}{where(build, place)}.", place)


def _tell_block_dim(explained: Explained) -> Iterable[Told]:
    old, new = _targets(explained)
    yield Told(
        f"The same kernels were built for block dimension {new.event.block_dim}; they had been built for "
        f"{old.event.block_dim}.",
        new.event.place,
    )


def _tell_device(explained: Explained) -> Iterable[Told]:
    old, new = _targets(explained)
    yield Told(
        f"The same kernels were built for {new.event.device}; they had been built for {old.event.device}.",
        new.event.place,
    )


def _targets(explained: Explained) -> tuple[Build, Build]:
    assert explained.before is not None
    return explained.before, explained.build


def _tell_miss(explained: Explained) -> Iterable[Told]:
    reason = why_missed(explained)
    yield Told(f"Nothing differs from an earlier build, yet it was compiled again: {reason.text}.", reason.place)


def _tell_reload(explained: Explained) -> Iterable[Told]:
    build, difference = explained.build, explained.difference
    what = "it had been loaded before"
    if difference is not None and difference.kernels_differ:
        names = listed([quoted(name) for name in flipping(difference)], _NAMED)
        what = f"{names} went back to what it had been at an earlier load"
    elif difference is not None and difference.options:
        names = listed([quoted(option.name) for option in difference.options], _NAMED)
        what = f"option {names} went back to what it had been at an earlier load"
    yield Told(f"Loaded again from the cache: {what}.", _flipped_at(explained) or build.event.place)


def _flipped_at(explained: Explained) -> Place | None:
    """Return the line that put an option back, where nothing but options flipped."""
    if explained.difference is not None and explained.difference.kernels_differ:
        return None
    places = [blame.of_option(explained.build, option.name, option.new).place for option in explained.options]
    return next((place for place in places if place is not None), None)


def flipping(difference: Difference) -> list[str]:
    """Return the names of the kernels in which two loads differ."""
    kernels: list[Kernel] = [
        *(added.kernel for added in difference.added),
        *(kept.new for kept in difference.kept),
        *(changed.new for changed in difference.changed),
        *difference.removed,
    ]
    return list(dict.fromkeys(kernel.state.name for kernel in kernels))


def _tell_replay(explained: Explained) -> Iterable[Told]:
    error = explained.build.event.error or {}
    kernel, place = error.get("kernel"), error.get("defined")
    place = place if isinstance(place, Place) else None
    whose = f" of kernel {quoted(str(kernel))}{where(explained.build, place)}" if kernel else ""
    yield Told(f"The build{whose} had failed before, and Warp raised that error again without building.", place)


def _tell_skipped(explained: Explained) -> Iterable[Told]:
    yield Told("The same had been built ahead of time before, so nothing was left to do.", explained.build.event.place)


def _tell_unknown(explained: Explained) -> Iterable[Told]:
    before = explained.before
    old = before.hash[:7] if before and before.hash else "not known"
    new = explained.build.hash[:7] if explained.build.hash else "not known"
    yield Told(f"The module's content changed (hash {old} before, {new} now), and the recording does not show in what.")


_TELL: Final[dict[str, Callable[[Explained], Iterable[Told]]]] = {
    "overload_added": _tell_overloads,
    "kernel_added": _tell_added,
    "kernel_kept": _tell_kept,
    "kernel_changed": _tell_changed,
    "kernel_removed": _tell_removed,
    "option_changed": _tell_options,
    "block_dim": _tell_block_dim,
    "device": _tell_device,
    "cache_miss": _tell_miss,
    "reload": _tell_reload,
    "error_replayed": _tell_replay,
    "aot_skipped": _tell_skipped,
    "unknown": _tell_unknown,
}

__all__ = ["Blame", "Told", "at", "captured_values", "flipping", "holders_text", "told", "types_text", "where"]
