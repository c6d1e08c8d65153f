"""The frames of a recording, and the order of events and the text of places that they share."""

from __future__ import annotations

from warp_nbprobe.data.events import ordered_events, place_text
from warp_nbprobe.data.frames_launches import launch_groups_frame, launches_frame
from warp_nbprobe.data.frames_lto import lto_frame
from warp_nbprobe.data.frames_modules import modules_frame
from warp_nbprobe.data.frames_runs import log_frame, runs_frame

__all__ = [
    "launch_groups_frame",
    "launches_frame",
    "log_frame",
    "lto_frame",
    "modules_frame",
    "ordered_events",
    "place_text",
    "runs_frame",
]
