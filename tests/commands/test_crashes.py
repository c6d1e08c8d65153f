"""A command that dies in native code still gives what was recorded until then."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import warp_nbprobe as nb
from tests.commands.commands import PROGRAMS, builds, run_once
from tests.run.children import Seen

pytestmark = pytest.mark.warp


def test_a_crash_names_the_line_and_keeps_the_build_and_the_launch(seen: Seen) -> None:
    run = run_once(sys.executable, "crash.py", relay=seen)

    assert run.exit_code == -11
    assert run.failure is not None
    assert run.failure.reason == "died"
    assert run.failure.message == f"The command was ended by SIGSEGV in {PROGRAMS / 'crash.py'}:9."
    (wire,) = run.wires
    assert wire.truncated
    assert builds(wire) == [("kernels", "compiled")]
    assert len(wire.order) == 1


def test_a_crash_behind_a_shell_is_found_as_well() -> None:
    run = run_once("sh", "-c", f"{sys.executable} crash.py; exit $?")

    assert run.exit_code == 139
    assert run.failure is not None
    assert "SIGSEGV" in run.failure.message
    assert run.failure.crash is not None
    assert "crash.py" in run.failure.crash


def test_a_failed_command_is_a_measurement_without_figures() -> None:
    measurement = nb.measure_command([sys.executable, "one.py", "3"], cwd=PROGRAMS, samples=2, quiet=True)

    assert measurement.failed
    assert isinstance(measurement.error, nb.CodeRaised)
    assert measurement.error.exit_code == 3
    assert list(measurement.modules["status"]) == ["compiled"]
    assert list(measurement.runs["run"]) == ["cold"]
    assert measurement.summary["n"].max() == 0


def test_a_command_whose_python_has_no_warp_is_refused(tmp_path: Path) -> None:
    code = "import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p]\nimport warp"

    with pytest.raises(nb.NoWarp) as raised:
        nb.measure_command([sys.executable, "-c", code], cwd=tmp_path, samples=1, quiet=True)
    assert raised.value.executable == sys.executable
    assert raised.value.measurement.failed


def test_a_command_that_does_without_warp_where_it_is_missing_is_measured(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p]\n"
        "try: import warp\nexcept ImportError: pass"
    )
    measurement = nb.measure_command([sys.executable, "-c", code], cwd=tmp_path, samples=1, quiet=True)

    assert measurement.error is None
    assert measurement.modules.empty
