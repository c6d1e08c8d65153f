"""Programs of several processes: each writes its own wire, whatever started it."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from datetime import datetime, timezone

import pytest

from tests.commands.commands import builds, run_once, whole
from tests.run.children import Seen
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.measurement import Measurement

pytestmark = pytest.mark.warp

PYTHON = sys.executable


def measured(run: Run) -> Measurement:
    return Measurement(Recording("command", (), 1, (run,), {}, datetime.now(timezone.utc), "0"))


def last_lines(seen: Seen, count: int) -> list[str]:
    """Return what the program itself printed, after what Warp says of itself."""
    return seen.text().splitlines()[-count:]


def launches_by_process(run: Run) -> list[int]:
    frame = measured(run).launches
    return sorted(Counter(frame["pid"]).values())


@pytest.mark.parametrize(
    "command", [["one.py"], ["-m", "one"], ["-c", "import runpy; runpy.run_path('one.py', run_name='__main__')"]]
)
def test_a_program_is_recorded_however_python_is_told_to_run_it(command: list[str], seen: Seen) -> None:
    run = run_once(PYTHON, *command, relay=seen)

    assert run.failure is None
    assert last_lines(seen, 1) == ["6.0 []"]
    assert whole(run)
    (wire,) = run.wires
    assert builds(wire) == [("kernels", "compiled")]
    assert wire.code_begin is not None
    assert wire.code_end is not None
    assert wire.code_begin.t < wire.events[0].t0 < wire.events[0].t1 < wire.code_end.t


@pytest.mark.parametrize("how", ["fork", "spawn", "forkserver", "subprocess"])
def test_two_workers_write_two_wires(how: str) -> None:
    run = run_once(PYTHON, "workers.py", how)

    assert run.failure is None
    assert whole(run)
    main, *workers = run.wires
    assert main.pid == run.pid
    assert main.warp is None
    assert len(workers) == 2
    assert launches_by_process(run) == [1, 1]
    modules = measured(run).modules
    assert set(modules["pid"]) == {worker.pid for worker in workers}
    assert set(modules["module"]) == {"kernels"}
    assert modules["hash"].nunique() == 1


@pytest.mark.parametrize("how", ["fork", "forkserver", "subprocess"])
def test_workers_that_start_after_a_build_load_it_and_build_nothing(how: str) -> None:
    run = run_once(PYTHON, "workers.py", how, "built")

    assert whole(run)
    main, *workers = run.wires
    assert builds(main) == [("kernels", "compiled")]
    # A fork has the module loaded already.
    expected = [] if how == "fork" else [("kernels", "cached")]
    assert [builds(worker) for worker in workers] == [expected] * 2
    assert launches_by_process(run) == [1, 1, 1]


def test_one_identity_built_by_two_processes_is_one_identity() -> None:
    run = run_once(PYTHON, "workers.py", "fork")
    found = measured(run)

    compiled = found.modules[found.modules["status"] == "compiled"]
    assert len(compiled[["module", "hash", "device", "block_dim"]].drop_duplicates()) == 1
    if len(compiled) == 2:  # else one was late enough to find the other's
        assert list(compiled["build"]) == ["kernels [1/2]", "kernels [2/2]"]
        assert compiled["cause"].iloc[1] == "cache_miss"
        assert f"process {compiled['pid'].iloc[0]}" in compiled["detail"].iloc[1]


def test_an_executor_s_worker_closes_its_record(seen: Seen) -> None:
    run = run_once(PYTHON, "workers.py", "executor", relay=seen)

    assert whole(run)
    assert last_lines(seen, 1) == ["[8.0, 10.0]"]
    assert launches_by_process(run) == [2]


def test_a_pool_that_is_left_loses_no_launch(seen: Seen) -> None:
    run = run_once(PYTHON, "workers.py", "pool", relay=seen)

    assert run.failure is None
    assert last_lines(seen, 1) == ["[8.0, 10.0]"]
    assert builds(run.wires[1]) == [("kernels", "compiled")]
    assert launches_by_process(run) == [2]


def test_a_worker_that_is_terminated_loses_nothing_but_its_end() -> None:
    run = run_once(PYTHON, "workers.py", "terminated")

    assert run.failure is None
    main, worker = run.wires
    assert (main.truncated, worker.truncated) == (False, True)
    assert builds(worker) == [("kernels", "compiled")]
    assert launches_by_process(run) == [2]


def test_a_forked_process_that_ends_in_order_closes_its_record() -> None:
    run = run_once(PYTHON, "workers.py", "os.fork", "built")

    assert whole(run)
    assert [wire.code_end is None for wire in run.wires] == [False, True]
    assert launches_by_process(run) == [1, 1]


def test_a_process_that_becomes_another_program_has_a_wire_for_each() -> None:
    run = run_once(PYTHON, "again.py")

    assert run.failure is None
    assert [wire.pid for wire in run.wires] == [run.pid, run.pid]
    assert [wire.truncated for wire in run.wires] == [False, True]
    assert [builds(wire)[0][1] for wire in run.wires] == ["cached", "compiled"]
    assert launches_by_process(run) == [2]


def test_a_launcher_without_warp_is_the_main_process_and_names_the_workers_warp() -> None:
    run = run_once(PYTHON, "launcher.py", "one.py")

    assert whole(run)
    assert len(run.wires) == 3
    (row,) = measured(run).runs.to_dict("records")
    assert row["pid"] == run.pid
    assert row["warp"] == run.wires[1].warp.version  # type: ignore[union-attr]
    assert row["environment"]["devices"]
    assert row["wall_ms"] > 0


def test_a_program_behind_a_shell_is_recorded(seen: Seen) -> None:
    run = run_once("sh", "-c", f"'{PYTHON}' one.py && '{PYTHON}' one.py", relay=seen)

    assert seen.text().split("\n").count("6.0 []") == 2
    assert whole(run)
    assert [builds(wire) for wire in run.wires] == [[("kernels", "compiled")], [("kernels", "cached")]]


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "xdist"])
def test_pytest_is_a_command_like_any_other(workers: list[str], seen: Seen) -> None:
    run = run_once(PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", *workers, "suite.py", relay=seen)

    assert run.failure is None
    assert "4 passed" in seen.text()
    assert whole(run)
    assert sum(launches_by_process(run)) == 4
    assert len([wire for wire in run.wires if wire.events]) == (2 if workers else 1)


@pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not installed")
def test_uv_run_is_a_command_like_any_other() -> None:
    run = run_once("uv", "run", "--no-project", "--python", PYTHON, "python", "one.py")

    assert run.failure is None
    assert whole(run)
    assert launches_by_process(run) == [1]
