"""Checked values and comparisons from real children on the real Warp."""

from __future__ import annotations

import numpy as np
import pytest

import warp_nbprobe as nb
from warp_nbprobe.measurement import Measurement

pytestmark = [pytest.mark.kernel, pytest.mark.warp]

CODE = """
import numpy as np
import warp as wp

wp.config.use_precompiled_headers = False
print("before")


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = FACTOR * x[i] * x[i]


@wp.struct
class Body:
    mass: float
    at: wp.vec3


x = wp.array(np.arange(5, dtype=np.float32), dtype=float, device="cpu", requires_grad=True)
y = wp.zeros_like(x)
tape = wp.Tape()
with tape:
    wp.launch(square, dim=5, inputs=[x, y], device="cpu")
tape.backward(grads={y: wp.ones_like(y)})
body = Body()
body.mass = 2.5
"""

CHECKS = ("y", "x.grad", "float(y.numpy().sum())", "{'v': wp.vec3(1.0, 2.0, 3.0), 'all': [x, 1]}", "body", "missing")


def measured(factor: str, *, label: str, **given: object) -> Measurement:
    code = CODE.replace("FACTOR", factor)
    return nb.measure(code, samples=1, label=label, quiet=True, **{"check": CHECKS, **given})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def base() -> Measurement:
    return measured("1.0", label="base")


def test_values_gradients_and_containers_are_kept(base: Measurement) -> None:
    cold, warm = base.recording.runs
    found = {result.expression: result for result in cold.results}

    assert not base.failed
    assert np.array_equal(found["y"].parts[0].values, np.arange(5) ** 2)
    assert np.array_equal(found["x.grad"].parts[0].values, 2 * np.arange(5))
    assert found["float(y.numpy().sum())"].parts[0].values.tolist() == [30.0]
    assert [part.path for part in found[CHECKS[3]].parts] == ["['v']", "['all'][0]", "['all'][1]"]
    assert [(part.path, part.values.tolist()) for part in found["body"].parts] == [(".mass", [2.5]), (".at", [0, 0, 0])]
    assert [result.parts[0].digest for result in cold.results[:3]] == [r.parts[0].digest for r in warm.results[:3]]


def test_a_check_that_raises_is_said_and_is_no_failed_run(base: Measurement) -> None:
    assert base.error is None
    assert [run.exit_code for run in base.recording.runs] == [0, 0]
    assert base.recording.runs[0].results[-1].error == "NameError: name 'missing' is not defined"


def test_checking_is_in_no_figure(base: Measurement) -> None:
    launching = measured("1.0", label="more", check=["wp.utils.array_sum(y)"])

    assert launching.recording.runs[0].results[0].error is None
    assert len(launching.launches) == len(base.launches)
    assert launching.modules["module"].to_list() == base.modules["module"].to_list()


def test_equal_programs_compare_as_equal_but_for_the_samples(base: Measurement) -> None:
    found = nb.compare(base, measured("1.0", label="again"))

    assert found.verdict == "not enough evidence"
    assert found.same_work
    assert found.results["outcome"].to_list()[:-1] == ["same"] * (len(found.results) - 1)
    assert found.environment.machine == ()


def test_a_changed_factor_moves_values_and_gradient_and_is_the_cause(base: Measurement) -> None:
    found = nb.compare(base, measured("2.0", label="twice"))

    assert found.verdict == "invalid"
    moved = found.results[found.results["outcome"] == "moved"]
    assert {"y", "x.grad"} <= set(moved["check"])
    row = moved[moved["check"] == "y"].iloc[0]
    assert (row["largest_abs"], row["largest_rel"], row["at"]) == (16.0, 1.0, "[4]")
    (build,) = found.identities[found.identities["phase"] == "cold"].to_dict("records")
    assert (build["change"], build["cause"]) == ("changed", "kernel_changed")
    assert "its own source" in build["detail"]


def test_a_child_that_dies_while_it_is_checked_is_no_failed_run() -> None:
    found = nb.measure("x = 1", samples=1, quiet=True, check=["__import__('os')._exit(3)"])

    assert found.error is None
    assert found.recording.runs[0].results[0].error == "the child ended while it was checked"


def test_checking_ends_with_the_time_out() -> None:
    found = nb.measure("x = 1", samples=1, quiet=True, timeout=3, check=["__import__('time').sleep(60)"])

    assert found.error is None
    assert all("time-out" in (run.results[0].error or "") for run in found.recording.runs)
