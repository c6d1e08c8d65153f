"""Rules of kind ``redundant``: builds brought about by an edit or a value that changes no kernel's meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from warp_nbprobe.explain import blame
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.difference import Changed
from warp_nbprobe.explain.parts import function_of
from warp_nbprobe.explain.rule import Evidence, Rule, inputs
from warp_nbprobe.explain.rules_late import thrown_away
from warp_nbprobe.explain.scene import Scene, by_module
from warp_nbprobe.explain.words import listed, plural, quoted, times


def _idle_edits(
    scene: Scene, events: Sequence[Explained], wanted: Callable[[Changed], bool]
) -> dict[str, list[Explained]]:
    """Return builds that nothing but changed kernels caused, of which every change is of the wanted kind."""

    def holds(item: Explained) -> bool:
        if item.build.event.status != "compiled" or not item.changed:
            return False
        if not set(item.causes) <= {"kernel_changed", "kernel_removed"}:
            return False
        mine = any(scene.ownership.kernel(one.new.state) for one in item.changed)
        return mine and all(one.idle for one in item.changed) and any(map(wanted, item.changed))

    return by_module(events, holds)


def _shadowed_globals(scene: Scene) -> Sequence[Evidence]:
    def hides(changed: Changed) -> bool:
        return any(change.hidden for change in changed.changes)

    found: list[Evidence] = []
    cold, warm = _idle_edits(scene, scene.measured, hides), _idle_edits(scene, scene.warm_events, hides)
    for module in dict.fromkeys((*cold, *warm)):
        members = (*cold.get(module, ()), *warm.get(module, ()))
        cost, thrown = thrown_away(scene, "shadowed_global", module) if module in cold else (0.0, "")
        first = members[0]
        changes = [(one, change) for item in members for one in item.changed for change in one.changes if change.hidden]
        names = list(dict.fromkeys(change.part.name for _, change in changes))
        kernels = list(dict.fromkeys(one.new.state.name for one, _ in changes))
        cause = blame.of_change(first.build, changes[0][0].new, changes[0][1]).place
        again = (
            " The next run does not find its cache either, since the value differs from run to run."
            if module in warm
            else ""
        )
        what = (
            f"{plural(len(names), 'Global')} {listed([quoted(name) for name in names])} changed "
            f"({scene.where(first, cause)}), and "
            f"{plural(len(kernels), 'kernel')} {listed([quoted(name) for name in kernels], 4)} "
            f"{'has' if len(kernels) == 1 else 'have'} an argument or loop variable of that name. The code "
            f"never reads the global, "
            f"but Warp counts it as part of the kernel, so the module was built again, "
            f"{times(len(members))}.{thrown}{again}"
        )
        name = names[0]
        found.append(
            Evidence(
                what,
                f"Give the global or the argument another name, or keep the code that sets {quoted(name)} in a "
                f"function, where it "
                f"is no global.",
                (module,),
                cost_ms=cost,
                events=members,
                place=first.build.event.place,
                cause_place=cause,
                snippet=f"def main():\n    {name} = ...  # no global any more\n    wp.launch(...)\n\n\nmain()",
                key=(module,),
            )
        )
    return found


SHADOWED_GLOBAL: Final = Rule(
    "shadowed_global",
    "redundant",
    _shadowed_globals,
    "No build came about by a global that an argument or loop variable hides.",
    needs=(inputs,),
    not_for="Globals that the kernel really reads: those are built in for a reason.",
)


def _text_only_edits(scene: Scene) -> Sequence[Evidence]:
    found: list[Evidence] = []
    edits = _idle_edits(scene, scene.measured, lambda changed: changed.text_only)
    for module, members in edits.items():
        changed = [
            one for item in members for one in (item.difference.changed if item.difference else ()) if one.text_only
        ]
        if not changed:
            continue
        cost, thrown = thrown_away(scene, "text_only_edit", module)
        first = members[0]
        cause = blame.of_change(first.build, changed[0].new, changed[0].changes[0]).place
        edited = (function_of(change.part.holder) or one.new.state.name for one in changed for change in one.changes)
        names = listed(list(dict.fromkeys(map(quoted, edited))), 4)
        what = (
            f"Only comments or blank lines of {names} changed ({scene.where(first, cause)}), and Warp "
            f"compares texts, so "
            f"{quoted(module)} was built again, {times(len(members))}.{thrown}"
        )
        found.append(
            Evidence(
                what,
                "Nothing to do: a comment costs one build, once.",
                (module,),
                cost_ms=cost,
                events=tuple(members),
                place=first.build.event.place,
                cause_place=cause,
                key=(module,),
            )
        )
    return found


TEXT_ONLY_EDIT: Final = Rule(
    "text_only_edit",
    "redundant",
    _text_only_edits,
    "No build came about by comments or blank lines alone.",
    needs=(inputs,),
    not_for="Everything: comments are worth a build.",
)
