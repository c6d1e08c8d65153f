"""Records the programs of ``tests/programs/explain`` anew: ``python tests/wire/explain/record.py [NAME ...]``.

Each is measured once, cold and warm, in child kernels (needs Warp). What is kept is one wire per process, the main
process first, with all that names this machine replaced. README.md beside this file says what made the wires.
"""

from __future__ import annotations

import base64
import json
import platform
import re
import shutil
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PROGRAMS = ROOT / "tests" / "programs" / "explain"


def cells_of(source: str) -> tuple[list[str], list[str]]:
    """Return the setup cells and the measured cells of a program; ``# %% setup`` begins a setup cell."""
    parts = re.split(r"(?m)^# %%(.*)\n", source)[1:]
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    setup = [text for mark, text in pairs if mark.strip() == "setup"]
    return setup, [text for mark, text in pairs if mark.strip() != "setup"]


def measure(path: Path, work: Path) -> Any:
    """Measure one program, once cold and once warm."""
    import warp_nbprobe as nb

    setup, cells = cells_of(path.read_text(encoding="utf-8"))
    return nb.measure(cells, samples=1, setup=setup or None, cwd=work, allow_errors=True, quiet=True)


def record(name: str) -> None:
    """Measure one program and write its wires."""
    with tempfile.TemporaryDirectory() as work:
        measured = measure(PROGRAMS / f"{name}.py", Path(work))
        shutil.rmtree(HERE / name, ignore_errors=True)
        for run in measured.recording.runs:
            folder = HERE / name / run.run
            folder.mkdir(parents=True)
            for number, wire in enumerate(run.wires):
                lines: list[Any] = list(wire.raw)
                packed = base64.b64encode(zlib.compress(wire.order.tobytes())).decode()
                lines.insert(len(lines) - 1, {"kind": "order", "n": len(wire.order), "zlib": packed})
                text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
                (folder / f"wire-{number}.jsonl").write_text(_without_this_machine(text, wire, work))


def _without_this_machine(text: str, wire: Any, work: str) -> str:
    cache = wire.header.env.get("WARP_CACHE_PATH") or "/nbp-00000000/cache"
    for old, new in (
        (work, "/home/user/work"),
        (cache.partition("/cache")[0], "/tmp/nbp-00000000"),
        (sys.prefix, "/opt/venv"),
        (str(ROOT), "/opt/source"),
        (f'"host":"{wire.header.machine.get("host")}"', '"host":"box"'),
    ):
        text = text.replace(old, new)
    return text


def main(names: list[str]) -> None:
    """Record the named programs, all of them when none is named."""
    import warp_nbprobe

    for name in names or sorted(path.stem for path in PROGRAMS.glob("*.py")):
        print(name, flush=True)
        record(name)
    versions = f"Python {platform.python_version()}, warp_nbprobe {warp_nbprobe.__version__}"
    print(f"made with {versions}; the header and warp lines of each wire name the rest")


if __name__ == "__main__":
    main(sys.argv[1:])
