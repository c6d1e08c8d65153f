"""Measurements made by hand: frames exactly as the data page has them, with no recording behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from warp_nbprobe.data.columns import (
    CHECKED,
    FINDINGS,
    LAUNCH_GROUPS,
    LAUNCHES,
    LOG,
    LTO,
    MODULES,
    RUNS,
    SUMMARY,
    frame_of,
)
from warp_nbprobe.data.metrics import METRICS
from warp_nbprobe.data.model import Cell
from warp_nbprobe.data.structure import Structure

HOSTILE = '</script><img src=x onerror="alert(1)">\'&\x1b[31m\u202e'


@dataclass
class FakeMeasurement:
    """What the views read of a measurement."""

    label: str = "base"
    cells: Sequence[Cell] = ()
    samples: int = 3
    interrupted: bool = False
    notes: Sequence[str] = ()
    failed: bool = False
    failed_samples: int = 0
    error: Exception | None = None
    structure: Structure = field(default_factory=lambda: Structure((), False))
    summary: pd.DataFrame = field(default_factory=lambda: summary({}))
    modules: pd.DataFrame = field(default_factory=lambda: frame_of((), MODULES))
    launches: pd.DataFrame = field(default_factory=lambda: frame_of((), LAUNCHES))
    launch_groups: pd.DataFrame = field(default_factory=lambda: frame_of((), LAUNCH_GROUPS))
    runs: pd.DataFrame = field(default_factory=lambda: frame_of((), RUNS))
    lto: pd.DataFrame = field(default_factory=lambda: frame_of((), LTO))
    log: pd.DataFrame = field(default_factory=lambda: frame_of((), LOG))
    findings: pd.DataFrame = field(default_factory=lambda: frame_of((), FINDINGS))
    checked: pd.DataFrame = field(default_factory=lambda: frame_of((), CHECKED))


def rows(columns: Mapping[str, str], given: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a frame of the given rows; what a row leaves out is missing (flags: false)."""
    blank = {name: False if dtype == "bool" else None for name, dtype in columns.items()}
    return frame_of([{**blank, **row} for row in given], columns)


