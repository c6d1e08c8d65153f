"""One row per child, walls without the probe's time, and every line that Warp printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.wires_by_hand import FAILED, MS, cell, footer, header, log, order, recording, run, signature, warp, wire
from warp_nbprobe.data.columns import LOG, RUNS
from warp_nbprobe.data.frames import log_frame, runs_frame
from warp_nbprobe.data.records import read_wire
from warp_nbprobe.data.walls import walls


def test_empty_frames_have_the_columns_and_dtypes_of_full_ones() -> None:
    full = recording(run("cold", [cell(1, 1, 2), log("Warp 1.19.0 initialized:", 1)]))

    for frame_of, columns in ((runs_frame, RUNS), (log_frame, LOG)):
        assert list(frame_of(recording()).columns) == list(columns)
        assert dict(frame_of(recording()).dtypes.astype(str)) == dict(columns)
        assert dict(frame_of(full).dtypes.astype(str)) == dict(columns)


def test_a_run_has_its_versions_and_environment() -> None:
    runtime = {"kind": "runtime", "t": 1, "devices": [{"alias": "cpu"}], "toolkit": "13.4", "driver": None}
    row = runs_frame(recording(run("cold", [warp(), runtime, cell(1, 1, 2)]))).iloc[0]

    assert (row["warp"], row["python"], row["ok"], row["exit_code"]) == ("1.19.0", "3.11.7", True, 0)
    assert row["environment"]["cpu"] == "Some CPU"
    assert row["environment"]["devices"] == ({"alias": "cpu"},)
    assert "driver" not in row["environment"]
    assert str(row["start"]) == "2025-01-02 03:04:05.000678+00:00"


def test_a_failed_run_has_its_reason() -> None:
    row = runs_frame(recording(run("cold", [cell(1, 1, 2, ok=False)], failure=FAILED))).iloc[0]

    assert (row["ok"], row["reason"]) == (False, "raised")


def test_the_wall_is_the_sum_of_the_measured_cells() -> None:
    time = walls(run("cold", [cell(1, 0, 40, phase="setup"), cell(2, 50, 80), cell(3, 100, 130)]))

    assert (time.wall_ms, time.setup_ms, time.probe_ms) == (60.0, 40.0, 0.0)


def test_the_probes_time_in_the_cells_is_taken_out() -> None:
    started = {"kind": "probe", "t": 5 * MS, "probe_ns": 9 * MS, "launch_ns": None}
    calibrated = {"kind": "probe", "t": 90 * MS, "probe_ns": 13 * MS, "launch_ns": 1000.0}
    main = cell(1, 10, 60, launches=(0, 1000), probe_ns=12 * MS)

    time = walls(run("cold", [started, main, calibrated]))

    assert time.probe_ms == pytest.approx(3 + 1)
    assert time.wall_ms == pytest.approx(50 - 4)


def test_a_command_is_timed_from_its_start_up_hook_to_its_exit() -> None:
    time = walls(run("cold", [{"kind": "code_begin", "t": 5 * MS}, {"kind": "code_end", "t": 25 * MS}]))

    assert time.wall_ms == 20.0


def test_a_cell_that_did_not_end_has_no_wall() -> None:
    assert walls(run("cold", [cell(1, 1, 20), cell(2, 30)])).wall_ms is None


def test_code_that_never_began_has_no_wall() -> None:
    time = walls(run("cold", [cell(1, 1, 20, phase="setup")]))

    assert (time.wall_ms, time.setup_ms) == (None, 19.0)


def test_a_crash_shows_as_truncated_and_keeps_what_was_launched(tmp_path: Path) -> None:
    import json
    import struct
    from dataclasses import replace

    path = tmp_path / "wire-7.jsonl"
    lines = [header(7), *cell(1, 1), signature(1)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"kind": "ev')
    (tmp_path / "launches-7.bin").write_bytes(struct.pack("<4I", 1, 1, 0, 0))
    died = replace(run("cold", [], failure=FAILED), wires=(read_wire(path),))

    row = runs_frame(recording(died)).iloc[0]

    assert (bool(row["truncated"]), row["unknown_lines"]) == (True, 0)
    assert died.wires[0].order.tolist() == [1, 1]


def test_unknown_lines_of_all_processes_are_counted() -> None:
    from dataclasses import replace

    from warp_nbprobe.data.records import parse_wire

    odd = parse_wire([header(101), {"kind": "tachyon"}, footer()])
    one = replace(run("cold", [cell(1, 1, 2)]), wires=(wire([cell(1, 1, 2)]), odd))

    assert runs_frame(recording(one))["unknown_lines"].tolist() == [1]


def test_the_log_holds_every_line_of_every_process_in_time() -> None:
    worker = wire([log("from the worker", 5)], pid=101)
    frame = log_frame(recording(run("cold", [log("first", 1), log("last", 9, shown=False)], others=(worker,))))

    assert frame["text"].tolist() == ["first", "from the worker", "last"]
    assert frame["pid"].tolist() == [100, 101, 100]
    assert frame["shown"].tolist() == [True, True, False]


def test_lines_that_only_the_host_saw_are_in_the_log() -> None:
    frame = log_frame(recording(run("cold", [order([])], printed=("Module app 1234567 load on device 'cpu' ...",))))

    assert frame["shown"].tolist() == [True]
