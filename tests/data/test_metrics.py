"""Every figure of the measurement page: what it sums, when it is missing and why."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from tests.data.wires_by_hand import (
    FAILED,
    MS,
    Line,
    cached,
    cell,
    event,
    log,
    order,
    recording,
    run,
    signature,
    warp,
    wire,
)
from warp_nbprobe.data.columns import SUMMARY
from warp_nbprobe.data.figures import identities
from warp_nbprobe.data.metrics import METRICS, summary_frame
from warp_nbprobe.data.model import Recording, Run

WARM = run("warm", [cell(1, 0, 100), cached("app", 10, 3)])


def pair(*lines: Any, warm: Run = WARM, **given: Any) -> Recording:
    return recording(run("cold", lines, **given), warm)


def summary(recorded: Recording) -> pd.DataFrame:
    return summary_frame(recorded, {})


def value(recorded: Recording, metric: str) -> float | None:
    found = summary(recorded).loc[metric, "median"]
    return None if pd.isna(found) else float(found)


def reason(recorded: Recording, metric: str) -> str:
    row = summary(recorded).loc[metric]
    assert pd.isna(row["median"])
    assert row["source"] == "none"
    return str(row["reason"])


def test_every_metric_is_there_in_order_also_when_nothing_was_measured() -> None:
    empty, full = summary(recording()), summary(pair(cell(1, 0, 500), event("app", 10, 100)))

    for frame in (empty, full):
        assert list(frame.index) == list(METRICS)
        assert frame.index.name == "metric"
        assert dict(frame.dtypes.astype(str)) == dict(SUMMARY)
    assert empty["n"].tolist() == [0] * len(METRICS)
    assert empty["median"].isna().all()
    assert empty["reason"].notna().all()


def test_a_failed_measurement_has_no_medians_and_says_why() -> None:
    frame = summary(recording(run("cold", [cell(1, 0, 500), event("app", 10, 100)], failure=FAILED)))

    assert frame["n"].tolist() == [0] * len(METRICS)
    assert frame["values"].tolist() == [()] * len(METRICS)
    assert set(frame["reason"]) == {"No sample is good: The code raised ValueError: no."}


def test_work_is_the_sum_of_the_compiled_events() -> None:
    recorded = pair(
        cell(1, 0, 900),
        event("a", 10, 100, header_ms=30.0),
        event("b", 200, 50),
        cached("c", 300, 40),
        event("d", 400, 70, status="error"),
    )

    assert value(recorded, "cold_module_ms") == 150.0
    assert value(recorded, "header_ms") == 30.0
    assert value(recorded, "build_ms") == 120.0
    assert value(recorded, "native_ms") == 80.0 + 30.0
    assert value(recorded, "codegen_ms") == 20.0
    assert value(recorded, "load_ms") == 10.0
    assert value(recorded, "other_ms") == 10.0
    assert value(recorded, "source_bytes") == 2000.0
    assert [value(recorded, name) for name in ("compiled", "cached", "errors", "modules")] == [2, 1, 1, 2]


def test_hashing_counts_also_where_the_cache_served() -> None:
    assert value(pair(cell(1, 0, 900), event("a", 10, 9), cached("b", 30)), "hash_ms") == 2.0


def test_nothing_compiled_is_no_work_and_not_a_missing_figure() -> None:
    recorded = pair(cell(1, 0, 900))

    assert value(recorded, "build_ms") == 0.0
    assert value(recorded, "identities") == 0.0
    assert value(recorded, "build_span_ms") == 0.0
    assert reason(recorded, "overlap_factor") == "nothing was compiled"


def test_setup_enters_no_figure() -> None:
    recorded = pair(
        cell(1, 0, 50, ordinal=0, phase="setup", launches=(0, 1)),
        event("a", 10, 9),
        signature(1),
        cell(1, 60, 500, ordinal=1, launches=(1, 3)),
        event("b", 70, 100),
        order([1, 1, 1]),
    )

    assert value(recorded, "cold_module_ms") == 100.0
    assert value(recorded, "identities") == 1.0
    assert value(recorded, "launches") == 2.0
    assert value(recorded, "cold_wall_ms") == 440.0


def test_a_header_that_could_not_be_seen_leaves_work_missing_with_its_reason() -> None:
    unseen = event("a", 10, 100, header_ms=None, why={"header_ms": "no hook for it"})
    recorded = pair(cell(1, 0, 900), unseen)

    assert value(recorded, "cold_module_ms") == 100.0
    assert reason(recorded, "header_ms") == "no hook for it"
    assert reason(recorded, "build_ms") == "no hook for it"


def test_a_part_that_one_build_lacks_is_missing_as_a_whole() -> None:
    lacking = event("b", 300, 100, codegen_ms=None, why={"codegen_ms": "no hook for it"})
    recorded = pair(cell(1, 0, 900), event("a", 10, 100), lacking)

    assert reason(recorded, "codegen_ms") == "1 of 2 builds: no hook for it"
    assert reason(recorded, "other_ms") == "1 of 2 builds: no hook for it"


def test_on_cuda_work_is_all_of_the_module_time() -> None:
    recorded = pair(cell(1, 0, 900), event("a", 10, 100, device="cuda:0", header_ms=None))

    assert value(recorded, "build_ms") == value(recorded, "cold_module_ms") == 100.0


def test_elapsed_is_the_difference_of_the_walls_of_one_sample() -> None:
    recorded = pair(cell(1, 0, 900), event("app", 10, 100))

    assert value(recorded, "cold_wall_ms") == 900.0
    assert value(recorded, "warm_wall_ms") == 100.0
    assert value(recorded, "compile_elapsed_ms") == 800.0
    assert value(recorded, "elsewhere_ms") == 700.0
    assert value(recorded, "warm_module_ms") == 3.0


@pytest.mark.parametrize("status", ["compiled", "error"])
def test_there_is_no_elapsed_time_when_the_warm_run_compiled_too(status: str) -> None:
    warm = run("warm", [cell(1, 0, 100), event("app", 10, 50, status=status)])
    recorded = pair(cell(1, 0, 900), event("app", 10, 100), warm=warm)

    assert reason(recorded, "compile_elapsed_ms") == "the warm run compiled too"
    assert reason(recorded, "elsewhere_ms") == "the warm run compiled too"
    assert value(recorded, "warm_wall_ms") == 100.0


def test_a_warm_setup_that_compiles_hides_nothing_of_the_cell() -> None:
    setup = cell(1, 0, 80, ordinal=0, phase="setup")
    warm = run("warm", [setup, event("helper", 10, 50), cell(1, 100, 200, ordinal=1)])

    assert value(pair(cell(1, 0, 900), warm=warm), "compile_elapsed_ms") == 800.0


def test_builds_that_overlap_have_a_span_shorter_than_their_sum() -> None:
    recorded = pair(cell(1, 0, 900), event("a", 0, 100, thread=1), event("b", 50, 100, thread=2), event("c", 400, 50))

    assert value(recorded, "build_span_ms") == 200.0
    assert value(recorded, "overlap_factor") == 1.25


def test_one_build_within_another_adds_nothing_to_the_span() -> None:
    assert value(pair(cell(1, 0, 900), event("a", 0, 100), event("b", 20, 30)), "build_span_ms") == 100.0


def test_identities_are_distinct_in_module_hash_device_and_block_dim() -> None:
    recorded = pair(
        cell(1, 0, 900),
        event("a", 0, 10),
        event("a", 20, 10),
        event("a", 40, 10, block_dim=256),
        event("a", 60, 10, hash="cd" * 32),
        event("b", 80, 10),
        event("b", 95, 1, hash=None),
    )

    assert value(recorded, "identities") == 5.0
    assert value(recorded, "modules") == 2.0


def test_a_short_hash_is_the_long_one_it_begins() -> None:
    short, full = wire([event("a", 0, 1, hash="abababa")]).events, wire([event("a", 0, 1)]).events

    assert len(identities([*short, *full])) == 1


def test_rehashing_counts_from_the_end_of_the_setup() -> None:
    def rehash(t: int, ms: float) -> Line:
        return {"kind": "rehash", "t": t * MS, "module": "app", "count": 1, "ms": ms}

    setup = cell(1, 0, 50, ordinal=0, phase="setup")

    recorded = pair(setup, rehash(10, 4.0), rehash(20, 7.0), cell(1, 60, 900, ordinal=1), rehash(100, 12.0))

    assert value(recorded, "rehash_ms") == 5.0


def test_figures_read_from_the_log_say_so_and_the_others_why_they_are_missing() -> None:
    told = [
        log("Module app 0a1b2c3 load on device 'cpu' (block_dim=1) ...", 5),
        log("    Compile x86 took 90.00 ms", 99),
        log("Module app 0a1b2c3 load on device 'cpu' (block_dim=1) took 100.00 ms  (compiled)", 110),
    ]
    frame = summary(pair(warp("1.12.1"), cell(1, 0, 900), *told))

    assert frame.loc["build_ms", ["median", "source"]].tolist() == [100.0, "log"]
    assert frame.loc["native_ms", ["median", "source"]].tolist() == [90.0, "log"]
    assert frame.loc["build_span_ms", ["median", "source"]].tolist() == [100.0, "log"]
    assert frame.loc["cold_wall_ms", "source"] == "hook"
    for name in ("codegen_ms", "load_ms", "hash_ms", "other_ms", "rehash_ms", "lto_ms", "source_bytes"):
        assert frame.loc[name, "source"] == "none", name
        assert "log" in frame.loc[name, "reason"], name


def test_lines_without_their_time_give_work_but_no_span() -> None:
    printed = ("Module app 0a1b2c3 load on device 'cpu' took 12.50 ms  (compiled)",)
    recorded = pair(warp(hooks={"compile": "gone"}), cell(1, 0, 900), printed=printed)

    assert value(recorded, "cold_module_ms") == 12.5
    assert "not when" in reason(recorded, "build_span_ms")
    assert "not when" in reason(recorded, "elsewhere_ms")


def test_a_program_without_warp_is_measured_with_zeros() -> None:
    warm = run("warm", [cell(1, 0, 100)])
    recorded = pair(cell(1, 0, 110), warm=warm)

    assert [value(recorded, name) for name in ("build_ms", "launches", "compile_elapsed_ms")] == [0.0, 0.0, 10.0]


def test_launches_that_no_hook_could_record_are_missing() -> None:
    recorded = pair(warp(hooks={"launch": "no such function"}), cell(1, 0, 900))

    assert reason(recorded, "launches") == "Launches were not recorded: no such function"


def test_launches_for_whose_order_there_was_no_room_still_count() -> None:
    from warp_nbprobe.data.records import parse_wire

    lines = [*wire([cell(1, 0, 9), signature(1), order([1, 1])]).raw[:-1], order([1, 1])]
    full = parse_wire([*lines, {"kind": "footer", "t": 1, "launches": 5, "probe_ns": 0}])
    from dataclasses import replace

    assert value(recording(replace(run("cold", []), wires=(full,)), WARM), "launches") == 5.0


def test_lto_objects_are_the_files_of_the_runs_cache() -> None:
    recorded = pair(cell(1, 0, 9), lto_artifacts=3, lto_bytes=12_000_000)
    uncounted = pair(cell(1, 0, 9), lto_artifacts=None, lto_bytes=None)

    assert [value(recorded, name) for name in ("lto_artifacts", "lto_bytes")] == [3, 12_000_000]
    assert value(uncounted, "lto_bytes") is None


def test_the_probes_time_is_a_figure_and_not_in_the_wall() -> None:
    recorded = pair(cell(1, 0, 900, probe_ns=4 * MS))

    assert value(recorded, "probe_ms") == 4.0
    assert value(recorded, "cold_wall_ms") == 896.0


def samples(*builds: float | None) -> Recording:
    runs: list[Run] = []
    for number, ms in enumerate(builds, start=1):
        failure = FAILED if ms is None else None
        runs.append(run("cold", [cell(1, 0, 900), event("a", 10, ms or 50)], sample=number, failure=failure))
        runs.append(run("warm", [cell(1, 0, 100)], sample=number))
    return recording(*runs)


def test_a_figure_is_the_median_with_its_deviation_and_values() -> None:
    row = summary(samples(100, 110, 140)).loc["build_ms"]

    assert (row["median"], row["mad"], row["n"], row["values"]) == (110.0, 10.0, 3, (100.0, 110.0, 140.0))
    assert (row["unit"], row["source"]) == ("ms", "hook")
    assert pd.isna(row["reason"])


def test_failed_samples_are_left_out() -> None:
    row = summary(samples(100, None, 140)).loc["build_ms"]

    assert (row["n"], row["values"]) == (2, (100.0, 140.0))


def test_one_sample_has_no_deviation() -> None:
    assert pd.isna(summary(samples(100)).loc["build_ms", "mad"])


def test_a_figure_that_some_samples_lack_says_in_how_many() -> None:
    good = run("cold", [cell(1, 0, 900), event("a", 10, 100)], sample=2)
    lacking = run("cold", [cell(1, 0, 900), event("a", 10, 100, load_ms=None, why={"load_ms": "no hook"})])
    warm = [run("warm", [cell(1, 0, 100)], sample=number) for number in (1, 2)]

    row = summary(recording(lacking, warm[0], good, warm[1])).loc["load_ms"]

    assert (row["median"], row["n"]) == (5.0, 1)
    assert row["reason"] == "missing in 1 of 2 samples: no hook"
    assert pd.isna(row["values"][0])
    assert row["values"][1] == 5.0


def test_a_sample_whose_warm_run_was_stopped_is_not_counted() -> None:
    cold = run("cold", [cell(1, 0, 900), event("a", 10, 100)])

    frame = summary(recording(cold, interrupted=True))

    assert frame.loc["build_ms", "n"] == 0
    assert "stopped" in frame.loc["build_ms", "reason"]


def test_what_could_be_avoided_is_given_per_sample() -> None:
    recorded = samples(100, 110)

    frame = summary_frame(recorded, {1: 30.0, 2: 34.0})

    assert frame.loc["avoidable_ms", "values"] == (30.0, 34.0)
    assert frame.loc["avoidable_ms", "source"] == "hook"
    assert pd.isna(summary(recorded).loc["avoidable_ms", "median"])
