"""Rules of kind ``redundant``: what came after a module had loaded, so that all of it was built again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from warp_nbprobe.data.records import KernelState, Place
from warp_nbprobe.explain import blame
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.rule import Evidence, Rule, inputs
from warp_nbprobe.explain.scene import Scene, by_module
from warp_nbprobe.explain.snippets import early_kernels, option_pairs, overload_line
from warp_nbprobe.explain.waste import users_options
from warp_nbprobe.explain.words import counted, listed, ms_text, plural, quoted, times


def was_loaded(scene: Scene, item: Explained) -> bool:
    """Whether the module had been built or loaded before by the same process; a failed build is no load."""
    build = item.build
    return any(
        other.build.wire is build.wire
        and other.build.event.module == build.event.module
        and other.build.event.status != "error"
        and other.build.seq < build.seq
        for other in scene.events
    )


def thrown_away(scene: Scene, rule: str, module: str) -> tuple[float, str]:
    """Return what a rule's charges sum up to for a module, and a sentence that says so."""
    charged = scene.charged(rule, module)
    cost = scene.cost(rule, module)
    kept = [one for one in charged if one.ms > 0]
    if kept:
        builds = f"{counted(len(kept), 'build')} {'was' if len(kept) == 1 else 'were'} thrown away"
        return cost, f" {builds}: {ms_text(cost)}{_headers(scene, [one.build for one in kept])}."
    if charged:
        return cost, " The build that was thrown away belongs to the setup code and is not counted."
    return cost, " Nothing was thrown away for it alone: the module had to be built again anyway."


def _headers(scene: Scene, builds: Sequence[Explained]) -> str:
    """Name the precompiled headers that these builds made for themselves alone."""
    own = [build for build in builds if _header_alone(scene, build)]
    ms = sum(build.build.event.header_ms or 0.0 for build in own)
    return f", and {ms_text(ms)} for {plural(len(own), 'a header')} that no other build used" if own and ms else ""


def _header_alone(scene: Scene, item: Explained) -> bool:
    event = item.build.event
    if not event.header_ms:
        return False
    return not any(
        other is not item
        and other.build.wire is item.build.wire
        and (other.build.event.thread, other.build.event.block_dim) == (event.thread, event.block_dim)
        for other in scene.compiled
    )


def _late_kernels(scene: Scene) -> Sequence[Evidence]:
    found: list[Evidence] = []
    late: dict[str, list[tuple[Explained, list[KernelState]]]] = {}
    for item in scene.measured:
        added = [one.kernel.state for one in item.added if one.kind == "kernel"]
        mine = scene.ownership.kernels(added) if "kernel_added" in item.causes else []
        if mine and was_loaded(scene, item):
            late.setdefault(item.build.event.module, []).append((item, mine))
    for module, members in late.items():
        first, states = members[0]
        all_states = [state for _, group in members for state in group]
        cost, thrown = thrown_away(scene, "late_kernel", module)
        names = listed([f"{quoted(s.name)} ({scene.where(first, s.defined)})" for s in _distinct(all_states)], 4)
        what = (
            f"{counted(len(all_states), 'kernel')} came after {quoted(module)} had been built ({names}). Warp "
            f"builds a module "
            f"as a whole, so everything in it was built again, {times(len(members))}.{thrown}"
        )
        found.append(
            Evidence(
                what,
                _late_fix(all_states),
                (module,),
                cost_ms=cost,
                events=tuple(item for item, _ in members),
                place=first.build.event.place,
                cause_place=states[0].defined,
                snippet=early_kernels(_all_variants(scene, module, all_states)),
                key=(module,),
            )
        )
    return found


def _distinct(states: Sequence[KernelState]) -> list[KernelState]:
    """Return one state per name and line."""
    seen: dict[tuple[object, ...], KernelState] = {}
    for state in states:
        place = state.defined
        seen.setdefault((state.name, place and (place.file, place.line, place.cell)), state)
    return list(seen.values())


def _all_variants(scene: Scene, module: str, states: Sequence[KernelState]) -> list[KernelState]:
    """Return the late kernels together with the earlier variants of the same source, in order of age."""
    sources = {(state.key, state.source) for state in states if state.captured}
    every = [state for wire in scene.cold.wires for state in wire.kernels.values() if state.module == module]
    wanted = {state.id for state in states}
    return [state for state in every if state.id in wanted or (state.key, state.source) in sources] or list(states)


def _late_fix(states: Sequence[KernelState]) -> str:
    made = any(state.in_function for state in states)
    begin = (
        "Create all of them before the first launch of the module"
        if any(state.captured for state in states)
        else "Move them out of the function to module level, before the first launch"
        if made
        else "Define them before the first launch of the module (in a notebook: in an earlier cell)"
    )
    return (
        f'{begin}; or give kernels that belong together a module of their own with @wp.kernel(module="name"). '
        f'Only if neither works: module="unique", which builds each one by itself.'
    )


LATE_KERNEL: Final = Rule(
    "late_kernel",
    "redundant",
    _late_kernels,
    "No kernel of yours was added to a module that had already been loaded.",
    needs=(inputs,),
    not_for="Kernels that depend on data known only at run time (a user's expression, a plug-in): keep those in a "
    "module of their own, so that they do not invalidate a shared one.",
)


