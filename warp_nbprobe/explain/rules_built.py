"""Rules of kind ``redundant``: builds that hold too much, that nobody used, or that were made twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from warp_nbprobe.data.records import KernelState
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.holders import letting_go, letting_go_code, named_once
from warp_nbprobe.explain.misses import why_missed
from warp_nbprobe.explain.rule import Evidence, Rule, inputs, launches, sources
from warp_nbprobe.explain.scene import Scene, by_module
from warp_nbprobe.explain.snippets import identifier, module_code, module_object, own_module, short_name
from warp_nbprobe.explain.waste import Duplicate, Spread, duplicates, kept_versions, spreads, unused
from warp_nbprobe.explain.words import listed, ms_text, quoted


def _old_versions(scene: Scene) -> Sequence[Evidence]:
    found: list[Evidence] = []
    for module, members in by_module(scene.users, lambda item: bool(kept_versions(scene, item))).items():
        pairs = {old.id: (old, newest) for item in members for old, newest in kept_versions(scene, item)}
        names = list(dict.fromkeys(newest.name for _, newest in pairs.values()))
        holders = _holders(members)
        last = kept_versions(scene, members[-1])
        most = {name: 1 + sum(newest.name == name for _, newest in last) for name in names}
        first, newest = members[0], next(iter(pairs.values()))[1]
        cost = scene.cost("old_versions_kept", module)
        versions = listed([f"{most[name]} versions of {quoted(name)}" for name in names], 4)
        holding = f"Held by {listed(holders, 4)}." if holders else _uncollected([old for old, _ in pairs.values()])
        found.append(
            Evidence(
                f"{quoted(module)} was built with {versions}: Warp builds every version that something still "
                f"refers to. "
                f"{holding} At most {ms_text(cost)} went into old versions.",
                letting_go(holders),
                (module,),
                cost_ms=cost,
                events=tuple(members),
                place=first.build.event.place,
                cause_place=newest.defined,
                snippet=letting_go_code(
                    holders, newest.name.rpartition(".")[2], notebook=bool(first.build.run.wires[0].cells)
                ),
                key=(module,),
            )
        )
    return found


def _holders(members: Sequence[Explained]) -> list[str]:
    """Return who refers to old versions, named once each."""
    texts = [text for item in members for held in item.build.event.holders.values() for text in held or ()]
    return named_once(texts)


def _uncollected(olds: Sequence[KernelState]) -> str:
    if any(old.parent is not None for old in olds):
        return "An old version of a generic kernel lives until Python collects it."
    return "Who holds the old ones was not seen."


OLD_VERSIONS_KEPT: Final = Rule(
    "old_versions_kept",
    "redundant",
    _old_versions,
    "Every build held one version of each kernel.",
    needs=(inputs,),
    not_for="Old versions that you still launch: give those a name of their own.",
)


def _block_dims(scene: Scene) -> Sequence[Evidence]:
    return [_block_dim(scene, spread) for spread in spreads(scene)]


def _block_dim(scene: Scene, spread: Spread) -> Evidence:
    dims = [item.build.event.block_dim for item in spread.builds]
    module = spread.module
    used = [
        f"{quoted(name)} at {listed([str(dim) for dim in at])}" if at else f"{quoted(name)} never"
        for name, at in spread.launched.items()
    ]
    cost = scene.cost("block_dim_spread", module)
    headers = [item for item in spread.builds[1:] if item.build.event.header_ms]
    header_ms = sum(item.build.event.header_ms or 0.0 for item in headers)
    extra = f" Besides, {ms_text(header_ms)} went into headers, one for each block dimension." if header_ms else ""
    several = [name for name, at in spread.launched.items() if len(at) > 1]
    what = (
        f"{quoted(module)} was built {len(dims)} times, for block dimensions "
        f"{listed([str(dim) for dim in dims])}: Warp builds "
        f"all kernels of a module for each block dimension that one of them is launched with (the hashes "
        f"differ by it, the "
        f"kernels do not). Launched were {listed(used, 8)}. At most {ms_text(cost)} went into kernels at block "
        f"dimensions "
        f"that they were never launched with.{extra}"
    )
    if several:
        names = listed([quoted(name) for name in several])
        fix = f"Keep {names}, launched at several block dimensions, alone in a module of its own."
    else:
        fix = "Split the module by block dimension: kernels that are launched with the same one go together."
    first = spread.builds[1]
    return Evidence(
        what,
        fix,
        (module,),
        cost_ms=cost,
        events=spread.builds,
        place=first.build.event.place,
        cause_place=first.build.event.place,
        snippet=_split_code(scene, spread),
        certainty="estimate",
        key=(module,),
    )


def _split_code(scene: Scene, spread: Spread) -> str:
    """Return the kernels regrouped: those with one block dimension by it, each of the others alone."""
    states = {state.name: state for state in scene.states(spread.builds[0])}
    base = identifier(spread.module)
    groups: dict[str, list[KernelState]] = {}
    for name, at in spread.launched.items():
        state = states.get(name)
        if state is not None and at:
            group = f"{base}_{short_name(state)}" if len(at) > 1 else f"{base}_block{at[0]}"
            groups.setdefault(group, []).append(state)
    if len(groups) > 1 and base == "main":
        groups = {name.replace("main_", "kernels_", 1): group for name, group in groups.items()}
    return "\n\n".join(own_module(group, name) for name, group in groups.items())


BLOCK_DIM_SPREAD: Final = Rule(
    "block_dim_spread",
    "redundant",
    _block_dims,
    "No module of yours was built for several block dimensions while one of its kernels needed fewer.",
    needs=(inputs, launches, sources),
    not_for="Kernels that are all launched at every block dimension. Never give kernels another block dimension only "
    "to save a build: that changes the work.",
)


def _unused_builds(scene: Scene) -> Sequence[Evidence]:
    return [_unused(scene, module, members) for module, members in _unused_by_module(scene).items()]


def _unused_by_module(scene: Scene) -> dict[str, list[Explained]]:
    return by_module(unused(scene))


def _unused(scene: Scene, module: str, members: list[Explained]) -> Evidence:
    first = members[0]
    event = first.build.event
    call = str(event.trigger.get("call"))
    cost = scene.cost("unused_build", module)
    other = _launched_dims(scene, first)
    line = scene.where(first, event.place)
    if other:
        dims = listed([str(dim) for dim in sorted(other)])
        built = f"block dimension {event.block_dim}"
        what = (
            f"wp.{call}() at {line} built {quoted(module)} for {built}, and its kernels were launched at "
            f"{dims} only. "
            f"{ms_text(cost)} went into a build that nothing used."
        )
        fix = f"Load it for the block dimension that is launched: block_dim={min(other)}."
    else:
        everything = _loads_everything(scene, first)
        whole = (
            "was called without a list of modules, so it built everything that is registered"
            if everything
            else "built it"
        )
        what = (
            f"{quoted(module)} was built only because wp.{call}() at {line} {whole}; none of its kernels was "
            f"launched. "
            f"{ms_text(cost)} went into it."
        )
        fix = "Load the modules that the program launches, by name."
    return Evidence(
        what,
        fix,
        (module,),
        cost_ms=cost,
        events=tuple(members),
        place=event.place,
        cause_place=event.place,
        snippet=_load_code(scene, first),
        key=(module,),
    )


def _launched_dims(scene: Scene, item: Explained) -> set[int]:
    module = item.build.event.module
    states = scene.states(item)
    found = [scene.launches.block_dims(item.build.wire, state, module) for state in states]
    return {dim for dims in found for dim in dims if dim is not None}


def _loads_everything(scene: Scene, item: Explained) -> bool:
    event = item.build.event
    calls = [call for call in item.build.wire.calls if call.name == "force_load" and call.t <= event.t0]
    return bool(calls) and calls[-1].args.get("modules", "None") == "None"


def _load_code(scene: Scene, item: Explained) -> str:
    """Return the calls that load what was launched, one for each block dimension."""
    wanted: dict[int, list[str]] = {}
    for launched in scene.launches.made:
        signature = launched.signature
        if signature.module is not None and signature.block_dim is not None:
            modules = wanted.setdefault(signature.block_dim, [])
            if signature.module not in modules:
                modules.append(signature.module)
    device = item.build.event.device or "cpu"
    usual = len(wanted) == 1 and device == "cpu" and 1 in wanted
    return "\n".join(
        f'wp.force_load(device="{device}", modules=[{", ".join(module_object(name) for name in modules)}]'
        + ("" if usual else f", block_dim={dim}")
        + ")"
        for dim, modules in sorted(wanted.items())
    )


UNUSED_BUILD: Final = Rule(
    "unused_build",
    "redundant",
    _unused_builds,
    "Every build that a call asked for was launched at its block dimension.",
    needs=(inputs, launches),
    not_for="Builds made to fill a cache for other programs.",
)


def _duplicate_builds(scene: Scene) -> Sequence[Evidence]:
    found: dict[str, list[Duplicate]] = {}
    for duplicate in duplicates(scene):
        if any(not scene.in_setup(item) for item in duplicate.others):
            found.setdefault(duplicate.others[0].build.event.module, []).append(duplicate)
    return [_duplicate(scene, module, members) for module, members in found.items()]


def _duplicate(scene: Scene, module: str, members: list[Duplicate]) -> Evidence:
    others = [item for duplicate in members for item in duplicate.others if not scene.in_setup(item)]
    first, again = members[0].first, others[0]
    charged = {one.build: one.ms for one in scene.charges if one.rule == "duplicate_builds"}
    cost = sum((charged.get(item, 0.0) for item in others), 0.0)
    names = list(dict.fromkeys(item.build.event.module for item in (first, *others)))
    count = 1 + len(members[0].others)
    snippet: str | None
    if len(names) > 1:
        what = (
            f"The same kernels were built under {len(names)} module names "
            f"({listed([quoted(name) for name in names])}): a file that "
            f"is run as a program and imported as well exists twice for Warp. {ms_text(cost)} went into the copies."
        )
        fix = "Put the kernels into a module of their own and import it from the program."
        snippet = "# kernels.py holds the kernels\nfrom kernels import *  # in the program"
    else:
        what = (
            f"{quoted(module)} was built {count} times with exactly the same content: {_who(first, others)}. "
            f"{ms_text(cost)} went into the copies."
        )
        fix = _duplicate_fix(first, others)
        device = again.build.event.device or "cpu"
        load = f'wp.load_module({module_code(module)}, device="{device}")  # once, before any worker starts'
        snippet = load if _by_workers(first, others) else None
    return Evidence(
        what,
        fix,
        tuple(names),
        cost_ms=cost,
        events=tuple(dict.fromkeys([first, *others])),
        place=again.build.event.place,
        cause_place=why_missed(again).place or again.build.event.place,
        snippet=snippet,
        key=tuple(names),
    )


def _by_workers(first: Explained, others: Sequence[Explained]) -> bool:
    """Whether several threads or processes built the same, not one after the other."""
    return len({(item.build.wire.pid, item.build.event.thread) for item in (first, *others)}) > 1


def _who(first: Explained, others: Sequence[Explained]) -> str:
    """Return who built the same: threads, processes, or one after the other."""
    everyone = (first, *others)
    pids = list(dict.fromkeys(item.build.wire.pid for item in everyone))
    threads = list(dict.fromkeys(item.build.event.thread for item in everyone))
    if len(pids) > 1:
        return f"{len(pids)} processes built it ({listed([str(pid) for pid in pids])})"
    if len(threads) > 1:
        return f"{len(threads)} threads built it at once"
    again = next((item for item in others if "cache_miss" in item.causes), others[0])
    return why_missed(again).text


def _duplicate_fix(first: Explained, others: Sequence[Explained]) -> str:
    same_process = all(item.build.wire is first.build.wire for item in others)
    if not same_process:
        return "Build once before the workers start, and let all of them use one cache folder."
    if any(item.build.event.thread != first.build.event.thread for item in others):
        return "Load the module once before the threads start."
    return "Keep the cache: leave out what clears it or switches it off."


DUPLICATE_BUILDS: Final = Rule(
    "duplicate_builds",
    "redundant",
    _duplicate_builds,
    "No content was built twice for one device and block dimension.",
    not_for="Machines that share no folder: each of them needs a build of its own.",
)
