"""Bands and separation, and how often two measurements of one program are called different."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from tests.compare.pairs import BASE
from tests.compare.test_verdicts import compared
from warp_nbprobe.data.metrics import spread
from warp_nbprobe.explain.environment import Environment
from warp_nbprobe.explain.noise import Move, Spread, move
from warp_nbprobe.explain.verdict import Facts, verdict
from warp_nbprobe.explain.workload import Workload


def of(values: Sequence[float]) -> Spread:
    middle, deviation = spread(values)
    return Spread(middle, deviation, len(values), tuple(values))


def moved(ours: Sequence[float], theirs: Sequence[float], unit: str = "ms") -> Move:
    return move("build_ms", unit, of(ours), of(theirs))


def test_the_band_is_the_largest_of_three() -> None:
    assert moved([100, 100, 100], [100, 100, 100]).band == 5.0
    assert moved([2000, 2000, 2000], [2000, 2000, 2000]).band == 20.0
    assert moved([2000, 2030, 1950], [2000, 2000, 2000]).band == 60.0
    assert moved([2000, 2000, 2000], [2000, 2040, 1950]).band == 80.0


def test_a_move_has_to_leave_the_band() -> None:
    assert moved([100, 100, 100], [95, 95, 95]).moved == "inside"
    assert moved([100, 100, 100], [94.9, 94.9, 94.9]).moved == "down"
    assert moved([100, 100, 100], [105.1, 105.1, 105.1]).moved == "up"


def test_samples_have_to_be_separated_whatever_the_medians_say() -> None:
    found = moved([1000, 1001, 1100], [900, 901, 1000])

    assert (found.moved, found.separated) == ("inside", False)
    assert moved([1000, 1001, 1100], [900, 901, 999]).moved == "down"


def test_separation_is_not_asked_for_where_a_file_has_no_values() -> None:
    found = move("build_ms", "ms", Spread(1000.0, 1.0, 3), of([900, 900, 900]))

    assert (found.moved, found.separated) == ("down", None)


def test_fewer_than_three_samples_are_not_enough_evidence() -> None:
    found = moved([1000, 1000, 1000], [500, 500])

    assert found.moved is None
    assert found.delta == -500
    assert found.reason is not None
    assert "not enough evidence: 3 and 2 samples" in found.reason


def test_a_missing_figure_moves_nowhere_and_says_whose_it_is() -> None:
    found = move("compile_elapsed_ms", "ms", of([1, 2, 3]), Spread(None, reason="the warm run compiled too"))

    assert (found.moved, found.delta) == (None, None)
    assert found.reason == "candidate: the warm run compiled too"


def test_counts_are_exact() -> None:
    assert moved([4, 4, 4], [5, 5, 5], "count").moved == "up"
    assert moved([4, 4, 4], [4, 4, 4], "count").moved == "inside"


def test_the_frame_holds_both_medians_the_band_and_the_move() -> None:
    row = compared(BASE, BASE.but(work=(200.0, 201.0, 202.0))).figures.loc["build_ms"]

    assert (row["baseline"], row["candidate"], row["delta"], row["band"]) == (301.0, 201.0, -100.0, 5.0)
    assert (row["moved"], row["n_baseline"], row["n_candidate"]) == ("down", 3, 3)


_SAME = Workload("same", (True, True), (9, 9), (False, False), (), (), None, ((), ()), ())
_HERE = Environment((), (), (), False, None, False, ())


def called_different(samples: int, pairs: int, dice: random.Random) -> float:
    """Return how many of ``pairs`` measurements of one program are called improved or regressed."""
    wrong = 0
    for _ in range(pairs):
        noise = dice.uniform(0.01, 0.10)
        (work, wait), (other_work, other_wait) = (measured(samples, noise, dice) for _ in range(2))
        facts = Facts(
            (samples, samples), (), (), (), _SAME, _HERE, (0, 0), ((), ()),
            work=moved(work, other_work),
            elapsed=move("compile_elapsed_ms", "ms", of(wait), of(other_wait)),
            same_work=True,
        )  # fmt: skip
        wrong += verdict(facts).word in ("improved", "regressed")
    return wrong / pairs


def measured(samples: int, noise: float, dice: random.Random) -> tuple[list[float], list[float]]:
    """Return work and wait of a program of five builds, a header and some work of its own.

    A run is slowed down as a whole by what else the machine does, and each of its parts a little by itself.
    """
    work, wait = [], []
    for _ in range(samples):
        cold, warm = (1 + noise * dice.gauss(0, 1) for _ in range(2))
        builds = [400 * cold * (1 + 0.3 * noise * dice.gauss(0, 1)) for _ in range(5)]
        header = 1300 * cold * (1 + 0.3 * noise * dice.gauss(0, 1))
        work.append(sum(builds))
        wait.append(sum(builds) + header + 500 * (cold - warm))
    return work, wait


@pytest.mark.parametrize(("samples", "at_most"), [(3, 0.10), (5, 0.02)])
def test_one_program_measured_twice_is_seldom_called_different(samples: int, at_most: float) -> None:
    assert called_different(samples, 1500, random.Random(samples)) <= at_most
