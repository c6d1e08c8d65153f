"""Every way to fail, as a tree.

::

    NBProbeError
    |-- UsageError           an option, a name or a file that cannot be right
    |-- KernelNotFound       there is no kernelspec of that name               \\
    |-- KernelDidNotStart    the child kernel ended, or said nothing            | there was nothing
    |-- NoWarp               the child's environment has no Warp                | to measure
    |-- WarpTooOld           the child's Warp is older than the oldest known   /
    |-- CodeRaised           the user's code raised, or left with a status that is not 0
    |   `-- InputRefused     it asked for input, which a measured cell cannot have
    |-- ChildDied            the child ended before the user's code did
    |-- ChildTimedOut        the user's code took longer than it was given
    |-- TooManyBuilds        a limit set by `max_builds` or `fail_on_rebuild` is exceeded
    |-- ReportError          a file is no report, or a damaged one
    `-- RehearsalError       a CUDA build without a GPU cannot be made here

The facts are attributes; the message is for a person: what happened, where, what to do next. Whoever raises
after something was recorded hangs it on the exception as ``measurement``.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol

OLDEST_WARP: Final = (1, 9)
"""The oldest Warp whose events are understood."""

_LOG_LINES = 20


class NBProbeError(Exception):
    """The root of all errors that this package raises by itself."""

    measurement: Any = None
    """What was recorded until then, a ``Measurement``; ``None`` when there is nothing."""
    run: Any = None
    """The ``Run`` in which it happened, where there was one and no measurement was made of it yet."""
    what: str | None = None
    """What happened, without what to do next, where the message says both; a report shows this."""


class UsageError(NBProbeError):
    """Something asked for cannot be right; the message names it and the nearest right one."""


class KernelNotFound(NBProbeError):
    """No kernelspec has the name asked for."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        there = ", ".join(sorted(known)) if known else "none"
        super().__init__(
            f"There is no kernel named {name!r}. Kernels on this machine: {there}. "
            f"`jupyter kernelspec list` shows where they are; without `kernel` the child is this Python."
        )
        self.name = name
        self.known = tuple(sorted(known))


class KernelDidNotStart(NBProbeError):
    """The child kernel ended before it answered, or never answered."""

    def __init__(self, kernel: str | None, reason: str, log: str = "", exit_code: int | None = None) -> None:
        lines = log.strip().splitlines()[-_LOG_LINES:]
        said = "".join(f"\n    {line}" for line in lines)
        said = f"\nIts last words:{said}" if lines else " It wrote no log."
        name = f"The child kernel {kernel!r}" if kernel else "The child kernel"
        super().__init__(f"{name} did not start: {reason}{said}")
        self.kernel = kernel
        self.reason = reason
        self.log = log
        self.exit_code = exit_code


class NoWarp(NBProbeError):
    """``import warp`` failed in the child because its environment has none."""

    def __init__(self, executable: str, reason: str) -> None:
        super().__init__(
            f"The child's Python ({executable}) has no Warp: {reason}. Install it there with "
            f"`{executable} -m pip install warp-lang`, or name an environment that has it with `kernel`."
        )
        self.executable = executable
        self.reason = reason


class WarpTooOld(NBProbeError):
    """The child's Warp is older than the oldest that is understood."""

    def __init__(self, executable: str, version: str) -> None:
        oldest = ".".join(map(str, OLDEST_WARP))
        super().__init__(
            f"The child's Python ({executable}) has Warp {version}; {oldest} or newer is needed to see its "
            f"builds. Update it with `{executable} -m pip install -U warp-lang`, or name another environment "
            f"with `kernel`."
        )
        self.executable = executable
        self.version = version


class CodeRaised(NBProbeError):
    """The user's code raised, or left with a status that is not 0."""

    def __init__(self, message: str, ename: str | None = None, evalue: str | None = None,
                 traceback: Sequence[str] = (), exit_code: int | None = None) -> None:  # fmt: skip
        super().__init__(message)
        self.ename = ename
        self.evalue = evalue
        self.traceback = tuple(traceback)
        self.exit_code = exit_code


class InputRefused(CodeRaised):
    """The user's code asked for input, and nobody is there to answer in a measured cell."""


class ChildDied(NBProbeError):
    """The child ended before the user's code did."""

    def __init__(self, message: str, exit_code: int | None = None, crash: str | None = None) -> None:
        super().__init__(f"{message} What was recorded until then is in .measurement.")
        self.what = message
        self.exit_code = exit_code
        self.crash = crash

    @property
    def signal_name(self) -> str | None:
        """Name of the signal that ended the child (``SIGSEGV``), or ``None`` where it left by itself."""
        return signal_name(self.exit_code)


class ChildTimedOut(NBProbeError):
    """The user's code took longer than ``timeout`` allows for one run."""

    def __init__(self, message: str, traceback: Sequence[str] = ()) -> None:
        super().__init__(
            f"{message} What was recorded until then is in .measurement; `timeout` sets the limit."
        )
        self.what = message
        self.traceback = tuple(traceback)


class TooManyBuilds(NBProbeError):
    """A limit on builds, set by the caller, is exceeded; ``builds`` names those that count."""

    def __init__(self, message: str, builds: Sequence[str], limit: int | None = None) -> None:
        super().__init__(message)
        self.builds = tuple(builds)
        self.limit = limit


class ReportError(NBProbeError):
    """A file that is no report, or one that cannot be read as such."""

    def __init__(self, path: str | Path, reason: str) -> None:
        super().__init__(f"{path} cannot be read as a report: {reason}")
        self.path = Path(path)
        self.reason = reason


class RehearsalError(NBProbeError):
    """A build for a CUDA architecture without a GPU cannot be made here, or a call has no answer without one.

    ``arch`` is empty where it was a call; ``reason`` then names it with its line.
    """

    def __init__(self, arch: str, reason: str) -> None:
        super().__init__(f"A rehearsal for {arch} is not possible here: {reason}" if arch else reason)
        self.arch = arch
        self.reason = reason


class _Failure(Protocol):
    """What this file reads of a ``data.model.Failure``."""

    @property
    def reason(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def ename(self) -> str | None: ...
    @property
    def evalue(self) -> str | None: ...
    @property
    def traceback(self) -> tuple[str, ...]: ...
    @property
    def exit_code(self) -> int | None: ...
    @property
    def crash(self) -> str | None: ...


def error_of(failure: _Failure, measurement: Any = None) -> NBProbeError:
    """Return the error that stands for a run's failure, not raised."""
    error: NBProbeError
    if failure.reason == "timeout":
        error = ChildTimedOut(failure.message, failure.traceback)
    elif failure.reason == "died":
        error = ChildDied(failure.message, failure.exit_code, failure.crash)
    elif failure.ename == RehearsalError.__name__:
        error = RehearsalError("", str(failure.evalue))
    else:
        kind = InputRefused if failure.ename == "StdinNotImplementedError" else CodeRaised
        error = kind(failure.message, failure.ename, failure.evalue, failure.traceback, failure.exit_code)
    error.measurement = measurement
    return error


def signal_name(exit_code: int | None) -> str | None:
    """Return the signal's name for a negative exit code, else ``None``."""
    if exit_code is None or exit_code >= 0:
        return None
    try:
        return signal.Signals(-exit_code).name
    except ValueError:  # a real-time signal has no name
        return f"signal {-exit_code}"
