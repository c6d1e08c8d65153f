"""A child kernel that has the probe loaded before the user's first line.

Run as ``python launcher.py -f CONNECTION_FILE ...`` in place of ``python -m ipykernel_launcher``: the same
kernel, but for what is said below. Where the kernel is not ours to launch, this text is executed in it by a
silent request, under another ``__name__``, and `join` is called.

The user's program must not notice: no name of ours in its namespace, ``sys.path``, ``sys.argv`` and
``sys.modules`` as in a kernel that Jupyter started, the shell of the class that libraries ask for.
"""

from __future__ import annotations

import os
import sys
from types import CodeType, ModuleType, TracebackType
from typing import Any

_PROBE_NAME = "_warp_nbprobe_probe"
_OURS = "warp_nbprobe"  # what the host puts in a request's metadata
_CRASH_FILE = "crash.txt"  # beside the wire folder

_HELD: list[Any] = []  # what must live as long as the process


def load_probe(path: str) -> ModuleType:
    """Return the probe, loaded from its file into a module that ``sys.modules`` does not hold.

    Going by the loader takes the compiled text from ``__pycache__``.
    """
    return _load_guest(path, _PROBE_NAME)


def _load_guest(path: str, name: str) -> ModuleType:
    from importlib.machinery import SourceFileLoader

    code = SourceFileLoader(name, path).get_code(name)
    if code is None:
        raise ImportError(f"no code in {path}")
    return _new_module(code, path, name)


def load_rehearsal(probe: ModuleType, folder: str) -> None:
    """Load what rehearses for a GPU that is not there, where the environment asks for it."""
    archs = os.environ.get("WARP_NBPROBE_REHEARSE")
    if archs:
        names = ("rehearsal", "rehearsal_builds", "rehearsal_answers")
        first, *parts = (_load_guest(os.path.join(folder, f"{name}.py"), f"_warp_nbprobe_{name}") for name in names)
        first.install(probe, archs, bool(os.environ.get("WARP_NBPROBE_REHEARSE_ONLY")), parts)


def _new_module(code: CodeType, path: str, name: str = _PROBE_NAME) -> ModuleType:
    module = ModuleType(name)
    module.__file__ = path
    exec(code, module.__dict__)
    return module


def watch_crashes(wire_dir: str) -> None:
    """Have a crash in native code say where it was in a file; standard error would be lost with the child."""
    import faulthandler

    file = open(os.path.join(os.path.dirname(wire_dir), _CRASH_FILE), "ab")  # noqa: SIM115 (held until the end)
    _HELD.append(file)
    faulthandler.enable(file=file, all_threads=True)


def watch_processes(wire_dir: str) -> None:
    """Have the Python processes that the code starts write wires as well."""
    site = os.path.join(os.path.dirname(wire_dir), "site")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (site, os.environ.get("PYTHONPATH"))))


def equip(kernel: Any, probe: Any) -> None:
    """Attach the probe to a kernel: cells get the host's numbers, tracebacks show no frame of ours."""
    shell = kernel.shell
    do_execute = kernel.do_execute
    showtraceback = shell.showtraceback

    def request_metadata() -> dict[str, Any]:
        return kernel.get_parent("shell").get("metadata") or {}

    def do_execute_numbered(*args: Any, **kwargs: Any) -> Any:
        ours = request_metadata().get(_OURS) or {}
        if ours.get("number") is not None:  # what the traceback calls "Cell In[N]"
            shell.execution_count = ours["number"]
        if ours.get("finish"):
            probe.finish()
        return do_execute(*args, **kwargs)

    def showtraceback_without_us(exc_tuple: Any = None, *args: Any, **kwargs: Any) -> Any:
        shown = exc_tuple or sys.exc_info()
        if isinstance(shown[1], BaseException):
            strip_frames(shown[1], probe.is_own_code, set())
            shown = (shown[0], shown[1], shown[1].__traceback__)
            return showtraceback(shown, *args, **kwargs)
        return showtraceback(exc_tuple, *args, **kwargs)

    kernel.do_execute = do_execute_numbered
    shell.showtraceback = showtraceback_without_us
    probe.attach_ipython(shell, request_metadata)


