"""What a candidate builds more than its baseline: the check that holds on any machine, without timing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from warp_nbprobe.data.figures import identities, measured_events
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import Event
from warp_nbprobe.explain.environment import good_runs
from warp_nbprobe.explain.words import times


def more_built(baseline: Recording, candidate: Recording, renamed: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return in what the candidate builds more, one clause each; empty when in nothing.

    More identities, or some module more often for one device and block dimension. A target that the baseline did
    not have is set against the most that the module was built for any, a new module against once.
    """
    found = []
    before, now = _identities(baseline), _identities(candidate)
    if now > before:
        found.append(f"{now} {'identity' if now == 1 else 'identities'} built, {before} in the baseline")
    old, new = _most_often(baseline), _most_often(candidate)
    modules = {module for module, *_ in old}
    old_names = {name: module for module, name in renamed}
    for (module, device, block_dim), count in new.items():
        known = module if module in modules else old_names.get(module, module)
        counts = {target: n for (name, *target_), n in old.items() if name == known for target in [tuple(target_)]}
        allowed = counts.get((device, block_dim), max(counts.values(), default=1))
        if count > allowed:
            where = f" for {device}" + (f" at block_dim {block_dim}" if block_dim is not None else "")
            found.append(f"{module} built {times(count)}{where}, {times(allowed)} in the baseline")
    return tuple(found)


def _identities(recording: Recording) -> int:
    return max((len(identities(_compiled(run))) for run in good_runs(recording)), default=0)


def _most_often(recording: Recording) -> Counter[tuple[str, str | None, int | None]]:
    """Return the most builds of each module for one device and block dimension in any sample."""
    found: Counter[tuple[str, str | None, int | None]] = Counter()
    for run in good_runs(recording):
        found |= Counter((event.module, event.device, event.block_dim) for event in _compiled(run))
    return found


def _compiled(run: Run) -> list[Event]:
    return [event for event in measured_events(run) if event.status == "compiled"]
