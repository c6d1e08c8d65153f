"""Stopping a run: by the user, by the clock, politely or not, and nothing of it is left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.run.children import Seen, cells_of, processes_with, run_once, wait_until
from warp_nbprobe.run import stop as stopping
from warp_nbprobe.run.kernel import ChildSpec
from warp_nbprobe.run.measure import measure_samples
from warp_nbprobe.run.processes import marked
from warp_nbprobe.run.progress import Progress
from warp_nbprobe.run.runner import KernelRunner
from warp_nbprobe.run.sandbox import sweep
from warp_nbprobe.run.stop import stoppable

pytestmark = pytest.mark.kernel

# The pause lets the child's thread for output have its turn before native code holds the interpreter.
READY = "print('ready', flush=True)\n__import__('time').sleep(0.1)\n"


class Presses(Seen):
    """A relay that presses stop a moment after the child said that it is ready, as often as it is told."""

    def __init__(self, times: int = 1) -> None:
        super().__init__()
        self.times = times

    def message(self, kind: str, content: dict[str, object]) -> None:
        super().message(kind, content)
        if content.get("text") == "ready\n":
            threading.Timer(0.5, self.press).start()

    def press(self) -> None:
        for _ in range(self.times):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)  # two signals at once are one


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give children all the time they need: this machine may be busy."""
    monkeypatch.setattr(stopping, "GRACE_S", 30.0)
    monkeypatch.setattr(stopping, "LIMIT_S", 30.0)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import time\ntime.sleep(1000)",
        "import asyncio\nawait asyncio.sleep(1000)",
        "!sleep 1000",
        "import subprocess\nsubprocess.run(['sleep', '1000'])",
    ],
)
def test_python_code_is_stopped_where_it_is_and_its_wire_is_complete(code: str) -> None:
    run = run_once(READY + code, "never", relay=Presses())
    assert run.failure is not None
    assert (run.failure.reason, run.failure.cell) == ("interrupted", 0)
    assert run.exit_code == 0
    assert not run.wires[0].truncated


@pytest.mark.parametrize(
    "code",
    [
        "sum(range(10**15))",  # native code does not look at signals
        "import time\nwhile True:\n    try: time.sleep(1)\n    except KeyboardInterrupt: pass",
        "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    ],
)
def test_code_that_does_not_stop_is_killed(code: str) -> None:
    run = run_once(READY + code, relay=Presses())
    assert run.failure is not None
    assert run.failure.reason == "interrupted"
    assert run.exit_code == -signal.SIGKILL
    assert run.wires[0].truncated


def test_a_second_press_kills_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "GRACE_S", 1000.0)
    run = run_once(READY + "sum(range(10**15))", relay=Presses(times=2))
    assert run.exit_code == -signal.SIGKILL


def test_code_that_floods_the_output_is_stopped() -> None:
    run = run_once(READY + "while True: print('x' * 1000)", relay=Presses())
    assert run.failure is not None
    assert run.failure.reason == "interrupted"


@pytest.mark.usefixtures("patient")
def test_code_that_ends_well_in_spite_of_the_press_was_interrupted_all_the_same() -> None:
    code = "import time\ntry: time.sleep(1000)\nexcept KeyboardInterrupt: print('swallowed')"
    run = run_once(READY + code, relay=Presses())
    assert run.failure is not None
    assert (run.failure.reason, run.exit_code) == ("interrupted", 0)


def test_a_press_while_the_child_starts_ends_it() -> None:
    with stoppable():
        os.kill(os.getpid(), signal.SIGINT)
        run = run_once("print('never')")
    assert run.failure is not None
    assert run.failure.reason == "interrupted"
    assert run.wires == () or not run.wires[0].cells


@pytest.mark.usefixtures("patient")
def test_the_place_where_it_was_stopped_is_told() -> None:
    run = run_once(READY + "def f():\n    while True: pass\nf()", relay=Presses())
    assert run.failure is not None
    assert "line 4" in re.sub(r"\x1b\[[0-9;]*m", "", "".join(run.failure.traceback))


@pytest.mark.parametrize("code", ["while True: pass", "sum(range(10**15))"])
def test_code_that_takes_too_long_is_stopped(code: str) -> None:
    run = run_once(code, "never", timeout_s=0.5)
    assert run.failure is not None
    assert (run.failure.reason, run.failure.cell) == ("timeout", 0)
    assert "0.5 s" in run.failure.message


def test_pushed_variables_that_take_too_long_are_stopped() -> None:
    class Slow:
        def __reduce__(self):  # type: ignore[no-untyped-def]
            return exec, ("while True: pass",)

    import pickle

    run = run_once("never", push=pickle.dumps(Slow()), timeout_s=0.5)
    assert run.failure is not None
    assert (run.failure.reason, run.failure.cell) == ("timeout", None)


