"""Private folders of one sample, and the environment that makes a child use them.

A sandbox is a folder ``nbp-XXXXXXXX`` (mode 700; short, as socket paths hold 107 bytes) with the caches and
the temporary folder that a cold run and its warm run share, and a folder for each run with its wire, sockets
and log::

    nbp-1a2b3c4d/owner      locked by the process that made it, for as long as it lives
    nbp-1a2b3c4d/cache/     WARP_CACHE_PATH, WARP_CACHE_ROOT, CUDA_CACHE_PATH
    nbp-1a2b3c4d/tmp/       TMPDIR
    nbp-1a2b3c4d/c/, w/     the cold and the warm run; in each ``wire/`` and what makes processes write there
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from warp_nbprobe.errors import UsageError
from warp_nbprobe.run.hook import lay_hook
from warp_nbprobe.run.processes import end_marked

if sys.platform != "win32":
    import fcntl

SCRATCH_VARIABLE: Final = "WARP_NBPROBE_SCRATCH"
MARK_VARIABLE: Final = "WARP_NBPROBE_MARK"
WIRE_VARIABLE: Final = "WARP_NBPROBE_WIRE_DIR"

_PREFIX = "nbp-"
_YOUNG_S = 60.0  # a folder without an owner may be one that is being made


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The private folders of one sample."""

    root: Path
    kept: bool = False

    @property
    def mark(self) -> str:
        """What every process of this sandbox carries in its environment."""
        return self.root.name

    @property
    def cache(self) -> Path:
        """The folder that holds all caches."""
        return self.root / "cache"

    @property
    def tmp(self) -> Path:
        """The temporary folder of the children."""
        return self.root / "tmp"

    def run_folder(self, run: Literal["cold", "warm"]) -> Path:
        """Return the folder of one run, made when asked for first; its name is one letter."""
        folder = self.root / run[0]
        (folder / "wire").mkdir(parents=True, exist_ok=True)
        lay_hook(folder)
        return folder

    def environment(self, run: Literal["cold", "warm"], base: dict[str, str]) -> dict[str, str]:
        """Return ``base`` with the private folders in place of the user's; nothing else is dropped."""
        environment = dict(base)
        environment["WARP_CACHE_PATH"] = str(self.cache / "warp")
        environment["WARP_CACHE_ROOT"] = str(self.cache / "root")
        environment["CUDA_CACHE_PATH"] = str(self.cache / "cuda")
        for name in ("TMPDIR", "TEMP", "TMP") if os.name == "nt" else ("TMPDIR",):
            environment[name] = str(self.tmp)
        environment[WIRE_VARIABLE] = str(self.run_folder(run) / "wire")
        environment[MARK_VARIABLE] = self.mark
        return environment

    def lto(self) -> tuple[int, int]:
        """Return number and bytes of the link-time-optimisation objects in the caches."""
        found = [path for suffix in ("lto", "ltoir") for path in self.cache.rglob(f"*.{suffix}")]
        files = [path for path in found if path.is_file()]
        return len(files), sum(path.stat().st_size for path in files)


@contextmanager
def open_sandbox(*, keep: bool = False) -> Iterator[Sandbox]:
    """Make a sandbox, and remove it at the end with all that the children left in it (unless ``keep``).

    What a killed process left behind is swept first. Raises `UsageError` where no folder can be made.
    """
    if sys.platform == "win32":
        raise UsageError("A child is measured on Linux or macOS; on Windows use the Linux subsystem (WSL).")
    scratch = scratch_folder()
    sweep()
    sandbox = Sandbox(_new_folder(scratch), kept=keep)
    owner = _own(sandbox.root)
    try:
        if keep:
            (sandbox.root / "kept").touch()
        for folder in (sandbox.cache / "warp", sandbox.cache / "root", sandbox.cache / "cuda", sandbox.tmp):
            folder.mkdir(parents=True)
        yield sandbox
    finally:
        if not keep:
            remove_folder(sandbox.root)
        os.close(owner)


