"""The report file: nothing lost, nothing executed, one clear error for what is no report."""

from __future__ import annotations

import gzip
import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.data.wires_by_hand import FAILED, Line, cell, event, log, order, recording, run, signature, warp, wire
from warp_nbprobe.data.frames import launch_groups_frame, launches_frame, log_frame, modules_frame, runs_frame
from warp_nbprobe.data.metrics import summary_frame
from warp_nbprobe.data.model import Cell, Recording, Run
from warp_nbprobe.data.records import parse_wire
from warp_nbprobe.data.report import load_report, report_bytes, save_report
from warp_nbprobe.errors import ReportError

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report-1.schema.json").read_text())
LINES: list[Line | list[Line]] = [
    warp(),
    cell(1, 0, 900, launches=(0, 3)),
    event("app", 10, 100, launch=0),
    log("Module app ...", 110),
    signature(1),
    signature(2, kernel="other", dim=[2, 2]),
    order([1, 2, 1]),
]


def full(**given: Any) -> Recording:
    """Return a recording with two processes, a good sample and one that failed."""
    worker = wire([event("worker", 20, 5)], pid=101)
    return recording(
        run("cold", LINES, others=(worker,)),
        run("warm", [warp(), cell(1, 0, 100)]),
        run("cold", [warp(), cell(1, 0, None)], sample=2, failure=FAILED),
        samples=3,
        cells=(Cell("a = 'ä'", 3, 2, "setup", "default"), Cell("b", 4, allow_error=True)),
        options={"timeout": 900.0, "env": {"A": "b"}, "own": ["x"]},
        notes=("one cell was left out",),
        **given,
    )


def raw(one: Run) -> list[Any]:
    return [wire.raw for wire in one.wires]


def frames(recorded: Recording) -> dict[str, pd.DataFrame]:
    return {
        "summary": summary_frame(recorded, {1: 5.0}),
        "modules": modules_frame(recorded, {}),
        "launches": launches_frame(recorded),
        "launch_groups": launch_groups_frame(recorded),
        "runs": runs_frame(recorded),
        "log": log_frame(recorded),
    }


@pytest.mark.parametrize("name", ["base.json", "base.json.gz"])
def test_every_frame_is_the_same_after_the_file(tmp_path: Path, name: str) -> None:
    save_report(full(), tmp_path / name)
    loaded = load_report(tmp_path / name)

    for name, frame in frames(full()).items():
        pd.testing.assert_frame_equal(frames(loaded)[name], frame)


def test_everything_that_was_recorded_is_in_the_file(tmp_path: Path) -> None:
    save_report(full(interrupted=True), tmp_path / "base.json")

    loaded = load_report(tmp_path / "base.json")

    assert replace(loaded, runs=()) == replace(full(interrupted=True), runs=())
    assert [replace(one, wires=()) for one in loaded.runs] == [replace(one, wires=()) for one in full().runs]
    assert [one.raw for run in loaded.runs for one in run.wires] == [
        one.raw for run in full().runs for one in run.wires
    ]


def test_a_saved_report_follows_its_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for recorded in (full(), recording(), full(interrupted=True, extra={"redacted": True})):
        jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(report_bytes(recorded)))


def test_unknown_keys_are_kept_wherever_they_stand(tmp_path: Path) -> None:
    report = json.loads(report_bytes(full()))
    report["later"] = {"a": [1]}
    report["cells"][0]["later"] = 1
    report["runs"][0]["later"] = 2
    report["runs"][2]["failure"]["later"] = 3
    report["runs"][0]["wires"][0]["lines"][1]["later"] = 4
    report["runs"][0]["wires"][0]["lines"].insert(2, {"kind": "later", "value": 5})
    report["runs"][0]["wires"][0]["lines"].insert(3, "garbage")
    (tmp_path / "a.json").write_text(json.dumps(report))

    loaded = load_report(tmp_path / "a.json")

    assert json.loads(report_bytes(loaded)) == report
    assert loaded.runs[0].wires[0].unknown_lines == 2


def test_a_truncated_wire_stays_truncated(tmp_path: Path) -> None:
    crashed = replace(run("cold", []), wires=(parse_wire([warp(), *cell(1, 0)], cut=True),))

    save_report(recording(crashed), tmp_path / "a.json")

    assert load_report(tmp_path / "a.json").runs[0].wires[0].truncated


def test_a_value_that_json_cannot_hold_becomes_null_or_text(tmp_path: Path) -> None:
    recorded = recording(options={"timeout": float("inf"), "cwd": Path("x"), "own": ("a",)})

    save_report(recorded, tmp_path / "a.json")

    assert load_report(tmp_path / "a.json").options == {"timeout": None, "cwd": "x", "own": ["a"]}


