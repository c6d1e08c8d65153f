"""Rules of kind ``opportunity``: what could be built less of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from warp_nbprobe.data.records import Define, KernelState, Wire
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.rule import Evidence, Rule, hooked, inputs, launches, sources
from warp_nbprobe.explain.scene import Scene, by_module, source_bytes
from warp_nbprobe.explain.snippets import identifier, own_module
from warp_nbprobe.explain.words import counted, listed, ms_text, percent, quoted


def code_ms(item: Explained) -> float | None:
    """Return what a build spent on generating and compiling code, header left out."""
    event = item.build.event
    parts = (event.codegen_ms, event.native_ms, event.header_ms if event.device == "cpu" else event.header_ms or 0.0)
    if None in parts:
        return None
    codegen, native, header = (part or 0.0 for part in parts)
    return max(codegen + native - header, 0.0)


def option(item: Explained, name: str) -> str | None:
    """Return the text of an option that a build had."""
    given = item.build.inputs.options if item.build.inputs else item.build.event.options or {}
    found = given.get(name)
    return str(found) if found is not None else None


def _adjoint_share(item: Explained) -> float:
    """Return the part of the whole generated source that only differentiates."""
    event = item.build.event
    adjoint = sum(float(entry.get("adjoint_bytes") or 0) for entry in event.sources)
    whole = event.source_bytes or sum(source_bytes(event).values())
    return min(1.0, adjoint / whole) if whole else 0.0


def _has_adjoint(item: Explained) -> bool:
    """Whether a build has code or objects that only differentiate."""
    return any(entry.get("adjoint_bytes") for entry in item.build.event.sources) or _adjoint_lto_ms(item) > 0


def _adjoint_lto_ms(item: Explained) -> float:
    return sum(float(made.get("ms") or 0) for made in item.build.event.lto or () if made.get("adjoint"))


def _backward_unused(scene: Scene) -> Sequence[Evidence]:
    """Raise modules whose backward code nothing used; with a tape in the run only the user's own."""
    members: list[Explained] = []
    stock = {made.module for wire in scene.cold.wires for made in wire.modules if made.stock}
    taped = scene.launches.taped
    for item in scene.uncharged:
        module = item.build.event.module
        mine = scene.ownership.build(item.build)
        if option(item, "enable_backward") != "True" or code_ms(item) is None or not _has_adjoint(item):
            continue
        if scene.launches.differentiated([module]) or module in stock or (taped and not mine):
            continue
        members.append(item)
    if not members:
        return ()
    shares = {item: _adjoint_share(item) for item in members}
    worth = sum(share * (code_ms(item) or 0.0) + _adjoint_lto_ms(item) for item, share in shares.items())
    modules = tuple(dict.fromkeys(item.build.event.module for item in members))
    whole = sum(item.build.event.source_bytes or 0 for item in members)
    share = sum(part * (item.build.event.source_bytes or 0) for item, part in shares.items()) / whole if whole else 0
    what = (
        f"Code for running kernels backwards was generated in {listed([quoted(name) for name in modules], 4)}, "
        f"and nothing in "
        f"this run differentiates through {'it' if len(modules) == 1 else 'them'}: {percent(share)} of the "
        f"generated source. It "
        f"costs about {ms_text(worth)}."
    )
    if share == 0:
        what = (
            f"Objects for running tile operations backwards were made for "
            f"{listed([quoted(name) for name in modules], 4)}, though no backward code was generated: "
            "`enable_backward=False` given to a kernel drops its code and keeps "
            f"its objects; the option of the module drops both. They cost about {ms_text(worth)}."
        )
    if taped or share == 0:
        fix = (
            "Switch it off for these modules alone: another part of the program does differentiate."
            if taped
            else "Switch it off as an option of the module."
        )
        snippet = "\n".join(
            f'wp.set_module_options({{"enable_backward": False}}, module=wp.get_module("{name}"))' for name in modules
        )
    else:
        fix = "Switch it off at the program's entry, before the import that defines the kernels."
        snippet = "import warp as wp\n\nwp.config.enable_backward = False  # before any kernel is defined"
    return (_opportunity(what, fix, snippet, members, worth),)


def _opportunity(
    what: str, fix: str, snippet: str | None, members: Sequence[Explained], worth: float | None
) -> Evidence:
    first = members[0]
    states = (
        [first.build.wire.kernels.get(number) for number in first.build.inputs.kernels] if first.build.inputs else []
    )
    defined = next((state.defined for state in states if state is not None and state.defined is not None), None)
    return Evidence(
        what,
        fix,
        tuple(dict.fromkeys(item.build.event.module for item in members)),
        cost_ms=worth,
        events=tuple(members),
        place=first.build.event.place,
        cause_place=defined,
        snippet=snippet,
        certainty="estimate",
    )


