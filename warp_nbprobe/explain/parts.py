"""What enters the hash of one kernel, as named parts: its own text and types, constants, functions, structs.

A part belongs to a *holder*: the kernel itself (``""``) or an overload of a function that it reaches, however
deep (``name(arguments)``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from warp_nbprobe.data.records import Function, KernelState, Place, Wire

Kind = Literal["source", "arguments", "decorator", "constant", "static", "type", "struct", "calls"]


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """The name of one part."""

    kind: Kind
    holder: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """What a part holds. Equal tokens mean that Warp hashes the same bytes."""

    token: str
    text: str = ""  # for a person
    tree: str | None = None  # of a source: equal when only comments or blank lines differ
    place: Place | None = None  # where the holder or the struct was defined
    hidden: bool = False  # a constant that the code does not read
    hider: str = ""  # what has its name: an argument or a loop variable
    origin: str | None = None  # of a constant: global, closure or static


def parts_of(wire: Wire, state: KernelState) -> dict[Part, Value]:
    """Return all parts of one kernel instance."""
    parts: dict[Part, Value] = {}
    source = wire.sources.get(state.source) if state.source is not None else None
    text = source.text if source else f"source {state.source}"
    parts[Part("source")] = Value(text, text, source.tree if source else None, state.defined)
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in state.args)
    parts[Part("arguments")] = Value(arguments, arguments, place=state.defined)
    for name, option in state.options.items():
        parts[Part("decorator", "", name)] = Value(str(option), str(option), place=state.defined)
    names = [name for name, _ in state.args]
    parts.update(_held(state.constants, state.statics, state.types, "", state.hidden, names, state.defined))
    structs = set(state.structs)
    functions = named_functions(wire, state)
    for holder, function in functions:
        own, used = _function_parts(wire, holder, function)
        parts.update(own)
        structs |= used
    for struct_id in sorted(structs):
        struct = wire.structs.get(struct_id)
        if struct is not None:
            fields = ", ".join(f"{name}: {type_}" for name, type_ in struct.fields)
            parts[Part("struct", "", struct.name)] = Value(f"{fields}|{struct.hash}", fields, place=struct.defined)
    called = [function.name for _, function in functions]
    parts[Part("calls")] = Value("\n".join(sorted(called)), ", ".join(called))
    return parts


def named_functions(wire: Wire, state: KernelState) -> list[tuple[str, Function]]:
    """Return every function the kernel reaches, under a name that is unique within the kernel."""
    found: dict[int, Function] = {}
    waiting = list(reversed(state.functions))
    while waiting:
        function_id = waiting.pop()
        function = wire.functions.get(function_id)
        if function is None or function_id in found:
            continue
        found[function_id] = function
        for overload in function.overloads:
            waiting.extend(overload.get("functions") or ())
    counts: dict[str, int] = {}
    named: list[tuple[str, Function]] = []
    for function in sorted(found.values(), key=lambda f: (f.name, f.module or "", f.id)):
        counts[function.name] = seen = counts.get(function.name, 0) + 1
        named.append((function.name if seen == 1 else f"{function.name}#{seen}", function))
    return named


def function_of(holder: str) -> str:
    """Return the name of the function that a holder is an overload of."""
    return holder.partition("(")[0].partition("#")[0]


def _function_parts(wire: Wire, holder: str, function: Function) -> tuple[dict[Part, Value], set[int]]:
    """Return the parts that a function adds, without those of what it calls, and the structs it names."""
    parts: dict[Part, Value] = {}
    structs: set[int] = set()
    for overload in function.overloads:
        arguments = _arguments(overload.get("args") or ())
        name = f"{holder}({arguments})"
        source = wire.sources.get(overload.get("source", -1))
        text = source.text if source else f"source {overload.get('source')}"
        place = overload.get("defined")
        place = place if isinstance(place, Place) else None
        native = overload.get("native")
        token = "\n".join((text, arguments, str(native)))
        tree = f"{source.tree}\n{arguments}\n{native}" if source and source.tree else None
        parts[Part("source", name)] = Value(token, text, tree, place)
        parts.update(
            _held(
                overload.get("constants") or {},
                overload.get("statics") or {},
                overload.get("types") or (),
                name,
                overload.get("hidden") or (),
                [str(arg[0]) for arg in overload.get("args") or () if isinstance(arg, tuple)],
                place,
            )
        )
        structs.update(overload.get("structs") or ())
    return parts, structs


def _arguments(args: Iterable[Any]) -> str:
    return ", ".join(": ".join(map(str, arg)) if isinstance(arg, tuple) else str(arg) for arg in args)


def _held(
    constants: Mapping[str, Any],
    statics: Mapping[str, Any],
    types: Any,
    holder: str,
    hidden: Iterable[str],
    arguments: Iterable[str],
    place: Place | None,
) -> Iterator[tuple[Part, Value]]:
    """Yield what a kernel or function refers to by value or type."""
    unread, named = set(hidden), set(arguments)
    for name, value in constants.items():
        yield (
            Part("constant", holder, name),
            Value(
                token(value),
                _shown(value),
                place=place,
                hidden=name in unread,
                hider="argument" if name in named else "loop variable",
                origin=_field(value, "from"),
            ),
        )
    for name, value in statics.items():
        yield Part("static", holder, name), Value(token(value), _shown(value), place=place)
    for text in types.items() if isinstance(types, Mapping) else types:
        shown = text if isinstance(text, str) else repr(text)
        yield Part("type", holder, shown), Value(shown, shown, place=place)


def _field(value: Any, name: str) -> str | None:
    found = value.get(name) if isinstance(value, Mapping) else None
    return str(found) if found is not None else None


def token(value: Any) -> str:
    """Return what Warp hashes of a constant; its text where the bytes are not on the wire."""
    return _field(value, "bytes") or _shown(value)


def _shown(value: Any) -> str:
    return _field(value, "text") or (str(value) if not isinstance(value, Mapping) else "?")
