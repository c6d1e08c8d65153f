"""How far two arrays lie apart: the largest absolute and relative difference, and where it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warp_nbprobe.data.results import Part

Array = npt.NDArray[Any]

_EXACT: Final = 2.0**53  # beyond it a float64 no longer tells neighbouring whole numbers apart


@dataclass(frozen=True, slots=True)
class Apart:
    """The largest differences between two parts. ``beyond`` counts the elements that are not within tolerance."""

    largest_abs: float
    largest_rel: float
    at: str  # of the largest absolute difference: [3, 5]
    baseline: str
    candidate: str
    beyond: int
    compared: int


def apart(old: Part, new: Part, *, rtol: float, atol: float) -> Apart | None:
    """Compare two parts of one shape over the elements that both kept; ``None`` where none are."""
    ours, theirs, positions = _shared(old, new)
    if not len(positions):
        return None
    absolute = _absolute(ours, theirs)
    size = np.abs(ours.astype(np.complex128 if ours.dtype.kind == "c" else np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(absolute == 0, 0.0, absolute / size)
        allowed = np.where(np.isfinite(size), atol + rtol * size, atol)
    worst = int(np.argmax(absolute))
    return Apart(
        largest_abs=float(absolute[worst]),
        largest_rel=float(np.max(np.where(np.isnan(relative), np.inf, relative))),
        at=_index_text(old, int(positions[worst])),
        baseline=_value_text(ours[worst]),
        candidate=_value_text(theirs[worst]),
        beyond=int(np.count_nonzero(absolute > allowed)),
        compared=len(positions),
    )


def _shared(old: Part, new: Part) -> tuple[Array, Array, npt.NDArray[np.int64]]:
    """Return the values that both parts kept, and where they stand."""
    if old.kept == new.kept:
        return old.values, new.values, old.positions
    positions, ours, theirs = np.intersect1d(old.positions, new.positions, return_indices=True)
    return old.values[ours], new.values[theirs], positions


def _absolute(ours: Array, theirs: Array) -> npt.NDArray[np.float64]:
    """Return the absolute differences; two NaN or two equal infinities do not differ, one alone is endless."""
    whole = ours.dtype.kind in "biu" and theirs.dtype.kind in "biu"
    if whole and max(_most(ours), _most(theirs)) > _EXACT:
        exact = [abs(int(a) - int(b)) for a, b in zip(ours.tolist(), theirs.tolist(), strict=True)]
        return np.array([float(value) for value in exact])
    kind = np.complex128 if "c" in (ours.dtype.kind, theirs.dtype.kind) else np.float64
    first, second = ours.astype(kind), theirs.astype(kind)
    with np.errstate(invalid="ignore", over="ignore"):
        found = np.abs(first - second)
    same = (first == second) | (np.isnan(first) & np.isnan(second))
    return np.where(same, 0.0, np.where(np.isnan(found), np.inf, found))


def _most(values: Array) -> float:
    return max(abs(float(values.max(initial=0))), abs(float(values.min(initial=0))))


def _index_text(part: Part, position: int) -> str:
    if not part.shape:
        return ""
    return f"[{', '.join(str(int(at)) for at in np.unravel_index(position, part.shape))}]"


def _value_text(value: Any) -> str:
    return str(bool(value)) if value.dtype.kind == "b" else f"{value:.9g}" if value.dtype.kind in "fc" else str(value)
