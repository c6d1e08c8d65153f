"""Builds wires line by line, as docs/wire.md has them, with everything but the point of a test left plain.

Ids, times and hashes are made up as lines are added: an event starts where the one before it ended. A kernel's hash
is that of what is said of it, a module's that of its kernels and options, as Warp's are.
"""

from __future__ import annotations

import ast
import base64
import json
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from hashlib import sha256
from typing import Any, Literal

from warp_nbprobe.data.model import Failure, Recording, Run
from warp_nbprobe.data.records import Wire, parse_wire

Line = dict[str, Any]
MS = 1_000_000

HOOKS = (
    "ModuleHasher", "codegen", "build_cpu", "build_lto", "launch", "Tape.record_launch", "Kernel", "modules", "config",
    "unroll",
)  # fmt: skip


def digest(value: object) -> str:
    return sha256(repr(value).encode()).hexdigest()


@dataclass
class WireBuilder:
    """The lines of one process."""

    pid: int = 100
    version: str = "1.19.0"
    hooks: dict[str, str] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    now: int = 10 * MS
    _id: int = 0
    _cell: int = -1
    _signatures: int = 0
    _interned: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str, **fields: Any) -> Line:
        line = {"kind": kind, **fields}
        self.lines.append(line)
        return line

    def tick(self, ms: float = 1.0) -> int:
        self.now += int(ms * MS)
        return self.now

    def number(self) -> int:
        self._id += 1
        return self._id

    def interned(self, kind: str, **fields: Any) -> int:
        """Write a piece of content once and return its id."""
        key = kind + json.dumps(fields, sort_keys=True, default=str)
        if key not in self._interned:
            self._interned[key] = self.number()
            self.add(kind, id=self._interned[key], **fields)
        return self._interned[key]

    def place(self, line: int, *, user: bool = True, cell: int | None = None, file: str | None = None) -> Line:
        """Return a line of the running cell, else of a file."""
        if file is not None:
            return {"file": file, "line": line, "cell": None, "user": user}
        number = self._cell if cell is None else cell
        return {"file": f"/cells/cell_{number}.py", "line": line, "cell": number, "user": user}

    def cell(self, source: str = "", *, phase: str = "main", ok: bool = True) -> None:
        """End the running cell and begin the next."""
        self.end_cell(ok)
        self._cell += 1
        self.add(
            "cell_begin",
            t=self.tick(),
            cell=self._cell,
            number=self._cell + 1,
            phase=phase,
            name="default" if phase == "setup" else None,
            first_line=1,
            file=f"/cells/cell_{self._cell}.py",
            source=source,
            launches=len(self.order),
        )

    def end_cell(self, ok: bool = True) -> None:
        if self._cell >= 0:
            self.add("cell_end", t=self.tick(), cell=self._cell, ok=ok, launches=len(self.order), probe_ns=0)

    def source(self, text: str) -> int:
        try:
            tree: str | None = digest(ast.dump(ast.parse(text)))
        except SyntaxError:
            tree = None
        return self.interned("source", text=text, tree=tree)

    def function(self, name: str, text: str = "", **given: Any) -> int:
        """Write a function with one overload."""
        overload = {
            "source": self.source(text or f"def {name}(x): return x"),
            "args": [["x", "float32"]],
            "constants": {},
            "statics": {},
            "types": [],
            "structs": [],
            "functions": [],
            "native": None,
            "hidden": [],
            "defined": self.place(given.pop("line", 1)),
            **given,
        }
        return self.interned("function", name=name, key=name, module="__main__", overloads=[overload])

    def kernel(self, name: str, text: str = "", *, module: str = "__main__", line: int = 1, **given: Any) -> int:
        """Write a state of a kernel and return its id; each call is a new kernel object unless ``kid`` is given."""
        fields = {
            "name": name,
            "key": name.replace(".<locals>.", "__locals__"),
            "module": module,
            "source": self.source(text or f"@wp.kernel\ndef {name.rpartition('.')[2]}(a): pass"),
            "args": [["a", "array(float32)"]],
            "options": {},
            "constants": {},
            "statics": {},
            "types": [],
            "structs": [],
            "functions": [],
            "captured": {},
            "hidden": [],
            "parent": None,
            "in_function": "<locals>" in name,
            "pymodule": "__main__",
            "file": None,
            "defined": self.place(line),
            **given,
        }
        place = fields.pop("defined")
        kid = fields.pop("kid", None) or 1000 + self.number()
        content = {key: value for key, value in fields.items() if key not in ("parent", "module", "pymodule")}
        known = {line["id"]: line for line in self.lines if line["kind"] in ("source", "function")}
        content["source"] = known[fields["source"]]["text"]
        content["functions"] = [known[number]["overloads"] for number in fields["functions"]]
        number = self.number()
        self.add("kernel", id=number, kid=kid, hash=digest(content), defined=place, **fields)
        return number

    def kid(self, kernel: int) -> int:
        return int(next(line["kid"] for line in self.lines if line["kind"] == "kernel" and line["id"] == kernel))

    def define(self, kernel: int, *, unique: bool = False, times: int = 1) -> None:
        """Write that a kernel was registered, and how often."""
        state = next(line for line in self.lines if line["kind"] == "kernel" and line["id"] == kernel)
        number = self.number()
        kid = state["parent"] if state["parent"] is not None else state["kid"]
        given = {name: state[name] for name in ("name", "key", "module", "defined")}
        self.add("define", id=number, t=self.tick(), kid=kid, unique=unique, place=state["defined"], **given)
        self.add("define_counts", t=self.tick(), counts={str(number): times})

    def event(
        self,
        kernels: Sequence[int] = (),
        *,
        module: str = "__main__",
        status: str = "compiled",
        ms: float = 200.0,
        block_dim: int = 1,
        device: str = "cpu",
        options: dict[str, str] | None = None,
        line: int | None = 9,
        call: str = "launch",
        sizes: Sequence[int] | None = None,
        **given: Any,
    ) -> Line:
        """Write a build or load of the given kernels; ``sizes`` are their bytes of generated source."""
        resolved = {"enable_backward": "False", "mode": "release", "block_dim": str(block_dim), **(options or {})}
        states = {each["id"]: each for each in self.lines if each["kind"] == "kernel"}
        content = (sorted(states[number]["hash"] for number in kernels), sorted(resolved.items()))
        found = digest(content)
        begun = self.tick()
        inputs = self.interned(
            "inputs", t=begun, module=module, block_dim=block_dim, hash=found, kernels=list(kernels), options=resolved
        )
        spent = sizes or [1000] * len(kernels)
        sources = [
            {"kernel": number, "bytes": size, "adjoint_bytes": 0, "shared_bytes": 0}
            for number, size in zip(kernels, spent, strict=True)
        ]
        built = status == "compiled"
        fields = {
            "t0": begun,
            "t1": self.tick(ms),
            "ms": ms,
            "thread": 0,
            "module": module,
            "hash": found,
            "device": device,
            "block_dim": block_dim,
            "status": status,
            "inputs": inputs,
            "kernels": sorted(states[number]["name"] for number in kernels),
            "hash_ms": 0.1,
            "codegen_ms": 1.0 if built else 0.0,
            "lto_ms": 0.0,
            "native_ms": ms - 2.0 if built else 0.0,
            "header_ms": 0.0,
            "load_ms": 1.0,
            "why": {},
            "source_bytes": sum(spent) if built else 0,
            "lto": [],
            "sources": sources if built else [],
            "options": resolved,
            "trigger": {"call": call, "kernel": None},
            "place": self.place(line) if line is not None else None,
            **given,
        }
        return self.add("event", **fields)

    def launch(
        self,
        kernel: int,
        *,
        block_dim: int | None = 1,
        device: str = "cpu",
        times: int = 1,
        line: int = 9,
        **given: Any,
    ) -> None:
        """Write a kind of launch and make it ``times``; 0 is one that was only recorded or captured."""
        state = next(each for each in self.lines if each["kind"] == "kernel" and each["id"] == kernel)
        self._signatures += 1
        self.add(
            "signature",
            **{
                "id": self._signatures,
                "kind_of": "launch",
                "kid": state["parent"] if state["parent"] is not None else state["kid"],
                "kernel": state["name"],
                "key": state["key"],
                "module": state["module"],
                "dim": [8],
                "device": device,
                "dtypes": [type_ for _, type_ in state["args"]],
                "block_dim": block_dim,
                "requested_block_dim": None,
                "adjoint": False,
                "place": self.place(line),
                "thread": 0,
                **given,
            },
        )
        self.order += [self._signatures] * times

    def assign(self, name: str, old: str, new: str, *, what: str = "config", line: int = 1, **given: Any) -> None:
        place = given.pop("place", None) or self.place(line)
        self.add("assign", t=self.tick(), what=what, name=name, old=old, new=new, place=place, **given)

    def all_lines(self) -> list[Line]:
        """Return the lines with the header in front and the order and the footer behind."""
        header = {
            "kind": "header",
            "wire": 1,
            "pid": self.pid,
            "t": 0,
            "time": 1.7e9,
            "cwd": "/project",
            "machine": {"host": "box", "cpu": "Some CPU", "cores": 4},
            "env": {"WARP_CACHE_PATH": "/scratch/nbp-00000000/cache"},
        }
        hooks = {**dict.fromkeys(HOOKS, "ok"), **self.hooks}
        warp = {"kind": "warp", "t": 5 * MS, "t0": MS, "version": self.version, "path": "/opt/warp", "hooks": hooks}
        packed = base64.b64encode(zlib.compress(array("I", self.order).tobytes())).decode()
        ends = [
            {"kind": "order", "n": len(self.order), "zlib": packed},
            {"kind": "footer", "t": self.now + MS, "launches": len(self.order), "probe_ns": 0},
        ]
        last = [
            {"kind": "cell_end", "t": self.now + MS, "cell": self._cell, "launches": len(self.order), "probe_ns": 0}
        ]
        return [header, warp, *self.lines, *(last if self._cell >= 0 else []), *ends]

    def wire(self) -> Wire:
        return parse_wire((json.dumps(line) for line in self.all_lines()), strict=True)


def run(*wires: WireBuilder, kind: Literal["cold", "warm"] = "cold", sample: int = 1, failed: bool = False) -> Run:
    failure = Failure("raised", "The code raised ValueError.") if failed else None
    start = datetime(2025, 1, 1, tzinfo=timezone.utc)
    return Run(sample, kind, wires[0].pid, start, tuple(wire.wire() for wire in wires), failure, 0, 0, 0)


def recording(*runs: Run, **options: Any) -> Recording:
    samples = max((run.sample for run in runs), default=1)
    return Recording("hand", (), samples, runs, options, datetime(2025, 1, 1, tzinfo=timezone.utc), "0.1.0")


def constant(text: str, *, origin: str = "global") -> Line:
    return {"text": text, "type": "float", "bytes": digest(text)[:8], "from": origin}
