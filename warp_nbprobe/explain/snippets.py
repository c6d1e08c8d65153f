"""Code to paste, with the user's own names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from warp_nbprobe.data.records import KernelState, Wire

_BUILTIN: Final = re.compile(
    r"^(?:u?int(?:8|16|32|64)|b?float(?:16|32|64)|bool|(?:vec|mat|quat|transform|spatial_)\w*)$"
)


def type_code(text: str) -> str:
    """Return a recorded type as code: ``array(float32)`` as ``wp.array(dtype=wp.float32)``."""
    name, found, inner = text.partition("(")
    if found and inner.endswith(")"):
        return f"wp.{name}(dtype={type_code(inner[:-1])})"
    return f"wp.{text}" if _BUILTIN.match(text) else text


def overload_line(wire: Wire, state: KernelState) -> str:
    """Return the ``wp.overload`` call that registers an instance of a generic kernel."""
    return f"wp.overload({short_name(state)}, [{', '.join(instance_types(wire, state))}])"


def instance_types(wire: Wire, state: KernelState) -> list[str]:
    """Return an instance's argument types as code.

    Annotations of the kernel's own source keep what the record of a type leaves out (an array's dimensions);
    what is generic in them is replaced by what the instance has.
    """
    annotations = _annotations(wire, state)
    return [_concrete(annotations.get(name), text) for name, text in state.args if name != "return"]


def _annotations(wire: Wire, state: KernelState) -> dict[str, ast.expr]:
    source = wire.sources.get(state.source) if state.source is not None else None
    try:
        tree = ast.parse(source.text) if source else None
    except (SyntaxError, ValueError):
        return {}
    definition = tree.body[0] if tree and tree.body else None
    if not isinstance(definition, ast.FunctionDef):
        return {}
    arguments = (*definition.args.posonlyargs, *definition.args.args, *definition.args.kwonlyargs)
    return {argument.arg: argument.annotation for argument in arguments if argument.annotation is not None}


def _concrete(annotation: ast.expr | None, text: str) -> str:
    plain = type_code(text)
    if not isinstance(annotation, ast.Call) or "(" not in text:
        return plain
    dtype = type_code(text.partition("(")[2][:-1])
    called = ast.unparse(annotation.func)
    kept = [f"{keyword.arg}={ast.unparse(keyword.value)}" for keyword in annotation.keywords if keyword.arg != "dtype"]
    return f"{called}({', '.join([f'dtype={dtype}', *kept])})"


def short_name(state: KernelState) -> str:
    """Return the name that a kernel's function has in its own scope."""
    return state.name.rpartition(".")[2]


def definition(state: KernelState, decorator: str = "@wp.kernel", more: Sequence[str] = ()) -> str:
    """Return the head of a kernel's definition under a decorator, with ``more`` arguments; the body is the user's."""
    generic = state.parent is not None
    arguments = [f"{name}: {_any(text) if generic else type_code(text)}" for name, text in state.args]
    return f"{decorator}\ndef {short_name(state)}({', '.join([*arguments, *more]) or '...'}):\n    ..."


def _any(text: str) -> str:
    return f"wp.{text.partition('(')[0]}(dtype=Any)" if "(" in text else "Any"


def factory_of(state: KernelState) -> str | None:
    """Return the function that a kernel is defined in (its class for ``__init__``), ``None`` at module level."""
    outer, found, _ = state.name.rpartition(".<locals>.")
    return outer.removesuffix(".__init__").rpartition(".")[2] if found else None


def early_kernels(states: Sequence[KernelState]) -> str:
    """Return how to have kernels that came late before the first launch."""
    nested = [state for state in states if factory_of(state)]
    lines: list[str] = []
    for factory in dict.fromkeys(factory_of(state) for state in nested):
        mine = [state for state in nested if factory_of(state) == factory]
        if any(state.captured for state in mine) or len({state.source for state in mine}) < len(mine):
            lines += _variants(str(factory), mine)
        else:
            names = ", ".join(short_name(state) for state in mine)
            lines += [f"# at module level instead of in {factory}(), before the first wp.launch: {names}"]
            lines += [definition(state) for state in mine[:2]]
    plain = [state for state in states if not factory_of(state)]
    variants = list(dict.fromkeys(short_name(state) for state in plain))
    if len(variants) < len(plain):
        lines += [f"# keep every variant of {', '.join(variants)} in a list first, then launch any of them"]
        lines += [
            "kernels = []",
            "for value in (...):",
            "    ...  # the definition",
            f"    kernels.append({variants[0]})",
        ]
    elif plain:
        names = ", ".join(short_name(state) for state in plain)
        lines += [f"# before the first wp.launch of module {plain[0].module}: {names}"]
        lines += [definition(state) for state in plain[:2]]
    return "\n".join(lines)


def _variants(factory: str, states: Sequence[KernelState]) -> list[str]:
    """Return the loop that makes all variants of one source first."""
    names = list(dict.fromkeys(name for state in states for name in state.captured))
    values = {name: list(dict.fromkeys(s.captured[name] for s in states if name in s.captured)) for name in names}
    values = {name: texts for name, texts in values.items() if all(map(_is_literal, texts))}
    head = f"# first make every variant, then launch any of them{_seen(values)}"
    if len(names) != 1 or not values:
        return [head, f"kernels = [{factory}(...), ...]"]
    (name,) = names
    return [head, f"kernels = [{factory}({name}) for {name} in {_tuple(values[name])}]"]


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


def _tuple(texts: Sequence[str]) -> str:
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def _seen(values: Mapping[str, Sequence[str]]) -> str:
    shown = "; ".join(f"{name}: {', '.join(texts)}" for name, texts in values.items() if texts)
    return f" (seen: {shown})" if shown else ""


def own_module(states: Iterable[KernelState], name: str) -> str:
    """Return decorators that put kernels into one named module."""
    return "\n\n".join(definition(state, f'@wp.kernel(module="{name}")') for state in states)


def option_pairs(options: Mapping[str, str | None]) -> str:
    """Return options as a dict's text; names of enumerations and paths stay texts."""
    return ", ".join(f'"{name}": {literal(value)}' for name, value in options.items())


def literal(text: str | None) -> str:
    """Return the text of a value as code."""
    if text is None:
        return "None"
    return text if _is_literal(text) else repr(text)


def module_code(module: str) -> str:
    """Return a module's name as code: the program's own by ``__name__``."""
    return "__name__" if module == "__main__" else f'"{module}"'


def module_object(module: str) -> str:
    """Return the code that gives Warp's object for a module, which is what ``wp.force_load`` takes."""
    return f"wp.get_module({module_code(module)})"


def identifier(module: str) -> str:
    """Return a module's name as part of a new name."""
    return re.sub(r"\W+", "_", module).strip("_") or "kernels"