BACKWARD_UNUSED: Final = Rule(
    "backward_unused",
    "opportunity",
    _backward_unused,
    "Backward code was used, or there is none.",
    needs=(inputs, launches, sources, hooked("Tape.record_launch")),
    not_for="Modules that a tape crosses in another run or for another user: switched off, gradients turn to zero.",
    gated=True,
)


def _lto_link(scene: Scene) -> Sequence[Evidence]:
    total = sum(item.build.event.lto_ms or 0.0 for item in scene.measured)
    if total <= 0 or total <= 0.5 * scene.build_ms:
        return ()
    members = [item for item in scene.uncharged if (item.build.event.lto_ms or 0.0) > 0]
    if not members:
        return ()
    objects = [made for item in members for made in item.build.event.lto or () if made.get("made") is not False]
    adjoint = [made for made in objects if made.get("adjoint")]
    worth = sum(item.build.event.lto_ms or 0.0 for item in members)
    modules = list(dict.fromkeys(item.build.event.module for item in members))
    backward = f", {len(adjoint)} of them for running backwards" if adjoint else ""
    what = (
        f"Linking pre-built pieces for tile operations took {ms_text(worth)}, "
        f"{percent(worth / scene.build_ms)} of the build time: "
        f"{counted(len(objects), 'object')} in {listed([quoted(name) for name in modules], 4)}{backward}."
    )
    options = _library_options(objects)
    measure = (
        f"measure {listed(options, 3)} = False together with the time that the kernels themselves take: float32 "
        "products were seen to lose nothing, float16 products to run about three times slower."
    )
    backward_off = [
        f'wp.set_module_options({{"enable_backward": False}}, module=wp.get_module("{name}"))' for name in modules
    ]
    if not adjoint:  # what is left when backward code is off
        return (_opportunity(what, measure[0].upper() + measure[1:], None, members, worth),)
    fix = (
        "First switch backward code off for modules that nothing differentiates, as an option of the module "
        f"(given to a kernel it leaves the objects). Then {measure}"
    )
    return (_opportunity(what, fix, "\n".join(backward_off), members, worth),)


