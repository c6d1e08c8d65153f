"""What the tests of commands share: running one once, and what its wires say in a line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from warp_nbprobe.data.model import Run
from warp_nbprobe.data.records import Wire
from warp_nbprobe.run.command import CommandSpec, run_command
from warp_nbprobe.run.sandbox import Sandbox, open_sandbox

PROGRAMS = Path(__file__).parent.parent / "programs" / "commands"


def run_once(*arguments: str, relay: Any = None, keep: Callable[[Sandbox], None] | None = None,
             cwd: Path = PROGRAMS, **spec: Any) -> Run:  # fmt: skip
    """Run a command once, cold, in a sandbox of its own; ``keep`` may look at it before it is removed."""
    asked = CommandSpec(arguments, cwd, **{"timeout_s": 120.0, **spec})
    with open_sandbox() as sandbox:
        run = run_command(asked, sandbox=sandbox, run="cold", sample=1, relay=relay, progress=None)
        if keep is not None:
            keep(sandbox)
        return run


def run_python(code: str, *arguments: str, **given: Any) -> Run:
    """Run Python code as a command."""
    return run_once(sys.executable, "-c", code, *arguments, **given)


def builds(wire: Wire) -> list[tuple[str, str]]:
    """Return module and status of a process's events."""
    return [(event.module, event.status) for event in wire.events]


def whole(run: Run) -> bool:
    """Whether every process closed its record."""
    return bool(run.wires) and not any(wire.truncated or wire.unknown_lines or wire.troubles for wire in run.wires)
