"""What a build is made of, numbered once per recording, so that two builds compare by a few bit operations.

Two levels. A *content* is all that Warp hashes of one kernel instance: builds share contents as long as nothing
in them changed. A *leaf* is one input of a hash (a kernel's own source, a function, a constant, a static value,
a struct, a type, an option, the block dimension, the device), counted once per module however many kernels
read it. Builds are sets of both, kept as integers with one bit per number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from warp_nbprobe.data.model import Run
from warp_nbprobe.data.records import Event, Inputs, KernelState, Wire
from warp_nbprobe.explain.parts import token

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
class _Held:
    """What the latest hash of a module held: how often each content and leaf, and the same as bits.

    Two builds that follow each other share most of it, so each is made from the one before.
    """

    ids: frozenset[int] = frozenset()
    contents: int = 0
    leaves: int = 0
    content_counts: dict[int, int] = field(default_factory=dict)
    leaf_counts: dict[int, int] = field(default_factory=dict)

    def add(self, content: int, leaves: frozenset[int], times: int) -> None:
        """Take a kernel's content in, or, with -1, out."""
        count = self.content_counts[content] = self.content_counts.get(content, 0) + times
        self.contents = _with_bit(self.contents, content, count)
        for leaf in leaves:
            count = self.leaf_counts[leaf] = self.leaf_counts.get(leaf, 0) + times
            if count == (times > 0):  # it came, or it went
                self.leaves = _with_bit(self.leaves, leaf, count)


def _with_bit(mask: int, number: int, count: int) -> int:
    bit = 1 << number
    return mask | bit if count > 0 else mask & ~bit


