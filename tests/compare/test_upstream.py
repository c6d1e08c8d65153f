"""NVIDIA's report files: read, shown, compared by the list, written so that its ``compare`` takes them."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.compare.pairs import BASE, Made
from tests.compare.upstream_files import FIXTURE, LAUNCH, compared, loaded, report, script_verdict
from warp_nbprobe.data.redact import redacted
from warp_nbprobe.data.report import load_report, save_report
from warp_nbprobe.data.upstream_write import save_upstream, upstream_report
from warp_nbprobe.errors import ReportError, UsageError
from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.measurement import Measurement
from warp_nbprobe.views.html import card_html
from warp_nbprobe.views.text import report_text

STRICTER = {
    "INVALID": {"invalid"},
    "UNVERIFIED": {"unverified"},
    "IMPROVED": {"improved", "inconclusive", "not enough evidence"},
    "REGRESSION": {"regressed", "inconclusive", "not enough evidence"},
    "INCONCLUSIVE": {"inconclusive", "not enough evidence"},
    "SAME WORK COMPILED IMPROVED": {"improved", "inconclusive", "not enough evidence"},
    "SAME WORK COMPILED UNVERIFIED": {"unverified", "inconclusive", "not enough evidence"},
    "SAME WORK COMPILED INCONCLUSIVE": {"inconclusive", "not enough evidence"},
}
"""Our verdicts that are equal to the script's, or stricter."""


def test_a_file_of_the_scripts_is_read_and_what_it_lacks_is_missing() -> None:
    m = Measurement(load_report(FIXTURE))

    assert m.summary.at["cold_module_ms", "median"] == 5834.91
    assert m.summary.loc[["header_ms", "build_ms", "native_ms", "codegen_ms"], "median"].isna().all()
    assert "1.18" in m.summary.at["native_ms", "reason"]
    assert m.modules[["module", "hash", "status"]].to_numpy().tolist() == [
        ["__main__", "faa0b3b", "compiled"],
        ["__main__", "afc9d5f", "compiled"],
    ]
    assert m.launches["requested_block_dim"].isna().to_list() == [True, False, True]
    assert m.launches["block_dim"].isna().all()
    assert not m.failed
    assert m.runs["warp"].isna().all()


def test_it_shows_in_the_panels() -> None:
    m = Measurement(load_report(FIXTURE))

    assert "__main__ [2/2]" in report_text(m)
    assert "NVIDIA's probe script" in report_text(m)
    assert "not imported" not in report_text(m)
    assert "faa0b3b" in card_html(m)


def test_samples_and_failures_are_the_files() -> None:
    m = loaded(report(failed_samples=2))

    assert (m.samples, len(m.recording.good_samples()), m.failed_samples) == (5, 3, 2)
    assert m.summary.at["cold_module_ms", "n"] == 3
    assert m.summary.at["cold_module_ms", "mad"] == 1.0
    nothing = loaded(report((), None, failed_samples=1))
    assert nothing.failed
    assert nothing.summary["median"].isna().all()


@pytest.mark.parametrize("elapsed", [None, 0.0, -4.0])
def test_an_elapsed_time_that_is_not_above_zero_is_missing(elapsed: float | None) -> None:
    found = compared(report(), report((800.0, 801.0, 802.0), elapsed))

    assert found.elapsed.delta is None
    assert found.verdict == "improved"


def test_a_saved_copy_in_our_format_is_the_same(tmp_path: Path) -> None:
    ours = load_report(FIXTURE)
    save_report(ours, tmp_path / "ours.json")
    again = load_report(tmp_path / "ours.json")

    assert again.upstream == ours.upstream
    assert Measurement(again).summary.equals(Measurement(ours).summary)
    assert Measurement(again).launches.equals(Measurement(ours).launches)


