"""The trace: what a viewer needs of it, and where everything stands."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.data import wires_by_hand as by_hand
from warp_nbprobe.data.model import Recording
from warp_nbprobe.data.records import Wire
from warp_nbprobe.measurement import Measurement
from warp_nbprobe.views.trace import Slice, nested

MS = by_hand.MS


def command_wire(pid: int, lines: Iterable[Any] = (), *, begin_ms: float = 0.0, end_ms: float = 500.0) -> Wire:
    code = [{"kind": "code_begin", "t": int(begin_ms * MS)}, *lines, {"kind": "code_end", "t": int(end_ms * MS)}]
    return by_hand.wire(code, pid=pid)


def two_processes() -> Recording:
    cold = by_hand.run(
        "cold",
        [
            *by_hand.cell(1, 100.0, 900.0, launches=(0, 3)),
            by_hand.event("app", 200.0, 300.0, header_ms=100.0, launch=0, place=by_hand.place(2)),
            by_hand.event("app", 250.0, 100.0, thread=1, launch=None),
            {
                "kind": "call",
                "t": 190 * MS,
                "t1": 550 * MS,
                "name": "force_load",
                "args": {"device": "cpu"},
                "thread": 0,
            },
            by_hand.signature(1),
            by_hand.order([1, 1, 1]),
        ],
        others=(command_wire(200, [by_hand.event("worker", 300.0, 50.0, status="error")]),),
    )
    return by_hand.recording(cold, by_hand.run("warm", by_hand.cell(1, 50.0, 80.0)))


def events_of(recording: Recording, tmp_path: Path) -> list[dict[str, Any]]:
    path = tmp_path / "trace.json"
    Measurement(recording).to_trace(path)
    content = json.loads(path.read_text())
    assert content["displayTimeUnit"] == "ms"
    return list(content["traceEvents"])


def test_every_event_has_what_the_format_asks_for(tmp_path: Path) -> None:
    for event in events_of(two_processes(), tmp_path):
        assert isinstance(event["name"], str)
        assert event["ph"] in ("X", "M", "C")
        assert isinstance(event["pid"], int)
        assert isinstance(event["args"], dict)
        if event["ph"] != "M":
            assert event["ts"] >= 0
        if event["ph"] == "X":
            assert event["dur"] >= 0
            assert isinstance(event["tid"], int)
            assert isinstance(event["cat"], str)


def test_every_process_of_every_run_has_a_name_and_every_thread_a_track(tmp_path: Path) -> None:
    events = events_of(two_processes(), tmp_path)
    names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    threads = [(event["pid"], event["args"]["name"]) for event in events if event["name"] == "thread_name"]

    assert list(names.values()) == [
        "cold run, sample 1 (pid 100)",
        "cold run, sample 1, process 2 (pid 200)",
        "warm run, sample 1 (pid 100)",
    ]
    assert threads == [(1, "main thread"), (1, "thread 1"), (2, "main thread"), (3, "main thread")]


def test_slices_of_a_track_lie_within_each_other(tmp_path: Path) -> None:
    tracks: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for event in events_of(two_processes(), tmp_path):
        if event["ph"] == "X":
            tracks.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
    assert tracks
    for slices in tracks.values():
        assert within_each_other(slices)


def within_each_other(slices: list[tuple[float, float]]) -> bool:
    around: list[float] = []
    for begin, end in slices:
        while around and around[-1] <= begin:
            around.pop()
        if around and end > around[-1] + 1e-6:
            return False
        around.append(end)
    return all(first[0] <= second[0] for first, second in pairwise(slices))


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 50)), max_size=12))
def test_overlapping_slices_are_cut_to_what_a_viewer_can_show(given_slices: list[tuple[float, float]]) -> None:
    found = nested(Slice("x", "part", begin, begin + length, {}) for begin, length in given_slices)

    assert within_each_other([(each.begin, each.end) for each in found])
    assert len(found) == len(given_slices)


def test_a_build_holds_its_parts_in_their_order(tmp_path: Path) -> None:
    events = events_of(two_processes(), tmp_path)
    build = next(event for event in events if event["name"] == "app [1/2]")
    parts = [
        (event["name"], event["ts"] - build["ts"], event["dur"])
        for event in events
        if event.get("cat") == "part" and (event["pid"], event["tid"]) == (build["pid"], build["tid"])
    ]

    assert (build["cat"], build["dur"]) == ("build", 300_000.0)
    assert build["args"]["module"] == "app"
    assert build["args"]["location"] == "cell 1, line 2"
    assert [name for name, _, _ in parts] == ["code generation", "precompiled header", "native compile", "load"]
    assert [(begin, length) for _, begin, length in parts] == [
        (0.0, 10_000.0), (10_000.0, 100_000.0), (110_000.0, 180_000.0), (290_000.0, 5_000.0),
    ]  # fmt: skip


def test_runs_begin_at_the_same_moment(tmp_path: Path) -> None:
    cells = [event["ts"] for event in events_of(two_processes(), tmp_path) if event.get("cat") == "cell"]

    assert len(set(cells)) == 1


def test_launches_are_counted_where_their_number_is_known(tmp_path: Path) -> None:
    counts = [
        event for event in events_of(two_processes(), tmp_path) if event["name"] == "launches" and event["pid"] == 1
    ]

    assert [event["args"]["launches"] for event in counts][:3] == [0, 0, 3]


def test_a_redacted_trace_has_no_source_and_no_path(tmp_path: Path) -> None:
    secret = by_hand.place(3, cell=None, file="/home/ann/secret/app.py")
    lines = [*by_hand.cell(1, 1.0, 9.0, source="password = 1"), by_hand.event("app", 2.0, 5.0, place=secret)]
    recording = by_hand.recording(by_hand.run("cold", lines))
    plain, redacted = tmp_path / "plain.json", tmp_path / "redacted.json"
    Measurement(recording).to_trace(plain)
    Measurement(recording).to_trace(redacted, redact=True)

    assert "secret" in plain.read_text()
    assert "secret" not in redacted.read_text()
    assert "annsbox" not in redacted.read_text()
    assert "app.py" in redacted.read_text()


def test_a_compressed_trace_is_the_same(tmp_path: Path) -> None:
    measurement = Measurement(two_processes())
    measurement.to_trace(tmp_path / "a.json")
    measurement.to_trace(tmp_path / "a.json.gz")

    assert gzip.decompress((tmp_path / "a.json.gz").read_bytes()) == (tmp_path / "a.json").read_bytes()


def test_a_measurement_without_events_is_a_trace_too(tmp_path: Path) -> None:
    assert events_of(by_hand.recording(), tmp_path) == []
    assert events_of(by_hand.recording(by_hand.run("cold")), tmp_path)
