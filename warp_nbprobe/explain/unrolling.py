"""How many iterations of loops were written out in the code of one kernel."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from warp_nbprobe.data.records import KernelState, Loop, Place, Wire
from warp_nbprobe.explain.parts import named_functions

_SMALL: Final = 7  # loops of fewer iterations than 8 are not on the wire


@dataclass(frozen=True, slots=True)
class Unrolled:
    """All written-out iterations, and the loop that has most of them by itself."""

    iterations: int
    loop: Loop | None
    place: Place | None


def unrolled(wire: Wire, state: KernelState) -> Unrolled:
    """Return what code generation unrolled for a kernel, its functions included.

    Iterations of nested loops are multiplied. Small inner loops are taken from the source where their bound
    stands there as a number.
    """
    loops = [loop for loop in wire.loops if (loop.module, loop.kernel) == (state.module, state.name)]
    total = sum(_iterations(text, first, file, loops) for text, first, file in _texts(wire, state))
    alone = sum(loop.iterations for loop in loops)
    largest = max(loops, key=lambda loop: loop.iterations, default=None)
    place = None
    if largest is not None:
        known = largest.file is not None and largest.line is not None
        place = largest.place or (Place(largest.file or "", largest.line or 0) if known else None)
    return Unrolled(max(total, alone), largest, place)


def _texts(wire: Wire, state: KernelState) -> Iterator[tuple[str, int, str]]:
    """Yield source, first line and file of the kernel and of every function that it reaches."""
    source = wire.sources.get(state.source) if state.source is not None else None
    if source is not None and state.defined is not None:
        yield source.text, state.defined.line, state.defined.file
    for _, function in named_functions(wire, state):
        for overload in function.overloads:
            place, number = overload.get("defined"), overload.get("source")
            text = wire.sources.get(number) if isinstance(number, int) else None
            if text is not None and isinstance(place, Place):
                yield text.text, place.line, place.file


def _iterations(text: str, first: int, file: str, loops: list[Loop]) -> int:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return 0
    counts = {loop.line - first + 1: loop.iterations for loop in loops if loop.line is not None and loop.file == file}
    return _count(tree, counts, 1, inside=False)


def _count(node: ast.AST, counts: dict[int, int], times: int, inside: bool) -> int:
    """Return the iterations below ``node``, each as often as the loops around it are written out."""
    total = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.For):
            own = counts.get(child.lineno) or (_literal_bound(child) if inside else 0)
            total += own * times + _count(child, counts, times * max(own, 1), inside or own > 0)
        else:
            total += _count(child, counts, times, inside)
    return total


def _literal_bound(loop: ast.For) -> int:
    call = loop.iter
    if not isinstance(call, ast.Call) or len(call.args) != 1 or not isinstance(call.args[0], ast.Constant):
        return 0
    bound = call.args[0].value
    return bound if isinstance(bound, int) and 0 < bound <= _SMALL else 0
