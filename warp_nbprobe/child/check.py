"""Evaluates what the user asked to check, in the child, after the user's code and after the probe's last line.

Executed by a silent request; standard library only, with the child's own numpy where there is one. Writes one
JSON file: of each value its digest, shape and dtype and, up to a limit, the values; a fixed sample beyond it.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import os
import zlib
from typing import Any

_ALL_UP_TO = 65_536  # elements of an array whose values are all kept
_SAMPLE = 16_384  # elements kept of a larger one
_LEAST = 256  # elements kept of an array when the budget is spent
_BUDGET = 4 * 2**20  # bytes of values kept in one run
_MOST_PARTS = 500  # of one value
_DEEPEST = 20
_MIX = 2654435761  # as in data/results.py
_TEXT = 2000


def write_results(expressions: list[str], namespace: dict[str, Any], path: str) -> None:
    """Evaluate each expression in ``namespace`` and write what comes out; never raises for what they raise."""
    results = []
    budget = [_BUDGET]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for expression in expressions:
            results.append(_checked(expression, namespace, budget))
    with open(path + ".part", "w", encoding="ascii") as file:
        json.dump({"results": results}, file, allow_nan=False)
    os.replace(path + ".part", path)


def _checked(expression: str, namespace: dict[str, Any], budget: list[int]) -> dict[str, Any]:
    found: dict[str, Any] = {"expression": expression, "error": None, "left_out": 0, "parts": []}
    try:
        # The namespace is copied, so that not even `__builtins__` is added to the user's.
        value = eval(compile(expression.strip(), "<check>", "eval"), dict(namespace))
        parts: list[tuple[str, Any]] = []
        found["left_out"] = _flatten(value, "", parts, 0, set())
        found["parts"] = [_part(path, leaf, budget) for path, leaf in parts]
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 (whatever the user's expression raises is its result)
        found["error"] = f"{type(error).__name__}: {error}"[:_TEXT]
        found["parts"] = []
    return found


def _flatten(value: Any, path: str, parts: list[tuple[str, Any]], depth: int, above: set[int]) -> int:
    """Put every array, number and text in ``value`` into ``parts``; return how many were left out."""
    inner = _inner(value)
    if inner is None:
        if len(parts) >= _MOST_PARTS:
            return 1
        parts.append((path, value))
        return 0
    if depth >= _DEEPEST or id(value) in above:
        parts.append((path, _Unknown("it is nested too deeply, or holds itself")))
        return 0
    if not inner:
        parts.append((path, f"empty {type(value).__name__}"))
        return 0
    above.add(id(value))
    left_out = 0
    for name, item in inner:
        if len(parts) >= _MOST_PARTS:
            left_out += 1
        else:
            left_out += _flatten(item, path + name, parts, depth + 1, above)
    above.discard(id(value))
    return left_out


def _inner(value: Any) -> list[tuple[str, Any]] | None:
    """Return the items of a container with their names; ``None`` for what is none."""
    if isinstance(value, dict):
        return [(f"[{key!r:.60}]", item) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        if isinstance(value, list) and len(value) > 8 and all(type(item) in (int, float, bool) for item in value):
            as_array = _array_of_numbers(value)
            if as_array is not None:
                return None
        names = getattr(value, "_fields", None)
        if isinstance(names, tuple) and len(names) == len(value):
            return [(f".{name}", item) for name, item in zip(names, value)]  # noqa: B905 (Python 3.9 kernels)
        return [(f"[{index}]", item) for index, item in enumerate(value)]
    if isinstance(value, (set, frozenset)):
        return [(f"{{{index}}}", item) for index, item in enumerate(sorted(value, key=repr))]
    struct = getattr(getattr(value, "_cls", None), "vars", None)
    if isinstance(struct, dict) and callable(getattr(value, "numpy_value", None)):  # an instance of a Warp struct
        return [(f".{name}", getattr(value, name)) for name in struct]
    fields = getattr(type(value), "__dataclass_fields__", None)
    if isinstance(fields, dict):
        return [(f".{name}", getattr(value, name)) for name in fields]
    return None


class _Unknown:
    """Stands for a part that cannot be compared."""

    def __init__(self, why: str) -> None:
        self.why = why


def _part(path: str, value: Any, budget: list[int]) -> dict[str, Any]:
    """Return one part as the report has it."""
    found: dict[str, Any] = {"path": path, "kind": "unknown", "digest": None}
    if isinstance(value, _Unknown):
        return {**found, "why": value.why}
    if value is None or isinstance(value, (str, bytes)):
        digest = hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()
        shown = repr(value).encode("utf-8", "replace").decode("utf-8")
        return {**found, "kind": "text", "digest": digest, "text": shown[:_TEXT]}
    try:
        array, dtype = _as_array(value)
    except Exception as error:  # noqa: BLE001 (another library's conversion may raise anything)
        why = f"a {type(value).__name__} could not be read ({type(error).__name__}: {error})"
        return {**found, "why": why[:_TEXT]}
    if array is None:
        if isinstance(value, int):  # too large for any array
            return {**found, "kind": "text", "digest": hashlib.sha256(repr(value).encode()).hexdigest(),
                    "text": repr(value)[:_TEXT]}  # fmt: skip
        return {**found, "why": f"a {type(value).__name__} has no numbers that can be read"}
    return {**found, **_array_part(array, dtype, budget)}


def _as_array(value: Any) -> tuple[Any, str]:
    """Return a value as a numpy array, and what its library calls its dtype; ``None`` where it has no numbers."""
    numpy = _numpy()
    if numpy is None:
        raise ImportError("this Python has no numpy")
    if isinstance(value, (bool, int, float, complex)):
        if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
            return None, ""
        return _numbers(numpy.asarray(value))
    if isinstance(value, list):
        return _numbers(_array_of_numbers(value))
    if type(value).__module__.partition(".")[0] == "torch":
        tensor = value.detach().cpu()
        dtype = str(tensor.dtype).rpartition(".")[2]
        if dtype in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
            tensor = tensor.float()
        return numpy.asarray(tensor.resolve_conj().numpy()), dtype
    if type(value).__module__.partition(".")[0] == "cupy":
        return _numbers(value.get())
    if callable(getattr(value, "numpy", None)):  # Warp arrays of every kind
        return _numbers(numpy.asarray(value.numpy()))
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return _numbers(numpy.asarray(value))
    if hasattr(value, "value") and isinstance(value.value, (bool, int, float)):  # a Warp scalar
        return numpy.asarray(value.value), type(value).__name__
    if hasattr(value, "__len__") and hasattr(value, "__getitem__") and not hasattr(value, "keys"):
        return _numbers(numpy.asarray(value))  # Warp vectors, matrices, quaternions
    if isinstance(value, memoryview):
        return _numbers(numpy.asarray(value))
    return None, ""


def _numbers(array: Any) -> tuple[Any, str]:
    """Return an array whose values can be written, and its dtype's name."""
    numpy = _numpy()
    dtype = str(array.dtype)
    if array.dtype.names is not None:  # structs: field by field, side by side
        flat = [numpy.asarray(_numbers(array[name])[0], dtype="f8").reshape((*array.shape, -1))
                for name in array.dtype.names]  # fmt: skip
        return numpy.concatenate(flat, axis=-1), dtype[:200]
    size = array.dtype.itemsize
    if array.dtype.kind in "biu" or (array.dtype.kind, size <= 8) == ("f", True) or (dtype[:7], size) == ("complex", 8):
        return array, dtype
    if array.dtype.kind == "c":
        return array.astype("c16"), dtype
    if array.dtype.kind in "Mm":
        return array.astype("i8"), dtype
    if array.dtype.kind in "fV":  # a longer float, and types such as bfloat16 that numpy itself does not know
        return array.astype("f8" if array.dtype.kind == "f" else "f4"), dtype
    if array.dtype.kind == "O" and array.size and all(isinstance(item, (bool, int, float)) for item in array.flat):
        return array.astype("f8"), dtype
    if array.dtype.kind in "US":
        raise TypeError("texts in an array are not compared")
    raise TypeError(f"its dtype {dtype} has no numbers")


