"""Structure: every build on both sides, what changed in it and why, and the check that needs no timing."""

from __future__ import annotations

from dataclasses import replace

from tests.compare.pairs import BASE, H1, H2, H3, LESS, Made
from tests.compare.test_verdicts import compared
from tests.data.wires_by_hand import Line, cell, event, inputs, kernel, order, recording, run, signature, source, warp
from warp_nbprobe.data.model import Recording
from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.measurement import Measurement


def changes(ours: Made, theirs: Made) -> list[tuple[str, str, str | None, str | None]]:
    frame = compared(ours, theirs).identities
    rows = frame[["phase", "change", "baseline", "candidate"]].astype(object).where(frame.notna(), None)
    return [tuple(row) for row in rows.to_numpy()]


def test_every_hash_of_a_module_is_matched_and_not_the_last_one_alone() -> None:
    found = changes(BASE.but(hashes=(H1, H2, H3)), BASE.but(hashes=(H1, H3)))

    assert found == [
        ("cold", "same", "app [1/3]", "app [1/2]"),
        ("cold", "gone", "app [2/3]", None),
        ("cold", "same", "app [3/3]", "app [2/2]"),
    ]


def test_a_module_with_another_name_is_matched_by_its_hash() -> None:
    found = compared(BASE, BASE.but(module="package.app"))

    assert found.identities["change"].to_list() == ["same"]
    assert found.builds.renamed == (("app", "package.app"),)
    assert found.builds.same


def test_a_module_with_another_hash_is_matched_by_its_name() -> None:
    assert changes(BASE, BASE.but(hashes=(H2,))) == [("cold", "changed", "app [1/1]", "app [1/1]")]


def test_a_module_with_another_hash_and_name_is_matched_by_its_kernels() -> None:
    found = compared(BASE, BASE.but(module="step_cdcdcdcd", hashes=(H2,)))

    assert found.identities["change"].to_list() == ["changed"]
    assert found.identities["candidate"].to_list() == ["step_cdcdcdcd [1/1]"]


def test_what_the_warm_run_compiles_is_a_row_of_its_own() -> None:
    assert changes(BASE, BASE.but(wait=(None,) * 3))[-1] == ("warm", "appeared", None, "app [1/1]")


def test_what_the_setup_builds_is_a_row_of_its_own() -> None:
    assert changes(BASE.but(setup="a"), BASE.but(setup="a"))[0][:2] == ("setup", "same")


def test_a_hash_and_its_first_digits_are_the_same() -> None:
    assert compared(BASE, BASE.but(hashes=(H1[:7],))).builds.same
    assert not compared(BASE, BASE.but(hashes=(H2[:7],))).builds.same


def test_source_bytes_are_shown_where_hashes_differ() -> None:
    same = compared(BASE, BASE).identities.iloc[0]
    changed = compared(BASE, BASE.but(hashes=(H2,))).identities.iloc[0]

    assert same[["baseline_bytes", "candidate_bytes"]].isna().all()
    assert changed[["baseline_bytes", "candidate_bytes"]].to_list() == [1000, 1000]


def test_the_same_hash_for_another_block_dimension_is_no_same_build() -> None:
    found = compared(BASE, BASE.but(block_dim=64))
    (row,) = found.identities.to_dict("records")

    assert (row["change"], row["cause"]) == ("changed", "block_dim")
    assert "block dimension 64" in row["detail"]
    assert not found.builds.same


def recorded(dt: str, digest: str) -> Recording:
    lines: list[Line | list[Line]] = [
        warp(), cell(1, 0, 900, launches=(0, 1)), source(1, "def step(): ..."), kernel(1, dt=dt),
        inputs(7, [1], digest), event("app", 1, 9, inputs=7, hash=digest), signature(1), order([1]),
    ]  # fmt: skip
    return recording(run("cold", lines), run("warm", [warp(), cell(1, 0, 9)]))


def test_the_cause_of_a_changed_hash_is_told() -> None:
    found = Comparison(Measurement(recorded("0.1", "1" * 64)), Measurement(recorded("0.2", "2" * 64)))
    (row,) = found.identities.to_dict("records")

    assert (row["change"], row["cause"]) == ("changed", "kernel_changed")
    assert "`dt` went from 0.1 to 0.2" in row["detail"]


def test_another_hash_of_the_same_content_is_another_versions() -> None:
    other = recorded("0.1", "2" * 64)
    runs = tuple(
        replace(one, wires=tuple(replace(w, warp=replace(w.warp, version="1.18.0")) for w in one.wires if w.warp))
        for one in other.runs
    )
    found = Comparison(Measurement(recorded("0.1", "1" * 64)), Measurement(replace(other, runs=runs)))

    assert found.identities["detail"].to_list() == ["The same content, hashed by another version of Warp."]
    assert "What changed: Warp: 1.19.0 before, 1.18.0 now." in found.reasons


def test_an_own_sample_that_was_built_differently_is_named() -> None:
    found = compared(BASE, BASE.but(work=LESS, hashes_of={2: (H3,)}))

    assert found.verdict == "inconclusive"
    assert "the candidate: app was not built alike in samples 1 and 2" in found.reasons[0]


def test_more_built_is_more_identities() -> None:
    assert compared(BASE, BASE.but(hashes=(H1, H2))).more_built[0] == "2 identities built, 1 in the baseline"
    assert compared(BASE.but(hashes=(H1, H2)), BASE).more_built == ()


def test_more_built_is_one_module_more_often_for_one_target() -> None:
    found = compared(BASE.but(hashes=(H1, H2)), BASE.but(hashes=(H1, H2, H1)))

    assert found.more_built == ("app built 3 times for cpu at block_dim 1, twice in the baseline",)


def test_more_built_does_not_depend_on_the_machine_nor_on_names() -> None:
    assert compared(BASE, BASE.but(device="cuda:0", block_dim=256)).more_built == ()
    assert compared(BASE, BASE.but(module="step_cdcdcdcd", hashes=(H2,))).more_built == ()
    again = BASE.but(device="cuda:0", block_dim=256, hashes=(H1, H2))
    assert len(compared(BASE, again).more_built) == 2


def test_more_built_needs_no_more_than_one_sample() -> None:
    one = BASE.but(work=(300.0,), wait=(400.0,), hashes=(H1, H2))

    assert compared(BASE.but(work=(300.0,), wait=(400.0,)), one).more_built
