"""How far the parts of each module event are from Warp's own figure for it."""

from __future__ import annotations

import argparse

import warp_nbprobe as nb
from warp_nbprobe.demo import example_cells


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--samples", type=int, default=3)
    given = arguments.parse_args()
    modules = nb.measure(example_cells(), samples=given.samples, quiet=True).modules
    rows = modules[["sample", "run", "module", "status", "ms", "other_ms"]].copy()
    rows["share"] = rows["other_ms"].abs() / rows["ms"]
    print(rows.to_string(index=False, float_format="{:.3f}".format))
    within = (rows["other_ms"].abs() < 2.0) | (rows["share"] < 0.02)
    print(f"within 2 ms or 2 % of Warp's own figure: {int(within.sum())} of {len(rows)} events")


if __name__ == "__main__":
    main()
