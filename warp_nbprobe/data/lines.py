"""One frozen dataclass per kind of wire line; docs/wire.md says what each field means.

Field names are those of the wire. A field without a default must be on the line (readers that are not
strict count a line that lacks one); JSON arrays become tuples, JSON objects dicts, places ``Place``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Table = dict[str, Any]
"""A nested record; decode.py says what may stand in it."""

TextTable = dict[str, str]
"""A JSON object whose keys are names."""

Texts = tuple[str, ...]
Ints = tuple[int, ...]
Tables = tuple[Table, ...]
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of code. ``cell`` is the ordinal of an executed cell, not the number its notebook shows."""

    file: str
    line: int
    cell: int | None = None
    user: bool = True


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a wire: the process, its machine, and how its clock relates to the wall's."""

    wire: int
    pid: int
    t: int
    time: float
    ppid: int | None = None
    python: str | None = None
    executable: str | None = None
    platform: str | None = None
    argv: Texts = ()
    cwd: str | None = None
    machine: Table = field(default_factory=dict)
    env: TextTable = field(default_factory=dict)
    cell: int | None = None  # of a forked process: the cell that was running


@dataclass(frozen=True, slots=True)
class WarpImport:
    """Warp was imported; ``hooks`` says of each hook point ``ok`` or why it is missing."""

    t: int
    version: str
    t0: int | None = None
    path: str | None = None
    hooks: TextTable = field(default_factory=dict)
    probe_ns: int = 0  # what it took to attach


@dataclass(frozen=True, slots=True)
class NoWarp:
    """``import warp`` failed."""

    t: int
    error: str
    missing: bool = False
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Runtime:
    """What ``wp.init`` found."""

    t: int
    devices: Tables = ()
    toolkit: str | None = None
    driver: str | None = None
    cache_dir: str | None = None
    environment: TextTable = field(default_factory=dict)  # names beginning WARP_CACHE, as they were then


@dataclass(frozen=True, slots=True)
class CodeBegin:
    """A command's own code begins: its start-up hook has ended."""

    t: int


@dataclass(frozen=True, slots=True)
class CodeEnd:
    """A command's own code has ended."""

    t: int


@dataclass(frozen=True, slots=True)
class CellBegin:
    """A cell begins; ``launches`` (a position in their order) and ``probe_ns`` are the counts so far."""

    t: int
    cell: int
    number: int | None = None
    phase: str = "main"
    name: str | None = None
    first_line: int = 1
    file: str | None = None
    source: str | None = None
    launches: int = 0
    probe_ns: int | None = None


@dataclass(frozen=True, slots=True)
class CellEnd:
    """A cell has ended. ``probe_ns`` counts from the start of the process."""

    t: int
    cell: int
    ok: bool = True
    ename: str | None = None
    evalue: str | None = None
    launches: int = 0
    probe_ns: int = 0


@dataclass(frozen=True, slots=True)
class Building:
    """A build or load has begun."""

    t: int
    module: str
    hash: str | None = None
    device: str | None = None
    block_dim: int | None = None
    thread: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """One build or load that has ended. A missing part is ``None``, with its reason in ``why``."""

    t0: int
    t1: int
    module: str
    status: str
    ms: float | None = None
    thread: int = 0
    hash: str | None = None
    device: str | None = None
    block_dim: int | None = None
    inputs: int | None = None
    kernels: Texts = ()
    hash_ms: float | None = None
    codegen_ms: float | None = None
    lto_ms: float | None = None
    native_ms: float | None = None
    header_ms: float | None = None
    load_ms: float | None = None
    why: TextTable = field(default_factory=dict)
    source_bytes: int | None = None
    lto: Tables | None = None
    sources: Tables = ()
    options: TextTable | None = None
    strip_hash: bool = False
    trigger: Table = field(default_factory=dict)
    launch: int | None = None
    place: Place | None = None
    aot: bool = False
    replayed: bool = False
    error: Table | None = None
    mismatch: Tables = ()
    cache_path: str | None = None
    holders: Table = field(default_factory=dict)
    rehearsed: bool = False
    source: str = "hook"


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line that Warp printed; ``shown`` is false when only the probe brought it about."""

    t: int
    text: str
    shown: bool = True
    thread: int = 0


@dataclass(frozen=True, slots=True)
class Assign:
    """An assignment to ``wp.config`` or to a module's options."""

    t: int
    what: str
    name: str
    module: str | None = None
    old: str | None = None
    new: str | None = None
    by_warp: bool = False
    in_place: bool = False
    place: Place | None = None
    thread: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """A call that matters later, such as ``force_load`` or ``clear_kernel_cache``."""

    t: int
    name: str
    t1: int | None = None
    args: TextTable = field(default_factory=dict)
    place: Place | None = None
    thread: int = 0
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Signature:
    """One kind of launch. A graph has no kernel, module, dim or dtypes."""

    id: int
    kind_of: str
    kid: int | None = None
    kernel: str | None = None
    key: str | None = None
    module: str | None = None
    dim: Ints | None = None
    device: str | None = None
    dtypes: Texts | None = None
    block_dim: int | None = None
    requested_block_dim: int | None = None
    adjoint: bool | None = None
    place: Place | None = None
    thread: int = 0


@dataclass(frozen=True, slots=True)
class ProbeTime:
    """The time the probe took so far; ``launch_ns`` is calibrated at the end."""

    t: int
    probe_ns: int
    launch_ns: float | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something the probe could not do."""

    t: int
    where: str
    error: str


@dataclass(frozen=True, slots=True)
class Footer:
    """The last line of a wire whose process ended in order."""

    t: int
    launches: int = 0
    probe_ns: int = 0
