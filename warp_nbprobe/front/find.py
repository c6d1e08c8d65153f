"""Finds a measurement by what a person calls it: a variable, a label of this session, a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warp_nbprobe.ask.options import suggestion
from warp_nbprobe.errors import ReportError, UsageError
from warp_nbprobe.front.session import Session

if TYPE_CHECKING:
    from warp_nbprobe.measurement import Measurement


def find_measurement(name: str, namespace: Mapping[str, Any], session: Session, *, what: str) -> Measurement:
    """Return the measurement that ``name`` stands for; of several with one label the latest.

    Raises:
        UsageError: There is none; names the nearest that there is.
        ReportError: It is a file that cannot be read as a report.
    """
    from warp_nbprobe.measurement import Measurement

    value = namespace.get(name)
    if isinstance(value, Measurement):
        return value
    for entry in reversed(session.entries):
        if entry.measurement.label == name:
            return entry.measurement
    path = Path(name).expanduser()
    if path.is_file():
        return load_measurement(path)
    if value is not None:
        raise UsageError(f"{what}: `{name}` is a {type(value).__name__}, not a measurement.")
    known = [key for key, held in namespace.items() if isinstance(held, Measurement) and not key.startswith("_")]
    known += [entry.measurement.label for entry in session.entries]
    raise UsageError(
        f"{what}: there is no measurement {name!r}: no variable, no label of this session, no file."
        f"{suggestion(name, known)}"
    )


def load_measurement(path: str | Path) -> Measurement:
    """Open a report file. Raises ``ReportError``."""
    from warp_nbprobe.data.report import load_report
    from warp_nbprobe.measurement import Measurement

    try:
        return Measurement(load_report(path))
    except OSError as error:
        raise ReportError(path, f"{error.strerror or error}.") from None
