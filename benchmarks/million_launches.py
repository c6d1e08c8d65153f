"""What a million launches cost: memory added in the child, size and writing time of the report."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from launch_cost import load_kernels, start_probe

import warp_nbprobe as nb

CODE = """
import warp as wp

wp.config.use_precompiled_headers = False


@wp.kernel
def fill(a: wp.array(dtype=float), value: float):
    a[wp.tid()] = value


@wp.kernel
def add(a: wp.array(dtype=float), b: wp.array(dtype=float)):
    a[wp.tid()] += b[wp.tid()]


x = wp.zeros(8, dtype=float, device="cpu")
y = wp.zeros(8, dtype=float, device="cpu")
for step in range({launches} // 4):
    wp.launch(fill, dim=8, inputs=[x, 1.0], device="cpu")
    wp.launch(add, dim=8, inputs=[x, y], device="cpu")
    wp.launch(add, dim=8, inputs=[x, y], device="cpu")
    if step % 3:
        wp.launch(fill, dim=4, inputs=[y, 1.0], device="cpu")
    else:
        wp.launch(add, dim=8, inputs=[y, x], device="cpu")
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--launches", type=int, default=1_000_000)
    arguments.add_argument("--worker", choices=["bare", "ours"], help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.worker:
        print(json.dumps(peak_mb(given.worker, given.launches)))
        return
    with tempfile.TemporaryDirectory() as folder:
        bare, ours = (run_worker(variant, given.launches, Path(folder)) for variant in ("bare", "ours"))
        print(f"peak memory of {given.launches:,} launches: bare {bare:.1f} MB, recorded {ours:.1f} MB")
        print(f"added {ours - bare:.1f} MB (limit 10)")
        write_report(given.launches, Path(folder))


def run_worker(variant: str, launches: int, folder: Path) -> float:
    wires = Path(tempfile.mkdtemp(dir=folder))
    environment = {**os.environ, "WARP_CACHE_PATH": str(folder / "cache"), "WARP_NBPROBE_WIRE_DIR": str(wires)}
    command = [sys.executable, __file__, "--worker", variant, "--launches", str(launches)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout.splitlines()[-1]))


def peak_mb(variant: str, launches: int) -> float:
    """Return the growth of the process's peak memory over the launches; runs in a process of its own."""
    if variant == "ours":
        start_probe()
    module = load_kernels()
    wp = module["wp"]
    arrays = [wp.zeros(8, dtype=float, device="cpu") for _ in range(4)]
    for _ in range(100):
        wp.launch(module["with_4"], dim=8, inputs=arrays, device="cpu")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(launches):
        wp.launch(module["with_4"], dim=8, inputs=arrays, device="cpu")
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def write_report(launches: int, folder: Path) -> None:
    measurement = nb.measure(CODE.format(launches=launches), samples=1, quiet=True)
    counted = int(measurement.launch_groups["count"].sum())
    print(f"launches in the report: {counted:,}")
    for name in ("report.json", "report.json.gz"):
        begin = time.perf_counter()
        measurement.save(folder / name)
        took_s = time.perf_counter() - begin
        print(f"{name}: {(folder / name).stat().st_size / 1e6:.3f} MB (limit 1), written in {took_s:.2f} s (limit 1)")


if __name__ == "__main__":
    main()
