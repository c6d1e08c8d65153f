"""The ordered list of the measurement page, written once more and in another way: what the verdict has to be.

Takes what the tests themselves put into two measurements, never what the program found in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tests.compare.pairs import Made


def band(baseline: Sequence[float], candidate: Sequence[float]) -> float:
    return max(0.01 * abs(median(baseline)), 2 * max(mad(baseline), mad(candidate)), 5.0)


def mad(values: Sequence[float]) -> float:
    return median(abs(value - median(values)) for value in values)


def moved(baseline: Sequence[float], candidate: Sequence[float]) -> str:
    delta = median(candidate) - median(baseline)
    if abs(delta) <= band(baseline, candidate):
        return "inside"
    if delta < 0:
        return "down" if max(candidate) < min(baseline) else "inside"
    return "up" if min(candidate) > max(baseline) else "inside"


def work_moved(ours: Made, theirs: Made) -> str:
    extra = [0.0, 0.0]
    unseen = [made.header_ms is None and made.device == "cpu" for made in (ours, theirs)]  # a GPU's builds have none
    if any(unseen):  # then the header is in the work of both
        extra = [ours.header_ms or 0.0, theirs.header_ms or 0.0]
    return moved([ms + extra[0] for ms in ours.work], [ms + extra[1] for ms in theirs.work])


def elapsed_moved(ours: Made, theirs: Made) -> str:
    if ours.errors or theirs.errors:  # they fail in the warm run as well, which hides the wait
        return "missing"
    if sum(ms is not None for ms in ours.wait) < 3 or sum(ms is not None for ms in theirs.wait) < 3:
        return "missing"
    return moved([ms for ms in ours.wait if ms is not None], [ms for ms in theirs.wait if ms is not None])


def streams(made: Made) -> list[str]:
    """Return what each thread launches, names left out, in no order of threads."""
    found = []
    for launches in (made.launches, *made.threads.values()):
        shown = [{k: v for k, v in launch.items() if k not in ("kernel", "key", "module")} for launch in launches]
        if shown:
            found.append(repr([sorted({"device": made.device, **launch}.items(), key=repr) for launch in shown]))
    return sorted(found)


def verdict(ours: Made, theirs: Made) -> tuple[int, str]:
    """Return the row and the word for two measurements whose own samples agree."""
    new_errors = [module for module in theirs.errors if theirs.errors.count(module) > ours.errors.count(module)]
    here, there = streams(ours), streams(theirs)
    if theirs.failed or new_errors or (theirs.work and ours.work and here != there and not _device_only(ours, theirs)):
        return 1, "invalid"
    if ours.machine != theirs.machine or ours.rehearsed != theirs.rehearsed or here != there:
        return 2, "not comparable"
    if ours.setup != theirs.setup and (bool(ours.setup), ours.setup_hash) != (bool(theirs.setup), theirs.setup_hash):
        return 2, "not comparable"
    if not here and not there:
        return 3, "unverified"
    if min(len(ours.work), len(theirs.work)) < 3:
        return 4, "not enough evidence"
    if None in theirs.wait and None not in ours.wait:
        return 5, "regressed"
    return _timed(ours, theirs)


def _timed(ours: Made, theirs: Made) -> tuple[int, str]:
    work, elapsed = work_moved(ours, theirs), elapsed_moved(ours, theirs)
    if (work == "down" and elapsed != "up") or (work == "inside" and elapsed == "down"):
        return 7, "improved"
    if work == "down":
        return 8, "inconclusive"
    same = sorted(ours.hashes) == sorted(theirs.hashes) and ours.lto == theirs.lto and ours.device == theirs.device
    if work == "up" and same and ours.block_dim == theirs.block_dim:
        return 9, {"down": "improved", "missing": "unverified"}.get(elapsed, "inconclusive")
    if work == "up" or elapsed == "up":
        return 10, "regressed"
    return 11, "inconclusive"


def _device_only(ours: Made, theirs: Made) -> bool:
    return ours.device != theirs.device and streams(ours) == streams(theirs.but(device=ours.device))