def scratch_folder() -> Path:
    """Return the folder in which sandboxes are made."""
    named = os.environ.get(SCRATCH_VARIABLE)
    folder = Path(named).expanduser().absolute() if named else Path(tempfile.gettempdir())
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        where = f"{SCRATCH_VARIABLE} names {folder}, which" if named else f"The temporary folder {folder}"
        raise UsageError(f"{where} is not a folder that can be written to; set {SCRATCH_VARIABLE} to one.")
    return folder


def sweep() -> int:
    """Remove sandboxes, and end processes, whose owner was killed; return how many sandboxes were swept.

    A sandbox is dead when its owner's lock can be had. Two sweepers at once do not disturb each other: the
    second finds the lock taken and takes the sandbox for a living one.
    """
    swept = 0
    for root in _own_folders(scratch_folder()):
        try:
            owner = os.open(root / "owner", os.O_RDWR)
        except FileNotFoundError:
            if _age_s(root) > _YOUNG_S and not (root / "kept").exists():
                swept += remove_folder(root)
            continue
        except OSError:
            continue
        try:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # it lives (or the file system has no locks, and then nothing is swept)
            continue
        else:
            end_marked(f"{MARK_VARIABLE}={root.name}")
            if (root / "kept").exists():
                (root / "owner").unlink(missing_ok=True)
            else:
                swept += remove_folder(root)
        finally:
            os.close(owner)
    return swept


def remove_folder(root: Path) -> bool:
    """Remove a folder with all that is in it, write-protected folders too; whether it is gone."""
    onexc: dict[str, Any] = {"onexc": _unlock} if sys.version_info >= (3, 12) else {"onerror": _unlock}
    for _ in range(3):  # a file may be made while the folder is emptied
        shutil.rmtree(root, **onexc)
        if not root.exists():
            return True
        time.sleep(0.05)
    return False


def _unlock(function: Any, path: str, error: object) -> None:
    """Let `shutil.rmtree` go on: give the folder the rights to be emptied and try once more."""
    try:
        for folder in (os.path.dirname(path), path):
            if stat.S_ISDIR(os.lstat(folder).st_mode):
                os.chmod(folder, stat.S_IRWXU)
        if function in (os.unlink, os.rmdir):
            function(path)
        else:  # a folder that could not be listed
            shutil.rmtree(path, ignore_errors=True)
    except OSError:
        return  # the next round, or the next sweep


def _new_folder(scratch: Path) -> Path:
    """Make a folder of a name that nobody has."""
    while True:
        root = scratch / f"{_PREFIX}{secrets.token_hex(4)}"
        try:
            root.mkdir(mode=0o700)
        except FileExistsError:
            continue
        except OSError as error:
            raise UsageError(
                f"No folder can be made in {scratch}: {error}. Set {SCRATCH_VARIABLE} to one with space."
            ) from error
        return root


def _own(root: Path) -> int:
    """Write and lock the file ``owner``; return its descriptor, which holds the lock until it is closed.

    The file is locked before it has its name, so that no sweeper can find it without the lock.
    """
    new = root / "owner.new"
    owner = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(owner, f"{os.getpid()}\n".encode())
    with contextlib.suppress(OSError):  # a file system without locks: then nobody can sweep it either
        fcntl.flock(owner, fcntl.LOCK_EX)
    new.rename(root / "owner")
    return owner


def _own_folders(scratch: Path) -> list[Path]:
    """Return the sandboxes of this user in a folder."""
    found = []
    with os.scandir(scratch) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and len(entry.name) == len(_PREFIX) + 8:
                try:
                    mine = entry.is_dir(follow_symlinks=False) and entry.stat().st_uid == os.getuid()
                except OSError:  # gone since
                    continue
                if mine:
                    found.append(Path(entry.path))
    return sorted(found)


def _age_s(path: Path) -> float:
    """Return how long ago a folder was changed; 0 when it is gone."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0
