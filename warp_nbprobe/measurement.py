"""One measurement as a user holds it: a recording with its frames, computed once and only when asked for."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from warp_nbprobe.errors import NBProbeError, NoWarp, UsageError, error_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from warp_nbprobe.data.model import Cell, Recording, Run
    from warp_nbprobe.data.structure import Structure
    from warp_nbprobe.explain.diagnose import Diagnosis, Explanation


class Measurement:
    """What was measured, as frames: ``summary``, ``modules``, ``launches``, ``findings`` and more.

    A frame is computed when first asked for and the same object from then on. Frames hold what was recorded
    also of failed runs; ``summary`` has figures of good samples only.
    """

    def __init__(self, recording: Recording, *, own: Sequence[str] | None = None) -> None:
        """``own`` names installed packages that count as the user's code; else as when it was measured."""
        given = recording.options.get("own") or () if own is None else own
        self.recording = recording
        self._own = (given,) if isinstance(given, str) else tuple(map(str, given))

    @property
    def label(self) -> str:
        """The name under which views show it."""
        return self.recording.label

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The code that was measured, setup cells included."""
        return self.recording.cells

    @property
    def samples(self) -> int:
        """How many cold and warm pairs were asked for."""
        return self.recording.samples

    @property
    def interrupted(self) -> bool:
        """Whether it was stopped before all samples were made."""
        return self.recording.interrupted

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know of how it was measured: cells left out, output cut, what a rehearsal assumed."""
        from warp_nbprobe.data.driver_cache import driver_cache_notes
        from warp_nbprobe.data.rehearsal import rehearsal_notes

        recording = self.recording
        return (*recording.notes, *rehearsal_notes(recording), *driver_cache_notes(recording))

    @property
    def failed(self) -> bool:
        """Whether no sample is good."""
        return not self.recording.good_samples()

    @property
    def failed_samples(self) -> int:
        """How many samples failed; one that was stopped is not complete, but no failure."""
        return len({run.sample for run in self.recording.runs if _failed(run)})

    @cached_property
    def error(self) -> NBProbeError | None:
        """The first failure, as the exception that stands for it, not raised."""
        run = next((run for run in self.recording.runs if _failed(run)), None)
        if run is None or run.failure is None:
            return None
        wire = run.wires[0] if run.wires else None
        if wire and wire.no_warp and wire.no_warp.missing and run.failure.ename in _IMPORT_ERRORS:
            executable = wire.header.executable if wire.header else None
            error: NBProbeError = NoWarp(executable or "python", wire.no_warp.error)
            error.measurement = self
        else:
            error = error_of(run.failure, self)
        error.run = run
        return error

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row per metric: median, spread, values, unit, source, and why it is missing."""
        from warp_nbprobe.data.metrics import summary_frame

        return summary_frame(self.recording, self.diagnosis.avoidable_ms)

    @cached_property
    def modules(self) -> pd.DataFrame:
        """One row per module event of every run, with its cause."""
        from warp_nbprobe.data.frames import modules_frame
        from warp_nbprobe.explain.diagnose import explain_events

        return modules_frame(self.recording, explain_events(self.recording, self._explanation))

    @cached_property
    def launches(self) -> pd.DataFrame:
        """One row per launch of the first good cold run, expanded when first asked for."""
        from warp_nbprobe.data.frames import launches_frame

        return launches_frame(self.recording)

    @cached_property
    def launch_groups(self) -> pd.DataFrame:
        """One row per kind of launch with its count."""
        from warp_nbprobe.data.frames import launch_groups_frame

        return launch_groups_frame(self.recording)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row per child."""
        from warp_nbprobe.data.frames import runs_frame

        return runs_frame(self.recording)

    @cached_property
    def lto(self) -> pd.DataFrame:
        """One row per build, tile operation and direction: its link-time-optimisation objects."""
        from warp_nbprobe.data.frames import lto_frame

        return lto_frame(self.recording)

    @cached_property
    def log(self) -> pd.DataFrame:
        """Every line that Warp printed."""
        from warp_nbprobe.data.frames import log_frame

        return log_frame(self.recording)

    @cached_property
    def structure(self) -> Structure:
        """Whether all good samples compiled and launched the same, and what differs."""
        from warp_nbprobe.data.structure import structure

        return structure(self.recording)

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """What was found, as objects, with what was checked and ruled out."""
        from warp_nbprobe.explain.diagnose import diagnose

        return diagnose(self.recording, own=self._own, explanation=self._explanation)

    @cached_property
    def _explanation(self) -> Explanation:
        from warp_nbprobe.explain.diagnose import explanation_of

        return explanation_of(self.recording)

    @property
    def findings(self) -> pd.DataFrame:
        """One row per finding."""
        return self.diagnosis.table

    @property
    def checked(self) -> pd.DataFrame:
        """One row per rule: found, ruled out or not observable, and by which signal."""
        return self.diagnosis.checked

    def hash_inputs(self, module: str) -> str:
        """Return what went into the hash of each event of ``module``, as text made for diffing.

        Of the run that ``launches`` shows. Raises ``UsageError`` for a module that has no event there.
        """
        from warp_nbprobe.data.events import ordered_events
        from warp_nbprobe.data.inputs import hash_inputs_text

        run = self.recording.first_cold_run()
        known = list(dict.fromkeys(event.module for _, event in ordered_events(run))) if run else []
        if run is None or module not in known:
            near = get_close_matches(module, known, n=1)
            there = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(known) or 'none'}."
            raise UsageError(f"No build or load of a module named {module!r} was recorded. {there}")
        return hash_inputs_text(run, module)

    def save(self, path: str | Path, *, redact: bool = False, format: str | None = None) -> None:
        """Write the report, compressed for a name ending in ``.gz``; ``redact`` leaves out what is private.

        Left out are source text, paths, values and host names. ``format="upstream"`` writes the report file of
        NVIDIA's probe script instead, which holds less.
        """
        from warp_nbprobe.data.report import save_report
        from warp_nbprobe.data.upstream_write import save_upstream

        if format not in (None, "upstream"):
            raise UsageError(f"format must be left out or be 'upstream', not {format!r}.")
        (save_report if format is None else save_upstream)(self.recording, path, redact=redact)

    def to_html(self, path: str | Path, *, redact: bool = False) -> None:
        """Write the report card as a page of its own; ``redact`` as for ``save``."""
        from warp_nbprobe.data.files import write_whole
        from warp_nbprobe.data.redact import redacted
        from warp_nbprobe.views.html import page_html

        shown = Measurement(redacted(self.recording), own=self._own) if redact else self
        write_whole(path, page_html(shown).encode("utf-8", "replace"))

    def to_trace(self, path: str | Path, *, redact: bool = False) -> None:
        """Write the runs as a trace that Perfetto opens, compressed for a name ending in ``.gz``.

        ``redact`` as for ``save``.
        """
        from warp_nbprobe.data.files import write_whole
        from warp_nbprobe.data.redact import redacted
        from warp_nbprobe.views.trace import trace_bytes

        shown = Measurement(redacted(self.recording), own=self._own) if redact else self
        data = trace_bytes(shown.recording, shown.modules)
        write_whole(path, gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)

    def plot(self) -> Figure:
        """Return the timeline of builds as a matplotlib figure."""
        from warp_nbprobe.views.plots import timeline_figure

        return timeline_figure(self)

    def __repr__(self) -> str:
        from warp_nbprobe.views.text import one_line

        return one_line(self)


_IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")


def _failed(run: Run) -> bool:
    return run.failure is not None and run.failure.reason != "interrupted"
