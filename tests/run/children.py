"""What the tests of children share: a relay that remembers, cells from texts, runs of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from warp_nbprobe.data.model import Cell, Run
from warp_nbprobe.run.kernel import ChildSpec, run_cells
from warp_nbprobe.run.sandbox import Sandbox, open_sandbox


class Seen:
    """A relay that keeps everything in order."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, dict[str, Any]]] = []

    def message(self, kind: str, content: dict[str, Any]) -> None:
        self.messages.append((kind, content))

    def text(self, name: str = "stdout") -> str:
        return "".join(c["text"] for kind, c in self.messages if kind == "stream" and c["name"] == name)

    def plain(self, *kinds: str) -> list[str]:
        return [c["data"]["text/plain"] for kind, c in self.messages if kind in kinds]

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.messages]


def cells_of(*sources: str, **fields: Any) -> list[Cell]:
    return [Cell(source, number, **fields) for number, source in enumerate(sources, start=1)]


def run_once(*sources: str | Cell, relay: Any = None, keep: Callable[[Sandbox], None] | None = None,
             progress: Any = None, **spec: Any) -> Run:  # fmt: skip
    """Run cells once, cold, in a sandbox of their own; ``keep`` may look at it before it is removed."""
    cells = [each if isinstance(each, Cell) else Cell(each, number) for number, each in enumerate(sources, start=1)]
    asked = ChildSpec(**{"kernel": None, "cwd": Path.cwd(), "timeout_s": 60.0, **spec})
    # With this in its environment ipykernel leaves file descriptors alone.
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    with open_sandbox() as sandbox:
        run = run_cells(cells, sandbox=sandbox, run="cold", sample=1, spec=asked, relay=relay, progress=progress)
        if keep is not None:
            keep(sandbox)
        return run


def processes_with(word: str) -> list[int]:
    """Return the processes that have ``word`` as one of their arguments."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and word in process.cmdline():
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def wait_until(true: Callable[[], Any], seconds: float = 20.0) -> None:
    """Wait for something that is sure to come; a generous limit keeps a broken test from hanging."""
    give_up = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < give_up, "it did not happen"
        time.sleep(0.01)
