"""How far a measurement is, read from the wires while they are being written."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

STEP_S: Final = 0.1
"""Progress is told at most this often."""


Phase = Literal["starting", "setup", "main", "ending"]


@dataclass(frozen=True, slots=True)
class Growing:
    """What one module cost this run so far."""

    module: str
    builds: int
    ms: float  # of the builds that have ended
    running_s: float | None  # since its build or load was noticed; None: none is running


@dataclass(frozen=True, slots=True)
class Progress:
    """One moment of a measurement."""

    sample: int  # from 1
    samples: int
    run: Literal["cold", "warm"]
    phase: Phase
    cell: int | None  # index of the cell that runs
    cells: int
    module: str | None  # being built or loaded
    builds: int  # builds of this run so far
    elapsed_s: float  # since the measurement began
    estimate_s: float | None  # what is left; None until a whole sample is known
    modules: tuple[Growing, ...] = ()  # built or being built or loaded in this run, in the order they began


Tell = Callable[[Progress], None]


class WireTail:
    """Reads what the wires of one run gained since the last look."""

    def __init__(self, folder: Path) -> None:
        self.builds = 0
        self._folder = folder
        self._read: dict[Path, int] = {}
        self._building: dict[tuple[Path, Any], tuple[str, float]] = {}
        self._built: dict[str, tuple[int, float]] = {}

    @property
    def module(self) -> str | None:
        """The module whose build or load began last and has not ended."""
        return next((module for module, _ in reversed(self._building.values())), None)

    def modules(self) -> tuple[Growing, ...]:
        """Return what was built, and what is being built or loaded, in the order it began."""
        now = time.monotonic()
        running = {module: now - since for module, since in self._building.values()}
        names = [name for name, (builds, _) in self._built.items() if builds or name in running]
        return tuple(Growing(name, *self._built[name], running.get(name)) for name in names)

    def look(self) -> None:
        """Take in whole lines that are new. A line that is being written is left for the next look."""
        for path in sorted(self._folder.glob("wire-*.jsonl")):
            start = self._read.get(path, 0)
            try:
                if path.stat().st_size <= start:
                    continue
                with path.open("rb") as file:
                    file.seek(start)
                    new = file.read()
            except OSError:  # gone since
                continue
            whole = new.rfind(b"\n") + 1
            self._read[path] = start + whole
            for line in new[:whole].splitlines():
                if b'"building"' in line or b'"event"' in line:
                    self._take(path, line)

    def _take(self, path: Path, line: bytes) -> None:
        try:
            record = json.loads(line)
        except ValueError:  # the reader at the end counts it
            return
        if not isinstance(record, dict):
            return
        worker = (path, record.get("thread"))
        if record.get("kind") == "building":
            self._building.pop(worker, None)  # so that it becomes the latest
            module = str(record.get("module"))
            self._building[worker] = module, time.monotonic()
            self._built.setdefault(module, (0, 0.0))
        elif record.get("kind") == "event":
            self._building.pop(worker, None)
            if record.get("status") in ("compiled", "error"):
                self.builds += 1
                self._add(str(record.get("module")), record.get("ms"))

    def _add(self, module: str, ms: Any) -> None:
        builds, total = self._built.get(module, (0, 0.0))
        self._built[module] = builds + 1, total + (ms if isinstance(ms, float | int) else 0.0)


class Teller:
    """Tells how far one run is, not too often."""

    def __init__(self, tell: Tell | None, folder: Path, run: Literal["cold", "warm"], sample: int) -> None:
        self._tell = tell
        self._tail = WireTail(folder)
        self._run = run
        self._sample = sample
        self._started_s = self._told_s = time.monotonic()

    def tick(self, phase: Phase = "main", cell: int | None = None, cells: int = 0) -> None:
        """Look at the wires and tell, if it is time."""
        now = time.monotonic()
        if self._tell is None or now - self._told_s < STEP_S:
            return
        self._told_s = now
        self._tail.look()
        self._tell(
            Progress(
                sample=self._sample,
                samples=self._sample,
                run=self._run,
                phase=phase,
                cell=cell,
                cells=cells,
                module=self._tail.module,
                builds=self._tail.builds,
                elapsed_s=now - self._started_s,
                estimate_s=None,
                modules=self._tail.modules(),
            )
        )
