"""From one JSON object of a wire to its dataclass: types checked, arrays to tuples, places to ``Place``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from math import isfinite
from typing import Any, Final

from warp_nbprobe.data import lines, lines_inputs
from warp_nbprobe.data.lines import Place

_INT64: Final = 2**63
_DEPTH: Final = 60  # no honest line or report nests deeper than twenty


class WireError(ValueError):
    """A wire line that a strict reader does not accept."""


KINDS: Final[dict[str, type[Any]]] = {
    "header": lines.Header,
    "warp": lines.WarpImport,
    "no_warp": lines.NoWarp,
    "runtime": lines.Runtime,
    "code_begin": lines.CodeBegin,
    "code_end": lines.CodeEnd,
    "cell_begin": lines.CellBegin,
    "cell_end": lines.CellEnd,
    "source": lines_inputs.Source,
    "struct": lines_inputs.Struct,
    "function": lines_inputs.Function,
    "kernel": lines_inputs.KernelState,
    "inputs": lines_inputs.Inputs,
    "building": lines.Building,
    "event": lines.Event,
    "log": lines.LogLine,
    "assign": lines.Assign,
    "call": lines.Call,
    "module": lines_inputs.ModuleMade,
    "define": lines_inputs.Define,
    "overload": lines_inputs.Overload,
    "rehash": lines_inputs.Rehash,
    "stale": lines_inputs.Stale,
    "option_missed": lines_inputs.OptionMissed,
    "loop": lines_inputs.Loop,
    "file": lines_inputs.UserFile,
    "refused": lines_inputs.Refused,
    "taped": lines_inputs.Taped,
    "signature": lines.Signature,
    "probe": lines.ProbeTime,
    "trouble": lines.Trouble,
    "footer": lines.Footer,
}


def load_object(text: str | bytes) -> dict[str, Any]:
    """Return the JSON object in ``text``; ``ValueError`` for anything else, NaN and doubled keys included."""
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_single_keys)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    level: list[Any] = [value]
    for _ in range(_DEPTH):
        level = [item for outer in level for item in _items(outer) if isinstance(item, dict | list)]
        if not level:
            return value
    raise ValueError("nested too deeply")


def _items(outer: Any) -> Iterable[Any]:
    return outer.values() if isinstance(outer, dict) else outer


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"{text[:20]} is out of range")
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _single_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def record_of(kind: str, line: Mapping[str, Any]) -> Any:
    """Return the dataclass of ``kind`` filled from ``line``; ``WireError`` says what is wrong with it."""
    cls, readers, required = _PLANS[kind]
    missing = [name for name in required if name not in line]
    if missing:
        raise WireError(f"a {kind} line lacks {', '.join(missing)}")
    given: dict[str, Any] = {}
    for name, read in readers.items():
        if name in line:
            try:
                value = read(line[name])
            except (ValueError, TypeError, OverflowError) as error:
                raise WireError(f"{name} of a {kind} line: {error}") from None
            if value is not _DEFAULT:
                given[name] = value
            elif name in required:
                raise WireError(f"{name} of a {kind} line is null")
    return cls(**given)


_DEFAULT: Final = object()  # a null for a field that cannot be missing: its default stands


def clean_text(text: str) -> str:
    """Return ``text`` without lone surrogates, which no file and no frame can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _text(value: Any) -> Any:
    if value is None:
        return _DEFAULT
    if not isinstance(value, str):
        raise TypeError("not a text")
    return clean_text(value)


def _whole(value: Any) -> Any:
    if value is None:
        return _DEFAULT
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("not a whole number")
    if not -_INT64 <= value < _INT64:
        raise OverflowError("out of range")
    return value


def _number(value: Any) -> Any:
    if value is None:
        return _DEFAULT
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("not a number")
    if not isfinite(value):
        raise ValueError("not finite")
    return float(value)


def _flag(value: Any) -> Any:
    if value is None:
        return _DEFAULT
    if not isinstance(value, bool):
        raise TypeError("neither true nor false")
    return value


def _place(value: Any) -> Any:
    if value is None:
        return _DEFAULT
    if not isinstance(value, dict):
        raise TypeError("not a place")
    file, line, cell = value.get("file"), value.get("line"), value.get("cell")
    file, line, cell = _text(file), _whole(line), _whole(cell)
    if file is _DEFAULT or line is _DEFAULT:
        raise ValueError("a place without file or line")
    return Place(file, line, None if cell is _DEFAULT else cell, value.get("user") is not False)


def frozen(value: Any) -> Any:
    """Return JSON data with arrays as tuples and clean texts."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(key): frozen(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(frozen(item) for item in value)
    return value


def _anything(value: Any) -> Any:
    return _DEFAULT if value is None else frozen(value)


def _table(value: Any) -> Any:
    if value is None:
        return _DEFAULT
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return _with_place(frozen(value))


def _with_place(table: dict[str, Any]) -> dict[str, Any]:
    """Turn ``defined`` of a nested record into a place (a global named so is told apart by its keys)."""
    place = table.get("defined")
    if isinstance(place, dict) and "file" in place:
        table["defined"] = _place(place)
    return table


def _many(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def items(value: Any) -> Any:
        if value is None:
            return _DEFAULT
        if not isinstance(value, list | tuple):
            raise TypeError("not an array")
        found = tuple(read(item) for item in value)
        if any(item is _DEFAULT for item in found):
            raise TypeError("null in an array")
        return found

    return items


def _pair(value: Any) -> tuple[str, str]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise TypeError("not a pair")
    first, second = _text(value[0]), _text(value[1])
    if first is _DEFAULT:
        raise TypeError("a pair without a name")
    return first, "" if second is _DEFAULT else second


_BY_ANNOTATION: Final[dict[str, Callable[[Any], Any]]] = {
    "str": _text,
    "int": _whole,
    "float": _number,
    "bool": _flag,
    "Place": _place,
    "Table": _table,
    "Texts": _many(_text),
    "Ints": _many(_whole),
    "Tables": _many(_table),
    "Pairs": _many(_pair),
    "Any": _anything,
}
"""How a field is read, by its annotation in lines.py and lines_inputs.py."""

_Plan = tuple[type[Any], dict[str, Callable[[Any], Any]], tuple[str, ...]]


def _plan(cls: type[Any]) -> _Plan:
    readers = {f.name: _BY_ANNOTATION[str(f.type).removesuffix(" | None")] for f in fields(cls)}
    required = tuple(f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING)
    return cls, readers, required


_PLANS: Final[dict[str, _Plan]] = {kind: _plan(cls) for kind, cls in KINDS.items()}
