"""What one measurement recorded: cells, runs and their wires. Facts only; frames are computed from these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from warp_nbprobe.data.records import Wire
from warp_nbprobe.data.results import Result

Extra = Mapping[str, Any]
"""Keys of a report file that this version does not know; kept, so that saving again loses nothing."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Code to run, as a runner is handed it; or, of a command, the text of a file that its processes ran."""

    source: str
    number: int  # the notebook's In[] number, else the position from 1
    first_line: int = 1  # the editor's number of the first line of `source`
    phase: Literal["setup", "main"] = "main"
    name: str | None = None  # name of the setup code; of a file its path, as places name it
    allow_error: bool = False  # the tag raises-exception, or --allow-errors
    kind: Literal["nb", "py"] = "nb"  # executed as a cell, or a file
    extra: Extra = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a run failed."""

    reason: Literal["raised", "timeout", "died", "interrupted"]
    message: str  # one sentence
    ename: str | None = None
    evalue: str | None = None
    traceback: tuple[str, ...] = ()  # as IPython formats it (ANSI)
    exit_code: int | None = None  # negative: signal
    cell: int | None = None  # index into the cells run
    crash: str | None = None  # faulthandler dump
    extra: Extra = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Run:
    """One child process (with the processes it started) that ran the code once."""

    sample: int  # from 1
    run: Literal["cold", "warm"]
    pid: int | None
    start: datetime  # UTC
    wires: tuple[Wire, ...]  # the main process first
    failure: Failure | None
    exit_code: int | None
    lto_artifacts: int | None  # in the run's cache, counted when it ended
    lto_bytes: int | None
    printed: tuple[str, ...] = ()  # Warp-like lines the host saw, for Warps whose hooks are not understood
    results: tuple[Result, ...] = ()  # of the expressions to check, in their order
    extra: Extra = field(default_factory=dict, compare=False, repr=False)

    @property
    def ok(self) -> bool:
        """Whether the run counts as good."""
        return self.failure is None


@dataclass(frozen=True, slots=True)
class Recording:
    """One measurement as recorded. ``samples`` is the number asked for, ``runs`` what there is."""

    label: str
    cells: tuple[Cell, ...]
    samples: int
    runs: tuple[Run, ...]
    options: dict[str, Any]  # of measure, JSON-able
    created: datetime
    tool_version: str
    interrupted: bool = False
    notes: tuple[str, ...] = ()
    upstream: Extra | None = None  # of a report by NVIDIA's script: what it holds beside events and launches
    extra: Extra = field(default_factory=dict, compare=False, repr=False)

    def pair(self, sample: int) -> tuple[Run | None, Run | None]:
        """Return the sample's cold and warm run, ``None`` for one that was not made."""
        found = {run.run: run for run in self.runs if run.sample == sample}
        return found.get("cold"), found.get("warm")

    def good_samples(self) -> tuple[int, ...]:
        """Return the samples whose cold and warm run both ended well, in order."""
        cold = {run.sample for run in self.runs if run.run == "cold" and run.ok}
        warm = {run.sample for run in self.runs if run.run == "warm" and run.ok}
        return tuple(sorted(cold & warm))

    def first_cold_run(self) -> Run | None:
        """Return the first good sample's cold run, else the first good cold run, else the first cold run."""
        cold = [run for run in self.runs if run.run == "cold"]
        good = set(self.good_samples())
        for run in cold:
            if run.sample in good:
                return run
        return next((run for run in cold if run.ok), cold[0] if cold else None)