@pytest.mark.parametrize("in_a_loop", [True, False])
def test_a_million_launches_take_less_than_a_megabyte(in_a_loop: bool) -> None:
    kinds = np.arange(1, 41, dtype=np.uint32)
    many = np.tile(kinds, 25_000) if in_a_loop else np.random.default_rng(0).choice(kinds, 1_000_000)
    lines = [cell(1, 0, 9), *(signature(number) for number in range(1, 41)), order(many.tolist())]

    assert len(report_bytes(recording(run("cold", lines)))) < 1_000_000


def test_the_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "base.json"
    target.write_text("before")

    def full_disk(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        save_report(full(), target)

    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == ["base.json"]


def test_the_file_is_readable_by_whom_the_users_files_are(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    save_report(full(), tmp_path / "base.json")

    assert stat.S_IMODE((tmp_path / "base.json").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_a_link_keeps_pointing_to_the_report(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    save_report(full(), tmp_path / "link.json")

    assert (tmp_path / "link.json").is_symlink()
    assert load_report(tmp_path / "real.json").label == "base"


def test_compressed_files_are_told_by_content_and_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a.json.gz", "b.json.gz"):
        save_report(full(), tmp_path / name)
    os.rename(tmp_path / "a.json.gz", tmp_path / "renamed.json")

    assert (tmp_path / "renamed.json").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    assert load_report(tmp_path / "renamed.json").label == "base"


def changed(**given: Any) -> bytes:
    return json.dumps({**json.loads(report_bytes(full())), **given}).encode()


def test_a_file_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_report(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (report_bytes(full())[:-20], "not whole JSON"),
        (b"\xff\xfe\x00", "not text"),
        (b"[]", "not a JSON object"),
        (b'{"module_events": [], "command": []}', "not a report of this tool"),
        (b'{"format": "warp_nbprobe-report"}', "which schema"),
        (changed(schema=2), "newer version"),
        (changed(schema=True), "which schema"),
        (changed(label=7), "'label' of the report"),
        (changed(samples="3"), "'samples' of the report"),
        (changed(samples=-1), "'samples' of the report"),
        (changed(samples=2**80), "'samples' of the report"),
        (changed(created="yesterday"), "'created' of the report"),
        (changed(created="2025-01-01T00:00:00"), "'created' of the report"),
        (changed(created="0001-01-01T00:00:00+23:00"), "'created' of the report"),
        (changed(runs=[7]), "runs[0]"),
        (changed(runs=[{}]), "runs[0] lacks 'sample'"),
        (changed(cells={}), "'cells' of the report"),
        (changed(notes=[1]), "'notes' of the report"),
        (b'{"format": "a", "format": "b"}', "twice"),
        (b'{"format": NaN}', "NaN"),
        (b'{"format": 1e999}', "out of range"),
        (b'{"format": ' + b"9" * 5000 + b"}", "digits"),
        (b'{"a": ' * 300 + b"1" + b"}" * 300, "nested too deeply"),
        (b"[" * 100_000, "nested too deeply"),
        (gzip.compress(report_bytes(full()))[:-30], "cut off"),
        (gzip.compress(report_bytes(full()))[:50] + b"\x00" * 50, ""),
        (b"\x1f\x8b", "cut off"),
    ],
)
def test_what_is_no_report_gives_one_clear_error(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(data)

    with pytest.raises(ReportError) as raised:
        load_report(path)

    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert path.read_bytes() == data


def test_a_damaged_order_of_launches_is_named(tmp_path: Path) -> None:
    report = json.loads(report_bytes(full()))
    report["runs"][0]["wires"][0]["order"]["n"] = 4
    (tmp_path / "a.json").write_text(json.dumps(report))

    with pytest.raises(ReportError, match="should hold 4 ids"):
        load_report(tmp_path / "a.json")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def _spots(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(spot for key, item in inner for spot in _spots(item, (*at, key)))]


_REPORT = json.loads(report_bytes(full()))
_ALL_SPOTS = [spot for spot in _spots(_REPORT) if spot]


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(_ALL_SPOTS), _JSON, st.booleans())
def test_any_value_anywhere_gives_a_report_or_the_one_error(
    tmp_path: Path, spot: tuple[Any, ...], value: Any, remove: bool
) -> None:
    report = json.loads(json.dumps(_REPORT))
    holder = report
    for key in spot[:-1]:
        holder = holder[key]
    if remove:
        del holder[spot[-1]]
    else:
        holder[spot[-1]] = value
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(report))

    try:
        loaded = load_report(path)
    except ReportError:
        return
    for frame in frames(loaded).values():
        repr(frame)
    save_report(loaded, path)
    load_report(path)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_give_the_one_error(tmp_path: Path, data: bytes, packed: bool) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(gzip.compress(data) if packed else data)

    with pytest.raises(ReportError):
        load_report(path)
