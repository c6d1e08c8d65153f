"""What a child is told: to rehearse for a GPU that is not there, to collect its compiler's trace, to stay isolated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

_CHILD: Final = Path(__file__).resolve().parents[1] / "child"
_TEXTS: Final = ("rehearsal", "rehearsal_builds", "rehearsal_answers")

ARCHS_VARIABLE: Final = "WARP_NBPROBE_REHEARSE"
ONLY_VARIABLE: Final = "WARP_NBPROBE_REHEARSE_ONLY"
TRACE_VARIABLE: Final = "WARP_NBPROBE_TRACE"
ISOLATE_VARIABLE: Final = "WARP_NBPROBE_ISOLATE"


def child_environment(archs: Sequence[str], *, only: bool, trace: bool, isolate: bool) -> dict[str, str]:
    """Return the environment variables that a child reads; empty for an ordinary run."""
    # A GPU that is there is left alone: nothing in a rehearsed program may find it beside the one that is not there.
    found = {ARCHS_VARIABLE: ",".join(archs), "CUDA_VISIBLE_DEVICES": ""} if archs else {}
    if archs and only:
        found[ONLY_VARIABLE] = "1"
    if trace:
        found[TRACE_VARIABLE] = "1"
    if isolate:
        found[ISOLATE_VARIABLE] = "1"
    return found


def rehearsal_arguments(environment: Mapping[str, str]) -> list[object]:
    """Return the further arguments of the launcher's ``join``, for a kernel that ours did not start."""
    archs = environment.get(ARCHS_VARIABLE)
    if not archs:
        return []
    texts = tuple((_CHILD / f"{name}.py").read_text("utf-8") for name in _TEXTS)
    return [texts, archs, environment.get(ONLY_VARIABLE, "")]
