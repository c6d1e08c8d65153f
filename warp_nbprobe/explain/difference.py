"""What differs between a build and the earlier one it is compared with, kernel by kernel and option by option."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from warp_nbprobe.data.records import Place
from warp_nbprobe.explain.changes import Change, changes
from warp_nbprobe.explain.contents import Build, Catalog
from warp_nbprobe.explain.pairing import Kernel, pair, siblings


@dataclass(frozen=True, slots=True)
class Changed:
    """A kernel that is still there with other content."""

    old: Kernel
    new: Kernel
    changes: tuple[Change, ...]

    @property
    def text_only(self) -> bool:
        """Whether nothing but comments or blank lines changed."""
        return bool(self.changes) and all(change.text_only for change in self.changes)

    @property
    def hidden_only(self) -> bool:
        """Whether nothing but globals changed that the code does not read."""
        return bool(self.changes) and all(change.hidden for change in self.changes)

    @property
    def idle(self) -> bool:
        """Whether the program means the same as before."""
        return bool(self.changes) and all(change.hidden or change.text_only for change in self.changes)


@dataclass(frozen=True, slots=True)
class Added:
    """A kernel that came: ``beside`` is the specialisation of the same source that it stands beside."""

    kernel: Kernel
    kind: Literal["kernel", "overload"]
    beside: Kernel | None = None
    changes: tuple[Change, ...] = ()  # from `beside`, where there is one


@dataclass(frozen=True, slots=True)
class Kept:
    """A new version, with the older versions that are still built beside it."""

    new: Kernel
    olds: tuple[Kernel, ...]


@dataclass(frozen=True, slots=True)
class OptionChange:
    """A module option with another resolved value."""

    name: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class Difference:
    """All that differs between ``old`` and ``new``."""

    old: Build
    new: Build
    added: tuple[Added, ...] = ()
    kept: tuple[Kept, ...] = ()
    changed: tuple[Changed, ...] = ()
    removed: tuple[Kernel, ...] = ()
    options: tuple[OptionChange, ...] = ()

    @property
    def block_dims(self) -> bool:
        """Whether the block dimension differs."""
        return self.old.event.block_dim != self.new.event.block_dim

    @property
    def devices(self) -> bool:
        """Whether the device differs."""
        return self.old.event.device != self.new.event.device

    @property
    def statics_only(self) -> bool:
        """Whether all that changed in kernels are ``wp.static`` values, as when they depend on the block."""
        kernels = self.added or self.kept or self.removed
        return not kernels and all(
            change.part.kind == "static" for changed in self.changed for change in changed.changes
        )

    @property
    def kernels_differ(self) -> bool:
        """Whether any kernel came, went or changed."""
        return bool(self.added or self.kept or self.changed or self.removed)


def differ(catalog: Catalog, old: Build, new: Build) -> Difference:
    """Return what differs; kernels that are in both builds are looked at only where a new one has their key."""
    came = [Kernel.of(new.wire, state) for state in catalog.states(new, new.contents & ~old.contents)]
    gone = [Kernel.of(old.wire, state) for state in catalog.states(old, old.contents & ~new.contents)]
    keys = {kernel.key for kernel in came}
    stay = [Kernel.of(new.wire, state) for state in catalog.states_of_keys(new, new.contents & old.contents, keys)]
    kept = _kept(came, stay, {(id(kernel.wire), kernel.state.kid) for kernel in gone})
    versions = {item.new for item in kept}
    overloads = [kernel for kernel in came if kernel not in versions and _is_overload(kernel, [*stay, *gone], old)]
    rest = [kernel for kernel in came if kernel not in versions and kernel not in overloads]
    pairs, left, gone_left = pair(rest, gone)
    return Difference(
        old,
        new,
        added=(
            *(Added(kernel, "overload", *_beside(kernel, [*stay, *gone])) for kernel in overloads),
            *(Added(kernel, "kernel", *_beside(kernel, [*stay, *came])) for kernel in left),
        ),
        kept=tuple(kept),
        changed=tuple(Changed(before, now, changes(before, now)) for before, now in pairs),
        removed=tuple(gone_left),
        options=_option_changes(old, new),
    )


def _kept(came: Sequence[Kernel], stay: Sequence[Kernel], gone: set[tuple[int, int]]) -> list[Kept]:
    """Return the new versions beside which old ones stay. An object that merely changed is no new version."""
    found: list[Kept] = []
    for kernel in came:
        if (id(kernel.wire), kernel.state.kid) in gone:
            continue
        olds = tuple(
            old
            for old in stay
            if old.key == kernel.key
            and old.source != kernel.source
            and old.age < kernel.age
            and not siblings(old, kernel)
        )
        if olds:
            found.append(Kept(kernel, olds))
    return found


def _is_overload(kernel: Kernel, before: Sequence[Kernel], old: Build) -> bool:
    """Whether ``kernel`` is an instance for new types of a generic kernel that existed at the old build."""
    if kernel.state.parent is None:
        return False
    instances = [other for other in before if other.key == kernel.key]
    if instances:
        same_source = any(other.source == kernel.source for other in instances)
        return same_source and not any(other.state.args == kernel.state.args for other in instances)
    hashed = old.inputs.t if old.inputs else old.event.t0
    if old.wire is not kernel.wire:
        return False
    return any(
        define.t <= hashed
        and (define.kid == kernel.state.parent or _same_definition(define.key, define.defined, kernel))
        for define in kernel.wire.defines
    )


def _same_definition(key: str | None, defined: Place | None, kernel: Kernel) -> bool:
    return key == kernel.key and defined is not None and defined == kernel.state.defined


def _beside(kernel: Kernel, others: Iterable[Kernel]) -> tuple[Kernel | None, tuple[Change, ...]]:
    """Return the other instance of the same source that is most like ``kernel``, and how they differ."""
    same = [
        other for other in others if other is not kernel and other.key == kernel.key and other.source == kernel.source
    ]
    if not same:
        return None, ()
    closest = min(same, key=lambda other: (kernel.distance(other), -other.age))
    return closest, changes(closest, kernel)


def _option_changes(old: Build, new: Build) -> tuple[OptionChange, ...]:
    before = old.inputs.options if old.inputs else {}
    after = new.inputs.options if new.inputs else {}
    return tuple(
        OptionChange(name, before.get(name), after.get(name))
        for name in sorted(before.keys() | after.keys())
        if name != "block_dim" and before.get(name) != after.get(name)
    )
