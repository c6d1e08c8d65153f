"""Whose code a kernel or a module is: the user's own, or a library's, which a user cannot change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from warp_nbprobe.data.records import KernelState, Place
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.contents import Build


@dataclass(frozen=True, slots=True)
class Ownership:
    """Tells code apart; ``own`` are installed packages that count as the user's."""

    own: tuple[str, ...] = ()

    def place(self, place: Place | None) -> bool:
        """Whether a line is the user's: a cell, a file of no installed package, or one of ``own``."""
        if place is None:
            return False
        return place.user or any(_is_in(place.file, package) for package in self.own)

    def kernel(self, state: KernelState) -> bool:
        """Whether a kernel is the user's; its file decides, so a generated one is its generator's."""
        if state.defined is not None and state.defined.user:
            return True
        names = (state.pymodule or "").split(".")
        mine = {package.replace("-", "_") for package in self.own}
        return any(".".join(names[:size]) in mine for size in range(1, len(names) + 1)) or self.place(state.defined)

    def kernels(self, states: Sequence[KernelState]) -> list[KernelState]:
        """Return those kernels that are the user's."""
        return [state for state in states if self.kernel(state)]

    def build(self, build: Build) -> bool:
        """Whether any kernel of a build is the user's."""
        kernels = build.wire.kernels
        ids = build.inputs.kernels if build.inputs else ()
        return any(self.kernel(kernels[number]) for number in ids if number in kernels)


def _is_in(file: str, package: str) -> bool:
    folders = re.split(r"[\\/]", file)
    return package.replace("-", "_") in folders[:-1]


_STOCK = (
    ("warp.map", re.compile(r"^map_")),
    ("warp.fem", re.compile(r"^(warp\.(_src\.)?fem\b|.*\bfem_)")),
)


def package_of(explained: Explained) -> str:
    """Return the package that a module which is not the user's comes from, as a person knows it."""
    build = explained.build
    module = build.event.module
    for name, pattern in _STOCK:
        if pattern.match(module):
            return name
    if module.startswith("warp."):
        parts = module.removeprefix("warp.").removeprefix("_src.").split(".")
        return f"warp.{parts[0]}"
    for number in build.inputs.kernels if build.inputs else ():
        state = build.wire.kernels.get(number)
        if state is not None and state.pymodule:
            parts = state.pymodule.split(".")
            return f"warp.{parts[1 + (parts[1:2] == ['_src'])]}" if parts[0] == "warp" and len(parts) > 2 else parts[0]
    return module.partition(".")[0]


def module_of_user(explained: Explained, ownership: Ownership) -> bool:
    """Whether the module that an event built or loaded is the user's."""
    return ownership.build(explained.build)
