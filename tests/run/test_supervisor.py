"""The supervisor: whatever a child started ends with it, by whatever way it tried to get away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.run.children import processes_with, wait_until
from warp_nbprobe.run.child import CHILD_FOLDER, Child
from warp_nbprobe.run.processes import Below, end_marked, marked

# Ways to get away from a parent; each leaves a sleeper with a number of its own.
_ESCAPES = {
    "a plain child": "subprocess.Popen(['sleep', N])",
    "a session of its own": "subprocess.Popen(['sleep', N], start_new_session=True)",
    "a double fork": "subprocess.run(['sh', '-c', f'setsid sh -c \"sleep {N} &\" &'])",
    "an emptied environment": "subprocess.Popen(['/bin/sleep', N], env={}, start_new_session=True)",
    "a double fork, a session and no environment": (
        "subprocess.run(['/bin/sh', '-c', f'/usr/bin/env -i /usr/bin/setsid /bin/sh -c \"/bin/sleep {N} &\" &'])"
    ),
    "an ignored SIGTERM": "subprocess.Popen(['sh', '-c', f'trap \"\" TERM INT HUP; sleep {N}; sleep {N}'])",
}


@pytest.fixture
def child(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Start children by their Python code; all are closed at the end."""
    started = []

    def start(code: str) -> Child:
        environment = {**os.environ, "WARP_NBPROBE_MARK": f"test-{os.getpid()}"}
        made = Child([sys.executable, "-S", "-c", code], environment=environment, cwd=tmp_path, log=tmp_path / "log")
        started.append(made)
        return made

    yield start
    for each in started:
        each.close()


def ended(child: Child) -> bool:
    child.read_status()
    return child.gone


@pytest.mark.parametrize("way", _ESCAPES)
def test_nothing_gets_away_from_a_child_that_ends(child, way: str) -> None:  # type: ignore[no-untyped-def]
    number = f"7700{list(_ESCAPES).index(way)}"
    one = child(f"import subprocess, time; N = {number!r}; {_ESCAPES[way]}; time.sleep(0.3)")
    wait_until(lambda: ended(one))
    assert one.exit_code == 0
    assert processes_with(number) == []


@pytest.mark.parametrize("way", _ESCAPES)
def test_nothing_gets_away_when_the_host_wants_the_end(child, way: str) -> None:  # type: ignore[no-untyped-def]
    number = f"7701{list(_ESCAPES).index(way)}"
    one = child(f"import subprocess, time; N = {number!r}; {_ESCAPES[way]}; time.sleep(1000)")
    wait_until(lambda: processes_with(number))
    one.end()
    wait_until(lambda: ended(one))
    assert one.exit_code == -signal.SIGKILL
    assert processes_with(number) == []


def test_a_chain_that_starts_itself_anew_is_caught(child) -> None:  # type: ignore[no-untyped-def]
    chain = "import os,sys\nwhile True:\n if os.fork(): os._exit(0)\n os.setsid()\n sum(range(20000))"
    one = child(f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-S', '-c', {chain!r}, '77020']); "
                "time.sleep(1000)")  # fmt: skip
    wait_until(lambda: processes_with("77020"))
    one.end()
    wait_until(lambda: ended(one))
    assert processes_with("77020") == []


def test_exit_code_and_signal_are_told(child) -> None:  # type: ignore[no-untyped-def]
    left, killed = child("raise SystemExit(7)"), child("import os; os.kill(os.getpid(), 11)")
    wait_until(lambda: ended(left) and ended(killed))
    assert (left.exit_code, killed.exit_code) == (7, -signal.SIGSEGV)


def test_a_command_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    environment = {**os.environ, "WARP_NBPROBE_MARK": "test"}
    one = Child([str(tmp_path / "missing")], environment=environment, cwd=tmp_path, log=tmp_path / "log")
    wait_until(lambda: ended(one))
    one.close()
    assert one.failed is not None
    assert "FileNotFoundError" in one.failed


def test_sigint_reaches_the_childs_whole_group(child, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    one = child(
        "import subprocess, time, signal\n"
        "inner = subprocess.Popen(['sleep', '77030'])\n"
        "open('ready', 'w').close()\n"
        "try: time.sleep(1000)\n"
        "except KeyboardInterrupt: raise SystemExit(40 - inner.wait())\n"
    )
    wait_until((tmp_path / "ready").exists)
    one.interrupt()
    wait_until(lambda: ended(one))
    assert one.exit_code == 40 + signal.SIGINT


def test_everything_ends_when_the_host_is_killed(tmp_path: Path) -> None:
    code = (
        "import os, sys, time; from pathlib import Path; from warp_nbprobe.run.child import Child\n"
        "Child(['sh', '-c', 'setsid sleep 77040 & sleep 77040'], "
        "environment={**os.environ, 'WARP_NBPROBE_MARK': 'x'}, cwd=Path.cwd(), "
        f"log=Path({str(tmp_path / 'log')!r}))\n"
        "time.sleep(1000)"
    )
    host = subprocess.Popen([sys.executable, "-c", code])
    wait_until(lambda: len(processes_with("77040")) == 2)
    host.kill()
    host.wait()
    wait_until(lambda: processes_with("77040") == [])


def test_a_child_whose_supervisor_was_killed_is_found_by_its_mark(child) -> None:  # type: ignore[no-untyped-def]
    away = "subprocess.Popen(['sleep', '77050'], start_new_session=True)"
    one = child(f"import subprocess, time; {away}; time.sleep(1000)")
    wait_until(lambda: processes_with("77050"))
    one.read_status()
    assert one.pid is not None
    supervisor = psutil.Process(one.pid).parent()
    assert supervisor is not None
    supervisor.kill()
    wait_until(lambda: ended(one))
    assert one.exit_code is None
    one.close()
    assert processes_with("77050") == []


def test_where_no_supervisor_adopts_orphans_those_seen_last_are_ended(
    child,
    monkeypatch: pytest.MonkeyPatch,  # type: ignore[no-untyped-def]
) -> None:
    """As on macOS: the supervisor is gone at once, and only what was below the child then is known."""
    monkeypatch.setattr("warp_nbprobe.run.child._ADOPTS", False)
    sleeper = "subprocess.Popen(['/bin/sleep', '77070'], env={}, start_new_session=True)"
    one = child(f"import subprocess, time; {sleeper}; time.sleep(1000)")
    wait_until(lambda: processes_with("77070"))
    one.read_status()
    below = Below(one.pid)
    one.close()
    below.end()
    assert processes_with("77070") == []


def test_the_mark_is_the_whole_value() -> None:
    environment = {**os.environ, "WARP_NBPROBE_MARK": "nbp-12345678"}
    sleeper = subprocess.Popen(["sleep", "77060"], env=environment)
    wait_until(lambda: marked("WARP_NBPROBE_MARK=nbp-12345678") == [sleeper.pid])
    assert marked("WARP_NBPROBE_MARK=nbp-1234567") == []
    assert end_marked("WARP_NBPROBE_MARK=nbp-12345678") == 1
    assert sleeper.wait(10) == -signal.SIGKILL


def test_the_childs_texts_are_where_they_are_looked_for() -> None:
    assert (CHILD_FOLDER / "supervisor.py").is_file()
    assert (CHILD_FOLDER / "launcher.py").is_file()
