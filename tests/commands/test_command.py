"""Any command as the child: its output, its end, what is left of it. No Warp in here."""

from __future__ import annotations

import os
import signal
import sys
import threading
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from tests.commands.commands import run_once, run_python
from tests.run.children import Seen, processes_with
from warp_nbprobe.data.frames import runs_frame
from warp_nbprobe.data.model import Recording
from warp_nbprobe.errors import UsageError
from warp_nbprobe.run.command import CommandSpec, run_command
from warp_nbprobe.run.measure import measure_samples
from warp_nbprobe.run.runner import CommandRunner
from warp_nbprobe.run.sandbox import open_sandbox


def test_both_streams_pass_through_apart(seen: Seen) -> None:
    run = run_once("sh", "-c", "echo out; echo err >&2", relay=seen)

    assert (seen.text("stdout"), seen.text("stderr")) == ("out\n", "err\n")
    assert (run.failure, run.exit_code) == (None, 0)


def test_output_is_shown_while_the_command_runs(tmp_path: Path) -> None:
    class Answering(Seen):
        """Lets the command go on once its first line has come."""

        def message(self, kind: str, content: dict[str, Any]) -> None:
            super().message(kind, content)
            (tmp_path / "seen").touch()

    seen = Answering()
    code = "import os, time\nprint('first')\nwhile not os.path.exists('seen'): time.sleep(0.01)\nprint('second')"
    run = run_python(code, relay=seen, cwd=tmp_path)

    assert run.failure is None
    assert seen.text() == "first\nsecond\n"


def test_bytes_that_are_no_text_and_characters_in_pieces_are_survived(seen: Seen) -> None:
    code = (
        "import os, time\n"
        "os.write(1, b'\\xff|' + 'é'.encode()[:1])\n"
        "time.sleep(0.2)\n"
        "os.write(1, 'é'.encode()[1:] + b'|\\xc3')"
    )
    run_python(code, relay=seen)

    assert seen.text() == "\ufffd|é|\ufffd"


def test_much_output_comes_whole(seen: Seen) -> None:
    run_python("for i in range(200_000): print(i)", relay=seen)

    assert seen.text() == "".join(f"{i}\n" for i in range(200_000))


def test_nobody_answers_a_command_that_asks(seen: Seen) -> None:
    run = run_python("input()", relay=seen)

    assert run.failure is not None
    assert run.failure.ename == "EOFError"


def test_a_status_is_a_failure_with_the_traceback_shown(seen: Seen) -> None:
    run = run_python("def f(): raise ValueError('no')\nf()", relay=seen)

    assert run.exit_code == 1
    assert run.failure is not None
    assert (run.failure.reason, run.failure.ename, run.failure.evalue) == ("raised", "ValueError", "no")
    assert seen.text("stderr").endswith("ValueError: no\n")
    assert run.failure.traceback == tuple(seen.text("stderr").splitlines())


def test_a_signal_is_a_death() -> None:
    run = run_python("import os, signal; os.kill(os.getpid(), signal.SIGTERM)")

    assert run.exit_code == -signal.SIGTERM
    assert run.failure is not None
    assert run.failure.reason == "died"
    assert "SIGTERM" in run.failure.message


def test_a_time_out_ends_the_whole_tree(seen: Seen) -> None:
    code = (
        "import subprocess, sys, time\n"
        "subprocess.Popen(['sh', '-c', 'trap \"\" INT TERM; sleep 77101; sleep 77101'], start_new_session=True)\n"
        "subprocess.Popen(['sleep', '77101'], env={})\n"
        "try: time.sleep(77101)\nfinally: print('asked to stop')"
    )
    run = run_python(code, timeout_s=1.0, relay=seen)

    assert run.failure is not None
    assert run.failure.reason == "timeout"
    assert run.failure.traceback[-1] == "KeyboardInterrupt"
    assert seen.text() == "asked to stop\n"
    assert processes_with("77101") == []