def test_what_is_private_in_it_can_be_left_out(tmp_path: Path) -> None:
    private = loaded(report(command=["python", "/home/ann/t1.py"], cwd="/home/ann/work")).recording
    save_report(private, tmp_path / "ours.json", redact=True)
    save_upstream(private, tmp_path / "theirs.json", redact=True)

    for name in ("ours.json", "theirs.json"):
        assert "ann" not in (tmp_path / name).read_text()
        assert load_report(tmp_path / name).upstream is not None


def any_report(random: Random) -> dict[str, Any]:
    """Return a file near or beyond the borders of the rules."""
    count = random.choice((1, 2, 3, 3, 3, 5))
    level, step = random.choice((880.0, 990.0, 1000.0, 1009.0, 1100.0)), random.choice((0.0, 1.0, 8.0, 60.0))
    launches = random.choice(([], [LAUNCH], [LAUNCH] * 2, [{**LAUNCH, "dim": [7]}], [{**LAUNCH, "kernel": "renamed"}]))
    return report(
        [level + step * at for at in range(count)],
        random.choice((None, 0.0, 1195.0, 1200.0, 1214.0, 1500.0)),
        labels=random.choice((["app abababa"], ["app abababa"], ["app cdcdcdc"], ["app abababa", "app cdcdcdc"])),
        launches=launches,
        failed_samples=int(random.random() < 0.07),
        error_events=int(random.random() < 0.07),
        generated_source_bytes=random.choice((1000, 1000, 1003)),
        lto_artifacts=random.choice((0, 0, 0, 2)),
    )


@pytest.mark.parametrize("seed", range(300))
def test_the_verdict_on_two_of_its_files_is_the_scripts_or_stricter_with_a_reason(seed: int) -> None:
    random = Random(seed)
    ours, theirs = any_report(random), any_report(random)
    if random.random() < 0.7:
        theirs = {**theirs, "launches": ours["launches"]}
    found, script = compared(ours, theirs), script_verdict(ours, theirs)

    only_bytes = ours["generated_source_bytes"] != theirs["generated_source_bytes"] and found.same_work
    if not (only_bytes and found.judged.row == 9):  # the one exception: a source holds line numbers
        assert found.verdict in STRICTER[script], (script, found.reasons)
    if found.verdict == "not enough evidence":
        assert "good sample" in found.reasons[0]
    if script in ("IMPROVED", "REGRESSION") and found.verdict == "inconclusive":
        assert any(word in found.reasons[0] for word in ("longer wait", "samples overlap", "contention"))


def test_source_bytes_alone_make_no_more_work_of_equal_hashes() -> None:
    found = compared(report(), report((1100.0, 1101.0, 1102.0), generated_source_bytes=1003))

    assert script_verdict(report(), report((1100.0, 1101.0, 1102.0), generated_source_bytes=1003)) == "REGRESSION"
    assert (found.verdict, found.same_work) == ("inconclusive", True)


def test_any_error_event_of_the_candidate_is_invalid_between_its_files() -> None:
    both = report(error_events=1)

    assert compared(both, both).verdict == "invalid"


def test_what_its_file_lacks_is_said() -> None:
    found = compared(report(), report())
    said = " ".join(found.not_checked)

    for part in ("CPU", "Warp", "warm runs compiled", "cold_module_ms stands for the work"):
        assert part in said


def test_commands_that_differ_are_warned_of() -> None:
    found = compared(report(), report(command=["python", "t2.py"]))

    assert "Not asked alike: command: python t1.py before, python t2.py now." in found.reasons


OURS = BASE.but(
    launches=({"kernel": "make.<locals>.k", "key": "k", "dim": [100]}, {"dim": [100], "requested_block_dim": 64}),
    work=(1000.0, 1001.0, 1002.0),
)


def as_upstream(made: Made) -> dict[str, Any]:
    return json.loads(json.dumps(upstream_report(made.recording())))


