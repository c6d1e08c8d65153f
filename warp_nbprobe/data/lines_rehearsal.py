"""Lines that only a rehearsal, or a run with the compiler's trace, writes."""

from __future__ import annotations

from dataclasses import dataclass, field

from warp_nbprobe.data.lines import Place, Table, Texts


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The process rehearses for a GPU that is not there; ``error`` says why it cannot."""

    t: int
    archs: Texts = ()
    only: bool = False  # nothing was executed: kernels were built, launches recorded
    missing: Texts = ()  # questions that this Warp asks in a way that is not understood
    card: Table = field(default_factory=dict)  # facts of a typical one of that architecture, assumed
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Assumed:
    """A question that was answered without a GPU, at its first time."""

    t: int
    name: str
    value: str = ""
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class CompilerTrace:
    """What the compiler of CUDA told of one build: JSON in the Trace Event format, compressed and in base64."""

    t: int  # when the compiler began
    module: str
    zlib: str
    t1: int | None = None
    hash: str | None = None
    device: str | None = None
    block_dim: int | None = None
    thread: int = 0
    size: int | None = None
