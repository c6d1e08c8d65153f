"""How far a measurement is, read from the wires while they are being written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

STEP_S: Final = 0.1
"""Progress is told at most this often."""


@dataclass(frozen=True, slots=True)
class Progress:
    """One moment of a measurement."""

    sample: int  # from 1
    samples: int
    run: Literal["cold", "warm"]
    phase: Literal["starting", "setup", "main", "ending"]
    cell: int | None  # index of the cell that runs
    cells: int
    module: str | None  # being built or loaded
    builds: int  # builds of this run so far
    elapsed_s: float  # since the measurement began
    estimate_s: float | None  # what is left; None until a whole sample is known


Tell = Callable[[Progress], None]


class WireTail:
    """Reads what the wires of one run gained since the last look."""

    def __init__(self, folder: Path) -> None:
        self.builds = 0
        self._folder = folder
        self._read: dict[Path, int] = {}
        self._building: dict[tuple[Path, Any], str] = {}

    @property
    def module(self) -> str | None:
        """The module whose build or load began last and has not ended."""
        return next(reversed(self._building.values()), None)

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
            self._building[worker] = str(record.get("module"))
        elif record.get("kind") == "event":
            self._building.pop(worker, None)
            self.builds += record.get("status") in ("compiled", "error")
