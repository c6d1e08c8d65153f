"""Every way in which a run can end, and what is told of it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import cloudpickle
import pytest

from tests.run.children import Seen, processes_with, run_once
from warp_nbprobe.data.model import Cell, Failure, Run
from warp_nbprobe.errors import KernelDidNotStart, KernelNotFound, NoWarp, UsageError, WarpTooOld
from warp_nbprobe.run.sandbox import Sandbox

pytestmark = pytest.mark.kernel

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def failure_of(run: Run) -> Failure:
    assert run.failure is not None
    return run.failure


def text_of(failure: Failure) -> str:
    return _COLOURS.sub("", "\n".join(failure.traceback))


def test_a_good_run_has_a_complete_wire_and_its_facts() -> None:
    run = run_once("1", "2")
    assert (run.failure, run.exit_code, run.sample, run.run) == (None, 0, 1, "cold")
    (wire,) = run.wires
    assert not wire.truncated
    assert wire.header is not None
    assert wire.header.pid == run.pid
    assert [begin.number for begin, _ in wire.cells] == [1, 2]
    assert (run.lto_artifacts, run.lto_bytes) == (0, 0)


def test_a_cell_that_raises_ends_the_run(seen: Seen) -> None:
    run = run_once("print('first')", "x = 1\nraise ValueError('no\\nno')", "print('never')", relay=seen)
    failure = failure_of(run)
    assert (failure.reason, failure.ename, failure.evalue, failure.cell) == ("raised", "ValueError", "no\nno", 1)
    assert failure.message == "Cell 2 raised ValueError: no."
    assert "line 2" in text_of(failure)
    assert seen.text() == "first\n"
    assert "error" not in seen.kinds()
    assert not run.wires[0].truncated


def test_a_cell_that_may_raise_does_not_end_the_run(seen: Seen) -> None:
    run = run_once(Cell("1 / 0", 1, allow_error=True), Cell("print('after')", 2), relay=seen)
    assert run.failure is None
    assert seen.kinds() == ["error", "stream"]
    assert seen.text() == "after\n"


def test_the_lines_of_a_traceback_are_the_editors() -> None:
    failure = failure_of(run_once(Cell("\nx = 1\n1 / 0", 3, first_line=2)))
    assert "In[3], line 4" in text_of(failure)


def test_a_syntax_error_is_an_error_of_the_cell() -> None:
    failure = failure_of(run_once("x = = 1"))
    assert (failure.ename, failure.cell) == ("SyntaxError", 0)


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [("import sys; sys.exit(3)", 3), ("import sys; sys.exit('sorry')", 1), ("raise SystemExit(4)", 4)],
)
def test_leaving_with_a_status_is_a_failure(code: str, exit_code: int) -> None:
    run = run_once(code, "never")
    assert failure_of(run).exit_code == run.exit_code == exit_code


@pytest.mark.parametrize("code", ["import sys; sys.exit()", "import sys; sys.exit(0)", "exit()", "quit", "exit"])
def test_leaving_without_one_ends_the_run_well(seen: Seen, code: str) -> None:
    run = run_once("print('first')", code, "print('never')", relay=seen)
    assert (run.failure, run.exit_code) == (None, 0)
    assert "never" not in seen.text()
    assert not run.wires[0].truncated


def test_a_child_that_leaves_at_once_died(seen: Seen) -> None:
    run = run_once("print('first', flush=True)", "import os; os._exit(7)", relay=seen)
    failure = failure_of(run)
    assert (failure.reason, failure.exit_code, failure.cell, run.exit_code) == ("died", 7, 1, 7)
    assert "cell 2" in failure.message
    assert seen.text() == "first\n"
    assert run.wires[0].truncated
    assert [end is not None for _, end in run.wires[0].cells] == [True, False]


def test_a_crash_in_native_code_is_placed_at_its_line() -> None:
    failure = failure_of(run_once(Cell("import ctypes\nctypes.string_at(0)", 5, first_line=2)))
    assert (failure.reason, failure.exit_code) == ("died", -11)
    assert failure.message == "The child was ended by SIGSEGV in cell 5, line 3."
    assert failure.crash is not None
    assert "Segmentation fault" in failure.crash


def test_a_kill_for_want_of_memory_is_guessed() -> None:
    failure = failure_of(run_once("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"))
    assert (failure.reason, failure.exit_code) == ("died", -9)
    assert "memory" in failure.message


def test_a_child_that_dies_after_its_last_cell_is_no_good_run() -> None:
    run = run_once(
        "import os, time\n"
        "session = get_ipython().kernel.session\n"
        "send = session.send\n"
        "def send_and_leave(stream, kind, content=None, *args, **kwargs):\n"
        "    sent = send(stream, kind, content, *args, **kwargs)\n"
        "    if kind == 'status' and content['execution_state'] == 'idle':\n"
        "        time.sleep(0.2)\n"
        "        os._exit(9)\n"
        "    return sent\n"
        "session.send = send_and_leave"
    )
    failure = failure_of(run)
    assert (failure.reason, failure.exit_code) == ("died", 9)
    assert "after cell 1 had ended" in failure.message


def test_an_allowed_error_may_be_any(seen: Seen) -> None:
    run = run_once(Cell("import sys; sys.exit(3)", 1, allow_error=True), Cell("print('after')", 2), relay=seen)
    assert (run.failure, run.exit_code, seen.text()) == (None, 0, "after\n")


def test_input_is_refused() -> None:
    failure = failure_of(run_once("name = input('name: ')"))
    assert failure.ename == "StdinNotImplementedError"
    assert "line 1" in text_of(failure)


def test_a_command_that_reads_finds_an_end(seen: Seen) -> None:
    run = run_once("import subprocess\nprint(subprocess.run(['cat'], capture_output=True).stdout)", relay=seen)
    assert run.failure is None
    assert seen.text() == "b''\n"


def test_pushed_variables_are_there_before_the_setup_code(seen: Seen) -> None:
    def twice(x: int) -> int:
        return 2 * x

    run = run_once(Cell("y = twice(n)", 1, phase="setup"), Cell("y", 2), relay=seen,
                   push=cloudpickle.dumps({"n": 21, "twice": _by_value(twice)}))  # fmt: skip
    assert run.failure is None
    assert seen.plain("execute_result") == ["42"]


def test_pushed_variables_that_cannot_be_loaded_are_told() -> None:
    failure = failure_of(run_once("1", push=b"no pickle"))
    assert failure.reason == "raised"
    assert "pushed variables" in failure.message
    assert failure.cell is None


def test_a_kernel_that_is_not_there_is_told_before_anything_starts() -> None:
    with pytest.raises(KernelNotFound, match="no-such-kernel"):
        run_once("1", kernel="no-such-kernel")


def test_a_working_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="missing"):
        run_once("1", cwd=tmp_path / "missing")


@pytest.mark.parametrize("code", ["import sys; print('my last words'); sys.exit(5)", "import time; time.sleep(1000)"])
def test_a_kernel_that_never_starts_is_told_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    _install(tmp_path, monkeypatch, "silent", [sys.executable, "-c", code])
    with pytest.raises(KernelDidNotStart) as caught:
        run_once("1", kernel="silent", start_timeout_s=2.0)
    assert caught.value.kernel == "silent"
    if "last words" in code:
        assert (caught.value.exit_code, "my last words" in str(caught.value)) == (5, True)
    assert caught.value.run.failure.reason == "died"


def test_a_command_that_is_no_program_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(tmp_path, monkeypatch, "gone", [str(tmp_path / "gone" / "bin" / "python"), "-m", "ipykernel_launcher"])
    with pytest.raises(KernelDidNotStart, match="FileNotFoundError"):
        run_once("1", kernel="gone")


def test_where_sockets_have_no_room_for_their_name_ports_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                                   seen: Seen) -> None:  # fmt: skip
    folder = tmp_path / ("long" * 25)
    folder.mkdir()
    monkeypatch.setenv("WARP_NBPROBE_SCRATCH", str(folder))
    told: list[str] = []

    def look(sandbox: Sandbox) -> None:
        told.append(json.loads((sandbox.root / "c" / "connection.json").read_text())["transport"])

    run = run_once("print('hello')", relay=seen, keep=look)
    assert (run.failure, seen.text(), told) == (None, "hello\n", ["tcp"])
    assert list(folder.iterdir()) == []


def test_a_relay_that_fails_leaves_nothing() -> None:
    class Broken:
        def message(self, kind: str, content: dict[str, object]) -> None:
            raise BrokenPipeError("nobody listens")

    with pytest.raises(BrokenPipeError):
        run_once("import subprocess; subprocess.Popen(['sleep', '44010'])\nprint('hello')", relay=Broken())
    assert processes_with("44010") == []


def test_a_named_kernel_of_this_environment_is_ours_to_launch(seen: Seen) -> None:
    run = run_once("import sys; print(sys.executable)", kernel="python3", relay=seen)
    assert run.failure is None
    assert seen.text() == f"{sys.executable}\n"
    assert not run.wires[0].truncated


def test_a_kernel_that_is_not_ours_to_launch_is_sent_the_probe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: Seen
) -> None:
    wrapper = tmp_path / "start.sh"
    wrapper.write_text(f'#!/bin/sh\n{sys.executable} -m ipykernel_launcher -f "$1"\n')
    wrapper.chmod(0o755)
    _install(tmp_path, monkeypatch, "wrapped", [str(wrapper), "{connection_file}"])
    cells = [Cell("print(sorted(n for n in globals() if not n.startswith('_')))", 4), Cell("import os\n1 / 0", 6)]
    run = run_once(*cells, kernel="wrapped", relay=seen)
    assert seen.text() == "['In', 'Out', 'exit', 'get_ipython', 'open', 'quit']\n"
    (wire,) = run.wires
    assert wire.header is not None
    assert wire.header.pid == run.pid
    assert [begin.number for begin, _ in wire.cells] == [4, 6]
    assert not wire.truncated
    assert "In[6], line 2" in text_of(failure_of(run))


def test_a_missing_warp_is_told_with_what_to_do() -> None:
    with pytest.raises(NoWarp) as caught:
        run_once("import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p]\nimport warp")
    assert "pip install warp-lang" in str(caught.value)
    assert caught.value.run.failure.ename == "ModuleNotFoundError"


def test_a_warp_that_is_too_old_is_told(tmp_path: Path) -> None:
    (tmp_path / "warp").mkdir()
    (tmp_path / "warp" / "__init__.py").write_text("__version__ = '1.2.3'\nclass config: version = '1.2.3'\n")
    with pytest.raises(WarpTooOld) as caught:
        run_once("import warp", cwd=tmp_path)
    assert caught.value.version == "1.2.3"
    assert caught.value.run is not None


def _install(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, argv: list[str]) -> None:
    monkeypatch.setenv("JUPYTER_PATH", str(folder))
    (folder / "kernels" / name).mkdir(parents=True)
    spec = {"argv": argv, "display_name": name, "language": "python"}
    (folder / "kernels" / name / "kernel.json").write_text(json.dumps(spec))


def _by_value(function):  # type: ignore[no-untyped-def]
    """Have cloudpickle take the function itself, as it does with one of a notebook."""
    function.__module__ = "__main__"
    return function
