"""Rules of kind ``redundant``: loading, hashing and building again what was there already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from warp_nbprobe.data.records import KernelState, Place
from warp_nbprobe.explain import details
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.contents import Build
from warp_nbprobe.explain.difference import differ
from warp_nbprobe.explain.misses import Reason, reasons
from warp_nbprobe.explain.rule import Evidence, Rule, hooked, inputs, warm_run
from warp_nbprobe.explain.scene import Scene, by_module
from warp_nbprobe.explain.words import counted, listed, ms_text, quoted, times

_THRASH: Final = 3  # reloads of one module in one execution
_REHASHES: Final = 20
_REHASH_MS: Final = 50.0


def _thrashing(scene: Scene) -> Sequence[Evidence]:
    found: list[Evidence] = []
    groups: dict[tuple[object, ...], list[Explained]] = {}
    for item in scene.events:
        if item.cause == "reload" and not scene.in_setup(item) and scene.ownership.build(item.build):
            cell = scene.cell_at(item.build.wire, item.build.event.t0)
            key = (item.build.event.module, item.build.wire, cell.cell if cell else None)
            groups.setdefault(key, []).append(item)
    for members in groups.values():
        lines = Counter(_spot(item.build.event.place) for item in members)
        hashes = {item.build.hash for item in members}
        if len(members) < _THRASH or max(lines.values()) < 2 or len(hashes) < 2:
            continue
        found.append(_thrash(scene, members))
    return found


def _spot(place: Place | None) -> tuple[object, ...] | None:
    return (place.file, place.line, place.cell) if place is not None else None


def _thrash(scene: Scene, members: list[Explained]) -> Evidence:
    first = members[0]
    module = first.build.event.module
    costs = [item.build.event.load_ms for item in members]
    known = [cost for cost in costs if cost is not None]
    flipping = [name for item in members if item.difference for name in details.flipping(item.difference)]
    names = listed([quoted(name) for name in dict.fromkeys(flipping)], 4)
    what = (
        f"{quoted(module)} was loaded from the cache again {times(len(members))}, because the kernels that are "
        f"alive flip back "
        f"and forth: {names} come and go between launches. {ms_text(sum(known))} went into loading."
    )
    return Evidence(
        what,
        "Keep all of them alive (in a list or at module level), or give each a module of its own.",
        (module,),
        cost_ms=sum(known) if len(known) == len(costs) else None,
        events=tuple(members),
        place=first.build.event.place,
        cause_place=first.build.event.place,
        snippet="kernels = {}  # made once, kept\n\n\ndef kernel_for(n):\n    if n not in kernels:\n        "
        "kernels[n] = make(n)\n    return kernels[n]",
        key=(module,),
    )


RELOAD_THRASH: Final = Rule(
    "reload_thrash",
    "redundant",
    _thrashing,
    "No module was loaded from the cache again and again in one execution.",
    needs=(inputs,),
    not_for="An edit that is taken back, or a cell that reloads a module on purpose.",
)


_KEEP_MADE: Final = (
    "import functools\n\n\n@functools.cache\ndef make(n):\n"
    "    @wp.kernel\n    def kernel(a: wp.array(dtype=float)):\n        ...\n\n    return kernel"
)


def _rehashing(scene: Scene) -> Sequence[Evidence]:
    found: list[Evidence] = []
    for wire in scene.cold.wires:
        for rehash in wire.rehashes.values():
            states = [state for state in wire.kernels.values() if state.module == rehash.module]
            if rehash.count < _REHASHES or rehash.ms < _REHASH_MS or not scene.ownership.kernels(states):
                continue
            what = (
                f"{quoted(rehash.module)} was looked through {rehash.count} times without anything to build, because "
                f"{_registered(states)} are defined anew again and again, each time the same. "
                f"{ms_text(rehash.ms)} went into that."
            )
            found.append(
                Evidence(
                    what,
                    "Define them once, outside the loop or function, and keep them.",
                    (rehash.module,),
                    cost_ms=rehash.ms,
                    place=rehash.place,
                    cause_place=_made_again(states) or rehash.place,
                    snippet=_KEEP_MADE,
                    key=(rehash.module,),
                    wire=wire,
                )
            )
    return found


def _registered(states: Sequence[KernelState]) -> str:
    nested = list(dict.fromkeys(quoted(state.name) for state in states if state.in_function))
    return f"kernels ({listed(nested, 4)})" if nested else "kernels, functions or structs"


def _made_again(states: Sequence[KernelState]) -> Place | None:
    return next((state.defined for state in states if state.in_function), None)


REHASH: Final = Rule(
    "rehash",
    "redundant",
    _rehashing,
    f"No module of yours was hashed {_REHASHES} times, or for {_REHASH_MS:.0f} ms, without a build.",
    needs=(hooked("ModuleHasher"),),
    not_for="Kernels whose content really differs each time: those are built, not only hashed.",
)


def _not_reused(scene: Scene) -> Sequence[Evidence]:
    found: list[Evidence] = []
    compiled = [item for item in scene.warm_events if item.build.event.status == "compiled"]
    members_of = by_module(compiled, lambda item: not _by_collection(item))
    for module, members in members_of.items():
        first = members[0]
        reason = _reason(scene, first)
        cost = sum(scene.work_ms(item) for item in members)
        what = (
            f"The second run, which found the first one's cache, built {quoted(module)} again "
            f"({counted(len(members), 'build')}): {reason.text}. {ms_text(cost)} is paid again on every run."
        )
        found.append(
            Evidence(
                what,
                f"Mend this before anything else in this list: {_reuse_fix(reason)}",
                (module,),
                cost_ms=cost,
                events=tuple(members),
                place=first.build.event.place,
                cause_place=reason.place,
                snippet=_reuse_code(reason),
                key=(module,),
            )
        )
    return found


def _by_collection(item: Explained) -> bool:
    """Whether the runs differ only in old generic versions that one of them had not collected."""
    difference = item.difference
    if difference is None or not difference.kernels_differ or difference.options or difference.changed:
        return False
    here = [*(one.kernel for one in difference.added), *(one.new for one in difference.kept)]
    everyone = [*here, *difference.removed]
    if not all(kernel.state.parent is not None for kernel in everyone):
        return False
    return all(_is_old(kernel.state, item.build) or _is_old(kernel.state, difference.old) for kernel in everyone)


def _is_old(state: KernelState, build: Build) -> bool:
    """Whether a build holds another version of the kernel, so that this one can be an old one."""
    kernels = build.wire.kernels
    states = [kernels[number] for number in (build.inputs.kernels if build.inputs else ()) if number in kernels]
    return any(other.key == state.key and other.hash != state.hash for other in states)


def _reason(scene: Scene, item: Explained) -> Reason:
    """Return why the warm run did not find the cache: a setting or a call, else the input that differs."""
    direct = [reason for reason in reasons(item) if reason.name != "aot"]
    if item.cause == "cache_miss" and direct:
        return direct[0]
    if item.difference is not None and item.cause not in ("cache_miss", "first"):
        text, place = details.told(item)
        return Reason("differs", f"its content differs from run to run. {text}".rstrip("."), place)
    if item.cause == "first":
        return _renamed(scene, item) or (
            direct[0] if direct else Reason("new", "the first run had not built it: the second one did something else")
        )
    return direct[0] if direct else Reason("unknown", "the recording does not show why the cache did not serve")


def _renamed(scene: Scene, item: Explained) -> Reason | None:
    """Explain a unique kernel, whose module is named after its content, by the one of the same name before the hash."""
    module = item.build.event.module
    base = module.rpartition("_")[0]
    alike = [
        other
        for other in scene.events
        if other.build.inputs is not None
        and other.build.event.module.rpartition("_")[0] == base
        and len(scene.states(other)) == 1
    ]
    if not base or not alike or item.build.inputs is None or len(item.build.inputs.kernels) != 1:
        return None
    difference = differ(scene.catalog, alike[-1].build, item.build)
    if not difference.changed or not difference.changed[0].changes:
        return None
    told = Explained(item.build, ("kernel_changed",), difference, before=alike[-1].build)
    text, place = details.told(told)
    return Reason("differs", f"its content, and so its name, differs from run to run. {text}".rstrip("."), place)


def _reuse_fix(reason: Reason) -> str:
    return {
        "clear_kernel_cache": "leave out wp.clear_kernel_cache(), which also takes other programs' builds away.",
        "clear_lto_cache": "leave out wp.clear_lto_cache().",
        "cache_kernels": "leave wp.config.cache_kernels on.",
        "verify_autograd_array_access": "switch that check on only while you look for a fault.",
        "kernel_cache_dir": "give the cache a folder that stays the same from run to run.",
        "cache_folder": "give the cache a folder that stays the same from run to run.",
        "differs": "keep what differs out of the kernels (a time, a random number, an address in a name), or pass it "
        "as an argument.",
    }.get(reason.name, "find out what the second run does otherwise.")


def _reuse_code(reason: Reason) -> str | None:
    return {
        "cache_kernels": "wp.config.cache_kernels = True",
        "verify_autograd_array_access": "wp.config.verify_autograd_array_access = False",
        "kernel_cache_dir": "# in the environment, before Python starts\nexport WARP_CACHE_PATH=~/.cache/my_program",
        "cache_folder": "# in the environment, before Python starts\nexport WARP_CACHE_PATH=~/.cache/my_program",
    }.get(reason.name)


CACHE_NOT_REUSED: Final = Rule(
    "cache_not_reused",
    "redundant",
    _not_reused,
    "The second run found everything in the cache.",
    needs=(warm_run,),
    not_for="A program that measures cold builds on purpose.",
)
