"""Every frame's columns and dtypes, declared once: the contract of the data page.

Text is pandas ``string``, times are ``float64`` milliseconds, whole numbers ``Int64`` (missing ``<NA>``),
flags ``bool``; ``object`` columns hold tuples (``kernels``, ``causes``, ``dim``, ...) or dicts (``options``,
``environment``), ``None`` where they are missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

Columns = Mapping[str, str]
"""Column name to dtype, in order."""

_PLACE: Final = {"cell": "Int64", "cell_line": "Int64", "location": "string"}
_CAUSE_PLACE: Final = {"cause_cell": "Int64", "cause_line": "Int64", "cause_location": "string"}

SUMMARY: Final[Columns] = {
    "median": "float64",
    "mad": "float64",
    "n": "Int64",
    "values": "object",
    "unit": "string",
    "source": "string",
    "reason": "string",
}

MODULES: Final[Columns] = {
    "sample": "Int64",
    "run": "string",
    "phase": "string",
    "seq": "Int64",
    "pid": "Int64",
    "thread": "Int64",
    "module": "string",
    "build": "string",
    "hash": "string",
    "device": "string",
    "block_dim": "Int64",
    "status": "string",
    "kernels": "object",
    "ms": "float64",
    "hash_ms": "float64",
    "codegen_ms": "float64",
    "lto_ms": "float64",
    "native_ms": "float64",
    "header_ms": "float64",
    "load_ms": "float64",
    "other_ms": "float64",
    "start_ms": "float64",
    "source_bytes": "Int64",
    "lto_artifacts": "Int64",
    "options": "object",
    "trigger": "string",
    **_PLACE,
    "cause": "string",
    "causes": "object",
    "detail": "string",
    **_CAUSE_PLACE,
    "rehearsed": "bool",
    "source": "string",
}

_LAUNCH: Final = {
    "phase": "string",
    "kernel": "string",
    "kernel_key": "string",
    "module": "string",
    "dim": "object",
    "device": "string",
    "dtypes": "object",
    "block_dim": "Int64",
    "requested_block_dim": "Int64",
    "adjoint": "bool",
    "kind": "string",
    **_PLACE,
    "thread": "Int64",
    "pid": "Int64",
}

LAUNCHES: Final[Columns] = {"seq": "Int64", **_LAUNCH, "triggered": "Int64"}

LAUNCH_GROUPS: Final[Columns] = {**_LAUNCH, "count": "Int64"}

RUNS: Final[Columns] = {
    "sample": "Int64",
    "run": "string",
    "pid": "Int64",
    "start": "datetime64[us, UTC]",
    "wall_ms": "float64",
    "probe_ms": "float64",
    "setup_ms": "float64",
    "ok": "bool",
    "exit_code": "Int64",
    "reason": "string",
    "warp": "string",
    "python": "string",
    "truncated": "bool",
    "unknown_lines": "Int64",
    "environment": "object",
}

LTO: Final[Columns] = {
    "sample": "Int64",
    "run": "string",
    "phase": "string",
    "seq": "Int64",
    "module": "string",
    "build": "string",
    "device": "string",
    "block_dim": "Int64",
    "operation": "string",
    "direction": "string",
    "objects": "Int64",
    "made": "Int64",
    "reused": "Int64",
    "bytes": "Int64",
    "ms": "float64",
}

LOG: Final[Columns] = {"sample": "Int64", "run": "string", "pid": "Int64", "text": "string", "shown": "bool"}

FINDINGS: Final[Columns] = {
    "rule": "string",
    "kind": "string",
    "cost_ms": "float64",
    "share": "float64",
    "modules": "object",
    "what": "string",
    "fix": "string",
    "snippet": "string",
    "not_for": "string",
    "certainty": "string",
    **_PLACE,
    **_CAUSE_PLACE,
    "events": "object",
}

CHECKED: Final[Columns] = {"rule": "string", "kind": "string", "outcome": "string", "signal": "string"}


def frame_of(rows: Iterable[Mapping[str, Any]], columns: Columns) -> pd.DataFrame:
    """Return the rows as a frame with exactly ``columns``, also when there are none; ``None`` is missing."""
    given = list(rows)
    filled = {name: column_of([row[name] for row in given], dtype) for name, dtype in columns.items()}
    frame: pd.DataFrame = pd.DataFrame(filled, index=pd.RangeIndex(len(given)))
    return frame


def column_of(values: Sequence[Any], dtype: str) -> pd.Series[Any]:
    """Return one column; tuples and dicts stay whole, ``None`` becomes the dtype's missing value."""
    if dtype == "object":
        column: pd.Series[Any] = pd.Series(objects(values), dtype="object")
    else:
        column = pd.Series(list(values), dtype=dtype)
    return column


def objects(values: Sequence[Any]) -> npt.NDArray[np.object_]:
    """Return the values as a one-dimensional array, each tuple one element."""
    array = np.empty(len(values), dtype=object)
    for position, value in enumerate(values):
        array[position] = value
    return array
