"""Rules of kind ``opportunity``: when and how modules are built, and what in them is large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from warp_nbprobe.data.records import KernelState
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.rule import Evidence, Rule, hooked, inputs, sources
from warp_nbprobe.explain.rules_cheaper import option
from warp_nbprobe.explain.scene import Scene, by_module, source_bytes
from warp_nbprobe.explain.snippets import module_object
from warp_nbprobe.explain.spots import line_of
from warp_nbprobe.explain.unrolling import Unrolled, unrolled
from warp_nbprobe.explain.words import counted, listed, ms_text, percent, quoted

_WORKERS: Final = 8
_OVERLAPPED: Final = 1.15
_LEAST_GAIN: Final = 0.2
_LARGE_SOURCE: Final = 100_000  # bytes of generated source of one kernel
_PER_LINE: Final = 10_000  # bytes of generated source per line of its own
_UNROLLED: Final = 64


def _is_cuda(item: Explained) -> bool:
    return item.build.event.device not in (None, "cpu")


def _serial_builds(scene: Scene) -> Sequence[Evidence]:
    builds = [item for item in scene.uncharged if _is_cuda(item) and not item.build.event.aot]
    counts = by_module(item for item in scene.measured if _is_cuda(item))
    members = [item for item in builds if len(counts[item.build.event.module]) == 1]
    if len(members) < 2 or scene.earlier & _EXPLAINS_MORE:
        return ()
    spans = [item.build.event for item in members]
    elapsed = sum((event.t1 - event.t0) / 1e6 + (event.hash_ms or 0.0) for event in spans)
    if _overlap_factor(scene.measured) >= _OVERLAPPED or sum(e.lto_ms or 0.0 for e in spans) > 0.5 * elapsed:
        return ()
    best = _best_ms(scene, members)
    if elapsed - best < _LEAST_GAIN * elapsed:
        return ()
    modules = [item.build.event.module for item in members]
    what = (
        f"{len(members)} modules were built one after the other ({ms_text(elapsed)}). Built at the same time "
        f"they would take "
        f"{ms_text(best)} at best: Warp generates code for one module at a time, only the native compiler runs "
        f"beside itself."
    )
    first = members[0]
    return (
        Evidence(
            what,
            "Load the modules together before the first launch, each for the block dimension that it is launched with.",
            tuple(modules),
            cost_ms=elapsed - best,
            events=tuple(members),
            place=first.build.event.place,
            snippet=_load_together(members),
            certainty="estimate",
        ),
    )


_EXPLAINS_MORE: Final = frozenset(
    {"late_kernel", "late_option", "late_overload", "block_dim_spread", "unused_build", "duplicate_builds", "lto_link"}
)


def _overlap_factor(builds: Sequence[Explained]) -> float:
    covered, until = 0, 0
    for item in sorted(builds, key=lambda item: item.build.event.t0):
        event = item.build.event
        covered += max(event.t1 - max(event.t0, until), 0)
        until = max(until, event.t1)
    total = sum(item.build.event.t1 - item.build.event.t0 for item in builds)
    return total / covered if covered else 1.0


def _best_ms(scene: Scene, members: Sequence[Explained]) -> float:
    """Return the least elapsed time: what runs under Warp's one lock, the largest module, or the work shared out."""
    cores = next((w.header.machine.get("cores") for w in scene.cold.wires if w.header), None)
    workers = min(cores if isinstance(cores, int) and cores > 0 else 1, _WORKERS)
    whole = [(item.build.event.t1 - item.build.event.t0) / 1e6 + (item.build.event.hash_ms or 0.0) for item in members]
    events = [item.build.event for item in members]
    locked = sum((e.hash_ms or 0.0) + (e.codegen_ms or 0.0) + (e.lto_ms or 0.0) for e in events)
    return max(max(whole), locked, sum(whole) / workers)


def _load_together(members: Sequence[Explained]) -> str:
    lines = [
        f'wp.get_module("{item.build.event.module}").options["block_dim"] = {item.build.event.block_dim}'
        for item in members
        if item.build.event.block_dim is not None
    ]
    names = ", ".join(module_object(item.build.event.module) for item in members)
    device = members[0].build.event.device or "cuda:0"
    device = "cuda:0" if device.startswith("sm_") else device
    load = f'wp.force_load(device="{device}", modules=[{names}], max_workers={min(len(members), _WORKERS)})'
    return "\n".join(["# after the imports, before anything is launched", *lines, load])


