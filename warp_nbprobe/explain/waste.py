"""Builds that need not have been: made twice, used by nobody, thrown away by the next, or holding too much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from warp_nbprobe.data.records import KernelState
from warp_nbprobe.explain import blame
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.difference import Difference, differ
from warp_nbprobe.explain.pairing import Kernel, old_versions
from warp_nbprobe.explain.scene import Scene, by_module, source_bytes, source_shares

PRELOADS: Final = ("force_load", "load_module", "load", "get_suggested_block_size")
"""Calls that build a module without launching anything of it."""

_ADDING: Final = {"overload_added", "kernel_added", "option_changed", "kernel_changed", "kernel_removed"}


@dataclass(frozen=True, slots=True)
class Duplicate:
    """One content built more than once; ``first`` is the one that was finished first."""

    first: Explained
    others: tuple[Explained, ...]


@dataclass(frozen=True, slots=True)
class Superseded:
    """A build that the next one of its module and target made useless; ``share`` of its source was built again."""

    build: Explained
    by: Explained
    rule: str | None  # ``None``: brought about by a library, which is nobody's to change
    share: float


@dataclass(frozen=True, slots=True)
class Spread:
    """Builds of one module that differ in nothing but the block dimension, with where its kernels were launched."""

    module: str
    builds: tuple[Explained, ...]
    launched: dict[str, tuple[int, ...]]  # kernel name to block dimensions, in the order of the build
    idle: dict[Explained, float]  # share of the build's whole source that was never launched at its block_dim


def duplicates(scene: Scene) -> list[Duplicate]:
    """Return contents that were compiled more than once, by several threads, processes or names."""
    groups: dict[tuple[object, ...], list[Explained]] = {}
    for item in scene.compiled:
        event = item.build.event
        if event.hash is not None and scene.states(item):
            groups.setdefault((event.hash, event.device, event.block_dim, event.aot), []).append(item)
    found: list[Duplicate] = []
    for group in groups.values():
        if len(group) > 1:
            first = min(group, key=lambda item: item.build.event.t1)
            found.append(Duplicate(first, tuple(item for item in group if item is not first)))
    return found


def unused(scene: Scene) -> list[Explained]:
    """Return builds that a call asked for and none of whose kernels was launched at that block dimension."""
    if not scene.launches.any:
        return []
    return [item for item in scene.measured if _is_unused(scene, item)]


def _is_unused(scene: Scene, item: Explained) -> bool:
    event = item.build.event
    if event.aot or event.trigger.get("call") not in PRELOADS or item.build.inputs is None:
        return False
    if not scene.ownership.build(item.build) and not scene.ownership.place(event.place):
        return False
    wire = item.build.wire
    return not any(
        event.block_dim in scene.launches.block_dims(wire, state, event.module) for state in scene.states(item)
    )


def superseded(scene: Scene) -> list[Superseded]:
    """Return each build whose successor was caused by nothing but what could have been there before."""
    found: list[Superseded] = []
    last: dict[tuple[object, ...], Explained] = {}
    for item in scene.compiled:
        build = item.build
        key = (build.wire, build.event.module, build.event.device, build.event.block_dim)
        before = last.get(key)
        last[key] = item
        if before is not None and is_avoidable(item):
            found.append(Superseded(before, item, rule_of(scene, item), _built_again(scene, before, item)))
    return found


def is_avoidable(item: Explained) -> bool:
    """Whether a build was caused by nothing but additions, options and edits that change no meaning."""
    causes = set(item.causes)
    if not causes <= _ADDING or causes == {"kernel_removed"} or item.difference is None:
        return False
    return all(changed.idle for changed in item.difference.changed)


def rule_of(scene: Scene, item: Explained) -> str | None:
    """Return the rule that an avoidable build is charged to: that of its first cause which is the user's."""
    difference = item.difference
    if difference is None:
        return None
    added = [added for added in difference.added if scene.ownership.kernel(added.kernel.state)]
    if any(one.kind == "overload" for one in added):
        return "late_overload"
    if any(one.kind == "kernel" for one in added):
        return "late_kernel"
    changed = [one for one in difference.changed if scene.ownership.kernel(one.new.state)]
    if changed:
        hidden = any(change.hidden for one in changed for change in one.changes)
        return "shadowed_global" if hidden else "text_only_edit"
    return "late_option" if users_options(scene, item) else None


