"""The report file of NVIDIA's ``warp_compile_probe.py``: reading it, and its figures.

What the file does not hold is missing: no Warp version, no machine, no parts of a build, no order in time, and
module events and launches of the first good sample alone. Their figures are medians that nothing recomputes, so
the file's own are kept (``Recording.upstream``) and take the place of computed ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from math import isfinite
from typing import Any, Final

from warp_nbprobe.data.decode import clean_text, frozen
from warp_nbprobe.data.model import Failure, Recording, Run
from warp_nbprobe.data.records import encode_order, parse_wire

TOOL: Final = "NVIDIA's warp_compile_probe.py"
NOT_THERE: Final = "a report of NVIDIA's probe script does not tell it"
_KEYS: Final = ("command", "cold_module_ms_median", "module_events", "launches")
_WHEN: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)  # the file has no date
_FAILED: Final = Failure("raised", "The command left with an exit status that is not 0.")
_NOT_POSITIVE: Final = "the report's elapsed time is not above 0: the warm run took as long as the cold one"
_NO_NATIVE: Final = "the script saw no compiler line (on Warp 1.18 and newer it never does)"


def is_upstream(report: Mapping[str, Any]) -> bool:
    """Whether a JSON object looks like one of NVIDIA's report files."""
    return "format" not in report and all(key in report for key in _KEYS)


def read_upstream(report: dict[str, Any]) -> Recording:
    """Return the recording of one of NVIDIA's files; ``ValueError`` says what in it is not as it should be."""
    kept = {clean_text(key): _data(value) for key, value in report.items() if key not in ("module_events", "launches")}
    command = _texts(report, "command")
    asked, failed = _whole(report, "samples"), _whole(report, "failed_samples")
    values = _numbers(report, "cold_module_ms_values")
    good = len(values) if values else max(asked - failed, 0)
    for name in (*_MEDIANS.values(), *_SPREADS.values(), *_COUNTS.values(), "overlap_factor"):
        _maybe_number(report, name)
    _numbers(report, "cold_wall_ms_values")
    label = report.get("label")
    if not isinstance(label, str | None):
        raise ValueError("'label' is not a text")
    first = _wire_lines(report)
    runs = [run for sample in range(1, good + 1) for run in _pair(sample, first if sample == 1 else [], report)]
    for number in range(failed):
        lines = first if not runs else []
        runs.append(_run(good + number + 1, "cold", lines, _FAILED))
    return Recording(
        label=clean_text(label or " ".join(command)[:80]),
        cells=(),
        samples=max(asked, good + failed),
        runs=tuple(runs),
        options={"command": command, "cwd": kept.get("cwd"), "samples": asked},
        created=_WHEN,
        tool_version=TOOL,
        notes=("This is a report of NVIDIA's probe script: what its file does not hold is missing here.",),
        upstream=kept,
    )


def upstream_rows(upstream: Mapping[str, Any], launches: int) -> dict[str, dict[str, Any]]:
    """Return median, mad, n, values, source and reason of every metric that such a file can have."""
    values = tuple(upstream.get("cold_module_ms_values") or ())
    good = len(values) or max(int(upstream.get("samples") or 0) - int(upstream.get("failed_samples") or 0), 0)
    if not good:
        return {}
    rows = {name: _row(upstream.get(key), good, "log") for name, key in _MEDIANS.items()}
    for name in ("cold_wall_ms", "warm_wall_ms", "compile_elapsed_ms"):
        rows[name] = _row(upstream.get(_MEDIANS[name]), good, "hook")
    if not upstream.get(_MEDIANS["native_ms"]):
        rows["native_ms"] = _row(None, good, "none", _NO_NATIVE)
    elapsed = upstream.get(_MEDIANS["compile_elapsed_ms"])
    if elapsed is not None and elapsed <= 0:
        rows["compile_elapsed_ms"] = _row(None, good, "none", _NOT_POSITIVE)
    for name, key in _SPREADS.items():
        if rows[name]["median"] is not None and good > 1:
            rows[name]["mad"] = upstream.get(key)
    rows["cold_module_ms"]["values"] = values
    rows["cold_wall_ms"]["values"] = tuple(upstream.get("cold_wall_ms_values") or ())
    counts = {name: upstream.get(key) for name, key in _COUNTS.items()} | {"launches": launches}
    rows |= {name: {**_row(value, 1, "log"), "values": (float(value or 0),)} for name, value in counts.items()}
    rows["overlap_factor"] = _row(upstream.get("overlap_factor"), good, "hook")
    return rows


_MEDIANS: Final = {
    "cold_module_ms": "cold_module_ms_median",
    "native_ms": "native_compile_ms_median",
    "warm_module_ms": "warm_module_ms_median",
    "cold_wall_ms": "cold_wall_ms_median",
    "warm_wall_ms": "warm_wall_ms_median",
    "compile_elapsed_ms": "compile_elapsed_ms_median",
}
"""Our metric, and the key of the file that has its median."""

_SPREADS: Final = {
    "cold_module_ms": "cold_module_ms_mad",
    "cold_wall_ms": "cold_wall_ms_mad",
    "compile_elapsed_ms": "compile_elapsed_ms_mad",
}

_COUNTS: Final = {
    "identities": "identities",
    "modules": "modules",
    "compiled": "compiled_events",
    "cached": "cached_events",
    "errors": "error_events",
    "source_bytes": "generated_source_bytes",
    "lto_artifacts": "lto_artifacts",
    "lto_bytes": "lto_bytes",
}


def _row(value: Any, n: int, source: str, reason: str = NOT_THERE) -> dict[str, Any]:
    there = value is not None
    return {
        "median": float(value) if there else None,
        "mad": None,
        "n": n if there else 0,
        "values": (),
        "source": source if there else "none",
        "reason": None if there else reason,
    }


