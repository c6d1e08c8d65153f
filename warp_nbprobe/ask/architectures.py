"""CUDA architectures as a person names them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from warp_nbprobe.errors import RehearsalError, UsageError

ARCHS: Final = (75, 80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121)
"""Architectures that NVIDIA's compilers name; whether the child's Warp knows one, it says itself."""

_SHAPE: Final = re.compile(r"(?:sm_|compute_)?(\d{2,3})")


def architectures(asked: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return architectures as ``sm_90``, in the order asked for, each once.

    ``asked`` is one text with commas between, or a list; ``90`` and ``sm_90`` are the same. None: no rehearsal.

    Raises:
        RehearsalError: One that is none, named, with those there are.
    """
    if asked is None:
        return ()
    if not isinstance(asked, str | Sequence):
        raise UsageError(f"rehearse must be an architecture such as 'sm_90', or a list of them, not {asked!r}.")
    words = asked.split(",") if isinstance(asked, str) else [str(word) for word in asked]
    found: dict[str, None] = {}
    for word in filter(None, (word.strip() for word in words)):
        match = _SHAPE.fullmatch(word)
        if match is None or int(match[1]) not in ARCHS:
            known = ", ".join(f"sm_{arch}" for arch in ARCHS)
            raise RehearsalError(word, f"there is no such architecture. There are: {known}.")
        found[f"sm_{match[1]}"] = None
    if not found:
        raise RehearsalError("nothing", "name an architecture, such as sm_90.")
    return tuple(found)
