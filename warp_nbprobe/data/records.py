"""The wire as the host reads it: every line a record, indexed, with what could not be read counted."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from warp_nbprobe.data.decode import KINDS as _KINDS
from warp_nbprobe.data.decode import WireError, load_object, record_of
from warp_nbprobe.data.lines import (
    Assign,
    Building,
    Call,
    CellBegin,
    CellEnd,
    CodeBegin,
    CodeEnd,
    Event,
    Footer,
    Header,
    LogLine,
    NoWarp,
    Place,
    ProbeTime,
    Runtime,
    Signature,
    Trouble,
    WarpImport,
)
from warp_nbprobe.data.lines_inputs import (
    Define,
    Function,
    Inputs,
    KernelState,
    Loop,
    ModuleMade,
    OptionMissed,
    Overload,
    Refused,
    Rehash,
    Source,
    Stale,
    Struct,
    Taped,
    UserFile,
)
from warp_nbprobe.data.lines_rehearsal import Assumed, CompilerTrace, Rehearsal

__all__ = [
    "Assign", "Assumed", "Building", "Call", "CellBegin", "CellEnd", "CodeBegin", "CodeEnd", "CompilerTrace", "Define",
    "Event",
    "Footer", "Function", "Header", "Inputs", "KernelState", "LogLine", "Loop", "ModuleMade", "NoWarp",
    "OptionMissed", "Order", "Overload", "Place", "ProbeTime", "Refused", "Rehash", "Rehearsal", "Runtime",
    "Signature",
    "Source", "Stale", "Struct", "Taped", "Trouble", "UserFile", "WarpImport", "Wire", "WireError", "decode_order",
    "encode_order", "known_only", "parse_wire", "read_wire",
]  # fmt: skip

Order = npt.NDArray[np.uint32]
"""Signature ids in order of launch."""

RawLine: TypeAlias = "dict[str, Any] | str"
"""A line as it stood on the wire; a text where it was no JSON object."""

WIRE_VERSION: Final = 1
_SIZES: Final = (1, 2, 4)
_CHUNK: Final = 2**20
_MOST_SIGNATURES: Final = 2**24  # they are numbered from 1, a line each
_MOST_LAUNCHES: Final = 2**28  # a file that claims more is damaged: that many take most of an hour


@dataclass(frozen=True, slots=True, eq=False)
class Wire:
    """All that one process wrote; ``raw`` keeps its lines with every key, but for those of the order."""

    header: Header | None
    warp: WarpImport | None
    no_warp: NoWarp | None
    runtime: Runtime | None
    cells: tuple[tuple[CellBegin, CellEnd | None], ...]
    code_begin: CodeBegin | None
    code_end: CodeEnd | None
    sources: dict[int, Source]
    structs: dict[int, Struct]
    functions: dict[int, Function]
    kernels: dict[int, KernelState]
    inputs: dict[int, Inputs]
    events: tuple[Event, ...]
    building: tuple[Building, ...]
    log: tuple[LogLine, ...]
    assigns: tuple[Assign, ...]
    calls: tuple[Call, ...]
    modules: tuple[ModuleMade, ...]
    defines: tuple[Define, ...]
    define_counts: dict[int, int]
    overloads: tuple[Overload, ...]
    rehashes: dict[str, Rehash]  # the latest of each module
    rehash_history: tuple[Rehash, ...]
    stales: tuple[Stale, ...]
    options_missed: tuple[OptionMissed, ...]
    loops: tuple[Loop, ...]
    files: tuple[UserFile, ...]
    refused: tuple[Refused, ...]
    taped: tuple[Taped, ...]
    rehearsals: tuple[Rehearsal, ...]
    assumed: tuple[Assumed, ...]
    compiler_traces: tuple[CompilerTrace, ...]
    signatures: dict[int, Signature]
    order: Order  # 0 where the signature's line was lost
    probes: tuple[ProbeTime, ...]
    probe_ns: int  # the latest known
    launch_ns: float | None
    troubles: tuple[Trouble, ...]
    footer: Footer | None
    truncated: bool
    unknown_lines: int
    raw: tuple[RawLine, ...]

    @property
    def pid(self) -> int | None:
        """The process that wrote it, if its first line arrived."""
        return self.header.pid if self.header else None


def read_wire(path: Path, *, strict: bool = False) -> Wire:
    """Read ``wire-PID.jsonl`` and, where the process left it, ``launches-PID.bin`` beside it.

    Raises ``OSError`` when the wire cannot be read; ``strict`` raises ``WireError`` at the first line that
    is not understood.
    """
    data = path.read_bytes()
    beside = path.with_name(path.name.replace("wire-", "launches-", 1)).with_suffix(".bin")
    launches = _mapped(beside) if beside != path else None
    whole, _, rest = data.rpartition(b"\n")
    text = whole.decode("utf-8", "replace")
    return parse_wire(text.split("\n") if whole else [], order=launches, cut=bool(rest), strict=strict)


def parse_wire(
    lines: Iterable[RawLine], *, order: bytes | None = None, cut: bool = False, strict: bool = False
) -> Wire:
    """Read a wire from its lines, texts or JSON objects.

    ``order`` is what ``launches-PID.bin`` holds; ``cut`` says that a last line was cut off.
    """
    reading = _Reading(strict)
    for line in lines:
        if not isinstance(line, str) or line.strip():
            reading.take(line)
    return reading.wire(order, cut)


def encode_order(order: Order) -> dict[str, Any]:
    """Return ``{"n", "zlib", "size"}``: the ids in as few bytes each as they need, compressed."""
    size = next(size for size in _SIZES if int(order.max(initial=0)) < 256**size)
    packed = zlib.compress(order.astype(f"<u{size}").tobytes(), 6)
    return {"n": len(order), "size": size, "zlib": base64.b64encode(packed).decode("ascii")}


def decode_order(line: dict[str, Any]) -> Order:
    """Return the order that ``{"n", "zlib"}`` holds; ``WireError`` when it does not hold ``n`` ids.

    ``size`` is the bytes of an id; the wire has four and does not say so.
    """
    count, size, text = line.get("n"), line.get("size", 4), line.get("zlib")
    if type(count) is not int or not 0 <= count <= _MOST_LAUNCHES or not isinstance(text, str):
        raise WireError("an order line without a count and its data")
    if type(size) is not int or size not in _SIZES:
        raise WireError(f"the order of launches has ids of {size!r} bytes")
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(base64.b64decode(text, validate=True), size * count + 1)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise WireError(f"the order of launches is damaged: {error}") from None
    if len(data) != size * count:
        raise WireError(f"the order of launches should hold {count} ids, it holds {len(data) // size}")
    return np.frombuffer(data, dtype=f"<u{size}").astype(np.uint32)


def _mapped(path: Path) -> bytes | None:
    """Return what a ``launches-PID.bin`` holds up to its zeros: most of a large file was never used."""
    chunks = []
    try:
        with open(path, "rb") as file:
            while (chunk := file.read(_CHUNK)) and any(chunk[-4:]):
                chunks.append(chunk)
    except FileNotFoundError:
        return None
    return b"".join([*chunks, chunk])


def _mapped_order(data: bytes) -> Order:
    """Return the ids up to the first zero, which no id is."""
    ids = np.frombuffer(data[: len(data) // 4 * 4], dtype="<u4")
    ends = np.flatnonzero(ids == 0)
    return ids[: ends[0] if len(ends) else len(ids)].astype(np.uint32)


def known_only(order: Order, signatures: Collection[int]) -> Order:
    """Return the order with 0 for each id whose signature is not there, so that no id is larger than those."""
    most = max(signatures, default=0)
    known = np.zeros(most + 2, dtype=bool)
    known[list(signatures)] = True
    return np.where(known[np.minimum(order, most + 1)], order, 0).astype(np.uint32)


class _Reading:
    """Gathers the lines of one wire by kind."""

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.by_kind: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
        self.counts: dict[int, int] = {}
        self.order: Order | None = None
        self.raw: list[RawLine] = []
        self.unknown = 0

    def take(self, given: RawLine) -> None:
        line = given
        try:
            line = load_object(given) if isinstance(given, str) else given
            kept = self._take(line)
        except ValueError as error:
            if self.strict:
                raise error if isinstance(error, WireError) else WireError(str(error)) from error
            self.unknown += 1
            kept = True
        if kept:
            self.raw.append(line)

    def _take(self, line: dict[str, Any]) -> bool:
        """Read one line; return whether it is one to keep as it is."""
        kind = line.get("kind")
        if kind == "order":
            self.order = decode_order(line)
            return False
        if kind == "define_counts":
            self.counts.update(_counts_of(line))
        elif isinstance(kind, str) and kind in self.by_kind:
            record = record_of(kind, line)
            if kind == "header" and record.wire != WIRE_VERSION:
                raise WireError(f"wire {record.wire} is not one this version reads")
            if kind == "signature" and not 0 < record.id <= _MOST_SIGNATURES:
                raise WireError(f"{record.id} is no number of a signature")
            self.by_kind[kind].append(record)
        else:
            raise WireError(f"a line of unknown kind {kind!r}")
        return True

    def _one(self, kind: str) -> Any:
        return self.by_kind[kind][0] if self.by_kind[kind] else None

    def _many(self, kind: str) -> tuple[Any, ...]:
        return tuple(self.by_kind[kind])

    def _by_id(self, kind: str) -> dict[int, Any]:
        return {record.id: record for record in self.by_kind[kind]}

    def _cells(self) -> tuple[tuple[CellBegin, CellEnd | None], ...]:
        ends: dict[int, CellEnd] = {end.cell: end for end in self.by_kind["cell_end"]}
        return tuple((begin, ends.get(begin.cell)) for begin in self.by_kind["cell_begin"])

    def _probe_ns(self) -> int:
        seen = [end.probe_ns for kind in ("cell_end", "probe", "footer") for end in self.by_kind[kind]]
        return max(seen, default=0)

    def wire(self, mapped: bytes | None, cut: bool) -> Wire:
        footer: Footer | None = self._one("footer")
        order = self.order
        if order is None:
            order = _mapped_order(mapped) if mapped else np.zeros(0, dtype=np.uint32)
        signatures = self._by_id("signature")
        calibrated = [probe.launch_ns for probe in self.by_kind["probe"] if probe.launch_ns is not None]
        return Wire(
            header=self._one("header"),
            warp=self._one("warp"),
            no_warp=self._one("no_warp"),
            runtime=self._one("runtime"),
            cells=self._cells(),
            code_begin=self._one("code_begin"),
            code_end=self._one("code_end"),
            sources=self._by_id("source"),
            structs=self._by_id("struct"),
            functions=self._by_id("function"),
            kernels=self._by_id("kernel"),
            inputs=self._by_id("inputs"),
            events=self._many("event"),
            building=self._many("building"),
            log=self._many("log"),
            assigns=self._many("assign"),
            calls=self._many("call"),
            modules=self._many("module"),
            defines=self._many("define"),
            define_counts=dict(self.counts),
            overloads=self._many("overload"),
            rehashes={rehash.module: rehash for rehash in self.by_kind["rehash"]},
            rehash_history=self._many("rehash"),
            stales=self._many("stale"),
            options_missed=self._many("option_missed"),
            loops=self._many("loop"),
            files=self._many("file"),
            refused=self._many("refused"),
            taped=self._many("taped"),
            rehearsals=self._many("rehearsal"),
            assumed=self._many("assumed"),
            compiler_traces=self._many("compiler_trace"),
            signatures=signatures,
            order=known_only(order, signatures),
            probes=self._many("probe"),
            probe_ns=self._probe_ns(),
            launch_ns=calibrated[-1] if calibrated else None,
            troubles=self._many("trouble"),
            footer=footer,
            truncated=footer is None or cut,
            unknown_lines=self.unknown,
            raw=tuple(self.raw),
        )


def _counts_of(line: dict[str, Any]) -> dict[int, int]:
    counts = line.get("counts")
    if not isinstance(counts, dict) or not all(type(n) is int for n in counts.values()):
        raise WireError("a define_counts line without counts")
    return {int(key): n for key, n in counts.items()}