@dataclass(slots=True)
class Catalog:
    """Numbers leaves and contents over all wires of a recording."""

    _leaf_numbers: dict[tuple[Slot, object], int] = field(default_factory=dict)
    _slots: list[Slot] = field(default_factory=list)
    _content_numbers: dict[tuple[str, object], int] = field(default_factory=dict)
    _content_leaves: list[frozenset[int]] = field(default_factory=list)
    _by_wire: dict[Wire, dict[int, int]] = field(default_factory=dict)
    _held_by: dict[tuple[Wire, str], _Held] = field(default_factory=dict)
    _functions: dict[tuple[Wire, int], frozenset[int]] = field(default_factory=dict)

    def build(self, run: Run, seq: int, wire: Wire, event: Event) -> Build:
        """Return the event as a build; without inputs on the wire it has no contents."""
        inputs = wire.inputs.get(event.inputs) if event.inputs is not None else None
        if inputs is None:
            return Build(run, seq, wire, event, None)
        held = self._held_by.setdefault((wire, event.module), _Held())
        known = wire.kernels.keys()
        ids = frozenset(number for number in inputs.kernels if number in known)  # a damaged line may be missing
        for state_id in ids - held.ids:
            number = self._content_of(wire, wire.kernels[state_id])
            held.add(number, self._content_leaves[number], 1)
        for state_id in held.ids - ids:
            number = self._content_of(wire, wire.kernels[state_id])
            held.add(number, self._content_leaves[number], -1)
        held.ids = ids
        return Build(run, seq, wire, event, inputs, held.contents, held.leaves | self._setting(event, inputs))

    def _setting(self, event: Event, inputs: Inputs) -> int:
        """Return the leaves that belong to no kernel: device, block dimension, options."""
        mask = 1 << self._leaf(("device", ""), event.device or "")
        mask |= 1 << self._leaf(("block_dim", ""), str(event.block_dim))
        for name, text in inputs.options.items():
            if name != "block_dim":
                mask |= 1 << self._leaf(("option", name), str(text))
        return mask

    def states(self, build: Build, contents: int) -> list[KernelState]:
        """Return one kernel state of the build for each of ``contents``, in the order of the hash."""
        numbers = self._by_wire.get(build.wire, {})
        found: list[KernelState] = []
        wanted = set(bits(contents))
        for state_id in build.inputs.kernels if build.inputs and wanted else ():
            number = numbers.get(state_id)
            if number in wanted:
                wanted.discard(number)
                found.append(build.wire.kernels[state_id])
        return found

    def states_of_keys(self, build: Build, contents: int, keys: set[str]) -> list[KernelState]:
        """Return what ``states`` does, of kernels with one of ``keys`` only."""
        numbers, kernels = self._by_wire.get(build.wire, {}), build.wire.kernels
        found: dict[int, KernelState] = {}
        for state_id in build.inputs.kernels if build.inputs and keys else ():
            state = kernels.get(state_id)
            if state is not None and (state.key or state.name) in keys and contents >> numbers[state_id] & 1:
                found.setdefault(numbers[state_id], state)
        return list(found.values())

    def _content_of(self, wire: Wire, state: KernelState) -> int:
        numbers = self._by_wire.setdefault(wire, {})
        number = numbers.get(state.id)
        if number is None:
            number = numbers[state.id] = self._content(wire, state)
        return number

    def difference(self, one: Build, other: Build) -> int:
        """Return how many inputs differ: a changed one counts once, like one that came or went."""
        counts: dict[Slot, list[int]] = {}
        for side, only in enumerate((one.leaves & ~other.leaves, other.leaves & ~one.leaves)):
            for number in bits(only):
                counts.setdefault(self._slots[number], [0, 0])[side] += 1
        return sum(max(pair) for pair in counts.values())

    def _content(self, wire: Wire, state: KernelState) -> int:
        key = state.key or state.name
        leaves = self._leaves_of(wire, state, key)
        known = (key, state.hash or leaves)  # without a hash its leaves tell it apart
        number = self._content_numbers.setdefault(known, len(self._content_numbers))
        if number == len(self._content_leaves):
            self._content_leaves.append(leaves)
        return number

    def _leaves_of(self, wire: Wire, state: KernelState, key: str) -> frozenset[int]:
        source = wire.sources.get(state.source) if state.source is not None else None
        own = (source.text if source else state.source, state.args, str(state.options) if state.options else "")
        leaves = {self._leaf(("kernel", key), own)}
        leaves |= self._read(state.constants, state.statics, state.types, "")
        leaves |= self._structs(wire, state.structs)
        for function in state.functions:
            leaves |= self._function(wire, function)
        return frozenset(leaves)

    def _read(self, constants: Mapping[str, Any], statics: Mapping[str, Any], types: Any, holder: str) -> set[int]:
        leaves = {self._leaf(("constant", name), token(value)) for name, value in constants.items()}
        leaves |= {self._leaf(("static", f"{holder}.{name}"), token(value)) for name, value in statics.items()}
        leaves |= {self._leaf(("type", str(name)), "") for name in types or ()}
        return leaves

    def _structs(self, wire: Wire, numbers: Iterable[int]) -> set[int]:
        known = (wire.structs[number] for number in numbers if number in wire.structs)
        return {self._leaf(("struct", struct.name), (struct.fields, struct.hash)) for struct in known}

    def _function(self, wire: Wire, number: int) -> frozenset[int]:
        """Return the leaves of a function and of all that it reaches."""
        known = self._functions.get((wire, number))
        if known is not None:
            return known
        leaves: set[int] = set()
        waiting, seen = [number], set[int]()
        while waiting:
            one = waiting.pop()
            function = wire.functions.get(one)
            if function is None or one in seen:
                continue
            seen.add(one)
            for overload in function.overloads:
                leaves |= self._overload(wire, function.name, overload)
                waiting.extend(overload.get("functions") or ())
        self._functions[wire, number] = found = frozenset(leaves)
        return found

    def _overload(self, wire: Wire, name: str, overload: Mapping[str, Any]) -> set[int]:
        source = wire.sources.get(overload.get("source", -1))
        text = source.text if source else overload.get("source")
        args = str(overload.get("args"))
        leaves = {self._leaf(("function", f"{name}({args})"), (text, overload.get("native")))}
        leaves |= self._read(
            overload.get("constants") or {}, overload.get("statics") or {}, overload.get("types"), name
        )
        return leaves | self._structs(wire, overload.get("structs") or ())

    def _leaf(self, slot: Slot, value: object) -> int:
        number = self._leaf_numbers.get((slot, value))
        if number is None:
            number = self._leaf_numbers[slot, value] = len(self._slots)
            self._slots.append(slot)
        return number


def bits(mask: int) -> Iterator[int]:
    """Yield the numbers whose bits are set, in ascending order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