def users_options(scene: Scene, item: Explained) -> list[str]:
    """Return the options that changed and are the user's: set by a line of theirs, or on a module of theirs."""
    if item.difference is None:
        return []
    mine = scene.ownership.build(item.build)
    return [
        option.name
        for option in item.difference.options
        if mine or scene.ownership.place(blame.of_option(item.build, option.name, option.new).place)
    ]


def _built_again(scene: Scene, before: Explained, item: Explained) -> float:
    """Return the part of a build's kernel source that its successor builds once more."""
    difference = item.difference
    if difference is None or difference.old is not before.build:
        if before.build.inputs is None or item.build.inputs is None:
            return 1.0
        difference = differ(scene.catalog, before.build, item.build)
    gone = _not_again(difference)
    if not gone:
        return 1.0
    shares = source_shares(before.build.event)
    if not shares:
        states = scene.states(before)
        return 1.0 - sum(state.id in gone for state in states) / len(states) if states else 1.0
    return max(0.0, 1.0 - sum(share for number, share in shares.items() if number in gone))


def _not_again(difference: Difference) -> set[int]:
    """Return the ids of kernels that were needed once: gone, or changed into something else."""
    changed = [one.old for one in difference.changed if not one.idle]
    return {kernel.state.id for kernel in (*difference.removed, *changed)}


def kept_versions(scene: Scene, item: Explained) -> list[tuple[KernelState, KernelState]]:
    """Return ``(old, newest)`` for the user's kernels of which a build holds an older version too."""
    names = item.build.event.kernels
    if names and len(set(names)) == len(names):
        return []
    states = scene.states(item)
    keys = Counter(state.key or state.name for state in states)
    if len(keys) == len(states):
        return []
    several = [
        Kernel.of(item.build.wire, state)
        for state in states
        if keys[state.key or state.name] > 1 and scene.ownership.kernel(state)
    ]
    return [(old.state, newest.state) for old, newest in old_versions(several, same_arguments=True)]


def kept_share(item: Explained, olds: Iterator[KernelState] | list[KernelState]) -> float:
    """Return the part of a build's whole source that belongs to the given kernels."""
    event = item.build.event
    sizes = source_bytes(event)
    whole = event.source_bytes or sum(sizes.values())
    return min(1.0, sum(sizes.get(state.id, 0.0) for state in olds) / whole) if whole else 0.0


def spreads(scene: Scene) -> list[Spread]:
    """Return the user's modules that were built for several block dimensions though some kernel needed only one."""
    found: list[Spread] = []
    for module, items in by_module(scene.users).items():
        if len({item.build.event.block_dim for item in items}) < 2:
            continue
        groups: dict[tuple[object, ...], list[Explained]] = {}
        for item in items:
            build = item.build
            names = frozenset(
                (state.key, state.args, state.source, str(state.constants)) for state in scene.states(item)
            )
            options = tuple(sorted((build.inputs.options if build.inputs else {}).items()))
            plain = tuple(option for option in options if option[0] != "block_dim")
            groups.setdefault((build.event.device, names, plain), []).append(item)
        for group in groups.values():
            spread = _spread(scene, module, group)
            if spread is not None:
                found.append(spread)
    return found


def _spread(scene: Scene, module: str, group: list[Explained]) -> Spread | None:
    dims = {item.build.event.block_dim for item in group}
    if len(dims) < 2:
        return None
    launched: dict[str, tuple[int, ...]] = {}
    used: set[int] = set()
    for item in group:
        for state in scene.states(item):
            at = {dim for dim in scene.launches.block_dims(item.build.wire, state, module) if dim is not None}
            known = launched.get(state.name, ())
            launched[state.name] = tuple(sorted({*known, *at}))
            used |= at & dims
    idle: dict[Explained, float] = {}
    for item in group:
        event = item.build.event
        states = [state for state in scene.states(item) if event.block_dim not in launched[state.name]]
        if states:
            idle[item] = kept_share(item, states)
    if len(used) < 2 or not idle:
        return None
    return Spread(module, tuple(group), launched, idle)