def _late_options(scene: Scene) -> Sequence[Evidence]:
    found: list[Evidence] = []
    changed = by_module(
        scene.measured,
        lambda item: "option_changed" in item.causes and was_loaded(scene, item) and bool(users_options(scene, item)),
    )
    for module, members in changed.items():
        cost, thrown = thrown_away(scene, "late_option", module)
        first = members[0]
        sentences: list[str] = []
        latest: dict[str, str | None] = {}
        places: list[Place] = []
        for item in members:
            for option in item.options:
                line = blame.of_option(item.build, option.name, option.new).place
                places += [line] if line is not None else []
                by = f" by {scene.where(item, line)}" if line is not None else ""
                sentences.append(f"{quoted(option.name)} went from {option.old} to {option.new}{by}")
                latest[option.name] = option.new
        what = (
            f"Option {listed(list(dict.fromkeys(sentences)))} after {quoted(module)} had been built, so all of "
            f"it was built "
            f"again, {times(len(members))}.{thrown}"
        )
        found.append(
            Evidence(
                what,
                "Set options before the first launch of the module. Without module=..., wp.set_module_options "
                "acts on the "
                'Python module that calls it, not on kernels that were given module="name".',
                (module,),
                cost_ms=cost,
                events=tuple(members),
                place=first.build.event.place,
                cause_place=places[0] if places else None,
                snippet=_option_snippet(module, latest),
                key=(module,),
            )
        )
    return found


def _option_snippet(module: str, options: dict[str, str | None]) -> str:
    target = "" if module == "__main__" else f', module=wp.get_module("{module}")'
    call = f"wp.set_module_options({{{option_pairs(options)}}}{target})"
    return f"# after the kernels are defined, before the first wp.launch\n{call}"


LATE_OPTION: Final = Rule(
    "late_option",
    "redundant",
    _late_options,
    "No option changed after a module had been loaded.",
    needs=(inputs,),
    not_for="Kernels that truly need different options: give them modules of their own.",
)


def _late_overloads(scene: Scene) -> Sequence[Evidence]:
    late: dict[str, list[tuple[Explained, list[KernelState]]]] = {}
    for item in scene.measured:
        states = [one.kernel.state for one in item.added if one.kind == "overload"]
        states += _lost_instances(scene, item)
        mine = scene.ownership.kernels(states)
        if mine and was_loaded(scene, item):
            late.setdefault(item.build.event.module, []).append((item, mine))
    return [_late_overload(scene, module, members) for module, members in late.items()]


def _lost_instances(scene: Scene, item: Explained) -> list[KernelState]:
    """Return generic instances that a build lost and a later launch brought back."""
    if item.difference is None or "kernel_removed" not in item.causes:
        return []
    gone = [kernel.state for kernel in item.difference.removed if kernel.state.parent is not None]
    later = [
        other for other in scene.events if other.build.seq > item.build.seq and other.build.wire is item.build.wire
    ]
    back = {(s.key, s.args) for other in later for s in scene.states(other)}
    return [state for state in gone if (state.key, state.args) in back]


def _late_overload(scene: Scene, module: str, members: list[tuple[Explained, list[KernelState]]]) -> Evidence:
    first, _ = members[0]
    wire = first.build.wire
    states = [state for _, group in members for state in group]
    cost, thrown = thrown_away(scene, "late_overload", module)
    names = list(dict.fromkeys(state.name for state in states))
    types = [f"{quoted(state.name)} for ({', '.join(t for n, t in state.args if n != 'return')})" for state in states]
    what = (
        f"{plural(len(names), 'Kernel')} {listed([quoted(name) for name in names])} "
        f"{'was' if len(names) == 1 else 'were'} "
        f"used with new types after {quoted(module)} had been built: {listed(list(dict.fromkeys(types)), 4)}. "
        f"Each new set of types "
        f"had the whole module built again, {times(len(members))}.{thrown}"
    )
    every = [s for s in wire.kernels.values() if s.module == module and s.parent is not None and s.name in names]
    lines = list(dict.fromkeys(overload_line(wire, state) for state in (*every, *states)))
    place = first.build.event.place
    overload = states[0]
    return Evidence(
        what,
        "Register the types that the program is known to use before the first launch, and keep what "
        "wp.overload returns.",
        (module,),
        cost_ms=cost,
        events=tuple(item for item, _ in members),
        place=place,
        cause_place=_made_at(first, overload) or place,
        snippet="# before the first wp.launch\noverloads = [\n" + "".join(f"    {line},\n" for line in lines) + "]",
        key=(module,),
    )


def _made_at(item: Explained, state: KernelState) -> Place | None:
    kernels = [one.kernel for one in item.added if one.kernel.state is state]
    return blame.of_overload(item.build, kernels[0]).place if kernels else state.defined


LATE_OVERLOAD: Final = Rule(
    "late_overload",
    "redundant",
    _late_overloads,
    "No generic kernel of yours met new types after its module had been loaded.",
    needs=(inputs,),
    not_for="Types that a run may never use: each one registered is built in every run.",
)
