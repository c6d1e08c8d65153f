"""Every recorded program gives frames that the data page describes, whatever happened in it."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

import pandas as pd
import pytest

from tests.explain.program_wires import NAMES, recorded
from warp_nbprobe.measurement import Measurement

COLUMNS = {
    "modules": "sample run phase seq pid thread module build hash device block_dim status kernels ms hash_ms "
    "codegen_ms lto_ms native_ms header_ms load_ms other_ms start_ms source_bytes lto_artifacts options trigger cell "
    "cell_line location cause causes detail cause_cell cause_line cause_location rehearsed source",
    "launches": "seq phase kernel kernel_key module dim device dtypes block_dim requested_block_dim adjoint kind cell "
    "cell_line location thread pid triggered",
    "findings": "rule kind cost_ms share modules what fix snippet not_for certainty cell cell_line location cause_cell "
    "cause_line cause_location events",
    "checked": "rule kind outcome signal",
    "runs": "sample run pid start wall_ms probe_ms setup_ms ok exit_code reason warp python truncated unknown_lines "
    "environment",
    "log": "sample run pid text shown",
    "summary": "median mad n values unit source reason",
}
METRICS = (
    "cold_module_ms header_ms build_ms native_ms lto_ms codegen_ms load_ms hash_ms rehash_ms other_ms cold_wall_ms "
    "warm_wall_ms compile_elapsed_ms build_span_ms elsewhere_ms overlap_factor warm_module_ms identities avoidable_ms "
    "modules compiled cached errors source_bytes lto_artifacts lto_bytes launches probe_ms"
)
KINDS = {
    "wrong": "stale_value hash_mismatch option_never_arrived build_failed cache_dir_pinned concurrent_cpu_load "
    "source_unavailable",
    "redundant": "late_kernel late_option late_overload shadowed_global text_only_edit old_versions_kept "
    "block_dim_spread unused_build duplicate_builds reload_thrash rehash cache_not_reused",
    "opportunity": "backward_unused lto_link overbuilt unique_modules granular_modules serial_builds "
    "parallel_load_costs_more precompiled_header unroll large_module",
    "note": "hidden_modules header_in_first_build not_compilation nothing_compiled ship_the_cache",
}
KIND_OF = {rule: kind for kind, rules in KINDS.items() for rule in rules.split()}
WHOLE_NUMBERS = (
    "sample seq pid thread block_dim requested_block_dim source_bytes lto_artifacts cell cell_line cause_cell "
    "cause_line triggered exit_code unknown_lines n count"
)
FLAGS = {"rehearsed", "adjoint", "ok", "truncated", "shown"}
OBJECTS = {"kernels", "options", "causes", "dim", "dtypes", "events", "environment", "values"}
TIMES = {"ms", "median", "mad", "share"}


@cache
def measured(name: str) -> Measurement:
    return Measurement(recorded(name))


def wanted_dtype(frame: str, column: str) -> str:
    if column in WHOLE_NUMBERS.split():
        return "Int64"
    if column in FLAGS:
        return "bool"
    if column in OBJECTS or (frame, column) == ("findings", "modules"):
        return "object"
    return "float64" if column in TIMES or column.endswith("_ms") else "string"


def check_columns(m: Measurement) -> None:
    for name, columns in COLUMNS.items():
        frame: pd.DataFrame = getattr(m, name)
        assert list(frame.columns) == columns.split(), name
        for column in frame.columns:
            dtype = str(frame[column].dtype)
            if column == "start":
                assert dtype.startswith("datetime64")
                assert dtype.endswith("UTC]")
            else:
                assert dtype == wanted_dtype(name, column), (name, column)
        if name == "summary":
            assert (frame.index.name, list(frame.index)) == ("metric", METRICS.split())
        else:
            assert isinstance(frame.index, pd.RangeIndex), name
    groups = [column for column in COLUMNS["launches"].split() if column not in ("seq", "triggered")]
    assert list(m.launch_groups.columns) == [*groups, "count"]


@pytest.mark.parametrize("name", NAMES)
def test_columns_and_dtypes_are_those_of_the_page(name: str) -> None:
    check_columns(measured(name))


@pytest.mark.parametrize("name", NAMES)
def test_events_are_numbered_named_and_ordered(name: str) -> None:
    modules = measured(name).modules
    order = [(row.sample, row.run != "cold", row.start_ms) for row in modules.itertuples()]
    assert all(a <= b for a, b in pairwise(order))
    for _, rows in modules.groupby(["sample", "run"]):
        assert list(rows["seq"]) == list(range(len(rows)))
        built = rows[rows["status"] != "cached"]
        for module, own in built.groupby("module"):
            assert list(own["build"]) == [f"{module} [{n}/{len(own)}]" for n in range(1, len(own) + 1)]
        assert rows[rows["status"] == "cached"]["build"].isna().all()
    assert (modules["phase"].eq("setup") | modules["phase"].eq(modules["run"])).all()
    assert (modules["phase"].eq("setup") == modules["start_ms"].lt(0)).all()


@pytest.mark.parametrize("name", NAMES)
def test_parts_of_an_event_add_up_and_its_cause_is_told(name: str) -> None:
    modules = measured(name).modules
    rest = modules["ms"] - modules[["codegen_ms", "lto_ms", "native_ms", "load_ms"]].sum(axis=1, skipna=False)
    pd.testing.assert_series_equal(modules["other_ms"], rest, check_names=False)
    assert not (modules["native_ms"] < modules["header_ms"]).any()
    for row in modules.itertuples():
        assert row.causes[0] == row.cause
        assert list(row.kernels) == sorted(row.kernels)
        assert pd.isna(row.hash) or re.fullmatch("[0-9a-f]{64}", row.hash)
        told = [row.detail, row.cause_location, row.cause_line, row.cause_cell]
        if row.cause == "first":
            assert all(value is pd.NA for value in told)
        else:
            assert row.detail is not pd.NA


@pytest.mark.parametrize("name", NAMES)
def test_figures_are_sums_over_the_events(name: str) -> None:
    m = measured(name)
    cold = m.modules[m.modules["phase"] == "cold"]
    compiled = cold[cold["status"] == "compiled"]
    identities = compiled[["module", "hash", "device", "block_dim"]].drop_duplicates()
    expected = {
        "cold_module_ms": compiled["ms"].sum(),
        "build_ms": (compiled["ms"] - compiled["header_ms"]).sum(),
        "codegen_ms": compiled["codegen_ms"].sum(),
        "native_ms": compiled["native_ms"].sum(),
        "other_ms": compiled["other_ms"].sum(),
        "identities": len(identities),
        "modules": compiled["module"].nunique(),
        "compiled": len(compiled),
        "cached": cold["status"].eq("cached").sum(),
        "errors": cold["status"].eq("error").sum(),
        "launches": m.launches["phase"].eq("cold").sum(),
    }
    for metric, value in expected.items():
        figure = m.summary.loc[metric]
        assert (figure["median"], figure["n"]) == (pytest.approx(value, abs=1e-6), 1), metric
        assert pd.isna(figure["mad"])
        assert len(figure["values"]) == 1
    redundant = m.findings[m.findings["kind"].eq("redundant")]
    charged = redundant[~redundant["rule"].isin(["reload_thrash", "rehash", "cache_not_reused"])]["cost_ms"].sum()
    assert m.summary.loc["avoidable_ms", "median"] == pytest.approx(charged, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_launches_are_numbered_and_name_the_event_that_they_caused(name: str) -> None:
    m = measured(name)
    launches = m.launches
    assert list(launches["seq"]) == list(range(len(launches)))
    assert launches["device"].notna().all()
    assert m.launch_groups["count"].sum() == len(launches)
    cold = m.modules[m.modules["run"] == "cold"].set_index("seq")
    for row in launches[launches["triggered"].notna()].itertuples():
        assert cold.loc[row.triggered, "module"] == row.module
    graphs = launches[launches["kind"] == "graph"]
    assert graphs[["kernel", "module"]].isna().all(axis=None)
    assert all(dim is None for dim in graphs["dim"])


@pytest.mark.parametrize("name", NAMES)
def test_findings_are_ordered_and_refer_to_builds(name: str) -> None:
    m = measured(name)
    findings, kinds = m.findings, list(KINDS)
    ranks = [kinds.index(kind) for kind in findings["kind"]]
    assert ranks == sorted(ranks)
    for kind in kinds[1:]:
        costs = [-1.0 if pd.isna(cost) else cost for cost in findings[findings["kind"] == kind]["cost_ms"]]
        assert costs == sorted(costs, reverse=True)
    assert all(KIND_OF[row.rule] == row.kind for row in findings.itertuples())
    assert set(findings["certainty"]) <= {"measured", "inferred", "estimate"}
    assert findings.loc[findings["kind"] == "note", "cost_ms"].isna().all()
    names = {*m.modules["build"].dropna(), *(f"{module} (cached)" for module in m.modules["module"])}
    assert {event for events in findings["events"] for event in events} <= names
    assert dict(zip(m.checked["rule"], m.checked["kind"], strict=True)) == KIND_OF
    assert set(m.checked.loc[m.checked["outcome"] == "found", "rule"]) == set(findings["rule"])


def test_a_measurement_of_nothing_has_the_same_columns() -> None:
    m = Measurement(recorded("no_warp"))
    check_columns(m)
    assert [len(m.modules), len(m.launches), len(m.launch_groups)] == [0, 0, 0]
    assert list(m.findings["rule"]) == ["nothing_compiled"]
