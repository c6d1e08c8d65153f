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
    best: Build | None = None
    least, elsewhere = 2**31, True
    leaves, target = build.leaves, build.target
    for other in reversed(earlier):
        only = (leaves ^ other.leaves).bit_count()
        if only > 2 * least or other.inputs is None:
            continue
        exact = catalog.difference(build, other) if only else 0
        apart = other.target != target
        if best is None or (exact, apart) < (least, elsewhere):
            best, least, elsewhere = other, exact, apart
        if not only:
            break
    return best