SERIAL_BUILDS: Final = Rule(
    "serial_builds",
    "opportunity",
    _serial_builds,
    "There are not several GPU modules that were built one after the other with enough to gain.",
    needs=(inputs,),
    not_for="CPU modules. Never load without a list of modules: that builds everything that is registered.",
    gated=True,
)


def _parallel_load(scene: Scene) -> Sequence[Evidence]:
    builds = [item for item in scene.measured if item.build.event.device == "cpu" and item.build.event.header_ms]
    threads = {(item.build.wire, item.build.event.thread) for item in builds}
    modules = list(dict.fromkeys(item.build.event.module for item in builds))
    if len(threads) < 2 or len(modules) < 2 or len({wire for wire, _ in threads}) > 1:
        return ()
    header_ms = sum(item.build.event.header_ms or 0.0 for item in builds)
    first, names = builds[0], ", ".join(module_object(module) for module in modules)
    what = (
        f"{len(modules)} modules were loaded for the CPU by {len(threads)} threads, and each thread made a "
        f"precompiled header "
        f"of its own ({ms_text(header_ms)} together). On the CPU that usually takes longer than loading them "
        f"in one thread."
    )
    return (
        Evidence(
            what,
            "Load CPU modules without workers, or without the header; then measure.",
            tuple(modules),
            events=tuple(builds),
            place=first.build.event.place,
            snippet=f'wp.force_load(device="cpu", modules=[{names}], max_workers=0)',
            certainty="estimate",
        ),
    )


PARALLEL_LOAD_COSTS_MORE: Final = Rule(
    "parallel_load_costs_more",
    "opportunity",
    _parallel_load,
    "CPU modules were not loaded by several threads that each made a header.",
    needs=(hooked("build_cpu"),),
    not_for="GPU modules.",
)


def _precompiled_header(scene: Scene) -> Sequence[Evidence]:
    builds = [item for item in scene.measured if item.build.event.device == "cpu"]
    if not builds or scene.warp_version < (1, 13):
        return ()
    off = [item for item in builds if option(item, "use_precompiled_headers") == "False"]
    if len(off) >= 3 and len(off) == len(builds):
        what = (
            f"The precompiled header is off, and each of {len(off)} builds compiled Warp's own code again. "
            f"Made once, "
            f"the header would have served all of them."
        )
        snippet = "wp.config.use_precompiled_headers = True"
        unlike = "A program that usually builds one or two modules."
        return (_header_evidence(off, what, "Try it with the header on, measured.", snippet, unlike),)
    served: dict[tuple[object, ...], list[Explained]] = {}
    for item in builds:
        served.setdefault((item.build.wire, item.build.event.thread, item.build.event.block_dim), []).append(item)
    made = [item for item in builds if item.build.event.header_ms]
    if off or not made or any(len(group) > 1 for group in served.values()):
        return ()
    header_ms = sum(item.build.event.header_ms or 0.0 for item in made)
    head = "The precompiled header" if len(made) == 1 else f"Each of {len(made)} precompiled headers"
    what = (
        f"{head} served one build only ({ms_text(header_ms)}). Without it a build takes longer, and the header's "
        f"time is saved."
    )
    fix = "Try it without the header, measured; with several modules it pays."
    unlike = "A program that will build more modules than this run did."
    return (_header_evidence(made, what, fix, "wp.config.use_precompiled_headers = False", unlike),)


def _header_evidence(members: Sequence[Explained], what: str, fix: str, snippet: str, not_for: str) -> Evidence:
    modules = tuple(dict.fromkeys(item.build.event.module for item in members))
    place = members[0].build.event.place
    return Evidence(
        what, fix, modules, events=tuple(members), place=place, snippet=snippet, not_for=not_for, certainty="estimate"
    )


PRECOMPILED_HEADER: Final = Rule(
    "precompiled_header",
    "opportunity",
    _precompiled_header,
    "The precompiled header served several builds, or none was made.",
    needs=(inputs, hooked("build_cpu")),
)


