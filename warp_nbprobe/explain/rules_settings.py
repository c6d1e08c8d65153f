"""Rules of kind ``wrong``: options that never arrived, and a cache folder of the program's own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

from warp_nbprobe.data.model import Run
from warp_nbprobe.data.records import Assign, OptionMissed, Wire
from warp_nbprobe.explain.rule import Evidence, Rule, hooked
from warp_nbprobe.explain.scene import Scene
from warp_nbprobe.explain.snippets import option_pairs
from warp_nbprobe.explain.spots import line_of
from warp_nbprobe.explain.words import counted, listed, quoted

_PRIVATE: Final = re.compile(r"^(.*[\\/]nbp-[^\\/]+)")


def _options_missed(scene: Scene) -> Sequence[Evidence]:
    groups: dict[str, list[tuple[Wire, OptionMissed]]] = {}
    for wire in scene.cold.wires:
        stock = {made.module for made in wire.modules if made.stock}
        for missed in wire.options_missed:
            own = any(
                assign.what == "option"
                and assign.module == missed.module
                and assign.name == missed.name
                and not assign.by_warp
                and assign.t <= missed.t
                for assign in wire.assigns
            )
            if missed.module not in stock and not (own and missed.how != "in_place"):
                groups.setdefault(missed.module, []).append((wire, missed))
    return [_option_missed(scene, module, members) for module, members in groups.items()]


def _option_missed(scene: Scene, module: str, members: list[tuple[Wire, OptionMissed]]) -> Evidence:
    run = scene.cold
    wire, first = members[0]
    sentences = [_missed_text(run, each, missed) for each, missed in members]
    reached = _reached(scene, wire, first)
    if reached:
        sentences.append(f"It reached {listed([quoted(name) for name in reached])}.")
    names = list(dict.fromkeys(missed.name for _, missed in members))
    pairs = option_pairs({missed.name: missed.assigned for _, missed in members})
    unique = any(define.unique and define.module == module for define in wire.defines)
    if unique:
        fix = "Give the option to the kernel itself, in its decorator."
        snippet = f'@wp.kernel(module="unique", module_options={{{pairs}}})'
    else:
        early = (
            "before the first kernel of the module is defined" if first.how == "copied" else "before the first launch"
        )
        fix = (
            f"Set {listed([quoted(name) for name in names])} {early} (of a library: before its import), or set "
            f"it on the "
            f"module, which makes Warp look at it again."
        )
        snippet = f'wp.set_module_options({{{pairs}}}, module=wp.get_module("{module}"))'
    return Evidence(
        " ".join(sentences),
        fix,
        (module,),
        place=first.place,
        cause_place=first.assignment,
        snippet=snippet,
        key=(module, *names),
        wire=wire,
    )


def _missed_text(run: Run, wire: Wire, missed: OptionMissed) -> str:
    line, setting = line_of(run, wire, missed.assignment), quoted(missed.name)
    launch = line_of(run, wire, missed.place)
    head = (
        f"Module {quoted(missed.module)} was launched at {launch} with {setting} = {missed.in_force}, "
        f"although {line} set it to {missed.assigned}: "
    )
    if missed.how == "copied":
        made = f" ({line_of(run, wire, missed.created)})" if missed.created is not None else ""
        return f"{head}a module takes this setting when it is created{made}, and that was before."
    if missed.how == "in_place":
        return f"{head}an option put straight into module.options waits until something else changes the module."
    return f"{head}Warp looks at this setting only when something else in the module changes."


def _reached(scene: Scene, wire: Wire, missed: OptionMissed) -> list[str]:
    """Return the modules that were built with the assigned value."""
    built = [
        item.build.event.module
        for item in scene.compiled
        if item.build.wire is wire
        and item.build.inputs is not None
        and item.build.inputs.options.get(missed.name) == missed.assigned
        and item.build.event.module != missed.module
    ]
    return list(dict.fromkeys(built))


OPTION_NEVER_ARRIVED: Final = Rule(
    "option_never_arrived",
    "wrong",
    _options_missed,
    "Every option that was assigned was in force at the next launch of each module.",
    needs=(hooked("config", "modules", "launch"),),
    not_for="An option that is meant for modules created later.",
)


def _cache_pinned(scene: Scene) -> Sequence[Evidence]:
    if scene.recording.options.get("isolate"):
        return ()
    for wire in scene.cold.wires:
        private = _private_folder(wire)
        for assign in wire.assigns:
            if assign.name in ("kernel_cache_dir", "WARP_CACHE_PATH") and not assign.by_warp and assign.new:
                path = assign.new.strip("'\"")
                if assign.new != "None" and not _is_below(path, private):
                    return (_pinned(scene, wire, assign, path),)
        runtime = wire.runtime
        if (
            runtime is not None
            and private is not None
            and runtime.cache_dir
            and not _is_below(runtime.cache_dir, private)
        ):
            return (_pinned(scene, wire, None, runtime.cache_dir),)
    return ()


def _private_folder(wire: Wire) -> str | None:
    """Return the run's private folder, as far as the environment that it was given tells."""
    path = wire.header.env.get("WARP_CACHE_PATH") if wire.header else None
    if not isinstance(path, str):
        return None
    found = _PRIVATE.match(path)
    return found.group(1) if found else path


def _is_below(path: str, folder: str | None) -> bool:
    return folder is not None and (PurePath(path) == PurePath(folder) or PurePath(folder) in PurePath(path).parents)


def _pinned(scene: Scene, wire: Wire, assign: Assign | None, path: str) -> Evidence:
    setting = "wp.config.kernel_cache_dir" if assign is None or assign.name == "kernel_cache_dir" else assign.name
    line = line_of(scene.cold, wire, assign.place if assign else None)
    head = (
        f"{line} sets {setting}"
        if assign is not None and assign.place is not None
        else "The code chooses its own cache folder"
    )
    cached = [item for item in scene.events if item.build.event.status == "cached"]
    served = f" {counted(len(cached), 'build')} came from there already." if cached else ""
    what = (
        f"{head} ({path}), so this run did not start with an empty cache: what was built there in an earlier "
        f"run is served, "
        f"and the cold figures say less than they seem to.{served}"
    )
    fix = (
        "Leave the folder to the environment (WARP_CACHE_PATH), or measure with --isolate, which sends that "
        "assignment to "
        "the run's private folder."
    )
    place = assign.place if assign else None
    return Evidence(what, fix, place=place, cause_place=place, snippet="%%warp_cold --isolate", wire=wire)


CACHE_DIR_PINNED: Final = Rule(
    "cache_dir_pinned",
    "wrong",
    _cache_pinned,
    "The code left the cache folder alone, or it lies inside the run's private folder.",
    needs=(hooked("config"),),
    not_for="A program that ships its cache on purpose; then only its cold figures are no cold figures.",
)
