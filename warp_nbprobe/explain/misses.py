"""Why the cache did not serve a build whose content had been built before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from warp_nbprobe.data.driver_cache import VARIABLE, is_off, needs_driver
from warp_nbprobe.data.events import place_text
from warp_nbprobe.data.records import Assign, Place
from warp_nbprobe.explain.causes import Explained
from warp_nbprobe.explain.contents import Build

CLEARING: Final = ("clear_kernel_cache", "clear_lto_cache")


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason in words that end a sentence, with the line that made it so."""

    name: str
    text: str
    place: Place | None = None


def why_missed(explained: Explained) -> Reason:
    """Return the first reason that the recording shows, else that it shows none."""
    found = next(reasons(explained), None)
    return found or Reason("unknown", "the recording does not show why the cache did not serve")


def reasons(explained: Explained) -> Iterator[Reason]:
    """Yield what in the recording kept the cache from serving, the most direct first."""
    build, twin = explained.build, explained.twin
    if twin is not None and twin.run is build.run:
        yield from _at_the_same_time(build, twin)
    yield from _cleared(build, twin)
    yield from _switched_off(build)
    yield from _elsewhere(build, twin)
    if is_off(build.wire) and needs_driver(build.event):
        yield Reason(VARIABLE, f"{VARIABLE} is set in the environment", None)


def _at_the_same_time(build: Build, twin: Build) -> Iterator[Reason]:
    if not twin.event.t0 <= build.event.t0 < twin.event.t1:
        return
    if twin.wire is not build.wire:
        yield Reason("process", f"process {twin.wire.pid} was building the same at that time", build.event.place)
    elif twin.event.thread != build.event.thread:
        yield Reason("thread", f"thread {twin.event.thread} was building the same at that time", build.event.place)


def _cleared(build: Build, twin: Build | None) -> Iterator[Reason]:
    """Yield the calls that emptied the cache before this build, after the earlier one where both are of one run."""
    since = twin.event.t0 if twin is not None and twin.run is build.run else 0
    calls = [call for wire in build.run.wires for call in wire.calls if call.name in CLEARING]
    for call in sorted(calls, key=lambda call: call.t, reverse=True):
        if since <= call.t <= build.event.t0:
            line = place_text(build.run, call.place, build.wire)[2]
            where = f" at {line}" if line else ""
            yield Reason(call.name, f"wp.{call.name}() was called before it{where}", call.place)
            return


def _switched_off(build: Build) -> Iterator[Reason]:
    off = _last(build, "cache_kernels")
    if off is not None and off.new == "False":
        yield Reason("cache_kernels", f"wp.config.cache_kernels was set to False{_line(build, off)}", off.place)
    options = build.inputs.options if build.inputs else {}
    if options.get("verify_autograd_array_access") == "True":
        on = _last(build, "verify_autograd_array_access")
        line = _line(build, on) if on else ""
        text = f"with wp.config.verify_autograd_array_access, which was switched on{line}, Warp always compiles"
        yield Reason("verify_autograd_array_access", text, on.place if on else None)


def _elsewhere(build: Build, twin: Build | None) -> Iterator[Reason]:
    moved = _last(build, "kernel_cache_dir")
    folders = [_folder(one) for one in (twin, build) if one is not None]
    differ = len(folders) == 2 and None not in folders and folders[0] != folders[1]
    if moved is not None and not moved.by_warp:
        text = f"wp.config.kernel_cache_dir was set to another folder{_line(build, moved)}"
        yield Reason("kernel_cache_dir", text, moved.place)
    elif differ:
        path = _last(build, "WARP_CACHE_PATH")
        line = _line(build, path) if path else ""
        what = "WARP_CACHE_PATH was changed" if path else "the cache lay in another folder"
        yield Reason("cache_folder", f"{what}{line} ({folders[0]}, then {folders[1]})", path.place if path else None)
    if twin is not None and twin.event.aot != build.event.aot:
        yield Reason("aot", "one of the two was built ahead of time, into a folder of its own", build.event.place)


def _folder(build: Build) -> str | None:
    """Return the cache folder that a build was put into: that of its process, else above the file itself."""
    runtime = build.wire.runtime
    if runtime is not None and runtime.cache_dir:
        return runtime.cache_dir
    return str(PurePath(build.event.cache_path).parent.parent) if build.event.cache_path else None


def _last(build: Build, name: str) -> Assign | None:
    made = [assign for assign in build.wire.assigns if assign.name == name and assign.t <= build.event.t0]
    own = [assign for assign in made if not assign.by_warp]
    return own[-1] if own else None


def _line(build: Build, assign: Assign) -> str:
    line = place_text(build.run, assign.place, build.wire)[2]
    return f" at {line}" if line else ""
