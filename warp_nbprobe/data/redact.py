"""A recording without source text, paths, values and host names, for handing to others.

What is left compares as before: a text or value that is left out becomes a digest of itself, so that equal
ones stay equal and different ones different.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from hashlib import sha256
from typing import Any, Final

from warp_nbprobe.data.decode import KINDS
from warp_nbprobe.data.log import tells
from warp_nbprobe.data.model import Cell, Failure, Recording, Run
from warp_nbprobe.data.records import RawLine, Wire, parse_wire
from warp_nbprobe.data.results import redacted_results

_PART: Final = r"[^\\/\s'\"<>|:;,()\[\]{}=]+"
_PATH: Final = re.compile(
    rf"(?<![\w.])(?:[A-Za-z]:|~|\.{{1,2}})?(?:[\\/]+{_PART})+[\\/]?"  # from a root, a home or here
    rf"|(?:{_PART}[\\/])+{_PART}\.\w{{1,6}}\b"  # a file below a folder
)
_FILE: Final = re.compile(r"[^.].*\.\w{1,6}")
_GONE: Final = "[left out]"

_EMPTY: Final = frozenset({"cwd", "executable", "cache_dir", "cache_path", "evalue", "message", "error", "host"})
"""Fields whose text is dropped wherever they stand."""

_VALUES: Final = frozenset({"constants", "statics", "captured"})
"""Fields that hold the user's values by name."""

_DIGESTS: Final = {"source": ("text",), "cell_begin": ("source",), "stale": ("old", "new"), "compiler_trace": ("zlib",)}
"""Texts that become digests, by kind of line."""

_COMPARED: Final = frozenset({"hashed", "generated"})
"""Texts that become digests wherever they stand."""


def redacted(recording: Recording) -> Recording:
    """Return the recording as it may be handed on; names of modules, kernels and variables stay."""
    return replace(
        recording,
        cells=tuple(map(_cell, recording.cells)),
        runs=tuple(map(_run, recording.runs)),
        options={name: _option(value) for name, value in recording.options.items()},
        notes=tuple(map(without_paths, recording.notes)),
        label=without_paths(recording.label),
        upstream=None if recording.upstream is None else _upstream(recording.upstream),
        extra={"redacted": True},
    )


def without_paths(text: str) -> str:
    """Return the text with every path left out but for the name of its file."""
    return _PATH.sub(_last_part, text)


def _last_part(match: re.Match[str]) -> str:
    last = re.split(r"[\\/]+", match[0])[-1]
    return last if _FILE.fullmatch(last) else _GONE


def _log_text(text: str) -> str:
    """Return what Warp printed without lines that may quote the user's code."""
    return "\n".join(without_paths(line) if tells(line) else _GONE for line in text.splitlines())


def _digest(text: str) -> str:
    return f"[left out {sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}]"


def _cell(cell: Cell) -> Cell:
    name = without_paths(cell.name) if cell.kind == "py" and cell.name else cell.name
    return replace(cell, source="", name=name, extra={})


def _option(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float) else _GONE


def _run(run: Run) -> Run:
    return replace(
        run,
        wires=tuple(map(_wire, run.wires)),
        failure=_failure(run.failure) if run.failure else None,
        printed=tuple(map(_log_text, run.printed)),
        results=redacted_results(run.results, _digest, _GONE),
        extra={},
    )


def _upstream(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a report of NVIDIA's script holds without its command, folder and label."""
    return {name: value for name, value in report.items() if not isinstance(value, str) and name != "command"}


def _failure(failure: Failure) -> Failure:
    said = failure.ename or failure.reason
    return replace(failure, message=f"{said} {_GONE}", evalue=None, traceback=(), crash=None, extra={})


def _wire(wire: Wire) -> Wire:
    lines = [_line(line) for line in wire.raw]
    return replace(parse_wire(lines, cut=wire.truncated), order=wire.order)


def _line(line: RawLine) -> RawLine:
    kind = line.get("kind") if isinstance(line, dict) else None
    if not isinstance(line, dict) or not isinstance(kind, str):
        return _GONE
    if kind == "define_counts":
        return {name: line[name] for name in ("kind", "t", "counts") if name in line}
    if kind not in KINDS:
        return {"kind": _GONE}
    known = {"kind", *(of.name for of in fields(KINDS[kind]))}
    found = {name: _value(name, value) for name, value in line.items() if name in known}
    for name in _DIGESTS.get(kind, ()):
        if isinstance(line.get(name), str):
            found[name] = _digest(line[name])
    if kind == "log" and isinstance(line.get("text"), str):
        found["text"] = _log_text(line["text"])
    if kind == "header":
        found["argv"] = []
        found["env"] = _each(line.get("env"), lambda _: _GONE)
    return found


def _value(name: str, value: Any) -> Any:
    if name in _VALUES:
        return _each(value, _constant)
    if name in _EMPTY and isinstance(value, str):
        return _GONE
    if name in _COMPARED and isinstance(value, str):
        return _digest(value)
    if isinstance(value, str):
        return without_paths(value)
    if isinstance(value, dict):
        return {key: _value(key, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_value(name, item) for item in value]
    return value


def _each(table: Any, change: Callable[[Any], Any]) -> dict[str, Any]:
    return {name: change(value) for name, value in table.items()} if isinstance(table, Mapping) else {}


def _constant(value: Any) -> Any:
    if isinstance(value, str):
        return _digest(value)
    if not isinstance(value, dict):
        return _GONE
    hidden = {name: _digest(str(value[name])) for name in ("text", "bytes") if value.get(name) is not None}
    return {**{name: value[name] for name in ("type", "from") if name in value}, **hidden}
