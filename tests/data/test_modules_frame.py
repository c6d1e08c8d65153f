"""One row per module event: order, phases, builds, parts, places, causes."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from tests.data.wires_by_hand import cached, cell, event, place, recording, run, wire
from warp_nbprobe.data.columns import MODULES
from warp_nbprobe.data.frames import modules_frame
from warp_nbprobe.data.model import Run
from warp_nbprobe.data.records import Place


@dataclass
class Caused:
    cause: str
    causes: tuple[str, ...]
    detail: str | None = None
    place: Place | None = None


def modules(*runs: Run) -> pd.DataFrame:
    return modules_frame(recording(*runs), {})


def dtypes(frame: pd.DataFrame) -> dict[str, str]:
    return {str(name): str(dtype) for name, dtype in frame.dtypes.items()}


def test_an_empty_frame_has_the_columns_and_dtypes_of_a_full_one() -> None:
    empty, full = modules(), modules(run("cold", [cell(1, 1, 200), event("app", 10, 100)]))

    assert list(empty.columns) == list(MODULES)
    assert dtypes(empty) == dtypes(full) == dict(MODULES)
    assert isinstance(full.index, pd.RangeIndex)


def test_rows_are_by_sample_then_cold_before_warm_then_start() -> None:
    late_then_early = [cell(1, 1, 500), event("b", 200, 100), event("a", 10, 100)]
    frame = modules(
        run("warm", [cell(1, 1, 500), cached("a", 10)]),
        run("cold", late_then_early, sample=2),
        run("cold", late_then_early),
    )

    assert frame["sample"].tolist() == [1, 1, 1, 2, 2]
    assert frame["run"].tolist() == ["cold", "cold", "warm", "cold", "cold"]
    assert frame["module"].tolist() == ["a", "b", "a", "a", "b"]
    assert frame["seq"].tolist() == [0, 1, 0, 0, 1]


def test_events_of_all_processes_of_a_run_are_numbered_together() -> None:
    worker = wire([event("b", 50, 10)], pid=101)
    frame = modules(run("cold", [cell(1, 1, 500), event("a", 10, 100), event("c", 200, 9)], others=(worker,)))

    assert frame["module"].tolist() == ["a", "b", "c"]
    assert frame["seq"].tolist() == [0, 1, 2]
    assert frame["pid"].tolist() == [100, 101, 100]


def test_a_build_is_the_nth_of_its_module_with_setup_and_errors_but_not_cached_loads() -> None:
    frame = modules(
        run(
            "cold",
            [
                cell(1, 1, 50, ordinal=0, phase="setup", name="default"),
                event("app", 10, 5),
                cell(1, 60, 500, ordinal=1),
                cached("app", 70),
                event("app", 80, 5, status="error"),
                event("app", 90, 5),
            ],
        )
    )

    assert frame["build"].fillna("-").tolist() == ["app [1/3]", "-", "app [2/3]", "app [3/3]"]
    assert frame["phase"].tolist() == ["setup", "cold", "cold", "cold"]


def test_start_counts_from_the_users_code_and_is_negative_in_setup() -> None:
    setup = cell(1, 1, 50, ordinal=0, phase="setup")
    frame = modules(run("cold", [setup, event("a", 10, 5), cell(1, 60, 99, ordinal=1), event("b", 70, 5)]))

    assert frame["start_ms"].tolist() == [-50.0, 10.0]


def test_a_run_that_failed_in_its_setup_has_setup_events_only() -> None:
    frame = modules(run("cold", [cell(1, 1, 50, phase="setup"), event("a", 10, 5)]))

    assert frame["phase"].tolist() == ["setup"]
    assert frame["start_ms"].tolist() == [-40.0]


def test_an_event_of_the_warm_run_has_the_phase_warm() -> None:
    assert modules(run("warm", [cell(1, 1, 50), cached("a", 10)]))["phase"].tolist() == ["warm"]


def test_other_is_what_no_part_accounts_for_and_missing_with_a_part() -> None:
    frame = modules(run("cold", [cell(1, 1, 999), event("a", 10, 100), event("b", 200, 100, load_ms=None)]))

    assert frame["other_ms"].fillna(-1).tolist() == [5.0, -1.0]


def test_a_build_for_a_gpu_makes_no_header() -> None:
    frame = modules(run("cold", [cell(1, 1, 999), event("a", 10, 100, device="cuda:0", header_ms=None)]))

    assert frame["header_ms"].tolist() == [0.0]


def test_a_hash_is_as_long_as_given_and_missing_when_stripped() -> None:
    frame = modules(run("cold", [cell(1, 1, 999), event("a", 1, 9), event("b", 20, 9, hash=None)]))

    assert [len(text) for text in frame["hash"].dropna()] == [64]
    assert frame["hash"].isna().tolist() == [False, True]


def test_kernels_are_a_sorted_tuple_with_one_name_per_instance() -> None:
    frame = modules(run("cold", [cell(1, 1, 999), event("a", 1, 9, kernels=["z", "a", "a"])]))

    assert frame["kernels"].tolist() == [("a", "a", "z")]
    assert frame["options"].tolist() == [{"mode": "release"}]


def test_a_trigger_is_the_launched_kernel_or_the_call() -> None:
    forced = event("b", 20, 9, trigger={"call": "force_load", "kernel": None})
    frame = modules(run("cold", [cell(1, 1, 999), event("a", 1, 9), forced, event("c", 40, 9, trigger=None)]))

    assert frame["trigger"].fillna("-").tolist() == ["step", "force_load", "-"]


def test_an_lto_object_counts_where_it_was_made() -> None:
    objects = [{"op": "dot", "made": True}, {"op": "dot", "made": False}]
    frame = modules(run("cold", [cell(1, 1, 999), event("a", 1, 9, lto=objects), event("b", 20, 9, lto=None)]))

    assert frame["lto_artifacts"].fillna(-1).tolist() == [1, -1]


def test_causes_are_given_from_outside_with_a_place_of_their_own() -> None:
    caused = Caused("kernel_added", ("kernel_added",), "step was added", Place("x.py", 2, 0))
    one = run("cold", [cell(4, 1, 999, ordinal=0), event("a", 1, 9, place=place(3))])

    frame = modules_frame(recording(one), {(1, "cold", 0): caused})

    row = frame.iloc[0]
    assert (row["cause"], row["causes"], row["detail"]) == ("kernel_added", ("kernel_added",), "step was added")
    assert (row["cell"], row["cell_line"], row["location"]) == (4, 3, "cell 4, line 3")
    assert (row["cause_cell"], row["cause_line"], row["cause_location"]) == (4, 2, "cell 4, line 2")
