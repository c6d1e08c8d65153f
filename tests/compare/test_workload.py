"""Launches: by signature and order, per thread and process, whatever kernels are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.compare.pairs import BASE, LESS, Made
from tests.compare.test_verdicts import compared
from tests.data.wires_by_hand import order, signature, wire
from warp_nbprobe.data.model import Recording
from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.measurement import Measurement

Launches = Sequence[Mapping[str, Any]]


def outcome(ours: Made, theirs: Made) -> str:
    return compared(ours, theirs).workload.outcome


@pytest.mark.parametrize(
    "edit",
    [
        {"dim": [9]},
        {"dtypes": ["array(float64)", "float32"]},
        {"dtypes": ["array(float32)", "float64"]},
        {"block_dim": 64},
        {"requested_block_dim": 64},
        {"adjoint": True},
        {"kind_of": "tiled"},
        {"kind_of": "replay"},
    ],
)
def test_every_field_of_a_signature_counts(edit: dict[str, Any]) -> None:
    assert outcome(BASE.but(launches=({}, {})), BASE.but(launches=({}, edit))) == "changed"


@pytest.mark.parametrize("edit", [{"kernel": "other", "key": "other"}, {"module": "b"}, {"kid": 7}])
def test_what_a_kernel_is_called_does_not(edit: dict[str, Any]) -> None:
    assert outcome(BASE.but(launches=({}, {})), BASE.but(launches=({}, edit))) == "same"


def test_the_line_of_a_launch_does_not_count() -> None:
    moved = {"place": {"file": "/tmp/ipykernel_1/0.py", "line": 40, "cell": 0, "user": True}}

    assert outcome(BASE, BASE.but(launches=tuple({**one, **moved} for one in BASE.launches))) == "same"


def test_order_counts() -> None:
    found = compared(BASE.but(launches=({}, {"dim": [2]})), BASE.but(launches=({"dim": [2]}, {})))

    assert found.verdict == "invalid"
    assert found.workload.counts == ()
    parting = found.workload.parting
    assert parting is not None
    assert (parting.position, parting.fields) == (1, ("dimensions",))


def test_the_first_launch_at_which_two_runs_part_is_named_with_what_differs() -> None:
    theirs = ({}, {}, {"dim": [16], "adjoint": True}, {})
    parting = compared(BASE, BASE.but(launches=theirs)).workload.parting

    assert parting is not None
    assert (parting.thread, parting.position, parting.fields) == ("the main thread", 3, ("adjoint",))
    assert parting.baseline is not None
    assert parting.baseline.row["dim"] == (16,)


def test_a_run_that_ends_early_parts_where_it_ends() -> None:
    parting = compared(BASE, BASE.but(launches=BASE.launches[:2])).workload.parting

    assert parting is not None
    assert (parting.position, parting.candidate) == (3, None)


def test_counts_of_the_kernels_that_changed() -> None:
    ours = ({"kernel": "a"}, {"kernel": "b"}, {"kernel": "b"})
    theirs = ({"kernel": "a"}, {"kernel": "b"}, {"kernel": "b"}, {"kernel": "b"}, {"kernel": "new", "dim": [3]})
    found = compared(BASE.but(launches=ours), BASE.but(launches=theirs))

    assert found.launches.to_dict("records") == [
        {"kernel": "b", "baseline": 2, "candidate": 3, "delta": 1},
        {"kernel": "new", "baseline": 0, "candidate": 1, "delta": 1},
    ]


def test_a_kernel_that_moves_out_of_a_closure_is_a_rename_and_advice() -> None:
    ours = tuple({**one, "kernel": "make.<locals>.step"} for one in BASE.launches)
    found = compared(BASE.but(launches=ours), BASE.but(work=LESS))

    assert found.verdict == "improved"
    assert found.renames.to_dict("records") == [{"baseline": "make.<locals>.step", "candidate": "step", "launches": 3}]
    assert any("rename, which is no change of work" in reason for reason in found.reasons)


def test_a_rename_is_seen_through_when_counts_are_compared() -> None:
    ours = ({"kernel": "old"}, {"kernel": "old"})
    theirs = ({"kernel": "new"}, {"kernel": "new"}, {"kernel": "new"})
    found = compared(BASE.but(launches=ours), BASE.but(launches=theirs))

    assert found.renames.to_dict("records") == [{"baseline": "old", "candidate": "new", "launches": 3}]
    assert found.launches.to_dict("records") == [{"kernel": "old", "baseline": 2, "candidate": 3, "delta": 1}]


def test_threads_are_compared_each_by_itself() -> None:
    threads = {1: ({"dim": [1]}, {"dim": [2]}), 2: ({"dim": [3]},)}

    assert outcome(BASE.but(threads=threads), BASE.but(threads=threads)) == "same"
    swapped = {1: ({"dim": [3]},), 2: ({"dim": [1]}, {"dim": [2]})}
    assert outcome(BASE.but(threads=threads), BASE.but(threads=swapped)) == "same"
    spread = {1: ({"dim": [1]},), 2: ({"dim": [3]}, {"dim": [2]})}
    assert outcome(BASE.but(threads=threads), BASE.but(threads=spread)) == "changed"


def test_a_thread_that_is_new_is_where_the_runs_part() -> None:
    parting = compared(BASE, BASE.but(threads={1: ({"dim": [5]},)})).workload.parting

    assert parting is not None
    assert (parting.thread, parting.position, parting.baseline) == ("thread 1", 1, None)


def test_where_a_sides_own_samples_disagree_only_kinds_are_compared_and_that_is_said() -> None:
    wobbling = BASE.but(launches_of={2: ({}, {}, {}, {"dim": [16]})})
    found = compared(BASE, wobbling.but(work=LESS))

    assert found.workload.disagree == (False, True)
    assert found.verdict == "improved"
    assert any("samples of the candidate do not launch the same" in reason for reason in found.reasons)
    assert compared(BASE, wobbling.but(launches=({}, {"dim": [7]}))).verdict == "invalid"


def test_a_kind_that_only_one_side_has_is_shown() -> None:
    wobbling = BASE.but(launches_of={2: ({}, {"dim": [16]}, {"dim": [5]})})
    ours, theirs = compared(BASE, wobbling).workload.only

    assert ours == ()
    assert [launch.row["dim"] for launch in theirs] == [(5,)]


def test_other_devices_alone_make_it_not_comparable_and_not_invalid() -> None:
    found = compared(BASE, BASE.but(device="cuda:0", block_dim=256))

    assert (found.workload.outcome, found.verdict) == ("device", "not comparable")
    assert outcome(BASE, BASE.but(device="cuda:0", launches=({}, {}))) == "changed"


def test_a_field_that_one_side_did_not_record_is_left_out_on_both_and_listed() -> None:
    found = compared(BASE, BASE.but(block_dim=None))

    assert found.workload.outcome == "same"
    assert "launches: block dimension (resolved), which one side did not record" in found.not_checked


def test_launches_of_the_setup_code_are_no_workload() -> None:
    setup = BASE.but(setup="a = 1")

    assert compared(BASE, setup).workload.totals == (3, 3)


def test_a_side_without_a_launch_differs_from_one_with_some() -> None:
    assert compared(BASE, BASE.but(launches=())).verdict == "invalid"


def test_launches_that_could_not_be_recorded_are_neither_equal_nor_changed() -> None:
    blind = BASE.but(launches=()).recording()
    runs = tuple(replace(run, wires=tuple(_without_hook(one) for one in run.wires)) for run in blind.runs)
    found = Comparison(BASE.measurement(), Measurement(replace(blind, runs=runs)))

    assert found.verdict == "unverified"
    assert "launches: the candidate could not record them" in found.not_checked


def _without_hook(one: Any) -> Any:
    return replace(one, warp=replace(one.warp, hooks={"launch": "it is not there"}))


def test_every_process_is_a_stream_of_its_own() -> None:
    def with_worker(*ids: int) -> Recording:
        recorded = BASE.recording()
        worker = wire([signature(1, dim=[1]), signature(2, dim=[2]), order(ids)], pid=7)
        runs = tuple(replace(run, wires=(*run.wires, worker)) if run.run == "cold" else run for run in recorded.runs)
        return replace(recorded, runs=runs)

    def found(ours: Recording, theirs: Recording) -> str:
        return Comparison(Measurement(ours), Measurement(theirs)).workload.outcome

    assert found(with_worker(1, 2), with_worker(1, 2)) == "same"
    assert found(with_worker(1, 2), with_worker(2, 1)) == "changed"
    assert found(with_worker(1, 2), BASE.recording()) == "changed"
