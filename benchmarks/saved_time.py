"""Whether what is called avoidable is saved: programs and the same programs put right, each measured.

``python benchmarks/saved_time.py [SAMPLES]``. A row: the program's ``build_ms``, what is called avoidable in it, the
``build_ms`` of the program put right, and what was saved. Said and saved should agree within the noise.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import warp_nbprobe as nb

ROOT = Path(__file__).parents[1]
PAIRS = (
    ("late_cell", "late_cell_fixed"),
    ("closure_variants", "closure_variants_fixed"),
    ("generic_types", "generic_types_fixed"),
    ("threads_same", "threads_after_load"),
    ("preload_everything", "preload_right"),
    ("block_dims", "block_dims_fixed"),
)


def figures(name: str, samples: int) -> tuple[float, float, float]:
    """Return ``build_ms`` with its deviation, and ``avoidable_ms``, of a program in tests/programs/explain."""
    sys.path.insert(0, str(ROOT))
    from tests.wire.explain.record import cells_of

    setup, cells = cells_of((ROOT / "tests" / "programs" / "explain" / f"{name}.py").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as work:
        measured: Any = nb.measure(cells, samples=samples, setup=setup or None, cwd=work, quiet=True)
    build = measured.summary.loc["build_ms"]
    return float(build["median"]), float(build["mad"]), float(measured.summary.loc["avoidable_ms", "median"])


def main() -> int:
    """Print one row for each pair."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print(f"{'program':22} {'build':>9} {'avoidable':>10} {'put right':>10} {'saved':>8}   noise (ms)")
    for wrong, right in PAIRS:
        before, deviation, avoidable = figures(wrong, samples)
        after, other, _ = figures(right, samples)
        noise = max(0.01 * before, 2 * max(deviation, other), 5.0)
        print(
            f"{wrong:22} {before:9.0f} {avoidable:10.0f} {after:10.0f} {before - after:8.0f}   {noise:.0f}", flush=True
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
