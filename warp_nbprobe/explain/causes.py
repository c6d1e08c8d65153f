"""Why each module event came about: the causes of the mechanisms page, several where several hold.

Within one process a build is explained against that process's own earlier builds (failed ones and loads from the
cache included), since only these say what its author changed. What another process of the run built first is new
to this one (``first``) or, when it is compiled again, the same work done twice (``cache_miss``). A warm run
compiles nothing unless the cache did not serve, so what it compiles is explained against its cold run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from warp_nbprobe.data.events import counts, ordered_events
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import Wire
from warp_nbprobe.explain.contents import Build, Catalog
from warp_nbprobe.explain.difference import Added, Changed, Difference, OptionChange, differ
from warp_nbprobe.explain.nearest import nearest
from warp_nbprobe.explain.pairing import Kernel

ORDER: Final = (
    "first",
    "overload_added",
    "kernel_added",
    "kernel_kept",
    "kernel_changed",
    "kernel_removed",
    "option_changed",
    "block_dim",
    "device",
    "cache_miss",
    "reload",
    "error_replayed",
    "aot_skipped",
    "unknown",
)
"""Every cause, in the order in which ``cause`` is the first that holds."""


@dataclass(frozen=True, slots=True, eq=False)
class Explained:
    """One module event and why it came about."""

    build: Build
    causes: tuple[str, ...]
    difference: Difference | None = None  # from the nearest earlier build
    twin: Build | None = None  # an earlier build or load of the same identity
    before: Build | None = None  # what it was compared with, also where nothing is known of its inputs

    @property
    def cause(self) -> str:
        """The first cause that holds."""
        return self.causes[0]

    @property
    def added(self) -> tuple[Added, ...]:
        """The kernels that came."""
        return self.difference.added if self.difference else ()

    @property
    def changed(self) -> tuple[Changed, ...]:
        """The kernels that are there with other content."""
        return self.difference.changed if self.difference else ()

    @property
    def removed(self) -> tuple[Kernel, ...]:
        """The kernels that are gone."""
        return self.difference.removed if self.difference else ()

    @property
    def options(self) -> tuple[OptionChange, ...]:
        """The options with other values."""
        return self.difference.options if self.difference else ()


@dataclass(slots=True)
class _Seen:
    """What one run has built or loaded so far."""

    by_process: dict[tuple[Wire, str], list[Build]] = field(default_factory=dict)
    by_module: dict[str, list[Build]] = field(default_factory=dict)
    identities: dict[object, list[Build]] = field(default_factory=dict)
    beside: _Seen | None = None

    def aside(self) -> _Seen:
        """Return what was built beside, for other eyes than those of this."""
        self.beside = self.beside or _Seen()
        return self.beside

    def add(self, build: Build) -> None:
        module = build.event.module
        if not build.event.replayed:
            self.by_process.setdefault((build.wire, module), []).append(build)
            self.by_module.setdefault(module, []).append(build)
            self.identities.setdefault(build.identity, []).append(build)


def explain(recording: Recording, catalog: Catalog) -> dict[tuple[int, str], tuple[Explained, ...]]:
    """Return the explained events of every run, keyed by (sample, run), in the order of their ``seq``.

    ``catalog`` is filled with what the builds are made of.
    """
    found: dict[tuple[int, str], tuple[Explained, ...]] = {}
    colds: dict[int, _Seen] = {}
    for run in sorted(recording.runs, key=lambda run: (run.sample, run.run != "cold")):
        seen = _Seen()
        cold = colds.get(run.sample) if run.run == "warm" else None
        found[run.sample, run.run] = tuple(_explain_run(catalog, run, seen, cold))
        if run.run == "cold":
            colds[run.sample] = seen
    return found


def between(catalog: Catalog, before: Build, build: Build) -> Explained:
    """Explain a build against the one that it is set against in another recording."""
    known = before.inputs is not None and build.inputs is not None
    difference = differ(catalog, before, build) if known else None
    causes = _causes_of(difference) if difference is not None else _causes_by_hash(build, [before])
    return Explained(build, causes or ("unknown",), difference, before=before)


def _explain_run(catalog: Catalog, run: Run, seen: _Seen, cold: _Seen | None) -> Iterable[Explained]:
    for seq, (wire, event) in enumerate(ordered_events(run)):
        build = catalog.build(run, seq, wire, event)
        aside = not counts(run, event)  # what a rehearsal's CPU builds to go on, and the GPU's builds, are two worlds
        side = seen.aside() if aside else seen
        yield _explain(catalog, build, side, cold.aside() if aside and cold is not None else cold)
        side.add(build)


def _explain(catalog: Catalog, build: Build, seen: _Seen, cold: _Seen | None) -> Explained:
    event = build.event
    own = seen.by_process.get((build.wire, event.module), [])
    twins = [twin for twin in seen.identities.get(build.identity, []) if twin.wire is build.wire]
    if event.replayed:
        return Explained(build, ("error_replayed",), twin=own[-1] if own else None)
    if event.status == "cached":
        return _explain_load(catalog, build, own, twins)
    if event.status == "compiled" and cold is not None:
        own, twins = cold.by_module.get(event.module, []), cold.identities.get(build.identity, [])
    elif not twins:
        twins = seen.identities.get(build.identity, [])
    if not own and not twins:
        return Explained(build, ("first",))
    twin = twins[-1] if twins else None
    before = nearest(catalog, build, own)
    if before is None and twin is not None and twin.inputs is not None:
        before = twin
    difference = differ(catalog, before, build) if before is not None and build.inputs is not None else None
    causes = _causes_of(difference) if difference is not None else _causes_by_hash(build, own)
    if not causes:
        causes = ("cache_miss",) if _is_same(build, twin, difference) else ("unknown",)
    return Explained(build, causes, difference, twin, before or (own[-1] if own else twin))


def _explain_load(catalog: Catalog, build: Build, own: list[Build], twins: list[Build]) -> Explained:
    """Explain what the cache served: new to this process, or loaded again."""
    if not twins:
        return Explained(build, ("first",))
    if build.event.aot:
        return Explained(build, ("aot_skipped",), twin=twins[-1])
    last = own[-1]
    difference = differ(catalog, last, build) if last.inputs is not None and build.inputs is not None else None
    return Explained(build, ("reload",), difference, twins[-1])


def _is_same(build: Build, twin: Build | None, difference: Difference | None) -> bool:
    """Whether nothing differs from an earlier build; equal hashes say so where the inputs are not known."""
    if twin is not None:
        return True
    if difference is None or (build.hash and difference.old.hash and build.hash != difference.old.hash):
        return False
    return build.leaves == difference.old.leaves and build.contents == difference.old.contents


def _causes_by_hash(build: Build, own: Sequence[Build]) -> tuple[str, ...]:
    """Explain a build whose inputs are not known: one content for another device or block dimension."""
    same = [other for other in own if build.hash is not None and other.hash == build.hash]
    if not same or any(other.target == build.target for other in same):
        return ()
    return ("device",) if same[-1].event.device != build.event.device else ("block_dim",)


def _causes_of(difference: Difference) -> tuple[str, ...]:
    """Return the causes that a difference shows, in the order of the table."""
    causes = {
        "overload_added": any(added.kind == "overload" for added in difference.added),
        "kernel_added": any(added.kind == "kernel" for added in difference.added),
        "kernel_kept": bool(difference.kept),
        "kernel_changed": bool(difference.changed),
        "kernel_removed": bool(difference.removed),
        "option_changed": bool(difference.options),
    }
    moved = difference.devices or difference.block_dims
    if moved and difference.statics_only and not difference.options:
        return ("device",) if difference.devices else ("block_dim",)
    return tuple(cause for cause in ORDER if causes.get(cause))
