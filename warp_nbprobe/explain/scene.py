"""One sample as the rules see it: its events explained, its launches, and how build time is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from warp_nbprobe.data.events import Clock, clock, counts, place_text
from warp_nbprobe.data.figures import sample_figures
from warp_nbprobe.data.frames_modules import event_ms, header_ms
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import CellBegin, Event, KernelState, Place, Wire
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.contents import Catalog
from warp_nbprobe.explain.launched import Launches
from warp_nbprobe.explain.whose import Ownership


@dataclass(frozen=True, slots=True)
class Charge:
    """What one build cost for nothing, and the rule that says so. ``by`` is the build that superseded it."""

    build: Explained
    rule: str
    ms: float
    by: Explained | None = None


@dataclass(eq=False)
class Scene:
    """A sample's cold run with its warm run, where there is one.

    Rehearsed builds stand for a GPU's; the CPU's own, which such a run makes to go on, are then left out.
    """

    recording: Recording
    cold: Run
    warm: Run | None
    all_cold: tuple[Explained, ...]
    all_warm: tuple[Explained, ...]
    catalog: Catalog
    ownership: Ownership
    charges: tuple[Charge, ...] = ()  # what could have been spared; set once the rest is known
    earlier: frozenset[str] = field(default_factory=frozenset)  # rules already found, in their order

    @cached_property
    def events(self) -> tuple[Explained, ...]:
        """The cold run's events, setup included."""
        return _counted(self.all_cold)

    @cached_property
    def warm_events(self) -> tuple[Explained, ...]:
        """The warm run's events, setup left out."""
        if self.warm is None:
            return ()
        time = clock(self.warm)
        return tuple(item for item in _counted(self.all_warm) if not time.in_setup(item.build.event.t0))

    @cached_property
    def clock(self) -> Clock:
        """Where the measured code begins."""
        return clock(self.cold)

    def in_setup(self, explained: Explained) -> bool:
        """Whether an event of the cold run belongs to the setup code."""
        return self.clock.in_setup(explained.build.event.t0)

    @cached_property
    def compiled(self) -> tuple[Explained, ...]:
        """The cold run's builds, setup included."""
        return tuple(item for item in self.events if item.build.event.status == "compiled")

    @cached_property
    def measured(self) -> tuple[Explained, ...]:
        """The builds that ``build_ms`` counts: without those of the setup."""
        return tuple(item for item in self.compiled if not self.in_setup(item))

    @cached_property
    def users(self) -> tuple[Explained, ...]:
        """The measured builds of modules that hold code of the user's."""
        return tuple(item for item in self.measured if self.ownership.build(item.build))

    def charged(self, rule: str, module: str) -> list[Charge]:
        """Return what a rule charges builds of one module with."""
        return [one for one in self.charges if one.rule == rule and one.build.build.event.module == module]

    def cost(self, rule: str, module: str) -> float:
        """Return what a rule charges builds of one module with, together."""
        return sum((one.ms for one in self.charged(rule, module)), 0.0)

    @cached_property
    def uncharged(self) -> tuple[Explained, ...]:
        """The measured builds that no redundant finding is charged with."""
        taken = {one.build for one in self.charges}
        return tuple(item for item in self.measured if item not in taken)

    @cached_property
    def launches(self) -> Launches:
        """The cold run's launches."""
        return Launches.of(self.cold)

    @cached_property
    def headers_known(self) -> bool:
        """Whether the header's time could be told of every build; else it stays in their times."""
        return all(header_ms(item.build.event) is not None for item in self.measured)

    def work_ms(self, explained: Explained) -> float:
        """Return a build's time on the work clock: without the header that it happened to make."""
        event = explained.build.event
        header = header_ms(event) if self.headers_known else None
        return max(event_ms(event) - (header or 0.0), 0.0)

    @cached_property
    def build_ms(self) -> float:
        """All work of the measured builds."""
        return sum(self.work_ms(item) for item in self.measured)

    def states(self, explained: Explained) -> list[KernelState]:
        """Return the kernel instances that a build holds."""
        build = explained.build
        kernels = build.wire.kernels
        return [kernels[number] for number in (build.inputs.kernels if build.inputs else ()) if number in kernels]

    def where(self, explained: Explained, place: Place | None) -> str:
        """Return a place as a person reads it, ``an unknown line`` for none."""
        return place_text(explained.build.run, place, explained.build.wire)[2] or "an unknown line"

    def cell_at(self, wire: Wire, t: int) -> CellBegin | None:
        """Return the cell that was running at ``t``, ``None`` for a command."""
        main = self.cold.wires[0] if self.cold.wires else wire
        begun = [begin for begin, _ in main.cells if begin.t <= t]
        return begun[-1] if begun else None

    @cached_property
    def compile_elapsed_ms(self) -> float | None:
        """What a person waits for, where the sample is complete and its warm run compiled nothing."""
        return self._figure("compile_elapsed_ms")

    @cached_property
    def cold_wall_ms(self) -> float | None:
        """Elapsed time of the cold run's own code."""
        return self._figure("cold_wall_ms")

    def _figure(self, name: str) -> float | None:
        if self.warm is None:
            return None
        figure = sample_figures(self.recording, self.cold.sample).get(name)
        return figure.value if figure is not None else None

    def hook(self, *names: str) -> str | None:
        """Return why one of the named hooks is missing in this run, ``None`` where all are in place."""
        for wire in self.cold.wires:
            for name in names:
                said = wire.warp.hooks.get(name, "ok") if wire.warp else "ok"
                if said != "ok":
                    return f"{name}: {said}"
        return None

    @cached_property
    def warp_version(self) -> tuple[int, ...]:
        """The version of Warp, ``()`` when it was not imported."""
        text = next((wire.warp.version for wire in self.cold.wires if wire.warp), "")
        digits = [part for part in text.split(".")[:2] if part.isdigit()]
        return tuple(int(part) for part in digits)


def _counted(events: Iterable[Explained]) -> tuple[Explained, ...]:
    return tuple(item for item in events if counts(item.build.run, item.build.event))


def by_module(
    events: Iterable[Explained], wanted: Callable[[Explained], bool] = lambda _: True
) -> dict[str, list[Explained]]:
    """Return the wanted events by module, in order of their first."""
    found: dict[str, list[Explained]] = {}
    for item in events:
        if wanted(item):
            found.setdefault(item.build.event.module, []).append(item)
    return found


def source_shares(event: Event) -> dict[int, float]:
    """Return each kernel state's part of the kernels' generated source, functions shared out; sums to 1."""
    sizes = source_bytes(event)
    whole = sum(sizes.values())
    return {number: size / whole for number, size in sizes.items()} if whole else {}


def source_bytes(event: Event) -> dict[int, float]:
    """Return the bytes of generated source that belong to each kernel state."""
    found: dict[int, float] = {}
    for entry in event.sources:
        number = entry.get("kernel")
        if isinstance(number, int):
            found[number] = float(entry.get("bytes") or 0) + float(entry.get("shared_bytes") or 0)
    return found