def summary(
    medians: Mapping[str, float | None], *, reasons: Mapping[str, str] | None = None, n: int = 3, source: str = "hook"
) -> pd.DataFrame:
    """Return a summary in which every metric not given is missing, with a reason."""
    why = reasons or {}
    made = []
    for metric, unit in METRICS.items():
        value = medians.get(metric)
        mad = None if value is None or n < 2 else (0.0 if unit != "ms" else abs(value) * 0.006)
        values = () if value is None else tuple(value + step * (mad or 0.0) for step in range(-(n // 2), n - n // 2))
        missing = why.get(metric, "this Warp version does not report it")
        made.append(
            {
                "median": value,
                "mad": mad,
                "n": 0 if value is None else n,
                "values": values,
                "unit": unit,
                "source": "none" if value is None else source,
                "reason": missing if value is None else None,
            }
        )
    frame = frame_of(made, SUMMARY)
    frame.index = pd.Index(list(METRICS), name="metric")
    return frame


def run(sample: int, kind: str, **given: Any) -> dict[str, Any]:
    """Return a row of ``runs`` that ended well."""
    return {
        "sample": sample,
        "run": kind,
        "pid": 4000 + 2 * sample + (kind == "warm"),
        "wall_ms": 6100.0 if kind == "cold" else 2080.0,
        "probe_ms": 12.0,
        "setup_ms": 640.0,
        "ok": True,
        "exit_code": 0,
        "warp": "1.19.0",
        "python": "3.11.7",
        "unknown_lines": 0,
        "environment": {},
        **given,
    }


def event(module: str, start: float, *, build: str | None = None, **given: Any) -> dict[str, Any]:
    """Return a row of ``modules``; its total is the sum of its parts unless given."""
    row = {
        "sample": 1,
        "run": "cold",
        "phase": "cold",
        "pid": 4002,
        "thread": 0,
        "module": module,
        "build": build,
        "hash": "0f" * 32,
        "device": "cpu",
        "block_dim": 1,
        "status": "compiled",
        "kernels": ("step",),
        "hash_ms": 1.4,
        "codegen_ms": 38.0,
        "lto_ms": 0.0,
        "native_ms": 140.0,
        "header_ms": 0.0,
        "load_ms": 21.0,
        "other_ms": 3.0,
        "start_ms": start,
        "source_bytes": 21_000,
        "lto_artifacts": 0,
        "options": {"enable_backward": True, "mode": "release"},
        "trigger": "step",
        "cause": "first",
        "causes": ("first",),
        "source": "hook",
        **given,
    }
    parts = ("codegen_ms", "lto_ms", "native_ms", "load_ms", "other_ms")
    return {"ms": sum(row[name] or 0.0 for name in parts), **row}


def place(cell: int, line: int, prefix: str = "") -> dict[str, Any]:
    """Return the three columns of a place in a cell."""
    return {
        f"{prefix}cell": cell,
        f"{prefix}{'line' if prefix else 'cell_line'}": line,
        f"{prefix}location": f"cell {cell}, line {line}",
    }


SETUP = """\
import warp as wp
wp.init()

from sim import tables
wp.launch(tables.fill, 64, inputs=[tables.x])
"""

CELL_3 = """\
n = 4096
x = wp.zeros(n, dtype=float)
v = wp.zeros(n, dtype=float)

@wp.kernel
def drift(x: wp.array(dtype=float), v: wp.array(dtype=float), dt: float):
    i = wp.tid()
    x[i] = x[i] + v[i] * dt

wp.launch(drift, n, inputs=[x, v, 0.01])

@wp.kernel
def kick(v: wp.array(dtype=float), dt: float):
    i = wp.tid()
    v[i] = v[i] - 9.81 * dt

for _ in range(200):
    wp.launch(kick, n, inputs=[v, 0.01])
    wp.launch(drift, n, inputs=[x, v, 0.01])

wp.set_module_options({"enable_backward": False})
wp.launch(kick, n, inputs=[v, 0.01])
total = wp.utils.array_sum(x)
"""

_STAGES = "__main__"


def small() -> FakeMeasurement:
    """A notebook cell that defines kernels between launches: one module built three times."""
    cold = [
        event(
            "sim.tables",
            -420.0,
            build="sim.tables [1/1]",
            phase="setup",
            hash="3c" * 32,
            trigger="fill",
            location="setup default, line 6",
            native_ms=88.0,
            kernels=("fill",),
        ),
        event(
            _STAGES,
            40.0,
            build=f"{_STAGES} [1/3]",
            hash="a1" * 32,
            native_ms=1420.0,
            header_ms=1290.0,
            kernels=("drift",),
            trigger="drift",
            **place(3, 11),
        ),
        event(
            _STAGES,
            1720.0,
            build=f"{_STAGES} [2/3]",
            hash="b2" * 32,
            kernels=("drift", "kick"),
            trigger="kick",
            native_ms=240.0,
            cause="kernel_added",
            causes=("kernel_added",),
            detail="Kernel kick was added after the module had loaded.",
            **place(3, 19),
            **place(3, 13, "cause_"),
        ),
        event(
            _STAGES,
            2950.0,
            build=f"{_STAGES} [3/3]",
            hash="c3" * 32,
            kernels=("drift", "kick"),
            trigger="kick",
            native_ms=150.0,
            codegen_ms=22.0,
            cause="option_changed",
            causes=("option_changed",),
            detail="enable_backward went from True to False.",
            **place(3, 23),
            **place(3, 22, "cause_"),
        ),
        event(
            "warp.utils",
            3400.0,
            build="warp.utils [1/1]",
            hash="d4" * 32,
            native_ms=1180.0,
            codegen_ms=96.0,
            load_ms=74.0,
            trigger="array_sum",
            kernels=tuple(f"k{i}" for i in range(14)),
            **place(3, 24),
        ),
    ]
    for seq, row in enumerate(cold):
        row["seq"] = seq
    warm = [
        {
            **event(
                module,
                at,
                status="cached",
                kernels=("step",),
                codegen_ms=0.0,
                native_ms=0.0,
                load_ms=12.0,
                other_ms=0.4,
                hash_ms=1.0,
            ),
            "run": "warm",
            "phase": "setup" if at < 0 else "warm",
            "pid": 4003,
            "seq": seq,
        }
        for seq, (module, at) in enumerate(
            [("sim.tables", -380.0), (_STAGES, 30.0), (_STAGES, 60.0), (_STAGES, 900.0), ("warp.utils", 1300.0)]
        )
    ]
    return FakeMeasurement(
        cells=(
            Cell(
                SETUP,
                1,
                2,
                "setup",
                "default",
            ),
            Cell(CELL_3, 3, 2),
        ),
        summary=summary(
            {
                "cold_module_ms": 3378.0,
                "header_ms": 1290.0,
                "build_ms": 2088.0,
                "native_ms": 2990.0,
                "lto_ms": 0.0,
                "codegen_ms": 194.0,
                "load_ms": 137.0,
                "hash_ms": 6.1,
                "rehash_ms": 0.4,
                "other_ms": 12.0,
                "cold_wall_ms": 6100.0,
                "warm_wall_ms": 2080.0,
                "compile_elapsed_ms": 4020.0,
                "build_span_ms": 3378.0,
                "elsewhere_ms": 642.0,
                "overlap_factor": 1.0,
                "warm_module_ms": 49.6,
                "identities": 4,
                "avoidable_ms": 606.0,
                "modules": 2,
                "compiled": 4,
                "cached": 0,
                "errors": 0,
                "source_bytes": 84_000,
                "lto_artifacts": 0,
                "lto_bytes": 0,
                "launches": 403,
                "probe_ms": 12.0,
            }
        ),
        modules=rows(MODULES, [*cold, *warm]),
        runs=rows(RUNS, [run(sample, kind) for sample in (1, 2, 3) for kind in ("cold", "warm")]),
        launch_groups=rows(LAUNCH_GROUPS, _GROUPS),
        launches=rows(LAUNCHES, [{**_GROUPS[n % 3], "seq": n, "triggered": n if n < 2 else None} for n in range(403)]),
        findings=rows(FINDINGS, _FINDINGS),
        checked=rows(CHECKED, _CHECKED),
    )


_GROUPS: list[dict[str, Any]] = [
    {
        "phase": "cold",
        "kernel": "drift",
        "kernel_key": "drift",
        "module": _STAGES,
        "dim": (4096,),
        "device": "cpu",
        "dtypes": ("array(float32)", "array(float32)", "float32"),
        "block_dim": 1,
        "adjoint": False,
        "kind": "launch",
        "thread": 0,
        "pid": 4002,
        "count": 201,
        **place(3, 11),
    },
    {
        "phase": "cold",
        "kernel": "kick",
        "kernel_key": "kick",
        "module": _STAGES,
        "dim": (4096,),
        "device": "cpu",
        "dtypes": ("array(float32)", "float32"),
        "block_dim": 1,
        "requested_block_dim": 64,
        "adjoint": False,
        "kind": "launch",
        "thread": 0,
        "pid": 4002,
        "count": 201,
        **place(3, 19),
    },
    {
        "phase": "cold",
        "kernel": None,
        "kernel_key": None,
        "module": None,
        "dim": None,
        "device": "cpu",
        "dtypes": (),
        "adjoint": False,
        "kind": "graph",
        "thread": 0,
        "pid": 4002,
        "count": 1,
        **place(3, 24),
    },
]

_FINDINGS: list[dict[str, Any]] = [
    {
        "rule": "late_kernel",
        "kind": "redundant",
        "cost_ms": 410.0,
        "share": 0.197,
        "modules": (_STAGES,),
        "what": "Kernel `kick` was defined after its module had loaded, so the whole module was built again.",
        "fix": "Define the kernels of a module before its first launch.",
        "snippet": "@wp.kernel\ndef kick(...): ...\n\n@wp.kernel\ndef drift(...): ...\n\nwp.launch(drift, ...)",
        "not_for": "Kernels that depend on run-time data: give those a module of their own.",
        "certainty": "measured",
        "events": (f"{_STAGES} [1/3]", f"{_STAGES} [2/3]"),
        **place(3, 19),
        **place(3, 13, "cause_"),
    },
    {
        "rule": "late_option",
        "kind": "redundant",
        "cost_ms": 196.0,
        "share": 0.094,
        "modules": (_STAGES,),
        "what": "The option enable_backward was changed after the module had loaded.",
        "fix": "Set module options before the first launch.",
        "snippet": 'wp.set_module_options({"enable_backward": False})',
        "not_for": "Kernels that need different options: split the module.",
        "certainty": "measured",
        "events": (f"{_STAGES} [3/3]",),
        **place(3, 23),
        **place(3, 22, "cause_"),
    },
    {
        "rule": "backward_unused",
        "kind": "opportunity",
        "cost_ms": 320.0,
        "share": 0.15,
        "modules": (_STAGES, "warp.utils"),
        "what": "Two modules were built with backward code that nothing used.",
        "fix": "Switch it off where nothing differentiates.",
        "snippet": "wp.config.enable_backward = False",
        "not_for": "Modules that a tape crosses.",
        "certainty": "estimate",
        "events": ("warp.utils [1/1]",),
    },
    {
        "rule": "header_in_first_build",
        "kind": "note",
        "modules": (_STAGES,),
        "what": "The first build made the precompiled header, 1.3 s.",
        "certainty": "measured",
        "events": (f"{_STAGES} [1/3]",),
    },
]

_CHECKED: list[dict[str, Any]] = [
    {
        "rule": "stale_value",
        "kind": "wrong",
        "outcome": "ruled out",
        "signal": "No launch used a value that had changed since.",
    },
    {"rule": "late_kernel", "kind": "redundant", "outcome": "found", "signal": "1 build with cause kernel_added."},
    {
        "rule": "serial_builds",
        "kind": "opportunity",
        "outcome": "not observable",
        "signal": "CUDA only; this run was on the CPU.",
    },
]


def many(count: int = 200) -> FakeMeasurement:
    """Many builds on two threads, with block dims, LTO and one failure, of modules with awkward names."""
    cold, at = [], {0: 0.0, 1: 900.0}
    for seq in range(count):
        thread = seq % 5 == 4
        module = f"app.solver.stage_{seq % 60:02d}" if seq % 60 else HOSTILE
        total = -(-(count - seq % 60) // 60)
        dim = (256, 128, 64)[seq // 60 % 3]
        row = event(
            module,
            at[thread],
            build=f"{module} [{seq // 60 + 1}/{total}]",
            hash=f"{seq % 60:02x}{dim:02x}" * 8,
            thread=int(thread),
            device="cuda:0",
            block_dim=dim,
            codegen_ms=20.0 + seq % 7 * 9,
            lto_ms=400.0 if seq % 11 == 0 else 0.0,
            native_ms=60.0 + seq * 37 % 190,
            trigger=f"kernel_{seq}",
            cause="block_dim" if seq >= 60 else "first",
            detail=f"block_dim went from 256 to {dim}." if seq >= 60 else None,
            seq=seq,
            **place(3, 10 + seq % 12),
        )
        if seq == 17:
            row |= {"status": "error", "ms": 80.0, "native_ms": 20.0}
        at[thread] += row["ms"] + 4.0
        cold.append(row)
    base = small()
    base.modules = rows(MODULES, cold)
    base.label = HOSTILE
    return base


def threads() -> FakeMeasurement:
    """Builds that overlap on three threads of one process."""
    base = small()
    base.modules = rows(
        MODULES,
        [
            event(
                f"part_{n}",
                30.0 * n + 200.0 * (n // 3),
                build=f"part_{n} [1/1]",
                thread=n % 3,
                seq=n,
                hash=f"{n:02x}" * 32,
            )
            for n in range(6)
        ],
    )
    return base


def failed() -> FakeMeasurement:
    """The first cold run raised: what was recorded until then, and no figures."""
    base = small()
    reason = "The code raised ZeroDivisionError: division by zero (cell 3, line 20)."
    base.failed, base.failed_samples, base.error = True, 1, RuntimeError(reason)
    base.runs = rows(
        RUNS, [run(1, "cold", ok=False, exit_code=None, reason="raised", wall_ms=None, truncated=True, unknown_lines=2)]
    )
    frame = base.modules
    base.modules = frame[(frame["run"] == "cold") & (frame["seq"] < 3)].reset_index(drop=True)
    base.summary = summary({}, reasons=dict.fromkeys(METRICS, f"No sample is good: {reason}"))
    base.findings, base.checked = rows(FINDINGS, []), rows(CHECKED, [])
    return base


def log_only() -> FakeMeasurement:
    """A Warp whose hooks are not understood: totals from its log, no parts, no diagnosis."""
    base = small()
    base.modules["source"] = "log"
    for name in ("hash_ms", "codegen_ms", "lto_ms", "native_ms", "header_ms", "load_ms", "other_ms", "start_ms"):
        base.modules[name] = float("nan")
    base.modules["kernels"] = None
    base.summary = summary(
        {
            "cold_module_ms": 3378.0,
            "cold_wall_ms": 6100.0,
            "warm_wall_ms": 2080.0,
            "compile_elapsed_ms": 4020.0,
            "modules": 2,
            "compiled": 4,
            "cached": 0,
            "errors": 0,
            "identities": 4,
            "launches": 403,
        },
        reasons={"header_ms": "the log of Warp 1.10 does not show the header"},
        source="log",
    )
    base.findings, base.checked = rows(FINDINGS, []), rows(CHECKED, [])
    return base


def nothing() -> FakeMeasurement:
    """Code that compiled nothing."""
    return FakeMeasurement(
        cells=(Cell("print(1)", 1),),
        summary=summary({metric: 0.0 for metric in METRICS if metric not in ("compile_elapsed_ms", "overlap_factor")}),
        runs=rows(RUNS, [run(sample, kind, warp=None) for sample in (1, 2, 3) for kind in ("cold", "warm")]),
    )


def hostile() -> FakeMeasurement:
    """Every text that the user's program chooses is made to break out of wherever it is put."""
    base = small()
    base.label = HOSTILE
    base.cells = (Cell(f"{HOSTILE}\n</pre>{HOSTILE}", 3, 2),)
    base.notes = (HOSTILE,)
    base.error = RuntimeError(HOSTILE)
    kept = {"run", "phase", "status", "kind", "source", "outcome", "certainty"}
    for name in ("modules", "launches", "launch_groups", "findings", "checked", "runs"):
        frame = getattr(base, name).copy()
        for column in frame.columns:
            if column in kept:
                continue
            if frame[column].dtype == "string":
                frame[column] = frame[column].mask(frame[column].notna(), HOSTILE)
            elif frame[column].dtype == "object" and column not in ("dim", "options", "environment"):
                frame[column] = [None if value is None else (HOSTILE, HOSTILE) for value in frame[column]]
            elif column == "options":
                frame[column] = [{HOSTILE: HOSTILE} for _ in frame[column]]
        setattr(base, name, frame)
    base.summary["reason"] = HOSTILE
    return base
