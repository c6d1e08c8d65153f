"""What recording adds to a launch, beside a bare launch and a wrapper that appends a dict for each.

The wrapper stands for the usual way to record launches (one dict a launch with kernel, module, dim, device, dtypes,
block_dim and adjoint). Each variant runs in processes of its own, taking turns; a variant's figure is the least
of its batches, since noise only adds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

ARRAYS = (1, 4, 12)
BATCH = 200
# What NVIDIA's wrapper was measured to add on a quiet machine, as a share of a bare launch there: it is not part of
# this repository, so its share stands for it beside the wrapper that is.
NVIDIA_SHARE = {"1": 2.4 / 6.2, "4": 3.1 / 9.2, "12": 4.6 / 16.8}
VARIANTS = ("bare", "ours", "dicts")

KERNELS = """
import warp as wp

wp.config.use_precompiled_headers = False


@wp.kernel
def with_1(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


@wp.kernel
def with_4(a: wp.array(dtype=float), b: wp.array(dtype=float), c: wp.array(dtype=float), d: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


@wp.kernel
def with_12(
    a: wp.array(dtype=float), b: wp.array(dtype=float), c: wp.array(dtype=float), d: wp.array(dtype=float),
    e: wp.array(dtype=float), f: wp.array(dtype=float), g: wp.array(dtype=float), h: wp.array(dtype=float),
    i: wp.array(dtype=float), j: wp.array(dtype=float), k: wp.array(dtype=float), m: wp.array(dtype=float),
):
    a[wp.tid()] = 1.0
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--launches", type=int, default=20_000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--worker", choices=VARIANTS, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.worker:
        print(json.dumps(time_launches(given.worker, given.launches)))
        return
    best: dict[str, dict[str, float]] = {variant: {} for variant in VARIANTS}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(given.rounds):
            for variant in VARIANTS:
                for arrays, us in run_worker(variant, given.launches, Path(folder)).items():
                    best[variant][arrays] = min(us, best[variant].get(arrays, us))
    show(best)


def run_worker(variant: str, launches: int, folder: Path) -> dict[str, float]:
    wires = Path(tempfile.mkdtemp(dir=folder))
    environment = {**os.environ, "WARP_CACHE_PATH": str(folder / "cache"), "WARP_NBPROBE_WIRE_DIR": str(wires)}
    command = [sys.executable, __file__, "--worker", variant, "--launches", str(launches)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def time_launches(variant: str, launches: int) -> dict[str, float]:
    """Return microseconds per launch, by number of array arguments; runs in a process of its own."""
    if variant == "ours":
        start_probe()
    module = load_kernels()
    wp = module["wp"]
    if variant == "dicts":
        record_dicts(wp)
    figures = {}
    for arrays in ARRAYS:
        kernel = module[f"with_{arrays}"]
        inputs = [wp.zeros(8, dtype=float, device="cpu") for _ in range(arrays)]
        figures[str(arrays)] = per_launch_us(wp, kernel, inputs, launches)
    return figures


def per_launch_us(wp: Any, kernel: Any, inputs: list[Any], launches: int) -> float:
    best = float("inf")
    for _ in range(launches // BATCH):
        begin = time.perf_counter()
        for _ in range(BATCH):
            wp.launch(kernel, dim=8, inputs=inputs, device="cpu")
        best = min(best, time.perf_counter() - begin)
    return best * 1e6 / BATCH


def load_kernels() -> dict[str, Any]:
    """Import the kernels from a file, which Warp needs to read their source."""
    folder = tempfile.mkdtemp()
    Path(folder, "bench_kernels.py").write_text(KERNELS, encoding="utf-8")
    sys.path.insert(0, folder)
    return vars(import_module("bench_kernels"))


def start_probe() -> None:
    """Load the probe as the child's launcher does."""
    import warp_nbprobe.child.launcher as launcher

    probe = launcher.load_probe(str(Path(launcher.__file__).with_name("probe.py")))
    probe.start(os.environ["WARP_NBPROBE_WIRE_DIR"])


def record_dicts(wp: Any) -> None:
    records: list[dict[str, Any]] = []
    original = wp.launch

    def launch(kernel: Any, dim: Any, inputs: Any = (), outputs: Any = (), **others: Any) -> Any:
        records.append(
            {
                "kernel": kernel.key,
                "module": kernel.module.name,
                "dim": [int(size) for size in (dim if isinstance(dim, tuple | list) else (dim,))],
                "device": str(others.get("device")),
                "dtypes": [str(value.dtype) for value in (*inputs, *outputs) if hasattr(value, "dtype")],
                "block_dim": others.get("block_dim"),
                "adjoint": bool(others.get("adjoint", False)),
            }
        )
        return original(kernel, dim, inputs, outputs, **others)

    wp.launch = launch


def show(best: dict[str, dict[str, float]]) -> None:
    print("microseconds per launch")
    heads = ("arrays", "bare", "ours adds", "dicts add", "ours/bare", "ours/dicts", "ours/NVIDIA's")
    print("".join(f"{head:>14}" for head in heads))
    for arrays in map(str, ARRAYS):
        bare, ours, dicts = (best[variant][arrays] for variant in VARIANTS)
        added, naive = ours - bare, dicts - bare
        ratios = (added / bare, added / naive, added / (bare * NVIDIA_SHARE[arrays]))
        times = "".join(f"{us:14.2f}" for us in (bare, added, naive))
        print(f"{arrays:>14}{times}" + "".join(f"{ratio:14.3f}" for ratio in ratios))
    print("limits: ours/bare 0.100, ours/NVIDIA's 0.250")


if __name__ == "__main__":
    main()
