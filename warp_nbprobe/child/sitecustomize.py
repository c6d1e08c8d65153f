"""Loads the probe in a process that a measured command or cell starts, when that process imports Warp.

Python imports this when a process starts, since a copy of it lies in a folder that stands first on ``PYTHONPATH``::

    nbp-1a2b3c4d/c/site/sitecustomize.py    the copy
    nbp-1a2b3c4d/c/probe.py, ...            copies of what it may load
    nbp-1a2b3c4d/c/wire/                    what the processes write
    nbp-1a2b3c4d/c/stdout                   which file is the run's own output, of a command

The folder goes from ``sys.path`` at once, and the ``sitecustomize`` that the process has without us runs next. From
then on one comparison of a name with ``warp`` comes with every import that is not cached, and nothing else: the probe
is loaded by the first import of Warp. Standard library only, as little of it as can be, and Pythons too old for the
probe read this as well.
"""

import atexit
import os
import sys
import time

TYPE_CHECKING = False  # `typing` itself would cost every process its import
if TYPE_CHECKING:
    from typing import Any

_OLDEST = (3, 10)
_PROBE_NAME = "_warp_nbprobe_probe"


class _Waiting:
    """A finder that waits for Warp. No error of ours may reach the process, whatever goes wrong."""

    def __init__(self, folder: str) -> None:
        self.folder = folder  # of the run
        self.pid = os.getpid()
        self.probe: Any = None
        self.crashes: Any = None
        self.over = False  # the process is ending: what we do now takes nothing of its time
        self.begun = time.perf_counter_ns()  # the process's own code

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        """Load the probe when Warp is looked for; it then does the finding."""
        if name != "warp" or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        self._load()
        return sys.meta_path[0].find_spec(name, path, target) if self.probe is not None else None

    def ended(self) -> None:
        """Finish the record when the process ends in order.

        The process that is the command itself has one also without Warp: it says how long the command took.
        """
        now = time.perf_counter_ns()
        self.over = True
        if self.probe is None and self.pid == os.getpid() and os.environ.get("JPY_PARENT_PID") == str(os.getppid()):
            self._load()
        if self.probe is not None:
            self.probe.finish(now)

    def _load(self) -> None:
        began = time.perf_counter_ns()
        try:
            probe = _loaded(os.path.join(self.folder, "probe.py"))
            probe._own_codes.add(__file__)  # this file is no more the user's than the probe is
            _load_rehearsal(probe, self.folder)
            self._watch_crashes()
            code_begun = self.begun if self.pid == os.getpid() else None  # a forked process has no begin of its own
            wire = os.path.join(self.folder, "wire")
            spent = 0 if self.over else time.perf_counter_ns() - began
            probe.start(wire, code_begun=code_begun, spent_ns=spent)
        except Exception:  # noqa: BLE001 - unrecorded, and its user sees nothing of it: see the class
            return
        self.probe = probe

    def _watch_crashes(self) -> None:
        """Have a crash in native code say where it was, unless the process has seen to that itself."""
        import faulthandler

        if not faulthandler.is_enabled():
            self.crashes = open(os.path.join(self.folder, "crash.txt"), "ab")  # noqa: SIM115 (held until the end)
            faulthandler.enable(file=self.crashes, all_threads=True)


def _load_rehearsal(probe: "Any", folder: str) -> None:
    """Load what rehearses for a GPU that is not there, where the environment asks for it."""
    archs = os.environ.get("WARP_NBPROBE_REHEARSE")
    if archs:
        names = ("rehearsal", "rehearsal_builds", "rehearsal_answers")
        first, *parts = [_loaded(os.path.join(folder, name + ".py"), "_warp_nbprobe_" + name) for name in names]
        first.install(probe, archs, bool(os.environ.get("WARP_NBPROBE_REHEARSE_ONLY")), parts)


def _loaded(path: str, name: str = _PROBE_NAME) -> "Any":
    """Return a guest in a module that ``sys.modules`` does not hold, its compiled text from ``__pycache__``."""
    from importlib.machinery import SourceFileLoader
    from types import ModuleType

    code = SourceFileLoader(name, path).get_code(name)
    if code is None:
        raise ImportError("no code in " + path)
    module = ModuleType(name)
    module.__file__ = path
    exec(code, module.__dict__)
    return module


def _show_lines_at_once(folder: str) -> None:
    """Pass each printed line on when it ends, as on a terminal, if standard output is the run's own."""
    try:
        with open(os.path.join(folder, "stdout"), encoding="ascii") as file:
            told = file.read()
        own = os.fstat(1)
        if told == str(own.st_dev) + ":" + str(own.st_ino):
            sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    except (OSError, AttributeError, ValueError):
        return  # no file: the process of a cell; no stream: nothing to pass on


def _begin() -> None:
    site = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry != site]
    folder = os.path.dirname(site)
    if sys.version_info >= _OLDEST and os.path.isdir(os.path.join(folder, "wire")):
        _show_lines_at_once(folder)
        waiting = _Waiting(folder)
        atexit.register(waiting.ended)
        sys.meta_path.insert(0, waiting)


def _hand_on() -> None:
    """Import the next ``sitecustomize``. Where there is none the error is what Python expects then."""
    del sys.modules["sitecustomize"]
    __import__("sitecustomize")


if __name__ == "sitecustomize":
    _begin()
    _hand_on()
