"""One notebook of many kinds of launches, measured for real: each stands where its code stands."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import warp_nbprobe as nb

SETUP = """

import warp as wp
wp.config.use_precompiled_headers = False
@wp.kernel(module="prepared")
def prepare(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0
x = wp.zeros(8, dtype=float, device="cpu", requires_grad=True)
wp.launch(prepare, dim=8, inputs=[x])
"""

CELLS = [
    """

from typing import Any
@wp.kernel
def add(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] + 1.0
@wp.kernel
def scale(a: wp.array(dtype=Any), s: Any):
    a[wp.tid()] = a[wp.tid()] * s
def run():
    wp.launch(add, dim=8, inputs=[x])
def make(n):
    @wp.kernel
    def power(a: wp.array(dtype=float)):
        a[wp.tid()] = a[wp.tid()] * wp.static(float(n))
    return power
square = make(2)
""",
    """run()
wp.launch(scale, dim=(2, 4), inputs=[x, 2.0], device="cpu", block_dim=64)
wp.launch(square, dim=8, inputs=[x])
""",
    """@wp.kernel(module="losses")
def add_up(a: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, a[wp.tid()])
loss = wp.zeros(1, dtype=float, device="cpu", requires_grad=True)
with wp.Tape() as tape:
    wp.launch(add_up, dim=8, inputs=[x, loss])
tape.backward(loss)
""",
    """command = wp.launch(add, dim=8, inputs=[x], record_cmd=True)
for _ in range(3):
    command.launch()
import threading, a_file
a_file.go(x)
thread = threading.Thread(target=run)
thread.start(); thread.join()
y = wp.map(wp.add, x, x)
""",
]

FILE = """import warp as wp
@wp.kernel
def halve(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 0.5
def go(x):
    wp.launch(halve, dim=8, inputs=[x])
"""

ARRAY = "array(float32)"
LAUNCHES = [  # kernel, kind, adjoint, dim, dtypes, block_dim asked for, cell, line, location, main thread
    ("prepare", "launch", False, (8,), (ARRAY,), None, None, 9, "setup default, line 9", True),
    ("add", "launch", False, (8,), (ARRAY,), None, 1, 11, "cell 1, line 11", True),
    ("scale", "launch", False, (2, 4), (ARRAY, "float32"), 64, 2, 2, "cell 2, line 2", True),
    ("make.<locals>.power", "launch", False, (8,), (ARRAY,), None, 2, 3, "cell 2, line 3", True),
    ("add_up", "launch", False, (8,), (ARRAY, ARRAY), None, 3, 6, "cell 3, line 6", True),
    ("add_up", "launch", True, (8,), (ARRAY, ARRAY), None, 3, 7, "cell 3, line 7", True),
    *[("add", "replay", False, (8,), (ARRAY,), None, 4, 3, "cell 4, line 3", True)] * 3,
    ("halve", "launch", False, (8,), (ARRAY,), None, None, None, "a_file.py:6", True),
    ("add", "launch", False, (8,), (ARRAY,), None, 1, 11, "cell 1, line 11", False),
    ("map_kernel", "launch", False, (8,), (ARRAY, ARRAY, ARRAY), None, 4, 8, "cell 4, line 8", True),
]
BUILDS = [  # module, kernels, trigger, causes, cause_location
    ("prepared", ("prepare",), "prepare", ("first",), None),
    ("__main__", ("add", "make.<locals>.power"), "add", ("first",), None),
    ("__main__", ("add", "make.<locals>.power", "scale"), "scale", ("overload_added",), "cell 2, line 2"),
    ("losses", ("add_up",), "add_up", ("first",), None),
    ("a_file", ("halve",), "halve", ("first",), None),
    ("map_add", ("map_kernel",), "map_kernel", ("first",), None),
]


def plain(value: object) -> object:
    return None if value is pd.NA else value


@pytest.mark.kernel
@pytest.mark.warp
def test_launches_and_builds_stand_where_their_code_stands(tmp_path: Path) -> None:
    (tmp_path / "a_file.py").write_text(FILE)

    m = nb.measure(CELLS, setup=SETUP, samples=1, cwd=tmp_path, quiet=True)

    assert m.error is None
    columns = "kernel kind adjoint dim dtypes requested_block_dim cell cell_line location".split()  # noqa: SIM905
    rows = [(*map(plain, row[:-1]), row[-1] == 0) for row in m.launches[[*columns, "thread"]].itertuples(index=False)]
    assert rows == LAUNCHES
    assert set(m.launches["block_dim"]) == {1}
    cold = m.modules[m.modules["run"] == "cold"]
    columns = ["module", "kernels", "trigger", "causes", "cause_location"]
    assert [tuple(map(plain, row)) for row in cold[columns].itertuples(index=False)] == BUILDS
    triggered = m.launches.dropna(subset=["triggered"])
    assert list(triggered["triggered"]) == list(cold["seq"])
    assert list(triggered["location"]) == list(cold["location"])
    assert m.findings[m.findings["kind"].isin(["wrong", "redundant"])]["rule"].tolist() == ["late_overload"]
