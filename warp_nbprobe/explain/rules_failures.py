"""Rules of kind ``wrong``: builds that failed, loads that lost their code, code without a text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from warp_nbprobe.data.events import cells_of
from warp_nbprobe.data.records import Place
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.rule import Evidence, Rule, hooked
from warp_nbprobe.explain.scene import Scene
from warp_nbprobe.explain.spots import line_of
from warp_nbprobe.explain.words import counted, listed, ms_text, quoted


def _builds_failed(scene: Scene) -> Sequence[Evidence]:
    groups: dict[tuple[object, ...], list[Explained]] = {}
    for item in scene.all_cold:
        error = item.build.event.error
        if item.build.event.status == "error" and error is not None:
            defined = error.get("defined")
            place = (defined.file, defined.line, defined.cell) if isinstance(defined, Place) else None
            groups.setdefault((item.build.event.module, error.get("kernel"), place), []).append(item)
    return [_build_failed(scene, key, members) for key, members in groups.items()]


def _build_failed(scene: Scene, key: tuple[object, ...], members: list[Explained]) -> Evidence:
    first = members[0]
    event = first.build.event
    error = event.error or {}
    kernel = error.get("kernel")
    defined = error.get("defined")
    place = defined if isinstance(defined, Place) else None
    message = _message(scene, first, error)
    if kernel:
        where = f" ({scene.where(first, place)})" if place is not None else ""
        what = f"Kernel {quoted(str(kernel))}{where} cannot be built: {message}"
    else:
        what = f"Module {quoted(event.module)} cannot be built, and which kernel is at fault is not known: {message}"
    what = what if what.endswith(".") else f"{what}."
    later = [
        item for item in members[1:] if item.build.event.replayed or item.build.event.trigger.get("call") == "launch"
    ]
    if later:
        others = listed([quoted(name) for name in dict.fromkeys(_launched(item) for item in later) if name])
        what += (
            f" Until it is mended every launch of {quoted(event.module)} fails with it, also of kernels that "
            f"are right: "
            f"{counted(len(later), 'later launch')} failed ({others})."
            if others != "nothing"
            else ""
        )
        what = what.replace("launchs", "launches")
    spent = sum(item.build.event.ms or 0.0 for item in members)
    what += f" {ms_text(spent)} went into it, which no figure counts." if spent >= 1 else ""
    name = quoted(str(kernel)) if kernel else "the kernel"
    cell = "cell" if place is not None and place.cell is not None else "definition"
    fix = (
        f"Mend {name} and run its {cell} again. To go on without it, give it a module of its own, so that it "
        f"takes no "
        f"other kernel down (`del` is not enough: a module keeps the newest kernel of each name)."
    )
    short = str(kernel or "kernel").rpartition(".")[2]
    return Evidence(
        what,
        fix,
        (event.module,),
        events=tuple(members),
        place=event.place,
        cause_place=place,
        snippet=f'@wp.kernel(module="{short}_alone")\ndef {short}(...):\n    ...',
        key=key,
    )


_PARSING: Final = re.compile(r'Error while parsing function ".+?" at (.+?):(\d+):\s*(.*?)\s*;\s*(.*)', re.DOTALL)


def _message(scene: Scene, item: Explained, error: Mapping[str, Any]) -> str:
    """Return the compiler's message on one line, with the user's own line for the file that a cell becomes."""
    text = str(error.get("native_line") or error.get("message") or error.get("type") or "no message").strip()
    if text[:1] in ("'", '"') and text[:1] == text[-1:]:
        text = text[1:-1].replace("\\n", "\n").replace('\\"', '"').replace("\\'", "'")
    found = _PARSING.search(text)
    if found is None:
        return " ".join(text.split())
    file, line, code, reason = found.groups()
    cells = [begin for begin in cells_of(scene.cold, item.build.wire).values() if begin.file == file]
    place = Place(file, int(line), cells[-1].cell if cells else None)
    return f"{' '.join(reason.split())} ({scene.where(item, place)}: `{' '.join(code.split())}`)"


def _launched(item: Explained) -> str:
    trigger = item.build.event.trigger
    return str(trigger.get("kernel") or trigger.get("call") or "")


BUILD_FAILED: Final = Rule(
    "build_failed",
    "wrong",
    _builds_failed,
    "Every build succeeded.",
    not_for="A failure that the program provokes on purpose.",
)


def _concurrent_loads(scene: Scene) -> Sequence[Evidence]:
    if not scene.warp_version or scene.warp_version >= (1, 17):
        return ()
    loads = [item for item in scene.events if item.build.event.device == "cpu"]
    overlapping: list[Explained] = []
    for position, item in enumerate(loads):
        event = item.build.event
        for other in loads[position + 1 :]:
            later = other.build.event
            same = other.build.wire is item.build.wire and later.thread != event.thread
            if same and later.t0 < event.t1:
                overlapping += [item, other]
    lost = [line for wire in scene.cold.wires for line in wire.log if line.text.startswith(_LOST)]
    if not overlapping and not lost:
        return ()
    modules = tuple(dict.fromkeys(item.build.event.module for item in overlapping))
    what = (
        f"Modules were loaded for the CPU by several threads at once "
        f"({listed([quoted(name) for name in modules])}). Before "
        f"Warp 1.17 such loads can lose each other's code: a load reports success and the launch then fails."
    )
    fix = (
        "Load with one worker whatever can go to the CPU, also with device=None and lists that name it. "
        "Trying again or warming up does not help."
    )
    events = tuple(dict.fromkeys(overlapping))
    first = events[0] if events else None
    return (
        Evidence(
            what,
            fix,
            modules,
            events=events,
            place=first.build.event.place if first else None,
            snippet='wp.force_load(device="cpu", max_workers=0)',
            key=(),
        ),
    )


_LOST: Final = ("Failed to find module", "Failed to find forward kernel")


def _no_concurrency(scene: Scene) -> str:
    safe = scene.warp_version >= (1, 17)
    return "Warp 1.17 and newer load for the CPU safely." if safe else "No two loads for the CPU overlapped."


CONCURRENT_CPU_LOAD: Final = Rule(
    "concurrent_cpu_load",
    "wrong",
    _concurrent_loads,
    lambda scene: (
        "Warp 1.17 and newer load for the CPU safely." if scene.warp_version >= (1, 17) else "No two loads overlapped."
    ),
    not_for="Warp 1.17 and newer, where this was mended.",
)


def _sources_unavailable(scene: Scene) -> Sequence[Evidence]:
    found: list[Evidence] = []
    for wire in scene.cold.wires:
        for refused in wire.refused:
            line = line_of(scene.cold, wire, refused.place)
            what = (
                f"Warp refused {quoted(refused.name or 'a kernel')} at {line}: it needs the text of a kernel, "
                f"and code that was "
                f"not read from a file or a cell (exec, standard input) has none."
            )
            fix = "Write the text to a file and import it, or define the kernel in a cell."
            snippet = (
                'import importlib.util, pathlib\n\npath = pathlib.Path("made_kernels.py")\npath.write_text(text)\n'
                'spec = importlib.util.spec_from_file_location("made_kernels", path)\n'
                "made_kernels = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(made_kernels)"
            )
            found.append(
                Evidence(
                    what, fix, place=refused.place, cause_place=refused.place, snippet=snippet, key=(refused.name,)
                )
            )
    return found


SOURCE_UNAVAILABLE: Final = Rule(
    "source_unavailable",
    "wrong",
    _sources_unavailable,
    "Warp found the text of every kernel and function.",
    needs=(hooked("Kernel"),),
)
