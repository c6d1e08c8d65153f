"""Private folders: made for one sample, used through the environment, removed or swept afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from warp_nbprobe.errors import UsageError
from warp_nbprobe.run.sandbox import open_sandbox, sweep

_OWNER = """
import sys, time
from warp_nbprobe.run.sandbox import open_sandbox
with open_sandbox(keep=%r) as sandbox:
    (sandbox.tmp / "left").write_text("x")
    print(sandbox.root, flush=True)
    time.sleep(1000)
"""


def living_owner(*, keep: bool = False) -> tuple[subprocess.Popen[str], Path]:
    """Return a process that has a sandbox, and the sandbox."""
    owner = subprocess.Popen([sys.executable, "-c", _OWNER % keep], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    return owner, Path(owner.stdout.readline().strip())


def killed(owner: subprocess.Popen[str]) -> None:
    owner.kill()
    owner.communicate()


def killed_owner(*, keep: bool = False) -> Path:
    """Return the sandbox of a process that was killed while it had it."""
    owner, root = living_owner(keep=keep)
    killed(owner)
    return root


def test_a_sandbox_is_private_and_its_name_is_short(scratch: Path) -> None:
    with open_sandbox() as sandbox:
        assert sandbox.root.parent == scratch
        assert len(sandbox.root.name) == len("nbp-XXXXXXXX")
        assert sandbox.root.stat().st_mode & 0o777 == 0o700


def test_cold_and_warm_run_share_caches_and_temporary_folder_but_not_the_wire() -> None:
    with open_sandbox() as sandbox:
        cold, warm = (sandbox.environment(run, {"HOME": "/home/user"}) for run in ("cold", "warm"))
    differ = {name for name in cold if cold[name] != warm[name]}
    assert differ == {"WARP_NBPROBE_WIRE_DIR"}
    assert cold["HOME"] == "/home/user"
    private = ("WARP_CACHE_PATH", "WARP_CACHE_ROOT", "CUDA_CACHE_PATH", "TMPDIR")
    assert all(cold[name].startswith(str(sandbox.root)) for name in private)
    assert len({cold[name] for name in private}) == len(private)


def test_the_users_caches_are_replaced_whatever_they_were() -> None:
    with open_sandbox() as sandbox:
        base = {"WARP_CACHE_PATH": "/mine", "TMPDIR": "/mine"}
        environment = sandbox.environment("cold", base)
    assert "/mine" not in environment.values()
    assert base == {"WARP_CACHE_PATH": "/mine", "TMPDIR": "/mine"}


def test_nothing_is_left_of_a_sandbox(scratch: Path) -> None:
    with open_sandbox() as sandbox:
        locked = sandbox.tmp / "a" / "b"
        locked.mkdir(parents=True)
        (locked / "file").write_text("x")
        locked.chmod(0o500)
        (sandbox.tmp / "a").chmod(0o100)
        (sandbox.tmp / "loop").symlink_to(sandbox.root)
    assert list(scratch.iterdir()) == []


def test_a_sandbox_is_removed_when_its_user_fails(scratch: Path) -> None:
    with pytest.raises(ZeroDivisionError), open_sandbox():
        _ = 1 / 0
    assert list(scratch.iterdir()) == []


def test_what_a_link_points_to_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with open_sandbox() as sandbox:
        (sandbox.tmp / "link").symlink_to(tmp_path)
    assert (tmp_path / "mine").read_text() == "x"


def test_a_kept_sandbox_stays_and_is_not_swept(scratch: Path) -> None:
    with open_sandbox(keep=True) as sandbox:
        (sandbox.cache / "file").write_text("x")
    assert sweep() == 0
    assert (sandbox.cache / "file").read_text() == "x"
    subprocess.run(["rm", "-r", str(sandbox.root)], check=True)


def test_link_time_objects_are_counted_wherever_they_lie_in_the_caches() -> None:
    with open_sandbox() as sandbox:
        assert sandbox.lto() == (0, 0)
        folder = sandbox.cache / "warp" / "1.19.0" / "lto"
        folder.mkdir(parents=True)
        (folder / "a.lto").write_bytes(b"12345")
        (sandbox.cache / "root" / "b.ltoir").write_bytes(b"123")
        (folder / "a.meta").write_bytes(b"1")
        assert sandbox.lto() == (2, 8)


def test_leftovers_of_a_killed_owner_are_swept_at_the_next_start(scratch: Path) -> None:
    root = killed_owner()
    assert (root / "tmp" / "left").exists()
    with open_sandbox() as sandbox:
        assert list(scratch.iterdir()) == [sandbox.root]


def test_processes_of_a_killed_owner_are_ended() -> None:
    root = killed_owner()
    environment = {**os.environ, "WARP_NBPROBE_MARK": root.name}
    orphan = subprocess.Popen(["sleep", "98765"], env=environment, start_new_session=True)
    assert sweep() == 1
    assert orphan.wait(10) == -signal.SIGKILL


def test_a_living_owners_sandbox_is_not_swept() -> None:
    with open_sandbox() as sandbox:
        (sandbox.tmp / "mine").write_text("x")
        elsewhere = "from warp_nbprobe.run.sandbox import sweep; print(sweep())"
        swept = subprocess.run([sys.executable, "-c", elsewhere], capture_output=True, text=True, check=True)
        assert swept.stdout == "0\n"
        assert sweep() == 0
        assert (sandbox.tmp / "mine").exists()


def test_a_folder_that_was_to_be_kept_outlives_its_killed_owner(scratch: Path) -> None:
    root = killed_owner(keep=True)
    assert sweep() == 0
    assert (root / "tmp" / "left").exists()
    subprocess.run(["rm", "-r", str(root)], check=True)


def test_a_folder_without_an_owner_is_swept_once_it_is_old(scratch: Path) -> None:
    (scratch / "nbp-00000000").mkdir()
    assert sweep() == 0  # it may be one that is being made
    hour_ago = time.time() - 3600
    os.utime(scratch / "nbp-00000000", (hour_ago, hour_ago))
    assert sweep() == 1


def test_what_only_looks_alike_is_left_alone(scratch: Path) -> None:
    hour_ago = time.time() - 3600
    for name in ("nbp-notes", "nbp-0000000000", "other"):
        (scratch / name).mkdir()
        os.utime(scratch / name, (hour_ago, hour_ago))
    (scratch / "nbp-0000file").write_text("x")
    assert sweep() == 0
    assert len(list(scratch.iterdir())) == 4
    subprocess.run(["rm", "-r", *map(str, scratch.iterdir())], check=True)


def test_two_sweepers_at_once_do_not_disturb_each_other(scratch: Path) -> None:
    for owner in [living_owner()[0] for _ in range(3)]:
        killed(owner)
    code = "from warp_nbprobe.run.sandbox import sweep; print(sweep())"
    sweepers = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    swept = [int(sweeper.communicate()[0]) for sweeper in sweepers]
    assert sum(swept) == 3
    assert list(scratch.iterdir()) == []


def test_a_scratch_folder_that_is_none_is_said_before_anything_is_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WARP_NBPROBE_SCRATCH", str(tmp_path / "missing"))
    with pytest.raises(UsageError, match="WARP_NBPROBE_SCRATCH"), open_sandbox():
        pass
    assert list(tmp_path.iterdir()) == []
