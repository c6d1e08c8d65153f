"""Wires and recordings written by hand: the lines of docs/wire.md with everything but the point left plain."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from hashlib import sha256
from typing import Any, Literal

from warp_nbprobe.data.model import Cell, Failure, Recording, Run
from warp_nbprobe.data.records import Wire, parse_wire

Line = dict[str, Any]

MS = 1_000_000
"""Nanoseconds."""

FAILED = Failure("raised", "The code raised ValueError: no.", "ValueError", "no", ("Traceback",), cell=0)


def header(pid: int = 100, **given: Any) -> Line:
    return {
        "kind": "header",
        "wire": 1,
        "pid": pid,
        "ppid": 1,
        "t": 0,
        "time": 1.7e9,
        "python": "3.11.7",
        "executable": "/opt/python",
        "platform": "Linux",
        "argv": ["launcher"],
        "cwd": "/home/ann/work",
        "machine": {"host": "annsbox", "cpu": "Some CPU", "cores": 2},
        "env": {"WARP_CACHE_PATH": "/tmp/nbp-1/cache"},
        **given,
    }


def warp(version: str = "1.19.0", **given: Any) -> Line:
    return {"kind": "warp", "t": 2 * MS, "t0": MS, "version": version, "path": "/opt/warp", "hooks": {}, **given}


def cell(number: int, begin_ms: float, end_ms: float | None = None, **given: Any) -> list[Line]:
    """Return the begin and, when it ended, the end of a cell whose ordinal is ``number`` - 1."""
    ordinal = given.pop("ordinal", number - 1)
    end = {name: given.pop(name) for name in ("ok", "ename", "evalue", "probe_ns") if name in given}
    launches = given.pop("launches", (0, 0))
    begin = {
        "kind": "cell_begin",
        "t": int(begin_ms * MS),
        "cell": ordinal,
        "number": number,
        "phase": "main",
        "first_line": 1,
        "file": f"/tmp/ipykernel_1/{ordinal}.py",
        "source": "pass",
        "launches": launches[0],
        **given,
    }
    if end_ms is None:
        return [begin]
    return [
        begin,
        {
            "kind": "cell_end",
            "t": int(end_ms * MS),
            "cell": ordinal,
            "ok": True,
            "ename": None,
            "evalue": None,
            "launches": launches[1],
            "probe_ns": 0,
            **end,
        },
    ]


def place(line: int, *, cell: int | None = 0, file: str = "/tmp/ipykernel_1/0.py", user: bool = True) -> Line:
    return {"file": file, "line": line, "cell": cell, "user": user}


def event(module: str, begin_ms: float, ms: float, **given: Any) -> Line:
    """Return a compiled event with all its parts, 5 ms of them unaccounted for."""
    return {
        "kind": "event",
        "t0": int(begin_ms * MS),
        "t1": int((begin_ms + ms) * MS),
        "ms": float(ms),
        "thread": 0,
        "module": module,
        "hash": "ab" * 32,
        "device": "cpu",
        "block_dim": 1,
        "status": "compiled",
        "kernels": ["step"],
        "hash_ms": 1.0,
        "codegen_ms": 10.0,
        "lto_ms": 0.0,
        "native_ms": ms - 20.0,
        "header_ms": 0.0,
        "load_ms": 5.0,
        "why": {},
        "source_bytes": 1000,
        "lto": [],
        "options": {"mode": "release"},
        "trigger": {"call": "launch", "kernel": "step"},
        "place": place(3),
        "source": "hook",
        **given,
    }


def cached(module: str, begin_ms: float, ms: float = 2.0, **given: Any) -> Line:
    parts = {"codegen_ms": 0.0, "native_ms": 0.0, "load_ms": ms, "source_bytes": 0}
    return event(module, begin_ms, ms, status="cached", **{**parts, **given})


def signature(number: int, **given: Any) -> Line:
    return {
        "kind": "signature",
        "id": number,
        "kind_of": "launch",
        "kid": 1,
        "kernel": "step",
        "key": "step",
        "module": "app",
        "dim": [8],
        "device": "cpu",
        "dtypes": ["array(float32)", "float32"],
        "block_dim": 1,
        "requested_block_dim": None,
        "adjoint": False,
        "taped": False,
        "place": place(4),
        "thread": 0,
        **given,
    }


def kernel(number: int, name: str = "step", *, source: int = 1, dt: str = "0.1", **given: Any) -> Line:
    return {
        "kind": "kernel",
        "id": number,
        "kid": number,
        "parent": None,
        "name": name,
        "key": name,
        "module": "app",
        "hash": f"{name}{source}{dt}",
        "source": source,
        "args": [["x", "array(float32)"]],
        "constants": {"dt": {"text": dt, "type": "float", "bytes": dt, "from": "global"}},
        **given,
    }


def inputs(number: int, kernels: list[int], digest: str, **given: Any) -> Line:
    return {
        "kind": "inputs",
        "id": number,
        "t": 1,
        "module": "app",
        "block_dim": 1,
        "hash": digest,
        "kernels": kernels,
        "options": {"mode": "release"},
        "ms": 0.1,
        **given,
    }


def source(number: int, text: str) -> Line:
    return {"kind": "source", "id": number, "text": text, "tree": sha256(text.encode()).hexdigest()}


def order(ids: Sequence[int]) -> Line:
    packed = zlib.compress(struct.pack(f"<{len(ids)}I", *ids))
    return {"kind": "order", "n": len(ids), "zlib": base64.b64encode(packed).decode()}


def log(text: str, t_ms: float, *, shown: bool = True, thread: int = 0) -> Line:
    return {"kind": "log", "t": int(t_ms * MS), "text": text, "shown": shown, "thread": thread}


def footer(**given: Any) -> Line:
    return {"kind": "footer", "t": 10_000 * MS, "launches": 0, "probe_ns": 0, **given}


def wire(lines: Iterable[Line | list[Line]], *, pid: int = 100, ends: bool = True) -> Wire:
    """Return a wire read strictly: header, the given lines, footer."""
    flat: list[Line] = [header(pid)]
    for line in lines:
        flat += line if isinstance(line, list) else [line]
    return parse_wire([*flat, footer()] if ends else flat, strict=True)


def run(
    kind: Literal["cold", "warm"] = "cold",
    lines: Iterable[Line | list[Line]] = (),
    *,
    sample: int = 1,
    others: tuple[Wire, ...] = (),
    failure: Failure | None = None,
    **given: Any,
) -> Run:
    return Run(
        sample=sample,
        run=kind,
        pid=100,
        start=datetime(2025, 1, 2, 3, 4, 5, 678, timezone.utc),
        wires=(wire(lines), *others),
        failure=failure,
        exit_code=0 if failure is None else failure.exit_code,
        lto_artifacts=given.pop("lto_artifacts", 0),
        lto_bytes=given.pop("lto_bytes", 0),
        **given,
    )


def recording(*runs: Run, samples: int | None = None, **given: Any) -> Recording:
    return Recording(
        label="base",
        cells=given.pop("cells", (Cell("pass", 1),)),
        samples=samples or max((one.sample for one in runs), default=1),
        runs=runs,
        options=given.pop("options", {}),
        created=datetime(2025, 1, 2, 3, 4, 5, tzinfo=timezone.utc),
        tool_version="0.1.0",
        **given,
    )
