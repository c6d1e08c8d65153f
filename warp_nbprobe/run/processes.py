"""Processes found by the mark in their environment: the net for when no supervisor is left to end them."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

import psutil

_GIVE_UP_S = 5.0


def marked(mark: str) -> list[int]:
    """Return the processes that carry ``NAME=value`` in their environment, this one left out."""
    wanted = os.fsencode(mark)
    return [pid for pid in psutil.pids() if pid != os.getpid() and _carries(pid, wanted)]


def end_marked(mark: str) -> int:
    """End every process that carries the mark, also those started meanwhile; return how many were found.

    A process that is just being started has no environment to be seen yet, so none has to be found twice running.
    """
    seen: set[int] = set()
    give_up = time.monotonic() + _GIVE_UP_S
    empty = 0
    while empty < 2 and time.monotonic() < give_up:
        found = marked(mark)
        empty = 0 if found else empty + 1
        for pid in found:
            seen.add(pid)
            with contextlib.suppress(OSError):  # it has ended since
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
    return len(seen)


class Below:
    """The processes below one, as seen at one moment: all there is to go by where no supervisor adopts orphans."""

    def __init__(self, pid: int | None) -> None:
        self._seen: list[psutil.Process] = []
        with contextlib.suppress(psutil.Error):
            self._seen = psutil.Process(pid).children(recursive=True) if pid is not None else []

    def end(self) -> None:
        """End those that are still there; another process that got the number of one is not taken for it."""
        for process in self._seen:
            with contextlib.suppress(psutil.Error):
                process.kill()


def _carries(pid: int, wanted: bytes) -> bool:
    """Whether a process carries the mark; one of another user, or one that has ended, does not."""
    if sys.platform.startswith("linux"):
        try:
            return wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return False
    name, _, value = os.fsdecode(wanted).partition("=")
    try:
        return psutil.Process(pid).environ().get(name) == value
    except (psutil.Error, OSError):
        return False
