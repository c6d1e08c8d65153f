"""From asking for a child to its first line running, beside a kernel started Jupyter's usual way."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from jupyter_client.manager import start_new_kernel

from warp_nbprobe.data.model import Cell
from warp_nbprobe.run.kernel import ChildSpec, run_cells
from warp_nbprobe.run.sandbox import open_sandbox

FIRST_LINE = "import time; begun = time.time(); open({path!r}, 'w').write(repr(begun));"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=10)
    given = arguments.parse_args()
    ours, usual = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "begun"
        for _ in range(given.rounds):
            usual.append(usual_start_s(path))
            ours.append(our_start_s(path))
    for name, values in (("Jupyter's usual way", usual), ("ours", ours)):
        print(f"{name:20} median {median(values):.3f} s, least {min(values):.3f}, most {max(values):.3f}")
    print(f"ours / usual {median(ours) / median(usual):.2f}; limit for ours 0.5 s")


def our_start_s(path: Path) -> float:
    asked = time.time()
    with open_sandbox() as sandbox:
        cell = Cell(FIRST_LINE.format(path=str(path)), 1)
        run = run_cells(
            [cell], sandbox=sandbox, run="cold", sample=1, spec=ChildSpec(None, Path.cwd()), relay=None, progress=None
        )
    if run.failure is not None:
        raise SystemExit(run.failure.message)
    return float(path.read_text(encoding="utf-8")) - asked


def usual_start_s(path: Path) -> float:
    asked = time.time()
    manager, client = start_new_kernel(stderr=subprocess.DEVNULL)
    try:
        client.execute_interactive(FIRST_LINE.format(path=str(path)), timeout=30)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return float(path.read_text(encoding="utf-8")) - asked


if __name__ == "__main__":
    main()