def _array_part(array: Any, dtype: str, budget: list[int]) -> dict[str, Any]:
    numpy = _numpy()
    flat = numpy.ascontiguousarray(array).reshape(-1)
    flat = flat.astype(flat.dtype.newbyteorder("<"), copy=False)
    shape = [int(n) for n in array.shape]
    digest = hashlib.sha256(json.dumps([dtype, shape]).encode())
    digest.update(memoryview(flat).cast("B") if flat.size else b"")
    kept = _to_keep(flat.size, flat.dtype.itemsize, budget)
    values = flat[_positions(flat.size, kept)]
    packed = base64.b64encode(zlib.compress(values.tobytes(), 6)).decode("ascii")
    return {
        "kind": "array",
        "digest": digest.hexdigest(),
        "dtype": dtype,
        "shape": shape,
        "kept": kept,
        "code": flat.dtype.str,
        "zlib": packed,
    }


def _to_keep(size: int, itemsize: int, budget: list[int]) -> int:
    kept = size if size <= _ALL_UP_TO else _SAMPLE
    if kept * itemsize > budget[0]:
        kept = min(size, _LEAST)
    budget[0] = max(budget[0] - kept * itemsize, 0)
    return kept


def _positions(size: int, kept: int) -> Any:
    """Return which elements are kept; the host works them out by the same rule."""
    numpy = _numpy()
    if kept >= size:
        return slice(None)
    stretch = size // kept
    numbers = numpy.arange(kept, dtype="i8")
    return numbers * stretch + (numbers * _MIX % 2**32) % stretch


def _array_of_numbers(value: list[Any]) -> Any:
    numpy = _numpy()
    if numpy is None:
        return None
    try:
        array = numpy.asarray(value)
    except (OverflowError, ValueError):
        return None
    return array if array.dtype.kind in "biuf" else None


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        return None
    return numpy