def test_a_time_out_ends_a_command_that_does_not_listen() -> None:
    run = run_once("sh", "-c", "trap '' INT TERM; while :; do sleep 77102; done", timeout_s=0.5)

    assert run.failure is not None
    assert run.failure.reason == "timeout"
    assert run.exit_code == -signal.SIGKILL
    assert processes_with("77102") == []


def test_an_interrupt_stops_the_command_and_is_a_failure_of_its_own() -> None:
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    run = run_once("sleep", "77103")
    timer.join()

    assert run.failure is not None
    assert run.failure.reason == "interrupted"
    assert processes_with("77103") == []


def test_what_a_command_leaves_running_ends_with_it() -> None:
    run = run_once("sh", "-c", "setsid sleep 77104 & sleep 77104 & exit 0")

    assert run.failure is None
    assert processes_with("77104") == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such-command"], "'no-such-command' was not found on PATH"),
        (["./no-such-file"], "'./no-such-file' does not exist in"),
        (["/etc/passwd"], "is not a program that can be run"),
        (["A=1"], "There is no command to measure"),
    ],
)
def test_a_command_that_cannot_be_started_is_named(arguments: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        run_once(*arguments)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        run_once("true", cwd=tmp_path / "none")


def test_the_command_has_private_caches_and_what_was_set_for_it(seen: Seen) -> None:
    names = ["HOME", "WARP_CACHE_PATH", "CUDA_CACHE_PATH", "TMPDIR", "MINE", "OTHER"]
    code = f"import os\nfor name in {names}: print(os.environ[name])"
    run_once("OTHER=2", sys.executable, "-c", code, relay=seen, env={"MINE": "1"})
    home, *private, mine, other = seen.text().splitlines()

    assert home == os.environ["HOME"]
    assert all("/nbp-" in path for path in private)
    assert (mine, other) == ("1", "2")


def test_a_command_without_warp_is_timed_all_the_same() -> None:
    run = run_python("pass")
    (row,) = runs_frame(_recording(run)).to_dict("records")

    assert row["wall_ms"] >= 0
    assert not row["truncated"]
    assert run.wires[0].pid == run.pid
    assert run.wires[0].warp is None


def test_a_process_that_is_not_the_command_writes_nothing_without_warp() -> None:
    run = run_once("sh", "-c", f"{sys.executable} -c pass; true")

    assert run.failure is None
    assert run.wires == ()


def test_only_the_first_cold_run_is_shown_and_a_later_one_that_fails(tmp_path: Path, seen: Seen) -> None:
    code = (
        "import os, pathlib\ncount = len(list(pathlib.Path().glob('ran-*')))\npathlib.Path(f'ran-{count}').touch()\n"
        "print('run', count)\nraise SystemExit(7 if count == 2 else 0)"
    )
    spec = CommandSpec((sys.executable, "-c", code), tmp_path)
    runs, _ = measure_samples(CommandRunner(spec, samples=3, relay=seen), samples=3)

    assert [(run.sample, run.run, run.exit_code) for run in runs] == [
        (1, "cold", 0), (1, "warm", 0), (2, "cold", 7), (3, "cold", 0), (3, "warm", 0),
    ]  # fmt: skip
    assert seen.text() == "run 0\nrun 2\n"
    assert "cold run of sample 2, which failed" in seen.text("stderr")


def test_a_warm_run_has_the_caches_that_its_cold_run_filled(seen: Seen) -> None:
    code = (
        "import os, pathlib\nfor name in ('WARP_CACHE_PATH', 'TMPDIR'):\n"
        "    mark = pathlib.Path(os.environ[name], 'mark')\n    print(mark.exists())\n    mark.touch()"
    )
    spec = CommandSpec((sys.executable, "-c", code), Path.cwd())
    with open_sandbox() as sandbox:
        for word in ("cold", "warm"):
            run_command(spec, sandbox=sandbox, run=word, sample=1, relay=seen, progress=None)  # type: ignore[arg-type]

    assert seen.text().split() == ["False", "False", "True", "True"]


def _recording(*runs: Any) -> Recording:
    return Recording("command", (), 1, runs, {}, datetime.now(timezone.utc), "0")
