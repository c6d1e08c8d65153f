"""What must hold whatever is compared: swapped sides, samples added, threads counted another way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.compare.pairs import BASE, H1, H2, Made
from tests.compare.test_verdicts import compared

LAUNCH = st.fixed_dictionaries({"dim": st.lists(st.integers(1, 3), min_size=1, max_size=1)})
LAUNCHES = st.lists(LAUNCH, min_size=1, max_size=6).map(tuple)
LEVELS = st.sampled_from((200.0, 300.0, 304.0, 307.0, 400.0))
SPREADS = st.sampled_from((0.0, 1.0, 5.0))
PLAIN = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

OPPOSITE = {"improved": "regressed", "regressed": "improved"}


@st.composite
def made(draw: st.DrawFn, launches: Any = LAUNCHES) -> Made:
    count = draw(st.integers(3, 4))
    work, wait, step = draw(LEVELS), draw(LEVELS) + 100, draw(SPREADS)
    return BASE.but(
        work=tuple(work + step * at for at in range(count)),
        wait=tuple(wait + step * at for at in range(count)),
        hashes=draw(st.sampled_from(((H1,), (H2,), (H1, H2)))),
        launches=draw(launches),
    )


@PLAIN
@given(made(st.just(BASE.launches)), made(st.just(BASE.launches)))
def test_swapping_the_sides_turns_better_into_worse(ours: Made, theirs: Made) -> None:
    there, back = compared(ours, theirs), compared(theirs, ours)

    assert there.same_work == back.same_work
    assert there.workload.outcome == back.workload.outcome
    changes = {"same": "same", "changed": "changed", "appeared": "gone", "gone": "appeared"}
    assert sorted(changes[word] for word in there.identities["change"]) == sorted(back.identities["change"])
    if there.judged.row in (7, 10) and back.judged.row in (7, 10):
        assert back.verdict == OPPOSITE[there.verdict]
    if there.verdict == "regressed" and there.judged.row == 10:
        assert back.verdict in ("improved", "inconclusive")


@PLAIN
@given(made(), made())
def test_swapping_the_sides_swaps_the_launches(ours: Made, theirs: Made) -> None:
    there, back = compared(ours, theirs).workload, compared(theirs, ours).workload

    assert there.outcome == back.outcome
    assert there.totals == back.totals[::-1]
    assert sorted((name, a, b) for name, a, b in there.counts) == sorted((name, b, a) for name, a, b in back.counts)
    if there.parting is not None and back.parting is not None:
        assert there.parting.position == back.parting.position


@PLAIN
@given(made(), made(), st.integers(1, 2))
def test_adding_samples_equal_to_the_middle_one_changes_no_verdict(ours: Made, theirs: Made, more: int) -> None:
    def longer(of: Made) -> Made:
        middle = len(of.work) // 2
        return of.but(work=(*of.work, *[of.work[middle]] * more), wait=(*of.wait, *[of.wait[middle]] * more))

    before, after = compared(ours, theirs), compared(longer(ours), longer(theirs))

    assert before.workload.outcome == after.workload.outcome
    if len(ours.work) == len(theirs.work) == 3:  # of four the median lies between two
        assert before.judged.row == after.judged.row


@PLAIN
@given(
    st.dictionaries(st.integers(1, 4), LAUNCHES, min_size=1, max_size=4),
    st.randoms(use_true_random=False),
)
def test_threads_may_be_numbered_and_interleaved_anyhow(threads: Mapping[int, Any], dice: Any) -> None:
    numbers = list(threads)
    dice.shuffle(numbers)
    renumbered = dict(zip(numbers, threads.values(), strict=True))
    ours = BASE.but(threads=threads)

    assert compared(ours, BASE.but(threads=renumbered)).workload.outcome == "same"
    fewer = dict(list(threads.items())[1:])
    assert compared(ours, BASE.but(threads=fewer)).workload.outcome == "changed"


@PLAIN
@given(made(), st.integers(0, 5), st.sampled_from([{"dim": [9]}, {"adjoint": True}, {"block_dim": 7}]))
def test_one_changed_launch_is_found_where_it_is(ours: Made, at: int, edit: dict[str, Any]) -> None:
    at %= len(ours.launches)
    launches = [dict(one) for one in ours.launches]
    launches[at] |= edit

    parting = compared(ours, ours.but(launches=tuple(launches))).workload.parting

    assert parting is not None
    assert parting.position == at + 1
