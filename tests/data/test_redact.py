"""A report for others: without source text, paths, values and host names, yet as good to compare."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from tests.data.wires_by_hand import (
    FAILED,
    Line,
    cell,
    event,
    inputs,
    kernel,
    log,
    order,
    place,
    recording,
    run,
    signature,
    source,
    warp,
)
from warp_nbprobe.data.frames import launch_groups_frame, modules_frame
from warp_nbprobe.data.inputs import hash_inputs_text
from warp_nbprobe.data.metrics import summary_frame
from warp_nbprobe.data.model import Cell, Recording
from warp_nbprobe.data.redact import redacted, without_paths
from warp_nbprobe.data.report import report_bytes

SECRET = "xyzzy"
HOME = f"/home/{SECRET}"
LINES: list[Line | list[Line]] = [
    warp(path=f"{HOME}/lib/warp"),
    cell(1, 0, 900, source=f"key = '{SECRET}'", file=f"{HOME}/0.py", evalue=f"no {SECRET}"),
    source(1, f"def step(): return '{SECRET}'"),
    source(2, "def other(): ..."),
    kernel(1, dt=f"{SECRET}1", captured={"n": SECRET}, defined=place(3, file=f"{HOME}/app.py"), hash="1a"),
    kernel(2, "other", source=2, dt=f"{SECRET}2", hash="1b", file=f"{HOME}/a.py"),
    inputs(7, [1, 2], "aa"),
    event("app", 10, 100, inputs=7, cache_path=f"{HOME}/cache", error={"message": SECRET, "type": "X"}),
    {"kind": "assign", "t": 1, "what": "config", "name": "kernel_cache_dir", "old": None, "new": f"{HOME}/cache"},
    {"kind": "stale", "t": 1, "kid": 1, "name": "step", "value": "dt", "how": "global", "old": SECRET, "new": "2"},
    {"kind": "runtime", "t": 1, "cache_dir": f"{HOME}/cache", "environment": {"WARP_CACHE_PATH": f"{HOME}/cache"}},
    {
        "kind": "call",
        "t": 1,
        "name": "load_module",
        "args": {"module": f"{HOME}/app"},
        "place": place(2, file=f"{HOME}/a"),
    },
    {"kind": "module", "t": 1, "module": "app", "place": place(1, file=f"{HOME}/app.py", cell=None)},
    {"kind": "refused", "t": 1, "error": f"no source in {SECRET}"},
    log(f"Error while parsing {SECRET}", 6),
    log(f"Kernel cache:\n     {HOME}/cache", 5),
    signature(1, place=place(4, file=f"{HOME}/app.py", cell=None)),
    order([1, 1]),
]


def private() -> Recording:
    failure = replace(FAILED, message=f"It raised {SECRET}", evalue=SECRET, traceback=(SECRET,), crash=SECRET)
    cold = run("cold", LINES, printed=(f"at {HOME}/cache",), extra={"later": SECRET})
    return recording(
        cold,
        run("warm", [cell(1, 0, 100)]),
        run("cold", [cell(1, 0, None)], sample=2, failure=failure),
        cells=(Cell(f"key = '{SECRET}'", 1, extra={"later": SECRET}),),
        options={"cwd": HOME, "env": {"KEY": SECRET}, "timeout": 900.0, "label": "base"},
        notes=(f"kept in {HOME}/nbp-1",),
        extra={"later": SECRET},
    )


def test_nothing_private_is_left() -> None:
    text = report_bytes(redacted(private())).decode()

    assert SECRET in report_bytes(private()).decode()
    for gone in (SECRET, "annsbox", "/home/ann", "/tmp/", "/opt/"):
        assert gone not in text


def test_it_says_that_something_was_left_out() -> None:
    assert json.loads(report_bytes(redacted(private())))["redacted"] is True


def test_figures_and_structure_are_the_same() -> None:
    before, after = private(), redacted(private())

    pd.testing.assert_frame_equal(summary_frame(after, {}), summary_frame(before, {}))
    for name in ("module", "hash", "status", "ms", "build", "cell_line"):
        pd.testing.assert_series_equal(modules_frame(after, {})[name], modules_frame(before, {})[name])
    assert launch_groups_frame(after)["location"].tolist() == ["app.py:4"]


def test_different_values_stay_different_and_equal_ones_equal() -> None:
    once, again = (hash_inputs_text(redacted(private()).runs[0], "app") for _ in range(2))
    constants = [line for line in once.splitlines() if "constant dt" in line]

    assert once == again
    assert len({line.partition(": ")[2] for line in constants}) == 2


def test_leaving_out_twice_is_leaving_out_once() -> None:
    once = json.loads(report_bytes(redacted(private())))
    twice = json.loads(report_bytes(redacted(redacted(private()))))

    assert [one["sample"] for one in twice["runs"]] == [one["sample"] for one in once["runs"]]
    assert twice["runs"][0]["wires"][0]["order"] == once["runs"][0]["wires"][0]["order"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/home/ann/app.py:12", "app.py:12"),
        ("see C:\\Users\\ann\\app.py now", "see app.py now"),
        ("~/notes/a.txt", "a.txt"),
        ("/home/ann", "[left out]"),
        ("in /home/ann/.secrets and sim/app.py:3", "in [left out] and app.py:3"),
        ("2 / 3 and a/b ratio", "2 / 3 and a/b ratio"),
        ("builtin_bd1.pch", "builtin_bd1.pch"),
        ("'/home/ann/x', '/y/'", "'[left out]', '[left out]'"),
    ],
)
def test_a_path_is_cut_to_its_last_part(text: str, left: str) -> None:
    assert without_paths(text) == left


def test_a_line_that_was_not_understood_is_left_out() -> None:
    from warp_nbprobe.data.records import parse_wire

    odd: Any = parse_wire([{"kind": "later", "value": SECRET}, f"garbage {SECRET}"])
    one = redacted(recording(replace(run("cold", []), wires=(odd,)))).runs[0].wires[0]

    assert one.unknown_lines == 2
    assert SECRET not in json.dumps(one.raw)
