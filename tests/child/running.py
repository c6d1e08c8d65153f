"""Runs small programs in processes of their own, with the probe or without it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from warp_nbprobe.data.records import Signature, Wire, read_wire

PROBE = Path(__file__).parents[2] / "warp_nbprobe" / "child" / "probe.py"

# Runs a program as Python itself would, behind the probe when a wire folder is given. Its own names are gone by then.
_RUNNER = """
import runpy, sys
program, probe, wire, before, *sys.argv[1:] = sys.argv[1:]
def load():
    import types
    module = types.ModuleType("_warp_nbprobe_probe")
    module.__file__ = probe
    with open(probe) as file:
        exec(compile(file.read(), probe, "exec"), module.__dict__)
    exec(before, {"probe": module})
    module.start(wire)
if wire:
    load()
del load, probe, wire, before
sys.argv[0] = program
sys.path[0] = program.rpartition("/")[0]
runpy.run_path(program, run_name="__main__")
"""

_DIFFERS = re.compile(r"took \d+\.\d+ ms|0x[0-9a-f]{6,}|_p\d+_t\d+|ipykernel_\d+|(?:CPU times|Wall time): .*")


@dataclass(frozen=True)
class Ran:
    """What one run of a program left."""

    out: str
    error: str
    code: int
    wires: list[Wire] = field(default_factory=list)  # the main process first

    @property
    def wire(self) -> Wire:
        (wire,) = self.wires
        return wire


def run(
    folder: Path, program: str, *args: str, probed: bool = True, before: str = "", python: tuple[str, ...] = (),
    cache: Path | None = None, **env: str,
) -> Ran:  # fmt: skip
    """Run a program's text as the file ``folder/program.py``.

    Args:
        folder: Holds the program, the cache and the wire; the file's name is the same in every run.
        program: Indented as it stands in the test.
        args: The program's arguments.
        probed: Whether the probe watches.
        before: Code that runs when the probe is loaded and has not started; it sees it as ``probe``.
        python: Options of the interpreter.
        cache: Warp's cache; one of the folder's own, when left out.
        env: More of the environment.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file, wire = folder / "program.py", folder / "wire"
    file.write_text(textwrap.dedent(program), encoding="utf-8")
    wire.mkdir(exist_ok=True)
    before_run = set(wire.iterdir())
    environment = {**os.environ, "WARP_CACHE_PATH": str(cache or folder / "cache"), "PYTHONHASHSEED": "0", **env}
    environment.pop("PYTHONPATH", None)
    line = [sys.executable, *python, "-c", _RUNNER, str(file), str(PROBE), str(wire) if probed else "", before, *args]
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)
    files = sorted(set(wire.glob("wire-*.jsonl")) - before_run, key=lambda path: path.stat().st_ctime_ns)
    wires = [read_wire(path, strict=True) for path in files]
    wires.sort(key=lambda wire: wire.header.t if wire.header is not None else 0)
    return Ran(done.stdout, done.stderr, done.returncode, wires)


def said(text: str) -> str:
    """Return printed text without the figures that differ from run to run."""
    return _DIFFERS.sub("...", text)


def events(wire: Wire) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return status, call and kernels of each event."""
    return [(event.status, event.trigger["call"], tuple(event.kernels)) for event in wire.events]


def launched(wire: Wire) -> list[Signature]:
    """Return the signature of each launch, in order."""
    return [wire.signatures[int(number)] for number in wire.order]


def line_of(program: str, part: str) -> int:
    """Return the number of the first line of a program's text that holds a part of it."""
    lines = textwrap.dedent(program).splitlines()
    return next(number for number, line in enumerate(lines, start=1) if part in line)
