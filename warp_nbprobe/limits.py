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
    if measurement.failed or (request.max_builds is None and not request.fail_on_rebuild):
        return
    error = _excess(_compiled(measurement), request)
    if error is not None:
        error.measurement = measurement
        raise error


def _compiled(measurement: Measurement) -> pd.DataFrame:
    """Return what the first good cold run compiled in the measured code."""
    modules = measurement.modules
    sample = measurement.recording.good_samples()[0]
    counts = (modules["run"] == "cold") & (modules["phase"] == "cold") & (modules["status"] == "compiled")
    compiled: pd.DataFrame = modules[counts & (modules["sample"] == sample)]
    return compiled


def _excess(compiled: pd.DataFrame, request: Request) -> TooManyBuilds | None:
    identities = compiled.drop_duplicates(_IDENTITY)
    if request.max_builds is not None and len(identities) > request.max_builds:
        builds = list(identities["build"])
        return TooManyBuilds(
            f"The cold run compiled {len(builds)} identities, and max_builds allows {request.max_builds}: "
            f"{', '.join(builds)}.",
            builds,
            request.max_builds,
        )
    repeated = compiled[compiled.duplicated(_FOR, keep=False)]
    if request.fail_on_rebuild and len(repeated):
        builds = list(repeated["build"])
        return TooManyBuilds(
            f"The cold run compiled a module again for one device and block_dim: {', '.join(builds)}.", builds
        )
    return None