def _library_options(objects: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the settings that have Warp do the operations without the library."""
    names = [str(made.get("op") or "") for made in objects]
    found = {
        "gemm": any("matmul" in name or name == "dot" for name in names),
        "fft": any("fft" in name for name in names),
    }
    found["solver"] = not all("matmul" in name or name == "dot" or "fft" in name for name in names)
    return [f"wp.config.enable_mathdx_{name}" for name, used in found.items() if used]


LTO_LINK: Final = Rule(
    "lto_link",
    "opportunity",
    _lto_link,
    "Linking pre-built pieces took less than half of the build time.",
    needs=(hooked("build_lto"),),
    not_for="Modules that are differentiated. Never switch the library off without measuring the kernels as well.",
    gated=True,
)


def _overbuilt(scene: Scene) -> Sequence[Evidence]:
    members: list[Explained] = []
    idle_names: list[str] = []
    total, worth = 0, 0.0
    if not scene.launches.any:
        return ()
    for item in scene.uncharged:
        if not scene.ownership.build(item.build) or item.build.event.aot:
            continue
        module, wire = item.build.event.module, item.build.wire
        states = scene.states(item)
        idle = [state for state in states if not any(scene.launches.of_kernel(wire, state, module))]
        if not idle or len(idle) == len(states):
            continue
        sizes = source_bytes(item.build.event)
        whole = item.build.event.source_bytes or sum(sizes.values())
        share = sum(sizes.get(state.id, 0.0) for state in idle) / whole if whole else 0.0
        if share <= 0.5 or code_ms(item) is None:
            continue
        members.append(item)
        idle_names += [state.name for state in idle]
        total += len(states)
        worth += share * (code_ms(item) or 0.0)
    if not members:
        return ()
    names = list(dict.fromkeys(idle_names))
    modules = list(dict.fromkeys(item.build.event.module for item in members))
    what = (
        f"{len(idle_names)} of {total} kernels built in {listed([quoted(name) for name in modules], 4)} were "
        f"never launched "
        f"({listed([quoted(name) for name in names], 6)}); they hold most of its generated source. They cost "
        f"about {ms_text(worth)}."
    )
    return (
        _opportunity(
            what,
            "Split the module by use, so that a program builds what it launches.",
            own_module(_used(scene, members[0])[:3], f"{identifier(modules[0])}_used"),
            members,
            worth,
        ),
    )


def _used(scene: Scene, item: Explained) -> list[KernelState]:
    module, wire = item.build.event.module, item.build.wire
    return [state for state in scene.states(item) if any(scene.launches.of_kernel(wire, state, module))]


OVERBUILT: Final = Rule(
    "overbuilt",
    "opportunity",
    _overbuilt,
    "Kernels that were never launched hold less than half of each module of yours.",
    needs=(inputs, launches, sources),
    not_for="A module of which other programs launch the rest.",
    gated=True,
)


def _options_but(item: Explained) -> tuple[tuple[str, str], ...]:
    given = item.build.inputs.options if item.build.inputs else {}
    return tuple(sorted((name, str(text)) for name, text in given.items()))


def _unique_modules(scene: Scene) -> Sequence[Evidence]:
    groups: dict[tuple[object, ...], list[tuple[Explained, KernelState]]] = {}
    for item in scene.uncharged:
        states = scene.states(item)
        if len(states) != 1 or not scene.ownership.kernel(states[0]):
            continue
        define = _defined_by(item.build.wire, states[0])
        if define is None or not define.unique or item.build.wire.define_counts.get(define.id, 1) != 1:
            continue
        if states[0].captured or states[0].statics or _statics_inside(item.build.wire, states[0]):
            continue
        key = (item.build.event.device, _options_but(item), tuple(sorted(states[0].options.items())))
        groups.setdefault(key, []).append((item, states[0]))
    group = max(groups.values(), key=len, default=[])
    if len({state.key for _, state in group}) < 2:
        return ()
    members = [item for item, _ in group]
    worth = (len(members) - 1) * min(scene.work_ms(item) for item in members)
    names = listed([quoted(state.name) for _, state in group], 6)
    what = (
        f"{len(group)} kernels ({names}) were given a module each by "
        f'module="unique", though none of them is ever made twice. '
        f"Building them one by one costs about {ms_text(worth)} more than building them together."
    )
    fix = (
        "Leave "
        'module="unique" away where kernels are defined once at module level, or give those that belong together '
        "one named module. If it is the default of a function that makes kernels, change it there."
    )
    kernels = [state for _, state in group]
    base = kernels[0].pymodule or "program"
    snippet = own_module(kernels[:3], f"{identifier(base)}_kernels")
    return (_opportunity(what, fix, snippet, members, worth),)


def _statics_inside(wire: Wire, state: KernelState) -> bool:
    functions = [wire.functions.get(number) for number in state.functions]
    return any(overload.get("statics") for f in functions if f is not None for overload in f.overloads)


def _defined_by(wire: Wire, state: KernelState) -> Define | None:
    same = [define for define in wire.defines if define.kid in (state.kid, state.parent)]
    alike = [define for define in wire.defines if define.key == state.key and define.defined == state.defined]
    found = same or alike
    return found[0] if found else None


UNIQUE_MODULES: Final = Rule(
    "unique_modules",
    "opportunity",
    _unique_modules,
    "No two kernels that are defined once were given a module each.",
    needs=(inputs, hooked("Kernel")),
    not_for="Kernels made in factories or from data: there it keeps a shared module from being built again.",
    gated=True,
)


def _granular_modules(scene: Scene) -> Sequence[Evidence]:
    if "unique_modules" in scene.earlier:
        return ()
    builds = by_module(scene.compiled)
    groups: dict[tuple[object, ...], list[Explained]] = {}
    for item in scene.uncharged:
        states = scene.states(item)
        mine = scene.ownership.kernels(states)
        if not mine or len(states) > 2 or len(builds[item.build.event.module]) != 1:
            continue
        groups.setdefault((_home(mine[0]), item.build.event.device, _options_but(item)), []).append(item)
    group = max(groups.values(), key=len, default=[])
    if len(group) < 5 or _overlap(group):
        return ()
    smallest = min(scene.work_ms(item) for item in group)
    worth = (len(group) - 1) * smallest
    if worth <= 0.2 * scene.build_ms:
        return ()
    modules = [item.build.event.module for item in group]
    what = (
        f"{len(group)} modules of one or two kernels each ({listed([quoted(name) for name in modules], 6)}) "
        f"were built one after the "
        f"other; the smallest took {ms_text(smallest)}, most of it the fixed cost of a build. Grouped they "
        f"would take about "
        f"{ms_text(worth)} less."
    )
    states = [state for item in group for state in scene.states(item)]
    snippet = own_module(states[:3], f"{identifier(states[0].pymodule or 'program')}_kernels")
    fix = (
        "Give kernels that are defined, loaded and changed together one named module, where they share options "
        "and block "
        "dimension."
    )
    return (_opportunity(what, fix, snippet, group, worth),)


def _home(state: KernelState) -> tuple[object, ...]:
    """Return what groups kernels: their cell, else their package, else their file."""
    if state.defined is not None and state.defined.cell is not None:
        return ("cell", state.defined.cell)
    package = (state.pymodule or "").partition(".")[0]
    return ("package", package) if package and package != "__main__" else ("file", state.file)


def _overlap(items: Sequence[Explained]) -> bool:
    times = sorted((item.build.event.t0, item.build.event.t1) for item in items)
    return any(later[0] < earlier[1] for earlier, later in pairwise(times))


GRANULAR_MODULES: Final = Rule(
    "granular_modules",
    "opportunity",
    _granular_modules,
    "There are no five small modules of one place that were built one after the other.",
    needs=(inputs,),
    not_for="Kernels that change independently: together, one edit builds all of them again.",
    gated=True,
)
