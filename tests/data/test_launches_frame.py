"""Launches by signature and one by one."""

from __future__ import annotations

import numpy as np

from tests.data.wires_by_hand import FAILED, Line, cell, event, order, recording, run, signature, wire
from warp_nbprobe.data.columns import LAUNCH_GROUPS, LAUNCHES
from warp_nbprobe.data.frames import launch_groups_frame, launches_frame
from warp_nbprobe.data.frames_launches import launch_table, orders_by_thread

GRAPH: Line = {
    "kernel": None,
    "key": None,
    "module": None,
    "dim": None,
    "dtypes": None,
    "kid": None,
    "block_dim": None,
    "adjoint": None,
}


def test_empty_frames_have_the_columns_and_dtypes_of_full_ones() -> None:
    nothing, some = recording(), recording(run("cold", [cell(1, 1, 2), signature(1), order([1])]))

    for frame_of, columns in ((launches_frame, LAUNCHES), (launch_groups_frame, LAUNCH_GROUPS)):
        empty, full = frame_of(nothing), frame_of(some)
        assert list(empty.columns) == list(columns)
        assert dict(empty.dtypes.astype(str)) == dict(full.dtypes.astype(str)) == dict(columns)
        assert (len(empty), len(full)) == (0, 1)


def test_every_launch_is_a_row_in_order() -> None:
    names = [signature(1, kernel="a", dim=[2, 3]), signature(2, kernel="b", requested_block_dim=64)]
    frame = launches_frame(recording(run("cold", [cell(1, 1, 2), *names, order([2, 1, 2])])))

    assert frame["seq"].tolist() == [0, 1, 2]
    assert frame["kernel"].tolist() == ["b", "a", "b"]
    assert frame["dim"].tolist() == [(8,), (2, 3), (8,)]
    assert frame["dtypes"].tolist()[0] == ("array(float32)", "float32")
    assert frame["requested_block_dim"].fillna(-1).tolist() == [64, -1, 64]
    assert frame["location"].tolist() == ["cell 1, line 4"] * 3


def test_a_graph_has_no_kernel_module_or_dim() -> None:
    lines = [cell(1, 1, 2), signature(1, kind_of="graph", **GRAPH), order([1])]
    (row,) = launches_frame(recording(run("cold", lines))).to_dict("records")

    assert row["kind"] == "graph"
    assert row["dim"] is None
    assert row["adjoint"] is False
    assert launches_frame(recording(run("cold", lines)))["kernel"].isna().all()


def test_setup_launches_are_told_apart_by_position() -> None:
    setup = cell(1, 1, 50, ordinal=0, phase="setup", launches=(0, 2))
    main = cell(1, 60, 99, ordinal=1, launches=(2, 3))
    one = recording(run("cold", [setup, signature(1), main, order([1, 1, 1])]))

    assert launches_frame(one)["phase"].tolist() == ["setup", "setup", "cold"]
    groups = launch_groups_frame(one)
    assert groups["phase"].tolist() == ["setup", "cold"]
    assert groups["count"].tolist() == [2, 1]


def test_groups_stand_in_order_of_first_launch() -> None:
    names = [signature(1, kernel="a"), signature(2, kernel="b"), signature(3, kernel="never")]
    groups = launch_groups_frame(recording(run("cold", [cell(1, 1, 2), *names, order([2, 1, 2])])))

    assert groups["kernel"].tolist() == ["b", "a"]
    assert groups["count"].tolist() == [2, 1]


def test_launches_of_other_processes_follow_with_their_pid() -> None:
    worker = wire([signature(1, kernel="w"), order([1])], pid=101)
    frame = launches_frame(recording(run("cold", [cell(1, 1, 2), signature(1), order([1, 1])], others=(worker,))))

    assert frame["pid"].tolist() == [100, 100, 101]
    assert frame["kernel"].tolist() == ["step", "step", "w"]


def test_a_launch_that_caused_a_build_names_the_event() -> None:
    lines = [cell(1, 1, 900), event("a", 10, 5, launch=0), event("b", 50, 5, launch=2), event("c", 90, 5)]
    worker = wire([event("w", 20, 5, launch=0), signature(1), order([1])], pid=101)
    frame = launches_frame(recording(run("cold", [*lines, signature(1), order([1, 1, 1])], others=(worker,))))

    assert frame["triggered"].fillna(-1).tolist() == [0, -1, 2, 1]


def test_launches_are_those_of_the_first_good_cold_run_else_of_the_first() -> None:
    bad = run("cold", [cell(1, 1, 2), signature(1, kernel="bad"), order([1])], failure=FAILED)
    good = run("cold", [cell(1, 1, 2), signature(1, kernel="good"), order([1])], sample=2)

    assert launches_frame(recording(bad, good))["kernel"].tolist() == ["good"]
    assert launches_frame(recording(bad))["kernel"].tolist() == ["bad"]


def test_a_launch_whose_signature_was_lost_still_counts() -> None:
    frame = launches_frame(recording(run("cold", [cell(1, 1, 2), signature(1), order([7, 1])])))

    assert frame["kernel"].fillna("-").tolist() == ["-", "step"]


def test_a_million_launches_are_a_table_of_few_rows() -> None:
    many = np.tile(np.array([1, 2], dtype=np.uint32), 500_000)
    lines = [cell(1, 1, 2), signature(1), signature(2, kernel="b"), order(many.tolist())]

    table = launch_table(run("cold", lines))

    assert len(table.codes) == 1_000_000
    assert [row["kernel"] for row in table.rows] == ["step", "b"]


def test_orders_are_kept_per_thread_and_process_by_first_launch() -> None:
    names = [signature(1, thread=1), signature(2, thread=0)]
    worker = wire([signature(1), order([1])], pid=101)

    orders = orders_by_thread(run("cold", [*names, order([1, 2, 1])], others=(worker,)))

    assert [ids.tolist() for ids in orders] == [[1, 1], [2], [1]]


def test_an_array_is_written_without_its_number_of_dimensions() -> None:
    told = signature(1, dtypes=["array2d(float32)", "indexedarray3d(vec3f)", "array(int32)", "vec3f"])
    frame = launches_frame(recording(run("cold", [cell(1, 1, 2), told, order([1])])))

    assert frame["dtypes"].tolist() == [("array(float32)", "indexedarray(vec3f)", "array(int32)", "vec3f")]
