"""How long comparing takes: one million launches against one million, three samples on each side."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any, Literal

import numpy as np

from warp_nbprobe.data.model import Cell, Recording, Run
from warp_nbprobe.data.records import Wire, parse_wire
from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.measurement import Measurement

MS = 1_000_000


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--launches", type=int, default=1_000_000)
    arguments.add_argument("--kinds", type=int, default=200)
    given = arguments.parse_args()
    order = np.random.default_rng(0).integers(1, given.kinds + 1, given.launches, dtype=np.uint32)
    late = order.copy()
    late[-1] = late[-1] % given.kinds + 1
    base = Measurement(recording(order, given.kinds))
    for name, other in (("the same launches", order), ("the last launch differs", late)):
        for how in ("verdict", "everything"):
            tuned = Measurement(recording(other, given.kinds))
            fresh = Comparison(replace_measurement(base), tuned)
            begin = time.perf_counter()
            verdict = fresh.verdict
            if how == "everything":
                shown(fresh)
            took_s = time.perf_counter() - begin
            print(f"{given.launches:,} against {given.launches:,}, {name}, {how}: {took_s:.2f} s (limit 1): {verdict}")


def shown(comparison: Comparison) -> None:
    """Compute all that a comparison has, but for the figures that need a diagnosis."""
    _ = comparison.reasons, comparison.identities, comparison.launches, comparison.renames, comparison.results
    _ = comparison.not_checked, comparison.more_built


def replace_measurement(measurement: Measurement) -> Measurement:
    return Measurement(replace(measurement.recording, label="base"))


def recording(order: np.ndarray[Any, np.dtype[np.uint32]], kinds: int) -> Recording:
    runs = []
    for sample in (1, 2, 3):
        runs += [run("cold", sample, order, kinds), run("warm", sample, order, kinds)]
    created = datetime(2025, 1, 1, tzinfo=timezone.utc)
    return Recording("tuned", (Cell("pass", 1),), 3, tuple(runs), {}, created, "0")


def run(word: Literal["cold", "warm"], sample: int, order: np.ndarray[Any, np.dtype[np.uint32]], kinds: int) -> Run:
    return Run(
        sample=sample,
        run=word,
        pid=1,
        start=datetime(2025, 1, 1, tzinfo=timezone.utc),
        wires=(replace(wire(word, len(order), kinds), order=order),),
        failure=None,
        exit_code=0,
        lto_artifacts=0,
        lto_bytes=0,
    )


def wire(word: str, launches: int, kinds: int) -> Wire:
    place = {"file": "/w/sim.py", "line": 7, "cell": 0, "user": True}
    lines: list[dict[str, Any]] = [
        {"kind": "header", "wire": 1, "pid": 1, "t": 0, "time": 0.0, "python": "3.11.7",
         "machine": {"host": "a", "cpu": "b", "cores": 2}},
        {"kind": "warp", "t": 1, "version": "1.19.0", "hooks": {}},
        {"kind": "cell_begin", "t": 10 * MS, "cell": 0, "number": 1, "source": "pass"},
        {"kind": "event", "t0": 11 * MS, "t1": 311 * MS, "ms": 300.0, "module": "app", "hash": "ab" * 32,
         "device": "cpu", "block_dim": 1, "status": "compiled" if word == "cold" else "cached", "header_ms": 0.0,
         "codegen_ms": 1.0, "lto_ms": 0.0, "native_ms": 200.0, "load_ms": 1.0, "source_bytes": 1},
    ]  # fmt: skip
    for number in range(1, kinds + 1):
        lines.append(
            {"kind": "signature", "id": number, "kind_of": "launch", "kid": number % 20, "kernel": f"k{number % 20}",
             "key": f"k{number % 20}", "module": "app", "dim": [number], "device": "cpu", "dtypes": ["array(float32)"],
             "block_dim": 1, "adjoint": False, "place": place}
        )  # fmt: skip
    lines.append({"kind": "cell_end", "t": 900 * MS, "cell": 0, "launches": launches, "probe_ns": 0})
    lines.append({"kind": "footer", "t": 901 * MS, "launches": launches, "probe_ns": 0})
    return parse_wire(lines, strict=True)


if __name__ == "__main__":
    main()
