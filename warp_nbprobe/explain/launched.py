"""Which of the kernels that were built a run really launched, at which block dimension, and from where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from warp_nbprobe.data.model import Run
from warp_nbprobe.data.records import KernelState, Place, Signature, Wire


@dataclass(frozen=True, slots=True, eq=False)
class Launched:
    """One kind of launch with how often it was made: 0 for one that was only recorded or captured."""

    wire: Wire
    signature: Signature
    count: int


@dataclass(slots=True)
class Launches:
    """The launches of one run, over all its processes."""

    run: Run
    made: list[Launched] = field(default_factory=list)
    _by_key: dict[tuple[str, str], list[Launched]] = field(default_factory=dict)
    _hashes: dict[tuple[Wire, int], set[str]] = field(default_factory=dict)
    _taped: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def of(cls, run: Run) -> Launches:
        """Return the launches of a run, counted and indexed."""
        found = cls(run)
        for wire in run.wires:
            found._read(wire)
        return found

    def _read(self, wire: Wire) -> None:
        most = max(wire.signatures, default=0)
        counts = np.bincount(wire.order, minlength=most + 1) if len(wire.order) else np.zeros(most + 1, dtype=int)
        for number, signature in wire.signatures.items():
            launched = Launched(wire, signature, int(counts[number]) if number < len(counts) else 0)
            self.made.append(launched)
            if signature.module is not None and signature.key is not None:
                self._by_key.setdefault((signature.module, signature.key), []).append(launched)
        for state in wire.kernels.values():
            for kid in (state.kid, state.parent):
                if kid is not None:
                    self._hashes.setdefault((wire, kid), set()).add(state.hash or "")
        for taped in wire.taped:
            if taped.module is not None and taped.key is not None:
                self._taped.add((taped.module, taped.key))

    @property
    def total(self) -> int:
        """How many launches were made."""
        return sum(launched.count for launched in self.made)

    @property
    def any(self) -> bool:
        """Whether anything was launched, or recorded to be launched."""
        return bool(self.made)

    def of_kernel(self, wire: Wire, state: KernelState, module: str) -> Iterator[Launched]:
        """Yield the launches that used this content of a kernel."""
        for launched in self._by_key.get((module, state.key or state.name), ()):
            if self._uses(launched, wire, state):
                yield launched

    def _uses(self, launched: Launched, wire: Wire, state: KernelState) -> bool:
        signature = launched.signature
        if launched.wire is wire and signature.kid is not None:
            if signature.kid == state.kid:
                return True
            known = self._hashes.get((wire, signature.kid))
            if known and (state.hash or "") not in known:
                return False  # the launch used another content of this key
        if state.parent is None and not signature.dtypes:
            return True
        types = tuple(type_ for name, type_ in state.args if name != "return")
        return not signature.dtypes or not types or signature.dtypes == types

    def block_dims(self, wire: Wire, state: KernelState, module: str) -> set[int | None]:
        """Return the block dimensions at which a kernel was launched."""
        return {launched.signature.block_dim for launched in self.of_kernel(wire, state, module)}

    def differentiated(self, modules: Iterable[str]) -> bool:
        """Whether a kernel of one of the modules was launched backwards or recorded on a tape."""
        wanted = set(modules)
        adjoint = any(made.signature.adjoint and made.signature.module in wanted for made in self.made)
        return adjoint or any(module in wanted for module, _ in self._taped)

    @property
    def taped(self) -> bool:
        """Whether the run recorded anything on a tape or launched anything backwards."""
        return bool(self._taped) or any(made.signature.adjoint for made in self.made)

    def at_place(self, place: Place | None) -> int:
        """Return how many launches were made from one line."""
        if place is None:
            return 0
        spot = (place.file, place.line, place.cell)
        return sum(
            made.count
            for made in self.made
            if made.signature.place is not None
            and (made.signature.place.file, made.signature.place.line, made.signature.place.cell) == spot
        )
