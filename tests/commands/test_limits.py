"""Limits: what counts as a build and as a rebuild where several processes build."""

from __future__ import annotations

from typing import Any

import pytest

from tests.data import wires_by_hand as by_hand
from warp_nbprobe.ask.commands import command_request
from warp_nbprobe.errors import TooManyBuilds
from warp_nbprobe.limits import check_limits, excesses
from warp_nbprobe.measurement import Measurement

A, B = "a" * 64, "b" * 64


def measured(main: list[str], worker: list[str]) -> Measurement:
    """Return a measurement in which two processes build one module with these hashes, one after the other."""

    def lines(hashes: list[str]) -> list[Any]:
        return [by_hand.event("app", 10.0 * at, 5.0, hash=digest) for at, digest in enumerate(hashes, start=1)]

    cell = by_hand.cell(1, 0.0, 900.0)
    cold = by_hand.run("cold", [*cell, *lines(main)], others=(by_hand.wire(lines(worker), pid=200),))
    return Measurement(by_hand.recording(cold, by_hand.run("warm", cell)))


@pytest.mark.parametrize(
    ("main", "worker", "rebuilt"),
    [
        ([A], [A], False),
        ([A], [], False),
        ([A, B], [], True),
        ([A], [B], True),
        ([A, A], [], True),
        ([A, A], [A, A], True),
    ],
)
def test_one_content_built_by_each_process_for_itself_is_no_rebuild(
    main: list[str], worker: list[str], rebuilt: bool
) -> None:
    request = command_request(["true"], {"fail_on_rebuild": True})

    (error,) = excesses(measured(main, worker), request).values()
    assert (error is not None) == rebuilt


def test_one_content_counts_once_whoever_builds_it() -> None:
    found = measured([A, B], [A])
    check_limits(found, command_request(["true"], {"max_builds": 2}))

    with pytest.raises(TooManyBuilds, match="compiled 2 identities, and max_builds allows 1"):
        check_limits(found, command_request(["true"], {"max_builds": 1}))


def test_without_limits_nothing_is_checked() -> None:
    assert excesses(measured([A, B], []), command_request(["true"], {})) == {}
