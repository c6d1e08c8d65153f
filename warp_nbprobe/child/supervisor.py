"""Ends a child and everything that it started, whatever happens to the host.

Run as ``python -I -S supervisor.py STATUS_FD HOST_PID COMMAND ...``; the command becomes the child, in a
session of its own. Standard library only.

Standard input carries the host's orders, one byte each: ``i`` sends SIGINT to the child's process group (as
Jupyter's stop button does), ``k`` ends everything now. Its end means that the host has gone, and ends
everything as well. STATUS_FD gets one line per fact: ``pid N``, ``failed TEXT`` (the command could not be
started), ``exit N`` (negative: a signal). When that pipe closes, nothing is left.

On Linux this process adopts every orphan below it, so neither a session of its own nor a double fork nor an
emptied environment lets a process get away. Elsewhere only the child's process group can be ended from here;
the host then looks for what carries the mark of the run.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time

_PR_SET_CHILD_SUBREAPER = 36
_HOST_CHECK_S = 1.0
_GIVE_UP_S = 10.0  # a process that even SIGKILL does not end hangs in the system; nobody can help that


def adopt_orphans() -> bool:
    """Become the parent of every orphaned descendant; whether the system can do that."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def parents() -> dict[int, int]:
    """Return the parent of every process that can be seen; empty where there is no /proc."""
    found: dict[int, int] = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return found
    for name in names:
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as stat:
                # The command's name stands in brackets and may hold brackets and spaces itself.
                fields = stat.read().rpartition(b")")[2].split()
        except OSError:  # it has ended since
            continue
        found[int(name)] = int(fields[1])
    return found


def descendants(root: int) -> list[int]:
    """Return every process below ``root``, nearest first."""
    below: dict[int, list[int]] = {}
    for pid, parent in parents().items():
        below.setdefault(parent, []).append(pid)
    found: list[int] = []
    waiting = [root]
    while waiting:
        children = below.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


class Supervisor:
    """One child, from its start until nothing of it is left."""

    def __init__(self, status_fd: int, host_pid: int) -> None:
        self.status_fd = status_fd
        self.host_pid = host_pid
        self.child = -1
        self.exited = False

    def say(self, line: str) -> None:
        """Write one line to the host, which may have gone."""
        with contextlib.suppress(OSError):
            os.write(self.status_fd, line.encode("utf-8", "replace") + b"\n")

    def start(self, command: list[str]) -> None:
        """Start the child in a session of its own, with the signal handlers that a shell would give it."""
        self.child = os.fork()
        if self.child == 0:
            try:
                os.setsid()
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGHUP, signal.SIGCHLD):
                    signal.signal(number, signal.SIG_DFL)
                signal.set_wakeup_fd(-1)
                nothing = os.open(os.devnull, os.O_RDONLY)
                os.dup2(nothing, 0)
                # ipykernel ends itself when this process is no longer its parent.
                os.environ["JPY_PARENT_PID"] = str(os.getppid())
                os.execvpe(command[0], command, os.environ)
            except OSError as error:
                self.say(f"failed {type(error).__name__}: {error}")
            finally:
                os._exit(127)
        self.say(f"pid {self.child}")

    def reap(self) -> bool:
        """Collect all that has ended; whether there are processes left below this one."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.child:
                self.exited = True
                self.say(f"exit {os.waitstatus_to_exitcode(status)}")

    def send(self, number: int, pids: list[int]) -> None:
        """Send a signal to each process that is still there."""
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(pid, number)

    def interrupt(self) -> None:
        """Send SIGINT to the child's process group, if the child has not ended."""
        if not self.exited:
            with contextlib.suppress(OSError):
                os.killpg(self.child, signal.SIGINT)

    def end_all(self) -> None:
        """End everything below this process, also what is being started meanwhile."""
        give_up = time.monotonic() + _GIVE_UP_S
        if not self.exited:  # its group's number cannot belong to another yet
            with contextlib.suppress(OSError):
                os.killpg(self.child, signal.SIGKILL)
        while self.reap() and time.monotonic() < give_up:
            self.send(signal.SIGKILL, descendants(os.getpid()))
            time.sleep(0.002)

    def watch(self, wakeup_fd: int) -> None:
        """Wait until the child has ended, the host has gone, or the host wants the end."""
        while not self.exited:
            readable, _, _ = select.select([0, wakeup_fd], [], [], _HOST_CHECK_S)
            if wakeup_fd in readable:
                os.read(wakeup_fd, 4096)
            self.reap()
            if 0 in readable:
                orders = os.read(0, 4096)
                if not orders or b"k" in orders:
                    return
                if b"i" in orders:
                    self.interrupt()
            elif os.getppid() != self.host_pid:
                return  # another process may have inherited the pipe's other end


def main(argv: list[str]) -> None:
    """Start the child and stay until nothing of it is left."""
    supervisor = Supervisor(status_fd=int(argv[1]), host_pid=int(argv[2]))
    os.set_inheritable(supervisor.status_fd, False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    wakeup_fd, wakeup_end = os.pipe()
    os.set_blocking(wakeup_end, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wakeup_end, warn_on_full_buffer=False)
    adopt_orphans()
    supervisor.start(argv[3:])
    try:
        supervisor.watch(wakeup_fd)
    finally:
        supervisor.end_all()


if __name__ == "__main__":
    main(sys.argv)
