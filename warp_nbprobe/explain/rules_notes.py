"""Rules of kind ``note``: facts that help to read the report and are no findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from warp_nbprobe.data.events import place_text
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.rule import Evidence, Rule, hooked, warm_run
from warp_nbprobe.explain.scene import Scene
from warp_nbprobe.explain.snippets import module_code
from warp_nbprobe.explain.waste import PRELOADS, is_avoidable
from warp_nbprobe.explain.whose import package_of
from warp_nbprobe.explain.words import counted, listed, ms_text, percent, quoted, times

_SHORT_MS: Final = 1000.0
_SMALL_SHARE: Final = 0.1
_SHIP_MS: Final = 5000.0


def _hidden_modules(scene: Scene) -> Sequence[Evidence]:
    groups: dict[tuple[object, ...], list[Explained]] = {}
    for item in scene.measured:
        if not scene.ownership.build(item.build):
            place = item.build.event.place
            spot = (place.file, place.line, place.cell) if place is not None else None
            groups.setdefault((package_of(item), spot), []).append(item)
    if not groups:
        return ()
    members = [item for group in groups.values() for item in group]
    ordered = sorted(groups.items(), key=lambda pair: -sum(scene.work_ms(item) for item in pair[1]))
    pieces = [_hidden_text(scene, str(key[0]), group) for key, group in ordered]
    return (
        Evidence(
            " ".join(pieces),
            "Nothing of your own to change; it helps to know which line brought them about.",
            tuple(dict.fromkeys(item.build.event.module for item in members)),
            events=tuple(members),
            place=members[0].build.event.place,
        ),
    )


def _hidden_text(scene: Scene, package: str, group: Sequence[Explained]) -> str:
    first = group[0]
    line = place_text(scene.cold, first.build.event.place, first.build.wire)[2]
    modules = list(dict.fromkeys(item.build.event.module for item in group))
    cost = sum(scene.work_ms(item) for item in group)
    by = f" because of {line}" if line else ""
    names = listed([quoted(name) for name in modules], 4)
    text = f"{package}: {counted(len(group), 'build')}{by} ({names}, {ms_text(cost)})."
    called = scene.launches.at_place(first.build.event.place)
    if package == "warp.map" and called > 1:
        again = "it was not built again" if len(group) == 1 else f"it was built {times(len(group))}"
        known = "the same expression is recognised" if len(group) < called else "what it is made of differs each time"
        text += f" That line launched {called} times and {again}: {known}."
    late = [item for item in group if is_avoidable(item)]
    if late:
        causes = listed(list(dict.fromkeys(cause.replace("_", " ") for item in late for cause in item.causes)), 3)
        text += f" {counted(len(late), 'build')} of it would be called late if it were yours ({causes})."
    return text


HIDDEN_MODULES: Final = Rule(
    "hidden_modules",
    "note",
    _hidden_modules,
    "Every module that was built holds kernels of yours.",
)


def _first_header(scene: Scene) -> Sequence[Evidence]:
    made = [item for item in scene.measured if item.build.event.device == "cpu" and item.build.event.header_ms]
    if not made:
        return ()
    total = sum(item.build.event.header_ms or 0.0 for item in made)
    first = made[0]
    names = list(dict.fromkeys(quoted(item.build.event.module) for item in made))
    who = f"the {'build' if len(made) == 1 else 'builds'} of {listed(names, 3)}"
    what = (
        f"{ms_text(total)} went into the compiler's precompiled header, within {who}. It is made once per "
        f"process, thread and "
        f"block dimension however the modules are cut, so it is left out of every share and cost here."
    )
    fix = "Nothing to do."
    place = first.build.event.place
    modules = tuple(dict.fromkeys(item.build.event.module for item in made))
    return (Evidence(what, fix, modules, events=tuple(made), place=place),)


HEADER_IN_FIRST_BUILD: Final = Rule(
    "header_in_first_build",
    "note",
    _first_header,
    "No build made a precompiled header.",
    needs=(hooked("build_cpu"),),
)


def is_not_compilation(scene: Scene) -> bool:
    """Whether building is no part of the wait worth speaking of."""
    elapsed, wall = scene.compile_elapsed_ms, scene.cold_wall_ms
    return elapsed is not None and wall is not None and elapsed < _SMALL_SHARE * wall and elapsed < _SHORT_MS


def _not_compilation(scene: Scene) -> Sequence[Evidence]:
    elapsed, wall = scene.compile_elapsed_ms, scene.cold_wall_ms
    if not scene.measured or elapsed is None or not wall or not is_not_compilation(scene):
        return ()
    share = percent(max(elapsed, 0.0) / wall)
    what = (
        f"Building is not what takes the time here: of {ms_text(wall)} the second run, which finds everything "
        f"built, saved "
        f"{ms_text(max(elapsed, 0.0))} ({share})."
    )
    return (Evidence(what, "Look at the rest of the program."),)


NOT_COMPILATION: Final = Rule(
    "not_compilation",
    "note",
    _not_compilation,
    "Building is a part of the wait worth looking at.",
    needs=(warm_run,),
)


def _nothing_compiled(scene: Scene) -> Sequence[Evidence]:
    if scene.compiled:
        return _ahead_of_time(scene)
    wires = scene.cold.wires
    if not any(wire.warp for wire in wires) and not scene.events:
        what, fix = "The code never imported Warp, so nothing was built.", "Measure a cell that launches a kernel."
    elif any(item.build.event.status == "error" for item in scene.events):
        return ()
    elif not scene.events:
        what = "Warp was imported, and nothing was built or loaded: no kernel was launched."
        fix = "Measure the cell that launches."
    else:
        what = (
            f"Nothing was built: {counted(len(scene.events), 'module load')} came from a cache that an earlier "
            f"run had filled, so "
            f"this was no cold start."
        )
        fix = "Leave the cache folder to the measurement, or use --isolate."
    return (Evidence(what, fix),)


def _ahead_of_time(scene: Scene) -> Sequence[Evidence]:
    if scene.launches.any:
        return ()
    builds = [
        item for item in scene.compiled if item.build.event.aot or item.build.event.trigger.get("call") in PRELOADS
    ]
    if not builds:
        return ()
    what = (
        f"{counted(len(builds), 'build')} came about and no launch was seen: the program builds ahead of time. "
        f"Which builds "
        f"are needed is told by the programs that launch."
    )
    modules = tuple(dict.fromkeys(item.build.event.module for item in builds))
    place = builds[0].build.event.place
    return (Evidence(what, "Measure a program that launches, too.", modules, events=tuple(builds), place=place),)


NOTHING_COMPILED: Final = Rule(
    "nothing_compiled",
    "note",
    _nothing_compiled,
    "Modules were built, and kernels launched.",
)


def _unique(scene: Scene) -> set[str]:
    """Return the modules that are named after their content, which nobody can load by name."""
    made = [define for wire in scene.cold.wires for define in wire.defines if define.unique]
    kids = {define.kid for define in made}
    states = [state for wire in scene.cold.wires for state in wire.kernels.values()]
    return {state.module for state in states if state.kid in kids or state.parent in kids}


def _ship_the_cache(scene: Scene) -> Sequence[Evidence]:
    elapsed = scene.compile_elapsed_ms
    clean = scene.warm_events and all(item.build.event.status == "cached" for item in scene.warm_events)
    if not clean or elapsed is None or elapsed <= _SHIP_MS:
        return ()
    modules = list(dict.fromkeys(item.build.event.module for item in scene.measured))
    what = (
        f"The second run found everything built and took {ms_text(elapsed)} less. Where the program is "
        f"deployed, not building at "
        f"all is often the largest gain: ship the cache, or build ahead of time."
    )
    fix = (
        "Keep the cache folder in a volume or in the CI's cache (with Warp's version and the GPU in its key), "
        "build ahead of "
        "time with wp.compile_aot_module, or load at start-up."
    )
    snippet = "export WARP_CACHE_PATH=/var/cache/my_program  # kept"
    mine = {item.build.event.module for item in scene.users} - _unique(scene)
    if mine:
        loads = [f"wp.load_module({module_code(name)})" for name in modules if name in mine]
        snippet += "\n\n# or, at start-up\n" + "\n".join(loads[:6])
    return (Evidence(what, fix, tuple(modules), snippet=snippet, events=scene.measured),)


SHIP_THE_CACHE: Final = Rule(
    "ship_the_cache",
    "note",
    _ship_the_cache,
    "The second run was not that much quicker, or it built something itself.",
    needs=(warm_run,),
)

NOTES: Final = (HIDDEN_MODULES, HEADER_IN_FIRST_BUILD, NOT_COMPILATION, NOTHING_COMPILED, SHIP_THE_CACHE)