def test_ours_written_as_theirs_is_the_same_work_as_ours() -> None:
    found = Comparison(OURS.measurement(), loaded(as_upstream(OURS)))

    assert found.workload.outcome == "same"
    assert found.builds.same
    assert found.same_work
    assert found.verdict == "inconclusive"
    assert found.renames.empty or set(found.renames["baseline"]) == {"step"}


def test_a_change_between_ours_and_theirs_is_seen() -> None:
    def verdict(made: Made) -> str:
        return Comparison(loaded(as_upstream(OURS)), made.measurement()).verdict

    assert verdict(OURS.but(launches=OURS.launches[:1])) == "invalid"
    assert verdict(OURS.but(work=(800.0, 801.0, 802.0))) == "improved"
    moved = tuple({**one, "dim": [101]} for one in OURS.launches)
    assert verdict(OURS.but(launches=moved)) == "invalid"


def test_tiled_launches_are_their_lanes_and_replays_and_graphs_are_left_out() -> None:
    tiled = OURS.but(
        launches=({"kind_of": "tiled", "dim": [4], "block_dim": 64, "requested_block_dim": 64}, {}),
    )
    (first, _) = as_upstream(tiled)["launches"]
    assert (first["dim"], first["block_dim"], first["dtypes"]) == ([4, 64], 64, ["float32"])
    replaying = tiled.but(launches=(*tiled.launches, {"kind_of": "replay"}))
    found = Comparison(loaded(as_upstream(tiled)), replaying.measurement())

    assert found.workload.outcome == "same"
    assert any("replayed commands and graphs" in text for text in found.not_checked)


def test_an_array_that_was_none_is_no_other_workload() -> None:
    theirs = as_upstream(OURS.but(launches=({"dtypes": ["array(float32)"]},)))
    found = Comparison(
        loaded(theirs), OURS.but(launches=({"dtypes": ["array(float32)", "array(int32)"]},)).measurement()
    )

    assert found.workload.outcome == "same"
    assert any("argument types" in text for text in found.not_checked)


def test_a_written_file_has_every_key_with_its_type(tmp_path: Path) -> None:
    OURS.measurement().save(tmp_path / "u.json", format="upstream")
    written = json.loads((tmp_path / "u.json").read_text())
    theirs = json.loads(FIXTURE.read_text())

    assert list(written) == list(theirs)
    for key in ("module_events", "launches"):
        assert set(written[key][0]) == set(theirs[key][0])
    assert written["cold_module_ms_values"] == [1000.0, 1001.0, 1002.0]
    assert (written["samples"], written["failed_samples"], written["identities"]) == (3, 0, 1)
    assert all(len(event["hash"]) == 7 for event in written["module_events"])
    with pytest.raises(UsageError, match="format"):
        OURS.measurement().save(tmp_path / "u.json", format="csv")


def test_a_failed_measurement_is_written_with_no_figures() -> None:
    written = as_upstream(BASE.but(work=(), wait=(), failed=1))

    assert (written["samples"], written["failed_samples"], written["cold_module_ms_values"]) == (1, 1, [])
    assert loaded(written).failed


def test_handed_on_it_compares_as_before() -> None:
    ours, theirs = (Measurement(redacted(loaded(one).recording)) for one in (report(), report((800.0, 801.0, 802.0))))

    assert Comparison(ours, theirs).verdict == "improved"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
INNER = ("module_events.0.ms", "module_events.0.hash", "module_events.0.block_dim", "module_events.0.device")
INNER += ("launches.0.dim", "launches.0.kernel", "launches.0.device", "launches.0.dtypes", "launches.0.block_dim")


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([*report(), *INNER]), JSON)
def test_a_damaged_file_is_refused_in_one_way_or_shown(key: str, value: Any) -> None:
    damaged = report()
    *path, last = key.split(".")
    inner: Any = damaged
    for step in path:
        inner = inner[int(step) if step.isdigit() else step]
    inner[last] = value
    try:
        m = loaded(damaged)
    except ReportError:
        return
    else:
        assert len(m.summary)
        assert report_text(m)
        assert Comparison(m, m).verdict
