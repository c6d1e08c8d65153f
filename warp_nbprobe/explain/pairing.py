"""Which kernel of the earlier build became which kernel of this one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from warp_nbprobe.data.records import KernelState, Wire
from warp_nbprobe.explain.parts import Part, Value, parts_of


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """One kernel instance of one build, with what was hashed of it."""

    wire: Wire
    state: KernelState
    parts: dict[Part, Value]

    @classmethod
    def of(cls, wire: Wire, state: KernelState) -> Kernel:
        """Return the kernel with its parts read."""
        return cls(wire, state, parts_of(wire, state))

    @property
    def key(self) -> str:
        """What Warp registers it under: two kernels of one key are versions or specialisations."""
        return self.state.key or self.state.name

    @property
    def source(self) -> str:
        """The text of its own source."""
        return self.parts[Part("source")].token

    @property
    def age(self) -> int:
        """Grows with every registration, so the newest version of a key has the greatest."""
        return self.state.parent if self.state.parent is not None else self.state.kid

    def distance(self, other: Kernel) -> int:
        """Return how many parts differ."""
        names = self.parts.keys() | other.parts.keys()
        return sum(token_of(self.parts, name) != token_of(other.parts, name) for name in names)


def token_of(parts: dict[Part, Value], name: Part) -> str | None:
    """Return what is hashed of a part, ``None`` when there is no such part."""
    value = parts.get(name)
    return value.token if value is not None else None


def pair(
    new: Sequence[Kernel], gone: Sequence[Kernel]
) -> tuple[list[tuple[Kernel, Kernel]], list[Kernel], list[Kernel]]:
    """Return ``(old, new)`` pairs of one kernel's versions, then what is left of new and of gone.

    The same kernel object is always a pair. Else kernels of one key are paired by fewest differences, those
    with the same argument types first.
    """
    left_new, left_gone = list(new), list(gone)
    pairs: list[tuple[Kernel, Kernel]] = []

    def take(old: Kernel, now: Kernel) -> None:
        pairs.append((old, now))
        left_gone.remove(old)
        left_new.remove(now)

    by_kid = {(id(old.wire), old.state.kid): old for old in gone}
    for now in new:
        old = by_kid.get((id(now.wire), now.state.kid))
        if old is not None and old in left_gone and old.key == now.key:
            take(old, now)
    for key in sorted({now.key for now in left_new} & {old.key for old in left_gone}):
        candidates = sorted(
            (
                (now.state.args != old.state.args, now.distance(old), position, now, old)
                for position, (now, old) in enumerate(_product(left_new, left_gone, key))
            ),
            key=lambda candidate: candidate[:3],
        )
        for *_, now, old in candidates:
            if now in left_new and old in left_gone:
                take(old, now)
    return pairs, left_new, left_gone


def _product(new: Iterable[Kernel], gone: Sequence[Kernel], key: str) -> list[tuple[Kernel, Kernel]]:
    olds = [old for old in gone if old.key == key]
    return [(now, old) for now in new if now.key == key for old in olds]


def siblings(one: Kernel, other: Kernel) -> bool:
    """Whether two kernels of one key stand beside each other in one text: branches of a factory, no versions.

    A re-run cell is another cell; top-level code that defines a name twice replaces the first.
    """
    first, second = one.state.defined, other.state.defined
    if first is None or second is None or not (one.state.in_function and other.state.in_function):
        return False
    return (first.file, first.cell) == (second.file, second.cell) and first.line != second.line


def old_versions(kernels: Sequence[Kernel], *, same_arguments: bool = False) -> list[tuple[Kernel, Kernel]]:
    """Return ``(old, newest)`` for each kernel beside which a newer one of the same key has another source."""
    found: list[tuple[Kernel, Kernel]] = []
    groups: dict[str, list[Kernel]] = {}
    for kernel in kernels:
        groups.setdefault(kernel.key, []).append(kernel)
    for group in groups.values():
        if len(group) < 2:
            continue
        for old in group:
            newer = [
                now
                for now in group
                if now.age > old.age
                and now.source != old.source
                and not siblings(old, now)
                and (not same_arguments or now.state.args == old.state.args)
            ]
            if newer:
                found.append((old, max(newer, key=lambda now: now.age)))
    return found
