"""What a child is told when it is to rehearse for a GPU that is not there, or to collect its compiler's trace."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from warp_nbprobe.errors import RehearsalError

_CHILD: Final = Path(__file__).resolve().parents[1] / "child"
_TEXTS: Final = ("rehearsal", "rehearsal_builds", "rehearsal_answers")

ARCHS_VARIABLE: Final = "WARP_NBPROBE_REHEARSE"
ONLY_VARIABLE: Final = "WARP_NBPROBE_REHEARSE_ONLY"
TRACE_VARIABLE: Final = "WARP_NBPROBE_TRACE"

ARCHS: Final = (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)
"""Architectures that NVIDIA's compilers name; whether the child's Warp knows one, it says itself."""

_SHAPE: Final = re.compile(r"(?:sm_|compute_)?(\d{2,3})")


def architectures(asked: str | Sequence[str]) -> tuple[str, ...]:
    """Return architectures as ``sm_90``, in the order asked for, each once.

    ``asked`` is one text with commas between, or a list; ``90`` and ``sm_90`` are the same.

    Raises:
        RehearsalError: One that is none, named, with those there are.
    """
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


def child_environment(archs: Sequence[str], *, only: bool, trace: bool) -> dict[str, str]:
    """Return the environment variables that a child reads; empty for an ordinary run."""
    found = {ARCHS_VARIABLE: ",".join(archs)} if archs else {}
    if archs and only:
        found[ONLY_VARIABLE] = "1"
    if trace:
        found[TRACE_VARIABLE] = "1"
    return found


def rehearsal_arguments(environment: Mapping[str, str]) -> list[object]:
    """Return the further arguments of the launcher's ``join``, for a kernel that ours did not start."""
    archs = environment.get(ARCHS_VARIABLE)
    if not archs:
        return []
    texts = tuple((_CHILD / f"{name}.py").read_text("utf-8") for name in _TEXTS)
    return [texts, archs, environment.get(ONLY_VARIABLE, "")]
