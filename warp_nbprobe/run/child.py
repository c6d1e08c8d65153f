"""A child process under its supervisor, seen from the host."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from warp_nbprobe.errors import UsageError
from warp_nbprobe.run.processes import Below, end_marked
from warp_nbprobe.run.sandbox import MARK_VARIABLE

CHILD_FOLDER: Final = Path(__file__).resolve().parents[1] / "child"
"""Where the texts lie that run in a child."""

_END_S = 15.0
_ADOPTS = sys.platform.startswith("linux")  # the supervisor gets every orphan below it


class Child:
    """A command that runs until `close`, after which nothing that it started is left.

    ``pid`` and ``exit_code`` are ``None`` until they are known, ``failed`` says why the command could not be
    started, ``gone`` is true when neither the child nor anything below it is left. What it prints goes to the file
    ``log``, or to two descriptors of the caller's.
    """

    def __init__(self, command: Sequence[str], *, environment: dict[str, str], cwd: Path, log: Path,
                 streams: tuple[int, int] | None = None) -> None:  # fmt: skip
        if not sys.executable:
            raise UsageError("This Python does not know its own executable, so it cannot start a child.")
        self.pid: int | None = None
        self.exit_code: int | None = None
        self.failed: str | None = None
        self.gone = False
        self.log = log
        self._mark = f"{MARK_VARIABLE}={environment[MARK_VARIABLE]}"
        self._partial = b""
        self._status, status_end = os.pipe()
        try:
            os.set_blocking(self._status, False)
            supervisor = [sys.executable, "-I", "-S", str(CHILD_FOLDER / "supervisor.py")]
            with log.open("ab") as output:
                stdout, stderr = streams or (output.fileno(), output.fileno())
                self._process = subprocess.Popen(
                    [*supervisor, str(status_end), str(os.getpid()), *command],
                    stdin=subprocess.PIPE,
                    stdout=stdout,
                    stderr=stderr,
                    pass_fds=(status_end,),
                    env=environment,
                    cwd=cwd,
                    start_new_session=True,  # a terminal's Ctrl-C is for the host alone
                )
        except BaseException:
            os.close(self._status)
            raise
        finally:
            os.close(status_end)

    @property
    def ended(self) -> bool:
        """Whether the child itself has ended, or its supervisor."""
        return self.gone or self.exit_code is not None or self.failed is not None

    def fileno(self) -> int:
        """Return what becomes readable when there is news of the child."""
        return self._status

    def read_status(self) -> None:
        """Take in the supervisor's news, if there are any."""
        while not self.gone:
            try:
                data = os.read(self._status, 4096)
            except BlockingIOError:
                return
            if not data:
                self.gone = True
            *lines, self._partial = (self._partial + data).split(b"\n")
            for line in lines:
                word, _, rest = line.decode("utf-8", "replace").partition(" ")
                if word == "pid":
                    self.pid = int(rest)
                elif word == "exit":
                    self.exit_code = int(rest)
                elif word == "failed":
                    self.failed = rest

    def interrupt(self) -> None:
        """Send SIGINT to the child's process group."""
        self._order(b"i")

    def end(self) -> None:
        """Have the child and everything below it killed."""
        self._order(b"k")

    def log_text(self) -> str:
        """Return what the child wrote past its kernel."""
        return self.log.read_text("utf-8", "replace") if self.log.exists() else ""

    def close(self) -> None:
        """End everything and return when nothing is left. Closing again does nothing."""
        if self._status < 0:
            return
        below = Below(self.pid if not (self.gone or _ADOPTS) else None)
        self.end()
        deadline = time.monotonic() + _END_S
        self.read_status()
        while not self.gone and self._process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
            self.read_status()
        self.read_status()
        orderly = self.gone and (self.exit_code is not None or self.failed is not None)
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            orderly = False
        os.close(self._status)
        self._status = -1
        if not orderly or not _ADOPTS:
            below.end()
            end_marked(self._mark)

    def _order(self, order: bytes) -> None:
        if self._process.stdin is not None and not self._process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):  # the supervisor has ended, and all below it
                self._process.stdin.write(order)
                self._process.stdin.flush()
