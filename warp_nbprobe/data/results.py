"""Values that the user asked to check, as the child left them: digest, shape, dtype, and the values themselves.

A value is flattened into *parts*: each array or number in it is one, with its path (``['a'][0]``). A large array
keeps a fixed sample of its elements, chosen by its size alone, so that two runs keep the same ones.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, cast

import numpy as np
import numpy.typing as npt

from warp_nbprobe.data.decode import clean_text, load_object

PartKind = Literal["array", "text", "unknown"]

_MOST_BYTES: Final = 2**26  # of one part's kept values; the child keeps far less
_DTYPE: Final = re.compile(r"[<|](?:b1|[iu][1248]|f[248]|c8|c16)")
_MIX: Final = 2654435761  # as in child/check.py


@dataclass(frozen=True, slots=True)
class Part:
    """One array, number or text of a checked value. ``why`` says why it cannot be compared."""

    path: str
    kind: PartKind
    digest: str | None = None  # of shape, dtype and every byte of the values
    dtype: str | None = None  # as its library calls it: float32, bfloat16
    shape: tuple[int, ...] = ()
    text: str | None = None
    kept: int = 0  # elements whose values are kept
    code: str | None = None  # numpy's code of the kept values: <f4
    data: str | None = None  # the kept values: zlib, base64
    why: str | None = None

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def values(self) -> npt.NDArray[Any]:
        """The kept values, flat; empty where none are. Raises ``ValueError`` for damaged data."""
        if self.data is None or self.code is None:
            return np.zeros(0)
        dtype = np.dtype(self.code)
        unpacker = zlib.decompressobj()
        try:
            raw = unpacker.decompress(base64.b64decode(self.data, validate=True), self.kept * dtype.itemsize + 1)
        except (binascii.Error, zlib.error) as error:
            raise ValueError(f"checked values are damaged: {error}") from None
        if len(raw) != self.kept * dtype.itemsize:
            raise ValueError("checked values are damaged: they are not as many as they should be")
        return np.frombuffer(raw, dtype=dtype)

    @property
    def positions(self) -> npt.NDArray[np.int64]:
        """Where in the flattened array the kept values stand."""
        return sample_positions(self.size, self.kept)


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one checked expression in one run; ``error`` is what it raised."""

    expression: str
    parts: tuple[Part, ...] = ()
    error: str | None = None
    left_out: int = 0  # parts beyond the most that are kept


def sample_positions(size: int, kept: int) -> npt.NDArray[np.int64]:
    """Return which elements of an array are kept: all, or one of each stretch, spread without a pattern."""
    if kept >= size:
        return np.arange(size, dtype=np.int64)
    if kept <= 0:
        return np.zeros(0, dtype=np.int64)
    stretch = size // kept
    numbers = np.arange(kept, dtype=np.int64)
    return numbers * stretch + (numbers * _MIX % 2**32) % stretch


def read_results(path: Path) -> tuple[Result, ...]:
    """Return what a child wrote of its checks; ``ValueError`` when it is not whole, ``OSError`` when not there."""
    content = load_object(path.read_bytes())
    return results_of(content.get("results"))


def results_of(given: Any) -> tuple[Result, ...]:
    """Return results from their JSON; ``ValueError`` says what is wrong with it."""
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise ValueError("checked values are not a list of objects")
    return tuple(_result(one) for one in given)


def results_json(results: Iterable[Result]) -> list[dict[str, Any]]:
    """Return results as JSON has them."""
    return [
        {
            "expression": result.expression,
            "error": result.error,
            "left_out": result.left_out,
            "parts": [_part_json(part) for part in result.parts],
        }
        for result in results
    ]


def without_repeats(results: Iterable[Result], seen: set[tuple[str, str, str]]) -> tuple[Result, ...]:
    """Drop the values of parts that an earlier run had as well, bit by bit; ``seen`` is added to."""
    return tuple(
        replace(result, parts=tuple(_unless_seen(result.expression, part, seen) for part in result.parts))
        for result in results
    )


def _unless_seen(expression: str, part: Part, seen: set[tuple[str, str, str]]) -> Part:
    if part.digest is None or part.data is None:
        return part
    key = (expression, part.path, part.digest)
    if key in seen:
        return replace(part, data=None, kept=0, code=None)
    seen.add(key)
    return part


def redacted_results(results: Iterable[Result], hide: Any, gone: str) -> tuple[Result, ...]:
    """Return results without values and source: ``hide`` turns a text into a digest of itself."""
    return tuple(
        Result(
            expression=hide(result.expression),
            error=gone if result.error is not None else None,
            left_out=result.left_out,
            parts=tuple(
                replace(
                    part,
                    path=hide(part.path) if part.path else "",
                    text=None if part.text is None else hide(part.text),
                    data=None,
                    kept=0,
                    code=None,
                    why=gone if part.why is not None else None,
                )
                for part in result.parts
            ),
        )
        for result in results
    )


def _part_json(part: Part) -> dict[str, Any]:
    found: dict[str, Any] = {"path": part.path, "kind": part.kind, "digest": part.digest}
    if part.kind == "array":
        found |= {"dtype": part.dtype, "shape": list(part.shape), "kept": part.kept}
        found |= {"code": part.code, "zlib": part.data}
    if part.text is not None:
        found["text"] = part.text
    if part.why is not None:
        found["why"] = part.why
    return found


def _result(given: Mapping[str, Any]) -> Result:
    parts = given.get("parts", [])
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise ValueError("the parts of a checked value are not a list of objects")
    return Result(
        expression=_text(given, "expression") or "",
        parts=tuple(_part(part) for part in parts),
        error=_text(given, "error"),
        left_out=_whole(given, "left_out"),
    )


def _part(given: Mapping[str, Any]) -> Part:
    kind = given.get("kind")
    if kind not in ("array", "text", "unknown"):
        raise ValueError(f"a checked value is of no known kind ({str(kind)[:20]})")
    shape = given.get("shape", [])
    if not isinstance(shape, list) or not all(type(n) is int and 0 <= n < 2**48 for n in shape):
        raise ValueError("the shape of a checked value is not a list of whole numbers")
    part = Part(
        path=_text(given, "path") or "",
        kind=cast(PartKind, kind),
        digest=_text(given, "digest"),
        dtype=_text(given, "dtype"),
        shape=tuple(shape),
        text=_text(given, "text"),
        kept=_whole(given, "kept"),
        code=_text(given, "code"),
        data=_text(given, "zlib"),
        why=_text(given, "why"),
    )
    if part.data is not None:
        if part.code is None or not _DTYPE.fullmatch(part.code):
            raise ValueError("checked values are of no type that is read")
        if part.kept > part.size or part.kept * np.dtype(part.code).itemsize > _MOST_BYTES:
            raise ValueError("a checked value keeps more elements than it can have")
        _ = part.values
    return part


def _text(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name!r} of a checked value is not a text")
    return None if value is None else clean_text(value)


def _whole(given: Mapping[str, Any], name: str) -> int:
    value = given.get(name, 0)
    if type(value) is not int or not 0 <= value < 2**48:
        raise ValueError(f"{name!r} of a checked value is not a whole number")
    return value
