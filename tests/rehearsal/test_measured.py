"""A rehearsal from end to end: cold and warm runs in kernels and commands, explained, shown, compared."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import warp_nbprobe as nb
from warp_nbprobe.views.headline import headline
from warp_nbprobe.views.text import report_text

pytestmark = pytest.mark.kernel

_KERNELS = """
import warp as wp
wp.config.use_precompiled_headers = False

@wp.kernel
def scale(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = a[i] * 2.0

@wp.kernel
def shift(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = a[i] + 1.0

@wp.kernel(module="unique")
def alone(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = a[i] - 1.0
"""

_LAUNCHES = """
def launch(kernel, size, block_dim):
    x = wp.ones(size, dtype=float, device="cuda:0")
    wp.launch(kernel, dim=size, inputs=[x], block_dim=block_dim)
    return x.numpy()[0]

assert launch(scale, 8, 64) == 2.0
assert launch(shift, 8, 128) == 2.0
for size in (8, 2000):
    assert launch(scale, size, 64 if size < 1000 else 256) == 2.0
assert launch(alone, 8, 256) == 0.0
"""


@pytest.fixture(scope="module")
def spread() -> nb.Measurement:
    """One module launched at three block dimensions, one of them by the input's size, and a unique one."""
    return nb.measure([_KERNELS, _LAUNCHES], samples=1, rehearse="90", trace=True, label="spread", quiet=True)


def test_a_spread_of_block_dimensions_is_seen_and_explained(spread: nb.Measurement) -> None:
    assert not spread.failed, spread.error
    built = spread.modules[(spread.modules["run"] == "cold") & spread.modules["rehearsed"]]
    shared = built[built["module"].str.startswith("__main__")]

    assert list(built["status"]) == ["compiled"] * 4
    assert list(built["block_dim"]) == [64, 128, 256, 256]
    assert list(built["cause"]) == ["first", "block_dim", "block_dim", "first"]
    assert shared["kernels"].map(lambda names: names == ("scale", "shift")).sum() == 3
    finding = spread.findings.set_index("rule").loc["block_dim_spread"]
    assert "scale" in finding["what"]
    assert "shift" in finding["what"]


def test_the_warm_run_is_served_from_the_cache(spread: nb.Measurement) -> None:
    warm = spread.modules[(spread.modules["run"] == "warm") & spread.modules["rehearsed"]]

    assert list(warm["status"]) == ["cached"] * 4
    assert "cache_not_reused" not in set(spread.findings["rule"])


def test_launches_keep_the_device_that_the_program_asked_for(spread: nb.Measurement) -> None:
    assert set(spread.launches["device"]) == {"cuda:0"}
    assert list(spread.launches["block_dim"]) == [64, 128, 64, 256, 256]


def test_limits_count_builds_for_the_gpu_alone(spread: nb.Measurement) -> None:
    with pytest.raises(nb.TooManyBuilds, match="compiled 2 identities") as error:
        nb.measure(
            [
                _KERNELS,
                "for dim in (64, 128): wp.launch(scale, dim=8, inputs=[wp.ones(8, device='cuda')], block_dim=dim)",
            ],
            samples=1,
            rehearse="sm_90",
            rehearse_only=True,
            max_builds=1,
            quiet=True,
        )

    m = error.value.measurement
    assert headline(m).startswith("Rehearsed for sm_90, not executed: 2 builds")
    assert "NOT EXECUTED" in report_text(m)
    assert "recorded and not executed" in report_text(m)


def test_the_trace_holds_the_compilers_own_steps(spread: nb.Measurement, tmp_path: Path) -> None:
    spread.to_trace(tmp_path / "trace.json")

    events = json.loads((tmp_path / "trace.json").read_text("utf-8"))["traceEvents"]
    assert {"compiler, main thread"} <= {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert sum(event.get("cat") == "compiler" for event in events) > 40


def test_a_rehearsal_is_not_set_against_a_real_run(spread: nb.Measurement) -> None:
    real = nb.measure([_KERNELS, _LAUNCHES.replace("cuda:0", "cpu")], samples=1, label="cpu", quiet=True)

    verdict = nb.compare(real, spread)

    assert verdict.verdict == "not comparable"
    assert any("rehearsal" in reason and "trace" in reason for reason in verdict.reasons)


def test_a_call_that_cannot_be_rehearsed_is_the_cells_error_with_its_line() -> None:
    m = nb.measure(
        ["import warp as wp\n\nx = wp.zeros(4, device='cuda:0')\nx.ptr\n"], samples=1, rehearse="sm_90", quiet=True
    )

    assert m.failed
    assert isinstance(m.error, nb.RehearsalError)
    assert "array.ptr in line 4" in str(m.error)


def test_a_command_is_rehearsed_in_every_process(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_KERNELS + "wp.launch(scale, dim=8, inputs=[wp.ones(8, device='cuda:0')])\n", "utf-8")

    m = nb.measure_command(
        [sys.executable, str(program)], samples=1, rehearse=["sm_86", "sm_90"], rehearse_only=True, quiet=True
    )

    assert not m.failed, m.error
    built = m.modules[(m.modules["run"] == "cold")]
    assert list(built["device"]) == ["sm_86", "sm_90"]
    assert list(built["cause"]) == ["first", "device"]
