"""The object a user holds: computed once, on demand, and whole after a file."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.recorded import CASES, recorded
from tests.data.wires_by_hand import FAILED, cached, cell, event, recording, run, warp
from warp_nbprobe.data import columns
from warp_nbprobe.data.model import Failure
from warp_nbprobe.data.report import load_report, report_bytes
from warp_nbprobe.data.report_read import read_recording
from warp_nbprobe.errors import ChildDied, ChildTimedOut, CodeRaised, InputRefused, NoWarp, UsageError
from warp_nbprobe.measurement import Measurement

FRAMES = {
    "summary": columns.SUMMARY,
    "modules": columns.MODULES,
    "launches": columns.LAUNCHES,
    "launch_groups": columns.LAUNCH_GROUPS,
    "runs": columns.RUNS,
    "log": columns.LOG,
    "findings": columns.FINDINGS,
    "checked": columns.CHECKED,
}
GOOD = (
    run("cold", [warp(), cell(1, 0, 900), event("app", 10, 100)]),
    run("warm", [warp(), cell(1, 0, 100), cached("app", 10)]),
)


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_has_its_columns_whatever_was_recorded(name: str) -> None:
    measured = [recording(), recording(*GOOD), *map(recorded, CASES)]

    for one in measured:
        frame = getattr(Measurement(one), name)
        assert list(frame.columns) == list(FRAMES[name])
        assert dict(frame.dtypes.astype(str)) == dict(FRAMES[name])


def test_a_frame_is_computed_once() -> None:
    measured = Measurement(recording(*GOOD))

    for name in FRAMES:
        assert getattr(measured, name) is getattr(measured, name)


def test_every_event_has_a_cause() -> None:
    for case in CASES:
        modules = Measurement(recorded(case)).modules
        assert modules["cause"].notna().all()
        assert all(causes for causes in modules["causes"])


def test_what_could_be_avoided_is_a_figure() -> None:
    summary = Measurement(recorded("notebook")).summary

    assert summary.loc["avoidable_ms", "n"] == 1
    assert 0 < summary.loc["avoidable_ms", "median"] <= summary.loc["build_ms", "median"]


@pytest.mark.parametrize("case", CASES)
def test_every_frame_is_the_same_after_the_file(case: str, tmp_path: Path) -> None:
    measured = Measurement(recorded(case))
    measured.save(tmp_path / "a.json.gz")
    loaded = Measurement(load_report(tmp_path / "a.json.gz"))

    for name in FRAMES:
        pd.testing.assert_frame_equal(getattr(loaded, name), getattr(measured, name))


def test_a_good_measurement_has_no_error() -> None:
    measured = Measurement(recording(*GOOD))

    assert (measured.failed, measured.failed_samples, measured.error) == (False, 0, None)


def test_a_measurement_fails_when_no_sample_is_good() -> None:
    bad = run("cold", [cell(1, 0, 9)], sample=2, failure=FAILED)

    assert Measurement(recording(bad)).failed
    assert not Measurement(recording(*GOOD, bad)).failed
    assert Measurement(recording(*GOOD, bad)).failed_samples == 1


def test_a_sample_that_was_stopped_is_no_failure_of_the_code() -> None:
    stopped = run("cold", [cell(1, 0)], sample=2, failure=Failure("interrupted", "It was stopped."))
    measured = Measurement(recording(*GOOD, stopped, interrupted=True))

    assert (measured.failed_samples, measured.error, measured.interrupted) == (0, None, True)


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (FAILED, CodeRaised),
        (replace(FAILED, ename="StdinNotImplementedError"), InputRefused),
        (Failure("timeout", "It took longer than 3 s."), ChildTimedOut),
        (Failure("died", "It ended with status 3.", exit_code=3), ChildDied),
    ],
)
def test_the_first_failure_is_an_error_of_its_own_kind(failure: Failure, kind: type[Exception]) -> None:
    measured = Measurement(recording(run("cold", [cell(1, 0, 9)], failure=failure)))

    assert type(measured.error) is kind
    assert measured.error.measurement is measured
    assert measured.error is measured.error


def test_an_environment_without_warp_is_named() -> None:
    missing = {"kind": "no_warp", "t": 1, "error": "No module named 'warp'", "missing": True, "place": None}
    failure = replace(FAILED, ename="ModuleNotFoundError")
    measured = Measurement(recording(run("cold", [missing, cell(1, 0, 9)], failure=failure)))

    assert isinstance(measured.error, NoWarp)
    assert measured.error.executable == "/opt/python"


def test_hash_inputs_of_an_unknown_module_name_the_nearest() -> None:
    with pytest.raises(UsageError, match="Did you mean '__main__'"):
        Measurement(recorded("notebook")).hash_inputs("__man__")


def test_hash_inputs_are_text_with_a_block_per_event() -> None:
    assert Measurement(recorded("notebook")).hash_inputs("__main__").count("__main__, event ") == 5


def test_it_prints_as_one_line() -> None:
    for one in (recording(), recording(*GOOD), recorded("crash")):
        text = repr(Measurement(one))
        assert text
        assert "\n" not in text


def test_a_page_is_written_and_can_leave_out_what_is_private(tmp_path: Path) -> None:
    measured = Measurement(recorded("notebook"))

    measured.to_html(tmp_path / "a.html")
    measured.to_html(tmp_path / "b.html", redact=True)

    assert "scale = 3.0" in (tmp_path / "a.html").read_text()
    assert "scale = 3.0" not in (tmp_path / "b.html").read_text()


def test_importing_it_loads_nothing_heavy() -> None:
    heavy = "{'pandas', 'numpy', 'matplotlib', 'IPython', 'ipywidgets', 'warp'}"
    code = f"import warp_nbprobe.measurement, sys; print(sorted({heavy} & set(sys.modules)))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


_REPORTS = {case: json.loads(report_bytes(recorded(case))) for case in CASES}
_ODD = st.sampled_from([None, True, 0, -1, 2**40, 1.5, "", "__main__", [], [1], ["a"], {}, {"a": 1}, [[]]])


@settings(max_examples=60)
@given(st.sampled_from(CASES), st.data())
def test_any_value_anywhere_gives_frames_or_the_one_error(case: str, data: st.DataObject) -> None:
    report = json.loads(json.dumps(_REPORTS[case]))
    holder: Any = report
    while True:
        key = data.draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
        if not isinstance(holder[key], dict | list) or not holder[key] or data.draw(st.booleans()):
            break
        holder = holder[key]
    holder[key] = data.draw(_ODD)

    try:
        measured = Measurement(read_recording(report))
    except ValueError:
        return
    for name in FRAMES:
        assert dict(getattr(measured, name).dtypes.astype(str)) == dict(FRAMES[name])
    assert repr(measured)
    assert measured.structure.same in (True, False)
