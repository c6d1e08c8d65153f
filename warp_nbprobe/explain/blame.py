"""Which line of the user's code caused a build: the definition, the assignment or the call."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from warp_nbprobe.data.events import cells_of
from warp_nbprobe.data.model import Run
from warp_nbprobe.data.records import Assign, Place, Wire
from warp_nbprobe.explain.assignments import Binding, bindings, outermost_loop, parse
from warp_nbprobe.explain.changes import Change
from warp_nbprobe.explain.contents import Build
from warp_nbprobe.explain.pairing import Kernel
from warp_nbprobe.explain.parts import Part


@dataclass(frozen=True, slots=True)
class Blame:
    """A line, and whether it was only inferred: no assignment was found, so the kernel's own line stands in."""

    place: Place | None
    inferred: bool = False


def of_change(build: Build, kernel: Kernel, change: Change) -> Blame:
    """Return the line that made one part of a kernel change."""
    part = change.part
    named = part.kind == "constant" or (part.kind == "static" and part.name.isidentifier())
    if named and change.origin != "closure":
        found = last_assignment(build, part.name, kernel, change.new)
        return Blame(found or kernel.state.defined, inferred=found is None)
    if part.kind == "calls":
        return Blame(_rebound(build, kernel) or kernel.state.defined)
    return Blame(change.place or kernel.state.defined)


def _rebound(build: Build, kernel: Kernel) -> Place | None:
    """Return the line that last made a name which the kernel calls stand for another function."""
    tree = parse(kernel.source)
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree else []
    called = [function.id for function in calls if isinstance(function, ast.Name)]
    places = [last_assignment(build, name, kernel, None) for name in dict.fromkeys(called)]
    return next((place for place in places if place is not None), None)


def of_option(build: Build, name: str, new: str | None) -> Blame:
    """Return the line that set an option: on the module or in ``warp.config``, the latest before the build."""
    made = [
        assign
        for assign in build.wire.assigns
        if assign.t <= build.event.t0 and _sets(assign, build.event.module, name)
    ]
    exact = [assign for assign in made if assign.new == new] or made
    mine = [assign for assign in exact if not assign.by_warp] or exact
    return Blame(mine[-1].place if mine else None)


def of_overload(build: Build, kernel: Kernel) -> Blame:
    """Return the line that asked for new types: the ``wp.overload`` call or the launch."""
    types = tuple(type_ for _, type_ in kernel.state.args)
    made = [
        overload
        for overload in build.wire.overloads
        if overload.t <= build.event.t0
        and (overload.kid == kernel.state.kid or (overload.name, overload.types) == (kernel.state.name, types))
    ]
    return Blame(made[-1].place if made and made[-1].place else build.event.place)


_MADE_OF = {"extra_build_options": "extra_"}


def _sets(assign: Assign, module: str, name: str) -> bool:
    same = assign.name == name or name.startswith(_MADE_OF.get(assign.name, "\0"))
    return same and (assign.what == "config" or assign.module in (None, module))


def last_assignment(build: Build, name: str, kernel: Kernel, new: str | None) -> Place | None:
    """Return the line that last gave ``name`` its value before the build."""
    return assigned_before(build.run, build.wire, name, kernel, build.event.place, build.event.t0, new)


def assigned_before(
    run: Run, wire: Wire, name: str, kernel: Kernel, trigger: Place | None, until: int, new: str | None
) -> Place | None:
    """Return the line that last gave ``name`` its value before ``until``, when ``trigger`` was running.

    In a notebook that is looked for in the cells executed; for a kernel in a file in that file, then in the
    other files and cells that assign the name as an attribute (``module.name = ...``). A kernel that Warp wrote
    itself (``wp.map`` of a lambda) reads the names of the code that asked for it.
    """
    texts = list(_texts(run, wire, until))
    defined = kernel.state.defined
    written = defined is not None and defined.file.startswith("<")
    own = [text for text in texts if _shares_globals(text, trigger if written else defined)]
    found = _latest(own, name, trigger, new)
    if found is None and "." not in name:
        rest = [text for text in texts if text not in own]
        return _latest(rest, name, trigger, new, attribute=True)
    return found or _latest(texts, name, trigger, new)


@dataclass(frozen=True, slots=True)
class _Text:
    """A cell or file that was executed."""

    file: str
    cell: int | None
    source: str


def _texts(run: Run, wire: Wire, until: int) -> Iterator[_Text]:
    """Yield what had been executed by then, in order; of a file that changed, its latest text."""
    files: dict[str, _Text] = {}
    for file in wire.files:
        source = wire.sources.get(file.source)
        if file.t <= until and source is not None:
            files[file.file] = _Text(file.file, None, source.text)
    yield from files.values()
    for begin in sorted(cells_of(run, wire).values(), key=lambda begin: begin.t):
        if begin.t <= until and begin.source is not None:
            yield _Text(begin.file or "", begin.cell, begin.source)


def _shares_globals(text: _Text, defined: Place | None) -> bool:
    if defined is None:
        return False
    return text.cell is not None if defined.cell is not None else text.file == defined.file


def _latest(
    texts: Sequence[_Text], name: str, trigger: Place | None, new: str | None, attribute: bool = False
) -> Place | None:
    for text in reversed(texts):
        names = _attributes(text.source, name) if attribute else (name,)
        found = [binding for spelled in names for binding in bindings(text.source, spelled)]
        chosen = _chosen(text, found, trigger, new)
        if chosen is not None:
            return Place(text.file, chosen.line, text.cell)
    return None


def _attributes(source: str, name: str) -> Iterable[str]:
    """Return the dotted names under which ``source`` speaks of an attribute ``name``."""
    if f".{name}" not in source:
        return ()
    found: set[str] = set()
    for piece in source.replace("=", " ").replace(",", " ").split():
        if piece.endswith(f".{name}") and all(part.isidentifier() for part in piece.split(".")):
            found.add(piece)
    return sorted(found)


def _chosen(text: _Text, found: list[Binding], trigger: Place | None, new: str | None) -> Binding | None:
    """Return the binding that ran last: above the line that triggered, or anywhere in the loop around it."""
    found = sorted(found, key=lambda binding: binding.line)
    if trigger is not None and (trigger.file, trigger.cell) == (text.file, text.cell):
        loop = outermost_loop(text.source, trigger.line)
        above = [binding for binding in found if binding.line <= trigger.line and not binding.in_function]
        around = [binding for binding in found if loop and loop[0] <= binding.line <= loop[1]]
        inside = [binding for binding in above if binding in around]
        plain = inside or around or above
        functions = [binding for binding in found if binding.in_function]
        found = plain or functions
        if not found:
            return None
    fitting = [binding for binding in found if _fits(binding, new)] or found
    return fitting[-1] if fitting else None


def _fits(binding: Binding, new: str | None) -> bool:
    """Whether the binding can have given the new value, as far as a literal tells."""
    return binding.literal is None or new is None or repr(binding.literal) == new


def of_source(kernel: Kernel) -> Blame:
    """Return the line of the kernel's own definition."""
    return Blame(kernel.parts[Part("source")].place)
