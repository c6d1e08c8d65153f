"""Where a name was last assigned, found by parsing what was executed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_MAGIC: Final = re.compile(r"^(\s*)(?:[%!?].*|.*\?)$")
_MAGIC_VALUE: Final = re.compile(r"^(\s*[\w., ]+=\s*)[%!].*$")


@dataclass(frozen=True, slots=True)
class Binding:
    """A line that gives a name a value."""

    line: int
    loop: tuple[int, int] | None  # first and last line of the outermost loop around it
    literal: object = None  # the value, where it stands there as a literal number
    in_function: bool = False  # in a function that declares the name global


def bindings(source: str, name: str) -> tuple[Binding, ...]:
    """Return the lines of ``source`` that assign ``name`` at module level, in order; none when it cannot be parsed.

    Loops, ``if``, ``with`` and ``try`` count, functions only where they declare the name global; a definition of
    that name counts at the line of its first decorator. A dotted name is an attribute's. Magics and shell lines of a
    notebook are passed over.
    """
    tree = parse(source)
    if tree is None:
        return ()
    found = [binding for statement in tree.body for binding in _in_statement(statement, name, None, False)]
    return tuple(sorted(found, key=lambda binding: binding.line))


def parse(source: str) -> ast.Module | None:
    """Return the tree of a cell or file, ``None`` when its text is no Python."""
    lines = source.split("\n")
    if source.lstrip().startswith("%%"):
        first = next(number for number, line in enumerate(lines) if line.strip())
        lines[first] = ""
    plain = "\n".join(_MAGIC_VALUE.sub(r"\1None", _MAGIC.sub(r"\1pass", line)) for line in lines)
    for text in (source, plain):
        try:
            tree = compile(text, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        except (SyntaxError, ValueError):
            continue
        return tree if isinstance(tree, ast.Module) else None
    return None


def outermost_loop(source: str, line: int) -> tuple[int, int] | None:
    """Return first and last line of the loop at module level that ``line`` stands in."""
    tree = parse(source)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.For | ast.While | ast.AsyncFor):
            last = node.end_lineno or node.lineno
            if node.lineno <= line <= last:
                return node.lineno, last
    return None


def _in_statement(node: ast.stmt, name: str, loop: tuple[int, int] | None, in_function: bool) -> Iterator[Binding]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name:
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        yield Binding(first, loop, None, in_function)
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        declares = any(isinstance(child, ast.Global) and name in child.names for child in ast.walk(node))
        if declares:
            for statement in node.body:
                yield from _in_statement(statement, name, loop, True)
        return
    if isinstance(node, ast.ClassDef):
        return
    if isinstance(node, ast.For | ast.While | ast.AsyncFor) and loop is None:
        loop = (node.lineno, node.end_lineno or node.lineno)
    for target, value in _targets(node):
        if _binds(target, name):
            yield Binding(target.lineno, loop, _literal(value), in_function)
    if isinstance(node, ast.Import | ast.ImportFrom) and any(
        (alias.asname or alias.name.partition(".")[0]) == name for alias in node.names
    ):
        yield Binding(node.lineno, loop, None, in_function)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield from _in_statement(child, name, loop, in_function)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            for statement in child.body:
                yield from _in_statement(statement, name, loop, in_function)
        elif isinstance(child, ast.expr):
            walrus = (inner for inner in ast.walk(child) if isinstance(inner, ast.NamedExpr))
            for inner in walrus:
                if inner.target.id == name:
                    yield Binding(inner.lineno, loop, _literal(inner.value), in_function)


def _targets(node: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield target, node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.AugAssign | ast.For | ast.AsyncFor):
        yield node.target, None
    elif isinstance(node, ast.With | ast.AsyncWith):
        for item in node.items:
            if item.optional_vars is not None:
                yield item.optional_vars, None


def _binds(target: ast.expr, name: str) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return any(_binds(element, name) for element in target.elts)
    if isinstance(target, ast.Starred):
        return _binds(target.value, name)
    if isinstance(target, ast.Attribute | ast.Name):
        return ast.unparse(target) == name
    return False


def _literal(value: ast.expr | None) -> object:
    if value is None:
        return None
    try:
        found = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return found if isinstance(found, int | float) else None
