"""What Python users and front ends call; the only place that puts the stages together."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warp_nbprobe import __version__
from warp_nbprobe.ask.commands import Arguments, command_request
from warp_nbprobe.ask.notebooks import read_notebook
from warp_nbprobe.ask.request import Code, Request, main_cells, make_request, setup_cells
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.errors import NBProbeError, ReportError, UsageError
from warp_nbprobe.front.screen import NoScreen, Screen, screen_for
from warp_nbprobe.limits import check_limits
from warp_nbprobe.measurement import Measurement
from warp_nbprobe.relay import StreamRelay, own_error

if TYPE_CHECKING:
    from warp_nbprobe.explain.compare import Comparison
    from warp_nbprobe.explain.diagnose import Diagnosis
    from warp_nbprobe.run.runner import SampleRunner


def measure(
    code: Code,
    *,
    samples: int = 3,
    label: str | None = None,
    setup: Code | None = None,
    push: Mapping[str, Any] | None = None,
    check: Sequence[str] = (),
    rtol: float = 0.0,
    atol: float = 0.0,
    timeout: float = 900.0,
    kernel: str | None = None,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    own: Sequence[str] = (),
    isolate: bool = False,
    allow_errors: bool = False,
    keep_scratch: bool = False,
    rehearse: str | Sequence[str] | None = None,
    rehearse_only: bool = False,
    trace: bool = False,
    max_builds: int | None = None,
    fail_on_rebuild: bool = False,
    quiet: bool = False,
) -> Measurement:
    """Measure code in fresh kernels, with empty Warp caches and then with filled ones.

    A measurement comes back also when the code raised, timed out or died: see its ``failed`` and ``error``.

    Args:
        code: Text, or a list of cells, each executed as a cell of its own.
        samples: Cold and warm pairs.
        label: Name of the measurement.
        setup: Code that runs in each child before the timed code, likewise text or a list of cells.
        push: Variables to send to the child, before the setup code.
        check: Expressions whose values are kept after the code, so that ``compare`` can say whether results moved.
        rtol: Relative tolerance of checked values.
        atol: Absolute tolerance of checked values.
        timeout: Limit for one run, in seconds.
        kernel: Name of the child's kernelspec; without it the child is this Python.
        cwd: The child's working folder; without it the present one.
        env: Environment variables, added to the present ones.
        own: Installed packages that count as the user's own code.
        isolate: Send a cache folder that the code itself sets to the run's private one.
        allow_errors: Go on after a cell that raises.
        keep_scratch: Keep the private folders; ``notes`` of the result says where they are.
        rehearse: A CUDA architecture (``sm_90``), or several, to build for without a GPU; the code runs on the CPU.
        rehearse_only: Build for it without running anything: launches are recorded, arrays keep their values.
        trace: Collect the trace of the CUDA compiler, which ``to_trace`` merges.
        max_builds: Raise when the cold run compiles more identities.
        fail_on_rebuild: Raise when it compiles a module twice for one device and block dimension.
        quiet: Do not pass on what the first cold run prints.

    Raises:
        UsageError: An argument that cannot be used.
        KernelNotFound, KernelDidNotStart, NoWarp, WarpTooOld: There was nothing to measure.
        TooManyBuilds: A limit is exceeded; the measurement is its ``measurement``.
        KeyboardInterrupt: It was stopped; what there is is its ``measurement``.
    """
    given = dict(locals())
    main = main_cells(code, allow_errors=bool(allow_errors))
    return _measured(make_request(setup_cells(setup), main, given, label="code"))


def measure_notebook(
    path: str | Path,
    *,
    samples: int = 3,
    label: str | None = None,
    setup: Code | None = None,
    push: Mapping[str, Any] | None = None,
    check: Sequence[str] = (),
    rtol: float = 0.0,
    atol: float = 0.0,
    timeout: float = 900.0,
    kernel: str | None = None,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    own: Sequence[str] = (),
    isolate: bool = False,
    allow_errors: bool = False,
    keep_scratch: bool = False,
    rehearse: str | Sequence[str] | None = None,
    rehearse_only: bool = False,
    trace: bool = False,
    max_builds: int | None = None,
    fail_on_rebuild: bool = False,
    quiet: bool = False,
) -> Measurement:
    """Measure a notebook file as "restart and run all" would run it: cell by cell, in its own folder.

    It stops at the first cell that raises, unless the cell has the tag ``raises-exception`` or ``allow_errors`` is
    given. Cells with the tag ``skip-warp`` and cells that only install packages are left out; ``notes`` of the
    result says which. Arguments and errors as for ``measure``; ``cwd`` is the notebook's folder.
    """
    given = dict(locals())
    try:
        file = Path(path).expanduser()
    except TypeError:
        raise UsageError(f"path must be the name of a notebook file, not {path!r}.") from None
    notebook = read_notebook(file, allow_errors=bool(allow_errors))
    given["cwd"] = file.parent if cwd is None else cwd
    request = make_request(setup_cells(setup), notebook.cells, given, label=file.name, notes=notebook.notes)
    return _measured(request)


def measure_command(
    args: Arguments,
    *,
    samples: int = 3,
    label: str | None = None,
    timeout: float = 900.0,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    own: Sequence[str] = (),
    isolate: bool = False,
    keep_scratch: bool = False,
    rehearse: str | Sequence[str] | None = None,
    rehearse_only: bool = False,
    trace: bool = False,
    max_builds: int | None = None,
    fail_on_rebuild: bool = False,
    quiet: bool = False,
) -> Measurement:
    """Measure a command: every Python process of it that uses Warp is recorded, and ends with it.

    A status that is not 0 is a failure; see the result's ``failed`` and ``error``. No shell reads the command, but
    ``NAME=VALUE`` words in front of it set its environment. Arguments and errors as for ``measure``.

    Args:
        args: The command and its arguments: ``[sys.executable, "sim.py", "--steps", "10"]``.
    """
    given = {name: value for name, value in locals().items() if name != "args"}
    return _measured(command_request(args, given))


def _measured(request: Request) -> Measurement:
    return measure_request(request, NoScreen(None if request.quiet else StreamRelay()))


def measure_request(request: Request, screen: Screen) -> Measurement:
    """Make a measurement and show on ``screen`` how it goes; what is shown at its end is left to the caller.

    Raises what ``measure`` raises.
    """
    from warp_nbprobe.run.measure import measure_samples

    runner = _runner(request, screen)
    empty = _recording(request)

    def after_run(runs: tuple[Run, ...]) -> None:
        latest = runs[-1]
        if latest.run == "warm" and latest.ok and latest.sample < request.samples:
            screen.sample_done(Measurement(_with_files(replace(empty, runs=runs))))

    try:
        runs, interrupted = measure_samples(runner, samples=request.samples, after_run=after_run)
    except NBProbeError as error:
        if isinstance(error.run, Run):
            error.measurement = Measurement(_with_files(replace(empty, runs=(error.run,))))
        raise
    kept = _kept(runner.kept)
    if screen.relay is not None:
        for line in kept:
            screen.relay.message("stream", {"name": "stderr", "text": f"[warp_nbprobe] {line}\n"})
    notes = (*request.notes, *kept)
    measurement = Measurement(_with_files(replace(empty, runs=runs, interrupted=interrupted, notes=notes)))
    if interrupted:
        raise _interrupt(measurement)
    check_limits(measurement, request)
    return measurement


def _runner(request: Request, screen: Screen) -> SampleRunner:
    from warp_nbprobe.run.command import CommandSpec
    from warp_nbprobe.run.kernel import ChildSpec
    from warp_nbprobe.run.rehearse import child_environment
    from warp_nbprobe.run.runner import CommandRunner, KernelRunner

    told = child_environment(request.rehearse, only=request.rehearse_only, trace=request.trace, isolate=request.isolate)
    env, timeout_s = {**request.env, **told}, request.timeout_s
    make: Callable[..., SampleRunner]
    if request.command is not None:
        make = partial(CommandRunner, CommandSpec(request.command, request.cwd, env, timeout_s=timeout_s))
    else:
        spec = ChildSpec(request.kernel, request.cwd, env, push=request.push, checks=request.check, timeout_s=timeout_s)
        make = partial(KernelRunner, request.cells, spec)
    return make(
        samples=request.samples,
        relay=screen.relay,
        progress=screen.progress,
        keep_scratch=request.keep_scratch,
    )


_NO_PROCESS = (
    "No process of the command was recorded. Either none imported Warp, or its Python was started with -I, -E or -S or "
    "without the command's environment, and then our start-up hook is not read."
)


def _with_files(recording: Recording) -> Recording:
    """Return the recording of a command with what its processes tell: the files that they ran in place of cells."""
    run = recording.first_cold_run()
    if "command" not in recording.options or run is None:
        return recording
    from warp_nbprobe.data.sources import file_cells

    cells, left_out = file_cells(run)
    notes = recording.notes
    if left_out:
        notes = (*notes, f"{left_out} more files with Warp code are not shown as source")
    if run.ok and not run.wires:
        notes = (*notes, _NO_PROCESS)
    return replace(recording, cells=cells, notes=notes)


def _recording(request: Request) -> Recording:
    return Recording(
        label=request.label,
        cells=request.cells,
        samples=request.samples,
        runs=(),
        options=request.recorded(),
        created=datetime.now(timezone.utc),
        tool_version=__version__,
        notes=request.notes,
    )


def _kept(folders: Iterable[Path]) -> list[str]:
    return [f"the private folder of sample {n} was kept: {folder}" for n, folder in enumerate(folders, start=1)]


def _interrupt(measurement: Measurement) -> BaseException:
    """Return the interrupt to raise, with what was measured until then."""
    failure = measurement.recording.runs[-1].failure if measurement.recording.runs else None
    if failure is not None and failure.reason == "interrupted":
        return own_error(failure, measurement)
    interrupt = KeyboardInterrupt()
    interrupt.measurement = measurement  # type: ignore[attr-defined]
    return interrupt


def load(path: str | Path) -> Measurement:
    """Open a report file. Nothing in it is executed.

    Raises:
        ReportError: The file cannot be read, is no report, or is a damaged one.
    """
    from warp_nbprobe.data.report import load_report

    try:
        return Measurement(load_report(path))
    except OSError as error:
        raise ReportError(path, f"{error.strerror or error}.") from None


def compare(
    baseline: Measurement | str | Path,
    candidate: Measurement | str | Path,
    *,
    rtol: float | None = None,
    atol: float | None = None,
) -> Comparison:
    """Compare two measurements, or report files: a verdict with everything that it rests on.

    Args:
        baseline: What the other is set against.
        candidate: The changed one.
        rtol: Relative tolerance of checked values; without it as when they were measured.
        atol: Absolute tolerance, likewise.

    Raises:
        UsageError: Something that is no measurement.
        ReportError: A file that is no report, or a damaged one.
    """
    from warp_nbprobe.explain.compare import Comparison

    for name, value in (("rtol", rtol), ("atol", atol)):
        if value is not None and not 0 <= value < float("inf"):
            raise UsageError(f"{name} must be a number of at least 0, not {value!r}.")
    return Comparison(_compared(baseline), _compared(candidate), rtol=rtol, atol=atol)


def _compared(given: Measurement | str | Path) -> Measurement:
    if isinstance(given, str | Path):
        return load(given)
    if not isinstance(given, Measurement):
        raise UsageError(f"compare needs two measurements or report files, not {type(given).__name__}.")
    return given


def diagnose(measurement: Measurement, *, own: Sequence[str] | None = None) -> Diagnosis:
    """Say what a measurement shows, also one made earlier: findings, and what was checked and ruled out.

    ``own`` names installed packages that count as the user's code; without it those named when it was measured.
    """
    if not isinstance(measurement, Measurement):
        raise UsageError(f"diagnose needs a Measurement, not {type(measurement).__name__}; nb.load opens a file.")
    return measurement.diagnosis if own is None else Measurement(measurement.recording, own=own).diagnosis


def show(measurement: Measurement) -> None:
    """Show the report card and the explorer in a notebook; elsewhere print the report."""
    if not isinstance(measurement, Measurement):
        raise UsageError(f"show needs a Measurement, not {type(measurement).__name__}; nb.load opens a file.")
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    screen_for(shell, quiet=False).finished(measurement, plot=False)
