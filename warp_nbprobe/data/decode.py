"""From one JSON object of a wire to its dataclass: types checked, arrays to tuples, places to ``Place``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from math import isfinite
from typing import Any, Final

from warp_nbprobe.data import lines, lines_inputs, lines_rehearsal
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
    "rehearsal": lines_rehearsal.Rehearsal,
    "assumed": lines_rehearsal.Assumed,
    "compiler_trace": lines_rehearsal.CompilerTrace,
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


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value


def _named_texts(value: Any) -> Any:
    """Read an object of texts; another plain value in it is taken as its text."""
    if value is None:
        return _DEFAULT
    found = {}
    for name, text in _object(value).items():
        if isinstance(text, dict | list | tuple):
            raise TypeError(f"{name} is not a text")
        found[clean_text(name)] = clean_text(text) if isinstance(text, str) else str(text)
    return found


def _named(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def items(value: Any) -> Any:
        if value is None:
            return _DEFAULT
        found = {clean_text(name): read(item) for name, item in _object(value).items()}
        return {name: item for name, item in found.items() if item is not _DEFAULT}

    return items


def _record(**readers: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a reader of a nested record: what it names is checked, a null stays, other keys are kept."""

    def nested(value: Any) -> Any:
        if value is None:
            return _DEFAULT
        found = {}
        for name, item in _object(value).items():
            read = readers.get(name, frozen)
            found[clean_text(name)] = None if item is None else read(item)
        return found

    return nested


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
    "TextTable": _named_texts,
    "Texts": _many(_text),
    "Ints": _many(_whole),
    "Pairs": _many(_pair),
}
"""How a field is read, by its annotation in lines.py and lines_inputs.py."""

_VALUES: Final = _named(_record(text=_text, type=_text, bytes=_text))

_BY_NAME: Final[dict[str, Callable[[Any], Any]]] = {
    "machine": _record(host=_text, cpu=_text, cores=_whole),
    "devices": _many(_record(alias=_text, name=_text, is_cuda=_flag, memory_bytes=_whole)),
    "constants": _VALUES,
    "statics": _VALUES,
    "overloads": _many(
        _record(
            source=_whole,
            args=_many(_pair),
            constants=_VALUES,
            statics=_VALUES,
            types=_many(_text),
            structs=_many(_whole),
            functions=_many(_whole),
            native=_text,
            defined=_place,
            hidden=_many(_text),
        )
    ),
    "lto": _many(_record(op=_text, file=_text, bytes=_number, ms=_number, made=_flag, adjoint=_flag, kernel=_text)),
    "sources": _many(_record(kernel=_whole, bytes=_number, adjoint_bytes=_number, shared_bytes=_number)),
    "trigger": _record(call=_text, kernel=_text),
    "card": _record(
        alias=_text,
        name=_text,
        arch=_whole,
        sm_count=_whole,
        max_shared_memory_per_block=_whole,
        memory_bytes=_whole,
        output=_text,
        is_mempool_supported=_flag,
        is_mempool_enabled=_flag,
        is_cubin_supported=_flag,
        is_uva=_flag,
    ),
    "error": _record(type=_text, message=_text, kernel=_text, defined=_place, native_line=_text),
    "mismatch": _many(_record(kernel=_text, name=_text, hashed=_text, generated=_text)),
    "holders": _named(_many(_text)),
}
"""How the nested records are read, by the name of their field."""

_Plan = tuple[type[Any], dict[str, Callable[[Any], Any]], tuple[str, ...]]


def _plan(cls: type[Any]) -> _Plan:
    readers = {}
    for f in fields(cls):
        kind = str(f.type).removesuffix(" | None")
        readers[f.name] = _BY_NAME[f.name] if kind in ("Table", "Tables") else _BY_ANNOTATION[kind]
    required = tuple(f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING)
    return cls, readers, required


_PLANS: Final[dict[str, _Plan]] = {kind: _plan(cls) for kind, cls in KINDS.items()}
