"""Recordings made by hand that are as large, or as hostile, as they come; saved as the report files that users open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.data.wires_by_hand import Line, cached, cell, event, order, place, recording, run, signature, warp
from warp_nbprobe.data.model import Cell, Recording
from warp_nbprobe.data.report import save_report

BUILDS, LAUNCHES = 200, 1_000_000
HOSTILE = '</script><img src=x onerror="alert(1)">'
_LINES = 40
_DIMS = (256, 128, 64)
_GAP_MS = 6.0


def large(builds: int = BUILDS, launches: int = LAUNCHES, *, samples: int = 3, label: str = "large") -> Recording:
    """Return a measurement of many builds on two threads: repeated, with several block dims, some mostly LTO."""
    source = "\n".join(f"step_{line}()  # line {line}" for line in range(1, _LINES + 1))
    runs = []
    for sample in range(1, samples + 1):
        runs.append(run("cold", _cold(builds, launches, sample), sample=sample, lto_artifacts=19, lto_bytes=190_000))
        runs.append(run("warm", _warm(builds), sample=sample, lto_artifacts=19, lto_bytes=190_000))
    return replace(recording(*runs, cells=(Cell(source, 1),)), label=label)


def hostile() -> Recording:
    """Return a small measurement in which every name tries to break out of the page."""
    lines: list[Line | list[Line]] = [warp(), *cell(1, 0, 2000, source=HOSTILE, launches=(0, 3))]
    lines += [event(HOSTILE, 10, 400, kernels=[HOSTILE]), event(HOSTILE, 500, 300, hash="cd" * 32, kernels=[HOSTILE])]
    lines += [signature(1, kernel=HOSTILE, key=HOSTILE, module=HOSTILE, dtypes=[HOSTILE]), order([1, 1, 1])]
    warm = [warp(), *cell(1, 0, 300), cached(HOSTILE, 10), cached(HOSTILE, 40, hash="cd" * 32)]
    pairs = [part for n in (1, 2, 3) for part in (run("cold", lines, sample=n), run("warm", warm, sample=n))]
    return replace(recording(*pairs, cells=(Cell(HOSTILE, 1),), notes=(HOSTILE,)), label=HOSTILE)


def save_all(folder: Path, **recordings: Recording) -> None:
    """Write each as ``NAME.json.gz``."""
    for name, made in recordings.items():
        save_report(made, folder / f"{name}.json.gz")


def _module(number: int) -> str:
    return f"app.solver.stage_{number % 60:02d}"


def _builds(count: int, sample: int) -> list[Line]:
    at = {0: 5.0, 1: 900.0}
    made = []
    for number in range(count):
        thread = int(number % 5 == 4)
        dim = _DIMS[number // 60 % 3]
        lto = 400.0 if number % 11 == 0 else 0.0
        ms = 90.0 + number * 37 % 190 + lto + sample
        made.append(_build(number, at[thread], ms, thread=thread, block_dim=dim, lto_ms=lto))
        at[thread] += ms + _GAP_MS
    return made


def _build(number: int, at: float, ms: float, **given: Any) -> Line:
    digest = f"{number % 60:02x}{given['block_dim']:02x}" * 16
    codegen = 18.0 + number % 7 * 9
    parts = {"codegen_ms": codegen, "native_ms": ms - codegen - given["lto_ms"] - 15.0, "load_ms": 12.0}
    return event(
        _module(number),
        at,
        ms,
        hash=digest[:64],
        device="cuda:0",
        kernels=[f"kernel_{number % 60}", f"helper_{number % 60}"],
        trigger={"call": "launch", "kernel": f"kernel_{number % 60}"},
        place=place(2 + number % (_LINES - 2)),
        **parts,
        **given,
    )


def _cold(builds: int, launches: int, sample: int) -> list[Line | list[Line]]:
    made = _builds(builds, sample)
    end = max(line["t1"] for line in made) / 1e6 + 500.0
    lines: list[Line | list[Line]] = [warp(), *cell(1, 0, end, launches=(0, launches)), *made]
    kinds = 60
    lines += [
        signature(
            number + 1,
            kernel=f"kernel_{number}",
            key=f"kernel_{number}",
            module=_module(number),
            dim=[1024 * (1 + number % 4)],
            device="cuda:0",
            block_dim=_DIMS[number % 3],
            place=place(2 + number % (_LINES - 2)),
        )
        for number in range(kinds)
    ]
    # A step of many kinds, over and over, with a little disorder: as loops are.
    ids = np.resize(np.arange(1, kinds + 1, dtype=np.uint32), launches)
    ids[::977] = 7
    return [*lines, order(ids.tolist())]


def _warm(builds: int) -> list[Line | list[Line]]:
    rows = [
        cached(
            _module(number),
            5.0 + 3 * number,
            hash=(f"{number % 60:02x}{_DIMS[number // 60 % 3]:02x}" * 16)[:64],
            device="cuda:0",
            block_dim=_DIMS[number // 60 % 3],
        )
        for number in range(builds)
    ]
    return [warp(), *cell(1, 0, 3 * builds + 800), *rows]