def _pair(sample: int, lines: list[dict[str, Any]], report: Mapping[str, Any]) -> Iterator[Run]:
    artifacts = _maybe_count(report, "lto_artifacts"), _maybe_count(report, "lto_bytes")
    yield _run(sample, "cold", lines, None, artifacts if lines else (None, None))
    yield _run(sample, "warm", [], None)


def _run(
    sample: int,
    run: Any,
    lines: list[dict[str, Any]],
    failure: Failure | None,
    lto: tuple[int | None, int | None] = (None, None),
) -> Run:
    return Run(
        sample=sample,
        run=run,
        pid=None,
        start=_WHEN,
        wires=(parse_wire([*lines, {"kind": "footer", "t": 0}], strict=True),),
        failure=failure,
        exit_code=None if failure else 0,
        lto_artifacts=lto[0],
        lto_bytes=lto[1],
    )


def _wire_lines(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the file's module events and launches as lines of a wire."""
    lines = [_event(event, position) for position, event in enumerate(_objects(report, "module_events"))]
    known: dict[tuple[Any, ...], int] = {}
    order = []
    for position, launch in enumerate(_objects(report, "launches")):
        fields = _signature(launch, position)
        key = tuple(fields.values())
        if key not in known:
            known[key] = len(known) + 1
            lines.append({"kind": "signature", "id": known[key], **fields})
        order.append(known[key])
    if order:
        lines.append({"kind": "order", **encode_order(_ids(order))})
    return lines


def _ids(order: list[int]) -> Any:
    import numpy as np

    return np.array(order, dtype=np.uint32)


def _event(event: Mapping[str, Any], position: int) -> dict[str, Any]:
    where = f"module_events[{position}]"
    name, status, ms = event.get("name"), event.get("status"), event.get("ms")
    if not isinstance(name, str):
        raise ValueError(f"'name' of {where} is not a text")
    if status not in ("compiled", "cached", "error"):
        raise ValueError(f"'status' of {where} is none of compiled, cached, error")
    if not _is_number(ms):
        raise ValueError(f"'ms' of {where} is not a number")
    parts = dict.fromkeys(("hash_ms", "codegen_ms", "lto_ms", "native_ms", "header_ms", "load_ms"), 0.0)
    missing = {} if status == "cached" else dict.fromkeys((*parts, "source_bytes"), NOT_THERE)
    return {
        "kind": "event",
        "t0": -1,  # the file does not tell when
        "t1": -1,
        "module": name,
        "status": status,
        "ms": ms,
        "hash": event.get("hash") or None,
        "device": event.get("device"),
        "block_dim": event.get("block_dim"),
        "why": missing,
        "source": "log",
        **({**parts, "hash_ms": None, "load_ms": ms, "source_bytes": 0} if status == "cached" else {}),
    }


def _signature(launch: Mapping[str, Any], position: int) -> dict[str, Any]:
    """Return a launch as the fields of a signature. ``dtypes`` are of arrays alone; ``block_dim`` as requested."""
    where = f"launches[{position}]"
    kernel, dim, dtypes = launch.get("kernel"), launch.get("dim"), launch.get("dtypes")
    if not isinstance(kernel, str):
        raise ValueError(f"'kernel' of {where} is not a text")
    if not isinstance(dim, list) or not all(type(size) is int for size in dim):
        raise ValueError(f"'dim' of {where} is not a list of whole numbers")
    if not isinstance(dtypes, list) or not all(isinstance(dtype, str) for dtype in dtypes):
        raise ValueError(f"'dtypes' of {where} is not a list of texts")
    return {
        "kind_of": "launch",
        "kernel": kernel,
        "key": kernel,
        "module": _maybe(launch, "module", str, where),
        "dim": tuple(dim),
        "device": _maybe(launch, "device", str, where),
        "dtypes": tuple(f"array({dtype})" for dtype in dtypes),
        "requested_block_dim": _maybe(launch, "block_dim", int, where),
        "adjoint": bool(launch.get("adjoint")),
    }


def _maybe(of: Mapping[str, Any], name: str, kind: type, where: str) -> Any:
    value = of.get(name)
    if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        raise ValueError(f"{name!r} of {where} is not of type {kind.__name__}")
    return value


def _objects(report: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    given = report.get(name)
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise ValueError(f"{name!r} is not a list of objects")
    return given


def _texts(report: Mapping[str, Any], name: str) -> list[str]:
    given = report.get(name)
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise ValueError(f"{name!r} is not a list of texts")
    return [clean_text(one) for one in given]


def _whole(report: Mapping[str, Any], name: str) -> int:
    value = report.get(name, 0)
    if type(value) is not int or not 0 <= value <= 10_000:
        raise ValueError(f"{name!r} is not a number of samples")
    return value


def _numbers(report: Mapping[str, Any], name: str) -> list[float]:
    given = report.get(name) or []
    if not isinstance(given, list) or not all(_is_number(value) for value in given) or len(given) > 10_000:
        raise ValueError(f"{name!r} is not a list of numbers")
    return given


def _maybe_number(report: Mapping[str, Any], name: str) -> float | None:
    value = report.get(name)
    if value is not None and not _is_number(value):
        raise ValueError(f"{name!r} is not a number")
    return value


def _maybe_count(report: Mapping[str, Any], name: str) -> int | None:
    value = _maybe_number(report, name)
    return None if value is None else int(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63 and isfinite(value)


def _data(value: Any) -> Any:
    """Return JSON data with clean texts and arrays as lists."""
    if isinstance(value, list):
        return [_data(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(key): _data(item) for key, item in value.items()}
    return frozen(value)
