"""What a build is made of, numbered once per recording, so that two builds compare by a few bit operations.

Two levels. A *content* is all that Warp hashes of one kernel instance: builds share contents as long as nothing
in them changed. A *leaf* is one input of a hash (a kernel's own source, a function, a constant, a static value,
a struct, a type, an option, the block dimension, the device), counted once per module however many kernels
read it. Builds are sets of both, kept as integers with one bit per number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from warp_nbprobe.data.model import Run
from warp_nbprobe.data.records import Event, Inputs, KernelState, Wire
from warp_nbprobe.explain.parts import Part, Value, parts_of

Slot = tuple[str, str]
"""What a leaf is the value of: its kind and name."""


@dataclass(frozen=True, slots=True, eq=False)
class Build:
    """One event together with what was hashed for it."""

    run: Run
    seq: int
    wire: Wire
    event: Event
    inputs: Inputs | None
    contents: int = 0
    leaves: int = 0

    @property
    def hash(self) -> str | None:
        """The hash of the identity, from the event or from the hashing itself (under ``strip_hash``)."""
        return self.event.hash or (self.inputs.hash if self.inputs else None)

    @property
    def target(self) -> tuple[str | None, int | None]:
        """What it was built for: device and block dimension."""
        return self.event.device, self.event.block_dim

    @property
    def identity(self) -> tuple[str, object, str | None, int | None]:
        """What Warp caches it under; an unknown hash makes it equal to no other."""
        known: object = self.hash or ((self.contents, self.leaves) if self.inputs else self)
        return self.event.module, known, self.event.device, self.event.block_dim


@dataclass(slots=True)
class Catalog:
    """Numbers leaves and contents over all wires of a recording."""

    _leaf_numbers: dict[tuple[Slot, str], int] = field(default_factory=dict)
    _slots: list[Slot] = field(default_factory=list)
    _content_numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    _content_leaves: list[int] = field(default_factory=list)
    _by_wire: dict[Wire, dict[int, int]] = field(default_factory=dict)
    _option_leaves: dict[tuple[str, str], int] = field(default_factory=dict)

    def build(self, run: Run, seq: int, wire: Wire, event: Event) -> Build:
        """Return the event as a build; without inputs on the wire it has no contents."""
        inputs = wire.inputs.get(event.inputs) if event.inputs is not None else None
        if inputs is None:
            return Build(run, seq, wire, event, None)
        numbers = self._by_wire.setdefault(wire, {})
        contents = leaves = 0
        for state_id in inputs.kernels:
            number = numbers.get(state_id)
            if number is None:
                state = wire.kernels.get(state_id)
                if state is None:  # its line was damaged: the build is told apart by what is left
                    continue
                number = numbers[state_id] = self._content(wire, state)
            contents |= 1 << number
            leaves |= self._content_leaves[number]
        leaves |= self._leaf(("device", ""), event.device or "")
        leaves |= self._leaf(("block_dim", ""), str(event.block_dim))
        for name, text in inputs.options.items():
            if name != "block_dim":
                leaves |= self._leaf(("option", name), str(text))
        return Build(run, seq, wire, event, inputs, contents, leaves)

    def states(self, build: Build, contents: int) -> list[KernelState]:
        """Return one kernel state of the build for each of ``contents``, in the order of the hash."""
        numbers = self._by_wire.get(build.wire, {})
        found: list[KernelState] = []
        for state_id in build.inputs.kernels if build.inputs else ():
            number = numbers.get(state_id)
            if number is not None and contents >> number & 1:
                contents &= ~(1 << number)
                found.append(build.wire.kernels[state_id])
        return found

    def number(self, build: Build, state: KernelState) -> int:
        """Return the number of the content that ``state`` has."""
        numbers = self._by_wire.setdefault(build.wire, {})
        if state.id not in numbers:
            numbers[state.id] = self._content(build.wire, state)
        return numbers[state.id]

    def difference(self, one: Build, other: Build) -> int:
        """Return how many inputs differ: a changed one counts once, like one that came or went."""
        counts: dict[Slot, list[int]] = {}
        for side, only in enumerate((one.leaves & ~other.leaves, other.leaves & ~one.leaves)):
            for number in bits(only):
                counts.setdefault(self._slots[number], [0, 0])[side] += 1
        return sum(max(pair) for pair in counts.values())

    def _content(self, wire: Wire, state: KernelState) -> int:
        parts = parts_of(wire, state)
        key = state.key or state.name
        known = state.hash or "\n".join(f"{part}={value.token}" for part, value in parts.items())
        number = self._content_numbers.setdefault((key, known), len(self._content_numbers))
        if number == len(self._content_leaves):
            self._content_leaves.append(self._leaves_of(key, parts))
        return number

    def _leaves_of(self, key: str, parts: dict[Part, Value]) -> int:
        own: list[str] = []
        leaves = 0
        for part, value in parts.items():
            if part.kind in ("source", "arguments", "decorator") and not part.holder:
                own.append(f"{part.name}={value.token}")
            elif part.kind == "constant":
                leaves |= self._leaf(("constant", part.name), value.token)
            elif part.kind == "type":
                leaves |= self._leaf(("type", value.token), "")
            else:
                leaves |= self._leaf((part.kind, f"{part.holder}.{part.name}"), value.token)
        return leaves | self._leaf(("kernel", key), "\n".join(own))

    def _leaf(self, slot: Slot, token: str) -> int:
        number = self._leaf_numbers.get((slot, token))
        if number is None:
            number = self._leaf_numbers[slot, token] = len(self._slots)
            self._slots.append(slot)
        return 1 << number


def bits(mask: int) -> Iterator[int]:
    """Yield the numbers whose bits are set, in ascending order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
