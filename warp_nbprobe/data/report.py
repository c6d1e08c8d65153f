"""The report file: everything that was recorded, wires included, so that a later version computes it again."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime, timezone
from math import isfinite
from pathlib import Path
from typing import Any, Final

from warp_nbprobe.data.decode import load_object
from warp_nbprobe.data.files import write_whole
from warp_nbprobe.data.model import Cell, Failure, Recording, Run
from warp_nbprobe.data.records import Wire, encode_order
from warp_nbprobe.data.redact import redacted
from warp_nbprobe.data.report_read import FORMAT, SCHEMA, read_recording
from warp_nbprobe.data.results import results_json
from warp_nbprobe.data.upstream import is_upstream, read_upstream
from warp_nbprobe.errors import ReportError

_MOST_BYTES: Final = 2**30  # of JSON; what a compressed file may hold
_GZIP: Final = b"\x1f\x8b"


def save_report(recording: Recording, path: str | Path, *, redact: bool = False) -> None:
    """Write the recording to ``path``, compressed when the name ends in ``.gz``; all of the file or none.

    ``redact`` leaves out source text, paths, values and host names. Raises ``OSError``.
    """
    data = report_bytes(redacted(recording) if redact else recording)
    packed = str(path).endswith(".gz")
    write_whole(path, gzip.compress(data, compresslevel=6, mtime=0) if packed else data)


def load_report(path: str | Path) -> Recording:
    """Read a report, one of NVIDIA's probe script as well; nothing in it is executed.

    Raises ``ReportError`` for a file that is none, is damaged, or was written by a newer version;
    ``OSError`` for one that cannot be opened.
    """
    data = Path(path).read_bytes()
    try:
        report = load_object(_unpacked(data))
        return read_upstream(report) if is_upstream(report) else read_recording(report)
    except (ValueError, zlib.error) as error:
        raise ReportError(path, _reason(data, error)) from None


def report_bytes(recording: Recording) -> bytes:
    """Return the report as JSON."""
    return json.dumps(_recording(recording), ensure_ascii=True, allow_nan=False).encode("ascii") + b"\n"


def _unpacked(data: bytes) -> bytes:
    if not data.startswith(_GZIP):
        return data
    unpacker = zlib.decompressobj(wbits=31)
    plain = unpacker.decompress(data, _MOST_BYTES)
    if unpacker.unconsumed_tail:
        raise ValueError("it unpacks to more than any report holds")
    if not unpacker.eof:
        raise ValueError("the compressed file is cut off")
    return plain


def _reason(data: bytes, error: Exception) -> str:
    if not data.strip():
        return "it is empty."
    if isinstance(error, json.JSONDecodeError):
        return f"it is not whole JSON ({error.msg} at line {error.lineno}, column {error.colno})."
    if isinstance(error, UnicodeDecodeError):
        return "it is not text."
    return f"{error}."


def _recording(recording: Recording) -> dict[str, Any]:
    return {
        **_plain(recording.extra),
        "format": FORMAT,
        "schema": SCHEMA,
        "tool_version": recording.tool_version,
        "label": recording.label,
        "created": _moment(recording.created),
        "samples": recording.samples,
        "interrupted": recording.interrupted,
        "notes": list(recording.notes),
        "options": _plain(recording.options),
        "cells": [_flat(cell) for cell in recording.cells],
        "runs": [_run(run) for run in recording.runs],
        **({} if recording.upstream is None else {"upstream": _plain(recording.upstream)}),
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        **_plain(run.extra),
        "sample": run.sample,
        "run": run.run,
        "pid": run.pid,
        "start": _moment(run.start),
        "exit_code": run.exit_code,
        "failure": None if run.failure is None else _flat(run.failure),
        "lto_artifacts": run.lto_artifacts,
        "lto_bytes": run.lto_bytes,
        "printed": list(run.printed),
        "wires": [_wire(wire) for wire in run.wires],
        **({"results": results_json(run.results)} if run.results else {}),
    }


def _wire(wire: Wire) -> dict[str, Any]:
    return {"lines": list(wire.raw), "order": encode_order(wire.order), "truncated": wire.truncated}


def _flat(record: Cell | Failure) -> dict[str, Any]:
    known = {of.name: _plain(getattr(record, of.name)) for of in fields(record) if of.name != "extra"}
    return {**_plain(record.extra), **known}


def _moment(moment: datetime) -> str:
    return moment.astimezone(timezone.utc).isoformat(timespec="microseconds")


def _plain(value: Any) -> Any:
    """Return JSON data: tuples become arrays, what JSON cannot hold its text, figures that are none null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    return str(value)
