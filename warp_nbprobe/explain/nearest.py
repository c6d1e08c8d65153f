"""Which earlier build a build is compared with: the one with the fewest differing inputs."""

from __future__ import annotations

from collections.abc import Sequence

from warp_nbprobe.explain.contents import Build, Catalog


def nearest(catalog: Catalog, build: Build, earlier: Sequence[Build]) -> Build | None:
    """Return the nearest of ``earlier`` (oldest first) that has inputs.

    Between equals the one of the same device and block dimension, then the latest. Half the number of leaves
    that only one of two builds has is never more than the number of inputs that differ, so most candidates
    are ruled out without being counted.
    """
    known = [other for other in earlier if other.inputs is not None]
    if not known:
        return None
    latest = known[-1]
    if latest.target == build.target and catalog.difference(build, latest) <= 1:
        same = next((other for other in reversed(known) if other.leaves == build.leaves), None)
        return same or latest
    order = sorted(
        (((build.leaves ^ other.leaves).bit_count() + 1) // 2, other.target != build.target, -position)
        for position, other in enumerate(known)
    )
    best: tuple[int, bool, int] | None = None
    for bound, elsewhere, position in order:
        if best is not None and bound > best[0]:
            break
        exact = catalog.difference(build, known[-position])
        if best is None or (exact, elsewhere, position) < best:
            best = (exact, elsewhere, position)
    return known[-best[2]] if best else None
