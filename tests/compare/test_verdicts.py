"""The ordered list: every row by itself, and hundreds of generated pairs against the list written once more."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.compare import oracle
from tests.compare.pairs import BASE, H1, H2, H3, LESS, MORE, Made
from warp_nbprobe.ask.options import FAIL_ON
from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.explain.verdict import WORDS

NONE: tuple[float | None, ...] = (None, None, None)


def compared(ours: Made, theirs: Made) -> Comparison:
    return Comparison(ours.measurement(), theirs.but(label="tuned").measurement())


def judged(ours: Made, theirs: Made) -> tuple[int, str]:
    found = compared(ours, theirs).judged
    return found.row, found.word


@pytest.mark.parametrize(
    ("ours", "theirs", "row", "word"),
    [
        (BASE, BASE.but(work=LESS, failed=1), 1, "invalid"),
        (BASE, BASE.but(work=LESS, errors=("broken",)), 1, "invalid"),
        (BASE, BASE.but(work=LESS, launches=({}, {})), 1, "invalid"),
        (BASE, BASE.but(work=LESS, machine={"cpu": "Another CPU"}), 2, "not comparable"),
        (BASE, BASE.but(work=LESS, machine={"cores": 64}), 2, "not comparable"),
        (BASE, BASE.but(work=LESS, runtime={"driver": "550"}), 2, "not comparable"),
        (BASE, BASE.but(work=LESS, rehearsed=True), 2, "not comparable"),
        (BASE, BASE.but(work=LESS, device="cuda:0", block_dim=256), 2, "not comparable"),
        (BASE.but(setup="a = 1"), BASE.but(setup="a = 2", setup_hash=H1), 2, "not comparable"),
        (BASE.but(launches=()), BASE.but(launches=(), work=LESS), 3, "unverified"),
        (BASE, BASE.but(work=LESS[:2], wait=BASE.wait[:2]), 4, "not enough evidence"),
        (BASE, BASE.but(work=LESS, wait=NONE), 5, "regressed"),
        (BASE, BASE.but(work=LESS, hashes_of={2: (H3,)}), 6, "inconclusive"),
        (BASE, BASE.but(work=LESS), 7, "improved"),
        (BASE, BASE.but(wait=LESS), 7, "improved"),
        (BASE, BASE.but(work=LESS, wait=(700.0, 701.0, 702.0)), 8, "inconclusive"),
        (BASE, BASE.but(work=MORE, wait=LESS), 9, "improved"),
        (BASE, BASE.but(work=MORE), 9, "inconclusive"),
        (BASE.but(wait=NONE), BASE.but(work=MORE, wait=NONE), 9, "unverified"),
        (BASE, BASE.but(work=MORE, hashes=(H2,)), 10, "regressed"),
        (BASE, BASE.but(work=MORE, lto=3), 10, "regressed"),
        (BASE, BASE.but(wait=(700.0, 701.0, 702.0)), 10, "regressed"),
        (BASE, BASE, 11, "inconclusive"),
    ],
)  # fmt: skip
def test_each_row_of_the_list(ours: Made, theirs: Made, row: int, word: str) -> None:
    assert judged(ours, theirs) == (row, word)


def test_the_first_row_that_holds_is_the_verdict_and_the_others_are_told() -> None:
    found = compared(BASE, BASE.but(failed=1, wait=NONE, machine={"cores": 64}))

    assert found.verdict == "invalid"
    assert "sample 4 failed" in found.reasons[0]
    told = " ".join(found.reasons[1:])
    assert "cores: 2 before, 64 now" in told
    assert "warm run compiles" in told


def test_errors_that_both_sides_have_are_part_of_the_program() -> None:
    assert compared(BASE.but(errors=("broken",)), BASE.but(errors=("broken",), work=LESS)).verdict == "improved"


def test_an_error_more_than_the_baseline_has_is_named() -> None:
    found = compared(BASE.but(errors=("broken",)), BASE.but(errors=("broken", "other")))

    assert found.verdict == "invalid"
    assert "other failed to build once" in found.reasons[0]


def test_a_failed_baseline_leaves_nothing_to_judge_by() -> None:
    assert judged(BASE.but(work=(), wait=(), failed=1), BASE) == (4, "not enough evidence")


def test_a_missing_wait_counts_as_neither_up_nor_down_and_is_said() -> None:
    found = compared(BASE.but(wait=NONE), BASE.but(wait=NONE, work=LESS))

    assert found.verdict == "improved"
    assert "wait is missing" in found.reasons[0]
    assert any(text.startswith("the wait: ") for text in found.not_checked)


def test_same_work_is_said_of_a_rise_that_is_contention() -> None:
    found = compared(BASE, BASE.but(work=MORE))

    assert found.same_work
    assert "nothing more was built" in found.reasons[0].lower()
    assert not compared(BASE, BASE.but(work=MORE, hashes=(H2,))).same_work
    assert not compared(BASE.but(launches=()), BASE.but(launches=())).same_work


def test_without_a_header_figure_the_header_is_in_the_work_of_both_and_that_is_said() -> None:
    found = compared(BASE.but(header_ms=1000.0), BASE.but(header_ms=None))

    assert found.work.metric == "cold_module_ms"
    assert found.work.baseline.median == pytest.approx(1301.0)
    assert any("precompiled header" in text for text in found.not_checked)
    assert compared(BASE.but(header_ms=1000.0), BASE.but(header_ms=1200.0)).work.moved == "inside"


def test_the_reason_has_figures_bands_and_sample_counts() -> None:
    reason = compared(BASE, BASE.but(work=LESS)).reasons[0]

    for part in ("down by 100 ms", "301 ms to 201 ms", "band 5.0 ms", "3 and 3 samples"):
        assert part in reason


def test_a_command_can_fail_on_every_verdict() -> None:
    assert {word.replace(" ", "-") for word in WORDS} | {"more-built"} == set(FAIL_ON)


def any_made(random: Random) -> Made:
    """Return a measurement near or beyond the borders of the list."""
    count = random.choice((2, 3, 3, 3, 4, 5))
    level = random.choice((290.0, 299.0, 304.0, 305.5, 306.5, 312.0, 400.0))
    wait = random.choice((390.0, 400.0, 405.2, 412.0, 500.0))
    step = random.choice((0.0, 0.4, 1.0, 4.0))
    nothing = random.random() < 0.15
    changes: dict[str, Any] = {
        "work": tuple(level + step * at for at in range(count)),
        "wait": tuple(None if nothing else wait + step * at for at in range(count)),
        "failed": int(random.random() < 0.08),
        "hashes": random.choice(((H1,), (H1,), (H2,), (H1, H2))),
        "errors": random.choice(((), (), (), ("broken",), ("broken", "other"))),
        "lto": random.choice((0, 0, 0, 2)),
        "header_ms": random.choice((0.0, 0.0, 100.0, None)),
        "rehearsed": random.random() < 0.05,
    }
    launches: list[dict[str, Any]] = [{}, {"dim": [4]}, {"dim": [4], "adjoint": True}]
    edit = random.random()
    if edit < 0.1:
        launches = []
    elif edit < 0.2:
        launches = launches[:2]
    elif edit < 0.3:
        launches = [{**launch, "kernel": "renamed", "key": "renamed"} for launch in launches]
    elif edit < 0.35:
        launches.reverse()
    elif edit < 0.4:
        changes |= {"threads": {1: ({"dim": [2]},)}}
    if random.random() < 0.06:
        changes |= {"machine": {"cpu": "Another CPU"}}
    if random.random() < 0.06:
        changes |= {"device": "cuda:0"}
    if random.random() < 0.1:
        changes |= {"setup": random.choice(("a = 1", "a = 2")), "setup_hash": random.choice((H2, H3))}
    return BASE.but(launches=tuple(launches), **changes)


@pytest.mark.parametrize("seed", range(400))
def test_generated_pairs_have_the_verdict_of_the_list(seed: int) -> None:
    random = Random(seed)
    ours, theirs = any_made(random), any_made(random)
    if random.random() < 0.6:  # most of the list is about pairs that launch the same on one machine
        kept = ("launches", "threads", "machine", "device", "rehearsed", "setup", "setup_hash")
        theirs = theirs.but(failed=0, errors=ours.errors, **{name: getattr(ours, name) for name in kept})

    found = judged(ours, theirs)

    assert found == oracle.verdict(ours, theirs), compared(ours, theirs).reasons