def strip_frames(error: BaseException, is_own_code: Any, seen: set[int]) -> None:
    """Take our frames out of the traceback of an exception and of those it came from."""
    if id(error) in seen:
        return
    seen.add(id(error))
    error.__traceback__ = _without(error.__traceback__, is_own_code)
    for other in (error.__cause__, error.__context__, *getattr(error, "exceptions", ())):
        if isinstance(other, BaseException):
            strip_frames(other, is_own_code, seen)


def _without(tb: TracebackType | None, is_own_code: Any) -> TracebackType | None:
    """Return the traceback without our frames; itself where it has none, or nothing else."""
    frames = []
    while tb is not None:
        frames.append(tb)
        tb = tb.tb_next
    kept = [entry for entry in frames if not is_own_code(entry.tb_frame.f_code)]
    if len(kept) == len(frames) or not kept:
        return frames[0] if frames else None
    result = None
    for entry in reversed(kept):
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


def join(
    probe_text: str, wire_dir: str, rehearsal_texts: tuple[str, ...] = (), archs: str = "", only: str = ""
) -> None:
    """Load the probe, and what rehearses, into a kernel that is already running. Called by a silent request."""
    from IPython.core.getipython import get_ipython

    shell: Any = get_ipython()
    kernel = shell.kernel
    name = f"<{_PROBE_NAME}>"
    probe = _new_module(compile(probe_text, name, "exec"), name)
    # The host reads without limit; the usual high-water mark would drop messages without a word.
    iopub = kernel.iopub_thread
    iopub.schedule(lambda: iopub.socket.setsockopt(23, 0))  # 23: ZMQ_SNDHWM
    watch_crashes(wire_dir)
    watch_processes(wire_dir)
    if rehearsal_texts:
        names = [f"<_warp_nbprobe_rehearsal{number}>" for number in range(len(rehearsal_texts))]
        first, *parts = (
            _new_module(compile(text, name, "exec"), name, name[1:-1])
            for text, name in zip(rehearsal_texts, names, strict=True)
        )
        first.install(probe, archs, bool(only), parts)
    probe.start(wire_dir)
    equip(kernel, probe)
    _HELD.append(probe)


def main() -> None:
    """Run the kernel until it is told to end."""
    here = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0] or ".") == here:
        del sys.path[0]  # the kernel puts the working folder there itself, as always
    if sys.version_info < (3, 10):  # noqa: UP036 (a kernelspec may name any Python)
        sys.exit("warp_nbprobe: the child's Python is older than 3.10.")
    wire_dir = os.environ["WARP_NBPROBE_WIRE_DIR"]
    watch_crashes(wire_dir)
    watch_processes(wire_dir)
    probe = load_probe(os.path.join(here, "probe.py"))
    load_rehearsal(probe, here)
    probe.start(wire_dir)
    _HELD.append(probe)
    app = _application(probe)
    arguments = [*sys.argv[1:], "--HistoryManager.enabled=False", "--log-level=40"]
    sys.argv[0] = _usual_argv0()
    app.initialize(arguments)
    app.start()


def _usual_argv0() -> str:
    """Return what ``sys.argv[0]`` is in a kernel that Jupyter started."""
    from importlib.util import find_spec

    spec = find_spec("ipykernel_launcher")
    return spec.origin if spec is not None and spec.origin else sys.argv[0]


def _application(probe: ModuleType) -> Any:
    """Return the kernel application, not initialized."""
    # No debugger can attach to a child, so its start and its warnings are spared: while the kernel starts it
    # is not there. The user's own `import debugpy` works.
    sys.modules["debugpy"] = None  # type: ignore[assignment]
    from ipykernel.kernelapp import IPKernelApp

    class ChildKernelApp(IPKernelApp):
        """The usual kernel; loses no output and is equipped before any code of the user runs."""

        def init_control(self, context: Any) -> None:
            # For the sockets made from here on, the one for output among them. The usual limit is 1000
            # messages, and the rest is dropped without a word.
            context.sndhwm = 0
            super().init_control(context)  # type: ignore[no-untyped-call]

        def init_kernel(self) -> None:
            super().init_kernel()  # type: ignore[no-untyped-call]
            if sys.modules.get("debugpy", self) is None:
                del sys.modules["debugpy"]
            equip(self.kernel, probe)

    return ChildKernelApp.instance()


if __name__ == "__main__":
    main()