_ESCAPES = (
    "import subprocess\n"
    "subprocess.Popen(['sleep', '66010'], start_new_session=True)\n"
    "subprocess.run(['sh', '-c', 'setsid sh -c \"sleep 66010 &\" &'])\n"
    "subprocess.Popen(['/bin/sleep', '66010'], env={}, start_new_session=True)\n"
    "import multiprocessing, time\n"
    "worker = multiprocessing.get_context('fork').Process(target=time.sleep, args=(66010,))\nworker.start()\n"
)


@pytest.mark.parametrize(
    "end",
    [
        "1",
        "1 / 0",
        "import os; os._exit(1)",
        "import sys; sys.exit(1)",
        "exit()",
        "while True: pass",
        "sum(range(10**15))",
    ],
)
def test_no_process_is_left_whatever_the_end(end: str) -> None:
    marks: list[str] = []
    run_once(_ESCAPES, end, timeout_s=1.5, keep=lambda sandbox: marks.append(sandbox.mark))
    assert processes_with("66010") == []
    assert marked(f"WARP_NBPROBE_MARK={marks[0]}") == []


def test_a_thread_that_never_ends_does_not_keep_the_child() -> None:
    run = run_once("import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()")
    assert run.failure is None
    assert not run.wires[0].truncated


_HOST = """
import sys
import threading
import time
from pathlib import Path
from warp_nbprobe.data.model import Cell
from warp_nbprobe.relay import StreamRelay
from warp_nbprobe.run.kernel import ChildSpec
from warp_nbprobe.run import stop as stopping
from warp_nbprobe.run.kernel import ChildSpec
from warp_nbprobe.run.measure import measure_samples
from warp_nbprobe.run.runner import KernelRunner
cells = [Cell(sys.argv[1], 1)]
runner = KernelRunner(cells, ChildSpec(None, Path.cwd()), samples=2, relay=StreamRelay())
runs, interrupted = measure_samples(runner, samples=2)
print("runs", [(run.sample, run.run, run.failure and run.failure.reason) for run in runs], interrupted)
"""


def host_of(code: str) -> subprocess.Popen[str]:
    """Start a script that measures code, and wait until that says that it is ready."""
    host = subprocess.Popen([sys.executable, "-c", _HOST, code], stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    assert host.stdout.readline() == "ready\n"
    return host


def test_a_killed_host_leaves_no_process_and_its_folder_is_swept(scratch: Path) -> None:
    host = host_of(f"{READY}import subprocess, ctypes\nsubprocess.Popen(['sleep', '66020'], start_new_session=True)\n"
                   "ctypes.PyDLL(None).sleep(1000)")  # fmt: skip
    wait_until(lambda: processes_with("66020"))
    (root,) = scratch.glob("nbp-*")
    host.kill()
    host.communicate()
    wait_until(lambda: not marked(f"WARP_NBPROBE_MARK={root.name}"))
    assert processes_with("66020") == []
    assert sweep() == 1


def test_a_script_that_is_interrupted_keeps_what_it_has() -> None:
    host = host_of(f"{READY}import time; time.sleep(1000)")
    host.send_signal(signal.SIGINT)
    out, _ = host.communicate(timeout=60)
    assert out == "runs [(1, 'cold', 'interrupted')] True\n"


def test_a_press_in_the_terminal_reaches_the_host_alone() -> None:
    """The whole foreground group gets it; the child has a group of its own."""
    code = (
        f"{READY}import time\ntry: time.sleep(1000)\nexcept KeyboardInterrupt as error: first = error\ntime.sleep(0.3)"
    )
    host = subprocess.Popen(
        [sys.executable, "-c", _HOST, code], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert host.stdout is not None
    assert host.stdout.readline() == "ready\n"
    os.killpg(host.pid, signal.SIGINT)
    out, _ = host.communicate(timeout=60)
    assert out == "runs [(1, 'cold', 'interrupted')] True\n"


def test_the_first_cold_run_is_shown_and_later_ones_are_silent(seen: Seen) -> None:
    told: list[Progress] = []
    runner = KernelRunner(
        cells_of("print('hello')"), ChildSpec(None, Path.cwd()), samples=2, relay=seen, progress=told.append
    )
    runs, interrupted = measure_samples(runner, samples=2)
    assert seen.text() == "hello\n"
    assert [(run.sample, run.run, run.failure) for run in runs] == [
        (1, "cold", None),
        (1, "warm", None),
        (2, "cold", None),
        (2, "warm", None),
    ]
    assert not interrupted
    assert {progress.samples for progress in told} == {2}
    assert told[-1].estimate_s is not None


def test_a_later_run_that_fails_shows_its_output(seen: Seen) -> None:
    cell = (
        "import os\npath = os.environ['WARP_CACHE_PATH'] + '/been'\nprint('hello')\n"
        "assert not os.path.exists(path)\nopen(path, 'w').close()"
    )
    runner = KernelRunner(cells_of(cell), ChildSpec(None, Path.cwd()), samples=1, relay=seen)
    runs, _ = measure_samples(runner, samples=1)
    assert [run.failure is None for run in runs] == [True, False]
    assert seen.text() == "hello\nhello\n"
    assert "output of the warm run of sample 1, which failed" in seen.text("stderr")
