"""Rules of kind ``wrong``: code that computes with an old value, or is cached under another program's name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from warp_nbprobe.data.model import Run
from warp_nbprobe.data.records import KernelState, Place, Stale, Wire
from warp_nbprobe.explain import blame
from warp_nbprobe.explain.contents import Build
from warp_nbprobe.explain.pairing import Kernel
from warp_nbprobe.explain.rule import Evidence, Rule, hooked
from warp_nbprobe.explain.scene import Scene
from warp_nbprobe.explain.snippets import definition, short_name
from warp_nbprobe.explain.spots import definition_line, line_of
from warp_nbprobe.explain.words import listed, quoted


def _stale_values(scene: Scene) -> Sequence[Evidence]:
    found: dict[tuple[object, ...], Evidence] = {}
    for wire in scene.cold.wires:
        mismatched = {(entry.get("kernel"), entry.get("name")) for event in wire.events for entry in event.mismatch}
        for stale in wire.stales:
            state = _state_of(wire, stale.kid)
            if (state is not None and stale.value in state.hidden) or (stale.name, stale.value) in mismatched:
                continue
            place = stale.place
            key = (stale.name, stale.value, place and (place.file, place.line, place.cell))
            found.setdefault(key, _stale(scene.cold, wire, stale, state))
    return list(found.values())


def _state_of(wire: Wire, kid: int) -> KernelState | None:
    states = [state for state in wire.kernels.values() if kid in (state.kid, state.parent)]
    return states[-1] if states else None


def _stale(run: Run, wire: Wire, stale: Stale, state: KernelState | None) -> Evidence:
    kernel, line = quoted(stale.name), line_of(run, wire, stale.place)
    modules = (state.module,) if state is not None else ()
    place, cause = stale.place, _stale_cause(run, wire, stale, state)
    since = f" ({line_of(run, wire, cause)})" if cause is not None else ""
    key = (stale.name, stale.value, stale.how)
    if stale.how == "strip_hash":
        what = (
            f"The launch of kernel {kernel} at {line} still runs the code that was built first: with the "
            f"module option "
            f"strip_hash Warp does not look whether "
            f"{'the kernel' if stale.value == 'kernel' else quoted(stale.value)} "
            f"changed{since}."
        )
        fix = "Switch strip_hash off while you edit, or restart and clear the cache after each change."
        return Evidence(what, fix, modules, place=place, cause_place=cause, key=key, wire=wire)
    if stale.value == "kernel":
        what = (
            f"The launch of kernel {kernel} at {line} still runs an older definition: the kernel was defined "
            f"anew{since}, "
            f"but this line holds the object from before."
        )
        fix = "Launch the new kernel: look it up by its name again instead of keeping the old object."
        return Evidence(what, fix, modules, place=place, cause_place=cause, key=key, wire=wire)
    what = f"The launch of kernel {kernel} at {line} still computes with {_old_and_new(run, wire, stale, since)}"
    name = stale.value.rpartition(".")[2]
    defined = f" ({line_of(run, wire, stale.defined)})" if stale.defined is not None else ""
    fix = (
        f"Run the definition of {kernel}{defined} again after changing {quoted(stale.value)}, or make it an argument "
        f"of the kernel if it changes often."
    )
    snippet = None
    if stale.new is not None and state is not None and _is_number(stale.new):
        argument = f"{name}: {'float' if '.' in stale.new else 'int'}"
        launch = f"wp.launch({short_name(state)}, ..., inputs=[..., {stale.value}])"
        snippet = f"{definition(state, more=[argument])}\n\n{launch}"
    return Evidence(what, fix, modules, place=place, cause_place=cause, snippet=snippet, key=key, wire=wire)


def _old_and_new(run: Run, wire: Wire, stale: Stale, since: str) -> str:
    old, new = definition_line(run, wire, stale.old), definition_line(run, wire, stale.new)
    if old is not None and new is not None:
        return (
            f"{quoted(stale.value)} as it was defined at {old}, although it was defined anew at {new}. Warp builds "
            f"what a kernel calls or refers to into it and does not look at it again."
        )
    if stale.old == stale.new:  # a struct, whose text is its name
        return (
            f"{quoted(stale.value)} as it was before, although it was changed{since}. Warp builds what a "
            f"kernel refers "
            f"to into it and does not look at it again."
        )
    return (
        f"{quoted(stale.value)} = {stale.old}, although it was changed to {stale.new}{since}. Warp builds "
        f"values from "
        f"outside into a kernel and does not look at them again."
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _stale_cause(run: Run, wire: Wire, stale: Stale, state: KernelState | None) -> Place | None:
    """Return the line that changed what the launch should have used."""
    if stale.value == "kernel":
        newer = [define for define in wire.defines if define.name == stale.name and define.t <= stale.t]
        return newer[-1].defined if newer else None
    if state is None:
        return None
    return blame.assigned_before(run, wire, stale.value, Kernel.of(wire, state), stale.place, stale.t, stale.new)


STALE_VALUE: Final = Rule(
    "stale_value",
    "wrong",
    _stale_values,
    "No launch used a value, function or kernel that had been changed since its code was built.",
    needs=(hooked("launch", "ModuleHasher"),),
    not_for="A kernel that is meant to keep the value it was built with; wp.static says so in its text.",
)


def _hash_mismatches(scene: Scene) -> Sequence[Evidence]:
    found: list[Evidence] = []
    for item in scene.events:
        build = item.build
        wrong = [
            entry for entry in build.event.mismatch if not _is_hidden(build, entry.get("kernel"), entry.get("name"))
        ]
        if not wrong:
            continue
        names = list(dict.fromkeys(str(entry.get("name")) for entry in wrong))
        first = wrong[0]
        values = listed([f"{quoted(str(e.get('name')))} ({e.get('hashed')}, then {e.get('generated')})" for e in wrong])
        kernel = str(first.get("kernel") or "a kernel")
        state = next((state for state in scene.states(item) if state.name == kernel), None)
        cause = None
        if state is not None:
            owner = Kernel.of(build.wire, state)
            cause = blame.last_assignment(build, names[0], owner, str(first.get("generated")))
        what = (
            f"Kernel {quoted(kernel)} was named in the cache while {values} had the first value and built when "
            f"it had "
            f"the second. The cache now holds this code under the other program's name: the next run that "
            f"starts with the "
            f"first value silently computes with the second."
        )
        fix = (
            f"Set {listed([quoted(name) for name in names])} before the kernel's decorator runs, or write "
            f"wp.static({names[0]}) in the kernel."
        )
        found.append(
            Evidence(
                what,
                fix,
                (build.event.module,),
                events=(item,),
                place=build.event.place,
                cause_place=cause,
                snippet=_early_value(names[0], first.get("generated"), state),
                key=(build.event.module, *names),
            )
        )
    return found


def _early_value(name: str, value: object, state: KernelState | None) -> str:
    head = f"{name} = {value}  # before the decorator"
    return head if state is None else head + "\n\n" + definition(state, '@wp.kernel(module="unique")')


def _is_hidden(build: Build, kernel: object, name: object) -> bool:
    """Whether a name is one that the code does not read, in the kernel or in all that it reaches."""
    states = [
        build.wire.kernels[number]
        for number in (build.inputs.kernels if build.inputs else ())
        if number in build.wire.kernels
    ]
    mine = [state for state in states if kernel is None or state.name == kernel]
    return bool(mine) and all(name in state.hidden for state in mine)


HASH_MISMATCH: Final = Rule(
    "hash_mismatch",
    "wrong",
    _hash_mismatches,
    "Code generation read the same values as the hash, in every build.",
    needs=(hooked("ModuleHasher", "codegen"),),
    not_for="Nothing: a cache that answers with another program's code is never meant.",
)
