"""What real runs of Warp put on the wire, read without Warp."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.data.recorded import CASES, recorded, recorded_wires
from warp_nbprobe.data.frames import launch_groups_frame, launches_frame, log_frame, modules_frame, runs_frame
from warp_nbprobe.data.inputs import hash_inputs_text
from warp_nbprobe.data.metrics import summary_frame


def modules(case: str, run: str = "cold") -> pd.DataFrame:
    frame = modules_frame(recorded(case), {})
    return frame[frame["run"] == run].reset_index(drop=True)


@pytest.mark.parametrize("case", CASES)
def test_a_strict_reader_understands_every_line(case: str) -> None:
    for kind in ("cold", "warm"):
        for wire in recorded_wires(case, kind, strict=True):
            assert not wire.unknown_lines
            assert not wire.troubles


def test_a_notebook_is_built_and_rebuilt_as_its_cells_say() -> None:
    cold = modules("notebook")

    assert cold["kernels"].tolist() == [
        ("helper",),
        ("general", "helper"),
        ("general", "helper", "late"),
        ("general", "general", "helper", "late"),
        ("general", "general", "helper", "late"),
    ]
    assert cold["phase"].tolist() == ["setup", "cold", "cold", "cold", "cold"]
    assert cold["build"].tolist() == [f"__main__ [{n}/5]" for n in range(1, 6)]
    assert cold["location"].tolist() == [
        "setup default, line 9",
        "cell 1, line 7",
        "cell 2, line 6",
        "cell 3, line 1",
        "cell 4, line 6",
    ]
    assert modules("notebook", "warm")["status"].tolist() == ["cached"] * 5
    assert modules("notebook", "warm")["hash"].tolist() == cold["hash"].tolist()


def test_the_figures_of_a_notebook_leave_its_setup_out() -> None:
    figures = summary_frame(recorded("notebook"), {})
    cold = modules("notebook")
    measured = cold[cold["phase"] == "cold"]

    assert figures.loc["identities", "median"] == 4
    assert figures.loc["launches", "median"] == 6
    assert figures.loc["cold_module_ms", "median"] == pytest.approx(measured["ms"].sum())
    assert figures.loc["build_span_ms", "median"] == pytest.approx(measured["ms"].sum(), rel=1e-3)
    assert figures.drop("avoidable_ms")["n"].tolist() == [1] * (len(figures) - 1)


def test_the_parts_of_an_event_make_up_its_time() -> None:
    for case in CASES:
        frame = modules_frame(recorded(case), {})
        good = frame[frame["status"] != "error"]
        parts = good[["codegen_ms", "lto_ms", "native_ms", "load_ms", "other_ms"]].sum(axis=1)
        assert parts.tolist() == pytest.approx(good["ms"].tolist())
        assert (good["other_ms"] >= -0.01).all()


def test_launches_that_caused_a_build_name_it() -> None:
    frame = launches_frame(recorded("notebook"))

    assert frame["kernel"].tolist() == ["helper", "general", "late", "late", "late", "general", "late"]
    assert frame["triggered"].fillna(-1).tolist() == [0, 1, 2, -1, -1, 3, 4]
    assert frame["phase"].tolist() == ["setup", *["cold"] * 6]
    assert frame["requested_block_dim"].fillna(0).tolist() == [0, 0, 0, 0, 0, 0, 64]
    assert frame["dtypes"].tolist()[-2] == ("array(float64)",)


def test_inputs_that_changed_are_lines_that_changed() -> None:
    first = recorded("notebook").first_cold_run()
    assert first is not None
    blocks = hash_inputs_text(first, "__main__").split("\n\n")
    before, after = (set(blocks[index].splitlines()[1:]) for index in (3, 4))

    changed = sorted(line for line in before ^ after if "constant scale" in line)
    assert changed
    assert all("2.0" in line or "3.0" in line for line in changed)


def test_threads_and_processes_are_told_apart() -> None:
    cold = modules("threads").set_index("module")

    assert sorted(cold.index) == ["child", "left", "right"]
    assert sorted(cold["thread"]) == [0, 1, 2]
    assert cold.loc["child", "pid"] != cold.loc["left", "pid"] == cold.loc["right", "pid"]
    groups = launch_groups_frame(recorded("threads")).set_index("kernel")
    assert groups["count"].to_dict() == {"left": 1, "right": 1, "child": 1}
    assert groups["pid"].to_dict() == cold["pid"].to_dict()


def test_builds_in_two_threads_overlap() -> None:
    figures = summary_frame(recorded("threads"), {})

    assert figures.loc["overlap_factor", "median"] > 1.15


def test_a_process_that_left_without_its_end_is_truncated_but_counted() -> None:
    runs = runs_frame(recorded("threads"))

    assert runs["truncated"].tolist() == [True, True]
    assert len(launches_frame(recorded("threads"))) == 3


def test_of_a_crash_everything_until_then_is_kept() -> None:
    crash = recorded("crash")

    assert modules("crash")["status"].tolist() == ["compiled"]
    assert launch_groups_frame(crash)["count"].tolist() == [5]
    assert runs_frame(crash).loc[0, "reason"] == "died"
    assert summary_frame(crash, {})["n"].tolist() == [0] * len(summary_frame(crash, {}))
    assert log_frame(crash)["text"].tolist()[0].startswith("Warp ")


def test_a_kernel_that_cannot_be_built_is_an_error_event() -> None:
    assert set(modules("broken")["status"]) == {"error"}
    assert modules("broken")["build"].tolist()[0].startswith("__main__ [1/")
