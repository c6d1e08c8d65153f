"""Whether checked values moved: tolerances, values that differ by themselves, and where the largest difference is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.compare.checked import checked, value
from tests.compare.pairs import BASE, LESS, Made
from tests.compare.test_verdicts import compared
from warp_nbprobe.data.redact import redacted
from warp_nbprobe.data.results import Result
from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.explain.value_difference import apart
from warp_nbprobe.measurement import Measurement

A = np.arange(6.0).reshape(2, 3)


def with_value(given: Any, **options: Any) -> Made:
    return BASE.but(results=(value(given),), options=options)


def row(ours: Made, theirs: Made) -> dict[str, Any]:
    (found,) = compared(ours, theirs).results.to_dict("records")
    return {name: item for name, item in found.items() if item is not None}


def changed(at: tuple[int, ...], by: float) -> Any:
    other = A.copy()
    other[at] += by
    return other


def test_equal_values_are_the_same() -> None:
    found = compared(with_value(A), with_value(A).but(work=LESS))

    assert found.results["outcome"].to_list() == ["same"]
    assert found.verdict == "improved"
    assert not any(text.startswith("results:") for text in found.not_checked)


def test_a_value_that_moved_makes_it_invalid_and_is_shown_where_it_is() -> None:
    found = compared(with_value(A), with_value(changed((1, 2), 0.5)).but(work=LESS))
    (shown,) = found.results.to_dict("records")

    assert found.verdict == "invalid"
    assert (shown["outcome"], shown["largest_abs"], shown["largest_rel"], shown["at"]) == ("moved", 0.5, 0.1, "[1, 2]")
    assert (shown["baseline"], shown["candidate"]) == ("5", "5.5")


def test_a_difference_within_the_tolerance_is_a_pass_that_says_so() -> None:
    found = compared(with_value(A, rtol=0.2), with_value(changed((1, 2), 0.5)).but(work=LESS))

    assert found.verdict == "improved"
    assert found.results["outcome"].to_list() == ["within tolerance"]
    assert any("`x` is within tolerance" in reason for reason in found.reasons)


def test_the_tolerance_can_be_given_anew() -> None:
    ours, theirs = with_value(A).measurement(), with_value(changed((1, 2), 0.5)).measurement()

    assert Comparison(ours, theirs).verdict == "invalid"
    assert Comparison(ours, theirs, atol=0.5).verdict != "invalid"
    assert Comparison(ours, theirs, rtol=0.09).verdict == "invalid"


def test_values_that_differ_in_the_baselines_own_samples_are_not_reproducible() -> None:
    wobbling = BASE.but(
        results=(value(A),), results_of={2: (value(changed((0, 1), 0.25)),), 3: (value(changed((0, 1), -0.25)),)}
    )
    inside = row(wobbling, with_value(changed((0, 1), 0.6)))
    beyond = row(wobbling, with_value(changed((0, 1), 2.0)))

    assert (inside["outcome"], inside["spread"]) == ("not reproducible", 0.5)
    assert beyond["outcome"] == "moved"


def test_the_candidates_worst_sample_counts() -> None:
    theirs = BASE.but(results=(value(A),), results_of={3: (value(changed((0, 0), 1.0)),)})

    assert row(with_value(A), theirs)["outcome"] == "moved"


@pytest.mark.parametrize(
    ("ours", "theirs", "outcome"),
    [
        (A, A.astype("f4"), "moved"),
        (A, A.reshape(3, 2), "moved"),
        ({"a": A}, {"b": A}, "moved"),
        ("yes", "no", "moved"),
        ("yes", "yes", "same"),
        (None, None, "same"),
        (None, A, "moved"),
        (object(), object(), "not checked"),
        (A, object(), "moved"),
        (np.array([np.nan, np.inf, -np.inf]), np.array([np.nan, np.inf, -np.inf]), "same"),
        (np.array([0.0]), np.array([-0.0]), "same"),
        (np.array([1.0]), np.array([np.nan]), "moved"),
        (np.array([np.inf]), np.array([-np.inf]), "moved"),
        (np.array([2**63 - 1]), np.array([2**63 - 2]), "moved"),
        (np.array([True]), np.array([False]), "moved"),
        (np.array([1 + 1j]), np.array([1 - 1j]), "moved"),
        (np.zeros(0), np.zeros(0), "same"),
    ],
)
def test_values_of_many_kinds(ours: Any, theirs: Any, outcome: str) -> None:
    found = compared(with_value(ours), with_value(theirs)).results["outcome"].to_list()

    assert outcome in found


def test_another_dtype_is_a_pass_only_where_a_tolerance_was_asked_for() -> None:
    found = row(with_value(A, rtol=1e-6), with_value(A.astype("f4")))

    assert found["outcome"] == "within tolerance"
    assert "dtype float64 became float32" in found["detail"]


def test_a_check_that_raises_in_the_candidate_alone_is_no_pass() -> None:
    raising = BASE.but(results=checked({}, "x"))

    assert compared(with_value(A), raising).verdict == "invalid"
    assert row(raising, with_value(A))["outcome"] == "not checked"
    both = compared(raising, raising)
    assert both.verdict == "inconclusive"
    assert any("raised NameError" in text for text in both.not_checked)


def test_a_check_of_one_side_alone_is_not_checked() -> None:
    found = compared(with_value(A), BASE)

    assert found.verdict == "inconclusive"
    assert "results: x, checked in the baseline alone" in found.not_checked


def test_of_a_large_array_the_sample_says_how_far_and_the_digest_whether() -> None:
    large = np.zeros(1_000_000)
    seen, unseen = large.copy(), large.copy()
    positions = value(large).parts[0].positions
    seen[positions[7]] = 0.25
    hidden = next(n for n in range(1000) if n not in set(positions.tolist()))
    unseen[hidden] = 0.25

    assert row(with_value(large), with_value(seen))["largest_abs"] == 0.25
    assert row(with_value(large), with_value(unseen))["outcome"] == "moved"
    assert row(with_value(large, atol=1.0), with_value(seen))["outcome"] == "within tolerance"


def test_values_that_a_later_run_repeats_are_looked_up() -> None:
    first = value(A)
    repeated = replace(first, parts=tuple(replace(part, data=None, kept=0, code=None) for part in first.parts))
    ours = BASE.but(results=(repeated,), results_of={1: (first,)})

    assert row(ours, with_value(changed((1, 2), 0.5)))["largest_abs"] == 0.5


def test_a_report_that_was_handed_on_has_digests_and_no_values() -> None:
    def handed_on(made: Made) -> Measurement:
        return Measurement(redacted(made.recording()))

    same = Comparison(handed_on(with_value(A)), handed_on(with_value(A)))
    other = Comparison(handed_on(with_value(A)), handed_on(with_value(changed((0, 0), 1.0))))

    assert same.results["outcome"].to_list() == ["same"]
    assert other.verdict == "invalid"
    assert other.results["largest_abs"].isna().all()
    stored: Result = handed_on(with_value(A)).recording.runs[0].results[0]
    assert stored.parts[0].data is None
    assert stored.expression != "x"


def test_whole_numbers_are_compared_exactly() -> None:
    old, new = (value(np.array([n, 0])).parts[0] for n in (2**62, 2**62 + 1))
    found = apart(old, new, rtol=0, atol=0)

    assert found is not None
    assert (found.largest_abs, found.beyond) == (1.0, 1)
