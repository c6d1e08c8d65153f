"""The CUDA driver's own cache of translated programs, which lies beside Warp's: whether it was in use."""

from __future__ import annotations

from typing import Final

from warp_nbprobe.data.model import Recording
from warp_nbprobe.data.records import Event, Wire

VARIABLE: Final = "CUDA_CACHE_DISABLE"


def is_off(wire: Wire) -> bool:
    """Whether the process was told to run without it."""
    return wire.header is not None and wire.header.env.get(VARIABLE, "0").strip() not in ("", "0")


def needs_driver(event: Event) -> bool:
    """Whether the event loaded something on a GPU, and so went through the driver."""
    return (event.device or "").startswith("cuda")


def driver_cache_notes(recording: Recording) -> tuple[str, ...]:
    """Return what to know of a recording whose GPU loaded programs without it; empty for any other."""
    run = recording.first_cold_run()
    wires = run.wires if run is not None else ()
    if any(is_off(wire) and any(map(needs_driver, wire.events)) for wire in wires):
        text = "the driver keeps no cache, so what it translates when a module is loaded is paid again on every run."
        return (f"{VARIABLE} is set: {text}",)
    return ()