def _unrolled(scene: Scene) -> Sequence[Evidence]:
    heavy: list[tuple[Explained, KernelState, Unrolled]] = []
    counted_loops = scene.hook("unroll") is None
    for item in scene.measured:
        sizes = source_bytes(item.build.event)
        large = {number for number, size in sizes.items() if size > _PER_LINE}
        for state in (state for state in scene.states(item) if state.id in large):
            size = sizes[state.id]
            loops = unrolled(item.build.wire, state)
            if counted_loops:
                wanted = size > _LARGE_SOURCE and loops.iterations >= _UNROLLED
            else:
                wanted = size > _PER_LINE * _own_lines(item, state)
            if wanted:
                heavy.append((item, state, loops))
    if not heavy:
        return ()
    pieces = [_unrolled_text(*one) for one in heavy]
    members = [item for item, _, _ in heavy]
    modules = tuple(dict.fromkeys(item.build.event.module for item in members))
    fix = (
        "Try a lower bound for unrolling on this module, or make the loop dynamic, and measure both the build "
        "and the "
        "kernel itself: it is not sure that either gains, and the kernel can get slower."
    )
    return (
        Evidence(
            f"Unrolled loops make much source: {listed(list(dict.fromkeys(pieces)), 4)}.",
            fix,
            modules,
            events=tuple(dict.fromkeys(members)),
            place=members[0].build.event.place,
            cause_place=heavy[0][2].place or heavy[0][1].defined,
            snippet=f'wp.set_module_options({{"max_unroll": 8}}, module=wp.get_module("{modules[0]}"))',
            certainty="estimate",
        ),
    )


def _own_lines(item: Explained, state: KernelState) -> int:
    source = item.build.wire.sources.get(state.source) if state.source is not None else None
    return max(1, len([line for line in source.text.splitlines() if line.strip()])) if source else 1


def _unrolled_text(item: Explained, state: KernelState, loops: Unrolled) -> str:
    size = source_bytes(item.build.event).get(state.id, 0.0)
    text = f"{quoted(state.name)} has {size / 1000:.0f} KB of it"
    if loops.loop is None:
        return text
    line = line_of(item.build.run, item.build.wire, loops.place)
    return (
        f"{text}, with {loops.iterations} iterations written out (the loop at {line} has "
        f"{counted(loops.loop.iterations, 'iteration')})"
    )


UNROLL: Final = Rule(
    "unroll",
    "opportunity",
    _unrolled,
    "No kernel got large by unrolled loops.",
    needs=(inputs, sources),
    not_for="Inner loops that the kernel's speed depends on.",
)


def _large_module(scene: Scene) -> Sequence[Evidence]:
    builds = by_module(scene.measured)
    if len(builds) < 2 or scene.earlier - _NOTES or not scene.build_ms:
        return ()
    work = {module: sum(scene.work_ms(item) for item in items) for module, items in builds.items()}
    module = max(work, key=lambda name: work[name])
    item = builds[module][-1]
    if work[module] <= 0.5 * scene.build_ms or not scene.ownership.build(item.build):
        return ()
    states = scene.states(item)
    sizes = source_bytes(item.build.event)
    whole = item.build.event.source_bytes or sum(sizes.values())
    ordered = sorted(states, key=lambda state: -sizes.get(state.id, 0.0))
    if not whole or len(states) < 2:
        return ()
    shares = [f"{quoted(state.name)} {percent(sizes.get(state.id, 0.0) / whole)}" for state in ordered]
    alone = [
        scene.work_ms(other)
        for other in scene.measured
        if len(scene.states(other)) == 1 and option(other, "mode") == option(item, "mode")
    ]
    bound = (
        f" A module of one kernel took {ms_text(min(alone))} here, which is what each part would cost at least."
        if alone
        else ""
    )
    what = (
        f"{quoted(module)} took {percent(work[module] / scene.build_ms)} of the build time. Of its generated "
        f"source {listed(shares, 6)}.{bound}"
    )
    return (
        Evidence(
            what,
            "If only a part of it is needed early, give that part a module of its own; measured, since each "
            "module costs its "
            "fixed share.",
            (module,),
            events=tuple(builds[module]),
            place=item.build.event.place,
            cause_place=ordered[0].defined,
            certainty="estimate",
        ),
    )


_NOTES: Final = frozenset(
    {"hidden_modules", "header_in_first_build", "not_compilation", "nothing_compiled", "ship_the_cache"}
)

LARGE_MODULE: Final = Rule(
    "large_module",
    "opportunity",
    _large_module,
    "No module stands out, or another finding explains more.",
    needs=(inputs, sources),
    not_for="Modules whose kernels are all needed at once: a split then costs more.",
)
