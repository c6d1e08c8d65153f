"""Rehearses programs in a process of their own, without a kernel and without a warm run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from warp_nbprobe.data.records import Event, Wire, read_wire

_CHILD = Path(__file__).parents[2] / "warp_nbprobe" / "child"
_HEAD = "import warp as wp\nwp.config.use_precompiled_headers = False\n"


@dataclass(frozen=True)
class Rehearsal:
    """What a rehearsed program left behind."""

    wire: Wire
    said: str  # standard output
    complained: str  # standard error
    code: int

    @property
    def gpu(self) -> list[Event]:
        """The events for the GPU, in order."""
        return [event for event in self.wire.events if event.device != "cpu"]

    @property
    def cpu(self) -> list[Event]:
        """What the CPU built and loaded to go on."""
        return [event for event in self.wire.events if event.device == "cpu"]

    @property
    def built(self) -> list[tuple[str, int | None, str]]:
        """Module, block dimension and status of the events for the GPU."""
        return [(event.module, event.block_dim, event.status) for event in self.gpu]


def rehearse(
    source: str | Path,
    folder: Path,
    *,
    archs: str = "sm_90",
    only: bool = False,
    trace: bool = False,
    cache: Path | None = None,
    arguments: Sequence[str] = (),
) -> Rehearsal:
    """Rehearse a program, given as text (Warp is imported as ``wp``) or as a file.

    ``cache`` is Warp's cache folder; a new one by default.
    """
    program = source if isinstance(source, Path) else folder / "program.py"
    if isinstance(source, str):
        program.write_text(_HEAD + dedent(source), encoding="utf-8")
    wires = folder / "wires"
    number = len(list(folder.glob("wires*")))
    wires = folder / f"wires{number}"
    wires.mkdir()
    environment = {
        **os.environ,
        "WARP_CACHE_PATH": str(cache or folder / f"cache{number}"),
        "WARP_NBPROBE_REHEARSE": archs,
        **({"WARP_NBPROBE_REHEARSE_ONLY": "1"} if only else {}),
        **({"WARP_NBPROBE_TRACE": "1"} if trace else {}),
    }
    command = [sys.executable, str(Path(__file__).with_name("driver.py")), str(_CHILD), str(wires), str(program)]
    done = subprocess.run(
        [*command, *arguments], env=environment, cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )
    (wire,) = wires.glob("wire-*.jsonl")
    return Rehearsal(read_wire(wire, strict=True), done.stdout, done.stderr, done.returncode)
