"""Stopping: the ladder's steps, and who counts the user's presses."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from warp_nbprobe.run.stop import GRACE_S, LIMIT_S, Ladder, Stop, stoppable


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_a_child_is_asked_then_woken_then_killed() -> None:
    ladder = Ladder(100.0)
    assert ladder.step(100.0) == "interrupt"
    assert ladder.step(100.0) is None
    assert ladder.step(100.05) == "wake"
    assert ladder.step(100.0 + GRACE_S - 0.01) is None
    assert ladder.step(100.0 + GRACE_S) == "kill"
    assert ladder.step(200.0) is None


def test_a_step_that_is_late_is_still_taken_and_in_order() -> None:
    ladder = Ladder(0.0)
    assert [ladder.step(50.0) for _ in range(4)] == ["interrupt", "wake", "kill", None]


def test_a_second_press_kills_at_once_and_only_once() -> None:
    ladder = Ladder(0.0)
    assert ladder.step(0.0) == "interrupt"
    assert ladder.step(0.1, hurry=True) == "kill"
    assert ladder.step(0.1, hurry=True) is None


def test_stopping_takes_effect_within_two_seconds() -> None:
    assert GRACE_S < LIMIT_S < 2.0


def test_presses_are_counted_and_raise_nothing() -> None:
    with stoppable() as stop:
        assert not stop
        press()
        press()
        assert stop.presses == 2


def test_afterwards_a_press_means_what_it_meant_before() -> None:
    with stoppable():
        pass
    with pytest.raises(KeyboardInterrupt):
        press()


def test_the_users_own_handler_is_put_back_also_after_an_error() -> None:
    def mine(number: int, frame: object) -> None:
        """The user's."""

    before = signal.signal(signal.SIGINT, mine)
    try:
        with pytest.raises(ZeroDivisionError), stoppable():
            _ = 1 / 0
        assert signal.getsignal(signal.SIGINT) is mine
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_inner_block_counts_for_the_outer_one_as_well() -> None:
    with stoppable() as outer:
        with stoppable() as inner:
            press()
        assert inner is outer
        press()
        assert outer.presses == 2


def test_in_another_thread_nothing_is_touched() -> None:
    handler = signal.getsignal(signal.SIGINT)
    found: list[object] = []

    def work() -> None:
        with stoppable() as stop:
            found.extend([stop, signal.getsignal(signal.SIGINT)])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert isinstance(found[0], Stop)
    assert found[1] is handler


def test_an_ignored_interrupt_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stoppable() as stop:
            press()
            assert not stop
    finally:
        signal.signal(signal.SIGINT, before)
