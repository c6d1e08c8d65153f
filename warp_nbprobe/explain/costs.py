"""What could have been spared: every build that was thrown away or built too much, charged once.

The builds that were thrown away are charged, not the last one, which has to be paid anyway. Of a build that
falls under several heads the first counts: duplicate, unused, superseded, old versions, block dimensions.
"""

from __future__ import annotations

from collections.abc import Iterable

from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.scene import Charge, Scene
from warp_nbprobe.explain.waste import duplicates, kept_share, kept_versions, spreads, superseded, unused


def charges(scene: Scene) -> tuple[Charge, ...]:
    """Return one charge for each build that is charged, in the order of the builds.

    A superseded build of the setup code is charged 0: it is named, and no figure counts it.
    """
    found: dict[Explained, Charge] = {}

    def charge(item: Explained, rule: str, share: float, by: Explained | None = None) -> None:
        if item not in found:
            ms = 0.0 if scene.in_setup(item) else scene.work_ms(item) * share
            found[item] = Charge(item, rule, ms, by)

    for duplicate in duplicates(scene):
        for item in duplicate.others:
            charge(item, "duplicate_builds", 1.0)
    for item in unused(scene):
        charge(item, "unused_build", 1.0)
    for one in superseded(scene):
        if one.rule is not None:
            charge(one.build, one.rule, one.share, one.by)
    for item in scene.users:
        olds = [old for old, _ in kept_versions(scene, item)]
        if olds:
            charge(item, "old_versions_kept", kept_share(item, olds))
    for spread in spreads(scene):
        for item, share in spread.idle.items():
            charge(item, "block_dim_spread", share)
    return tuple(sorted(found.values(), key=lambda charged: charged.build.build.seq))


def avoidable_ms(charged: Iterable[Charge]) -> float:
    """Return the sum of what was charged: never more than ``build_ms``."""
    return sum((one.ms for one in charged), 0.0)
