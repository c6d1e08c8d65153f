"""Limits on builds that a caller sets, for notebooks that run in CI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warp_nbprobe.errors import TooManyBuilds

if TYPE_CHECKING:
    import pandas as pd

    from warp_nbprobe.ask.request import Request
    from warp_nbprobe.measurement import Measurement

_IDENTITY = ["module", "hash", "device", "block_dim"]
_FOR = ["module", "device", "block_dim"]


def check_limits(measurement: Measurement, request: Request) -> None:
    """Raise when the cold run compiled more than the caller allows; setup code does not count.

    Raises:
        TooManyBuilds: With the measurement, and the builds that count.
    """
    for error in excesses(measurement, request).values():
        if error is not None:
            error.measurement = measurement
            raise error


def excesses(measurement: Measurement, request: Request) -> dict[str, TooManyBuilds | None]:
    """Return each limit that is set, as a claim, with the error for one that is exceeded.

    Of a failed measurement nothing is known that could be held against a limit.
    """
    if measurement.failed or (request.max_builds is None and not request.fail_on_rebuild):
        return {}
    compiled = _compiled(measurement)
    found: dict[str, TooManyBuilds | None] = {}
    if request.max_builds is not None:
        found[f"at most {request.max_builds} builds"] = _too_many(compiled, request.max_builds)
    if request.fail_on_rebuild:
        found["no module is built twice"] = _rebuilt(compiled)
    return found


def _compiled(measurement: Measurement) -> pd.DataFrame:
    """Return what the first good cold run compiled in the measured code."""
    modules = measurement.modules
    sample = measurement.recording.good_samples()[0]
    counts = (modules["run"] == "cold") & (modules["phase"] == "cold") & (modules["status"] == "compiled")
    if modules["rehearsed"].any():
        counts &= modules["device"] != "cpu"  # what a rehearsal builds to go on
    compiled: pd.DataFrame = modules[counts & (modules["sample"] == sample)]
    return compiled


def _too_many(compiled: pd.DataFrame, most: int) -> TooManyBuilds | None:
    builds = list(compiled.drop_duplicates(_IDENTITY)["build"])
    if len(builds) <= most:
        return None
    return TooManyBuilds(
        f"The cold run compiled {len(builds)} {'identity' if len(builds) == 1 else 'identities'}, and max_builds "
        f"allows {most}: {', '.join(builds)}.",
        builds,
        most,
    )


def _rebuilt(compiled: pd.DataFrame) -> TooManyBuilds | None:
    """Find modules that were built again. What several processes build alike, each for itself, counts once."""
    nth = compiled.groupby(["pid", *_IDENTITY], dropna=False).cumcount()
    once = compiled.assign(nth=nth).drop_duplicates([*_IDENTITY, "nth"])
    builds = list(once[once.duplicated(_FOR, keep=False)]["build"])
    if not builds:
        return None
    return TooManyBuilds(
        f"The cold run compiled a module again for one device and block_dim: {', '.join(builds)}.", builds
    )
