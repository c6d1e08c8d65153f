"""The wire lines that tell what a build was made of, and how that changed; the others are in lines.py."""

from __future__ import annotations

from dataclasses import dataclass, field

from warp_nbprobe.data.lines import Ints, Pairs, Place, Table, Tables, Texts, TextTable


@dataclass(frozen=True, slots=True)
class Source:
    """A source text; equal ``tree`` means that two texts differ only in comments and layout."""

    id: int
    text: str
    tree: str | None = None


@dataclass(frozen=True, slots=True)
class Struct:
    """A Warp struct as it entered a hash."""

    id: int
    name: str
    module: str | None = None
    hash: str | None = None
    fields: Pairs = ()
    defined: Place | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """A Warp function as it entered a hash; each of ``overloads`` is a table with a ``defined`` place."""

    id: int
    name: str
    key: str | None = None
    module: str | None = None
    overloads: Tables = ()


@dataclass(frozen=True, slots=True)
class KernelState:
    """One state of one kernel instance: what Warp hashes of it and where it was defined."""

    id: int
    kid: int
    name: str
    module: str
    parent: int | None = None
    key: str | None = None
    hash: str | None = None
    source: int | None = None
    args: Pairs = ()
    options: TextTable = field(default_factory=dict)
    constants: Table = field(default_factory=dict)
    statics: Table = field(default_factory=dict)
    types: Texts = ()
    structs: Ints = ()
    functions: Ints = ()
    captured: TextTable = field(default_factory=dict)
    hidden: Texts = ()
    defined: Place | None = None
    in_function: bool | None = None
    pymodule: str | None = None
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Inputs:
    """What went into one hash of a module; ``kernels`` holds ids of kernel states."""

    id: int
    t: int
    module: str
    block_dim: int | None = None
    hash: str | None = None
    kernels: Ints = ()
    options: TextTable = field(default_factory=dict)
    ms: float | None = None


@dataclass(frozen=True, slots=True)
class ModuleMade:
    """A module was created; ``copied`` are the options it took from ``warp.config`` then."""

    t: int
    module: str
    unique: bool = False
    copied: TextTable = field(default_factory=dict)
    place: Place | None = None
    stock: bool = False


@dataclass(frozen=True, slots=True)
class Define:
    """A kernel was registered: once per file, line, module and source."""

    id: int
    t: int
    kid: int
    name: str
    module: str | None = None  # a unique kernel's is not made yet
    key: str | None = None
    defined: Place | None = None
    unique: bool = False
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Overload:
    """A generic kernel got an instance for new types."""

    t: int
    kid: int
    name: str
    types: Texts = ()
    place: Place | None = None
    parent: int | None = None
    key: str | None = None
    module: str | None = None


@dataclass(frozen=True, slots=True)
class Rehash:
    """Hashing of one module that led to no event, summed up so far."""

    t: int
    module: str
    count: int
    ms: float
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Stale:
    """A launch still used an old value."""

    t: int
    kid: int
    name: str
    value: str
    how: str
    old: str | None = None
    new: str | None = None
    place: Place | None = None
    defined: Place | None = None
    launch: int | None = None


@dataclass(frozen=True, slots=True)
class OptionMissed:
    """An assigned option was not in force at the module's next launch."""

    t: int
    module: str
    name: str
    how: str
    assigned: str | None = None
    in_force: str | None = None
    assignment: Place | None = None
    place: Place | None = None
    created: Place | None = None


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop that code generation unrolled."""

    t: int
    kernel: str
    iterations: int
    module: str | None = None
    file: str | None = None
    line: int | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class UserFile:
    """The text of a user's file, at its first mention and again when it changed."""

    t: int
    file: str
    source: int


@dataclass(frozen=True, slots=True)
class Refused:
    """Warp refused a kernel or function, for lack of its source for example."""

    t: int
    error: str
    name: str | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Taped:
    """A kernel was recorded on a tape."""

    t: int
    kid: int
    kernel: str
    key: str | None = None
    module: str | None = None
    place: Place | None = None
