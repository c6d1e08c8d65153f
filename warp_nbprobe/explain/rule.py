"""What a rule is: a row of the mechanisms page, with the one function that looks for its evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from warp_nbprobe.data.records import Place, Wire
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.scene import Scene

Kind = Literal["wrong", "redundant", "opportunity", "note"]
Certainty = Literal["measured", "inferred", "estimate"]

KINDS: Final[tuple[Kind, ...]] = ("wrong", "redundant", "opportunity", "note")
"""Every kind, in the order in which findings are shown."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One finding as a rule saw it in one sample.

    ``cost_ms`` is ``None`` where there is no figure. ``key`` names the same finding in other samples.
    """

    what: str
    fix: str
    modules: tuple[str, ...] = ()
    cost_ms: float | None = None
    events: tuple[Explained, ...] = ()
    place: Place | None = None
    cause_place: Place | None = None
    snippet: str | None = None
    not_for: str | None = None
    certainty: Certainty = "measured"
    key: tuple[object, ...] = ()
    wire: Wire | None = None  # the process that the places are of, where there is no event


Need = Callable[[Scene], str | None]
"""Returns why the recording cannot tell, ``None`` where it can."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One mechanism.

    ``clear`` says which signal ruled it out; ``gated`` rules are raised only above the thresholds.
    """

    name: str
    kind: Kind
    find: Callable[[Scene], Sequence[Evidence]]
    clear: str | Callable[[Scene], str]
    needs: tuple[Need, ...] = ()
    not_for: str | None = None
    gated: bool = False

    def cannot_tell(self, scene: Scene) -> str | None:
        """Return why this recording cannot answer, ``None`` where it can."""
        return next((reason for reason in (need(scene) for need in self.needs) if reason is not None), None)

    def cleared(self, scene: Scene) -> str:
        """Return the signal that ruled the mechanism out."""
        return self.clear if isinstance(self.clear, str) else self.clear(scene)


def inputs(scene: Scene) -> str | None:
    """Need: what went into each build's hash."""
    lacking = [item for item in scene.compiled if item.build.inputs is None]
    if lacking:
        return f"What went into the hash of {lacking[0].build.event.module} was not recorded" + _because(
            scene, "ModuleHasher"
        )
    return None


def launches(scene: Scene) -> str | None:
    """Need: the launches."""
    reason = scene.hook("launch")
    return f"Launches were not recorded ({reason})." if reason else None


def sources(scene: Scene) -> str | None:
    """Need: how much generated source belongs to which kernel."""
    lacking = [item for item in scene.measured if not item.build.event.sources and item.build.event.kernels]
    if lacking:
        return f"How the generated source of {lacking[0].build.event.module} divides over its kernels was not seen."
    return None


def hooked(*names: str) -> Need:
    """Need: hooks of the probe, by name."""

    def need(scene: Scene) -> str | None:
        reason = scene.hook(*names)
        return f"This Warp could not be watched there ({reason})." if reason else None

    return need


def warm_run(scene: Scene) -> str | None:
    """Need: a warm run."""
    return None if scene.warm is not None else "There was no warm run."


def _because(scene: Scene, *hooks: str) -> str:
    reason = scene.hook(*hooks)
    return f" ({reason})." if reason else "."
