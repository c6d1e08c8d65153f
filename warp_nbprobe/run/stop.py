"""Stopping: what the user's Ctrl-C or stop button does while a child runs."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, Literal

GRACE_S: Final = 1.5
"""How long a child has to stop by itself after SIGINT."""
LIMIT_S: Final = 1.9
"""When after the wish to stop the child is gone at the latest."""

_WAKE_S = 0.02

Step = Literal["interrupt", "wake", "kill"]


class Stop:
    """Counts the user's wishes to stop."""

    def __init__(self) -> None:
        self.presses = 0

    def __bool__(self) -> bool:
        return self.presses > 0


_current: Stop | None = None


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Count interrupts instead of raising `KeyboardInterrupt`, until the end of the block.

    Inside another such block it is that one's count, so that a press between two runs is not lost. A handler
    of our own is needed: in a cell with top-level ``await`` ipykernel has replaced Python's by one that does not
    reach a blocking wait. Only the main thread gets interrupts; in others the count stays 0.
    """
    global _current
    if threading.current_thread() is not threading.main_thread():
        yield Stop()
        return
    if _current is not None:
        yield _current
        return
    stop = Stop()

    def count(number: int, frame: FrameType | None) -> None:
        stop.presses += 1

    before = signal.getsignal(signal.SIGINT)
    # One that was not set from Python could not be put back; one that is ignored stays so (`nohup ... &`).
    replace = before is not None and before is not signal.SIG_IGN
    _current = stop
    try:
        if replace:
            signal.signal(signal.SIGINT, count)
        yield stop
    finally:
        _current = None
        if replace:
            signal.signal(signal.SIGINT, before)


class Ladder:
    """The steps of stopping a child, each at its time and each once.

    SIGINT first, and right after it a request that wakes the child's event loop: without one, SIGINT reaches
    code that awaits only when the loop wakes by itself. Native code does not react to SIGINT at all, so
    SIGKILL follows after `GRACE_S`, or at once if ``hurry``.
    """

    def __init__(self, started_s: float) -> None:
        self.started_s = started_s
        self._waiting: list[tuple[float, Step]] = [(0.0, "interrupt"), (_WAKE_S, "wake"), (GRACE_S, "kill")]

    def step(self, now_s: float, *, hurry: bool = False) -> Step | None:
        """Return the step that is due, or ``None``."""
        if hurry and self._waiting:
            self._waiting.clear()
            return "kill"
        if self._waiting and now_s - self.started_s >= self._waiting[0][0]:
            return self._waiting.pop(0)[1]
        return None


def now_s() -> float:
    """Return the clock that everything here goes by."""
    return time.monotonic()
