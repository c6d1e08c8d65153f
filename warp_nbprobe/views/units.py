"""How figures are written: one rule for every view.

Times are milliseconds below one second and seconds above, with two or three significant
digits. A figure that could not be had is written in words, never as 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

NOT_MEASURED = "not measured"

_THIN = "\u202f"  # narrow, and never broken at the end of a line
# About as wide as an "m": after a lone "s", so that the digits of "1.84 s" and "152 ms" end at the
# same place in a right aligned column. No-break spaces, since others do not count at a line's end.
_M_SPACE = "\u00a0\u00a0\u00a0"


def is_missing(value: object) -> bool:
    """Whether a scalar from a row is missing: None or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _number(value: float, digits: int) -> str:
    """Return ``value`` (0.0005 to 999) with ``digits`` significant digits, more before the point."""
    if value == 0:
        return "0"
    before = math.floor(math.log10(abs(value))) + 1
    text = f"{value:.{max(0, digits - before)}f}"
    # Rounding may have carried into another digit: 9.96 is "10", not "10.0".
    if len(text.replace(".", "").replace("-", "").lstrip("0")) > max(digits, before):
        text = f"{value:.{max(0, digits - before - 1)}f}"
    return text


def _time_parts(ms: float, digits: int) -> tuple[str, str]:
    size = abs(ms)
    if size == 0:
        return "0", "ms"
    if size < 0.005:
        return ("<0.01" if ms > 0 else ">-0.01"), "ms"
    if size < 0.1:
        return f"{ms:.2f}", "ms"
    if size < 999.5:
        return _number(ms, 2), "ms"
    if size < 599_500:
        return _number(ms / 1000, digits), "s"
    return _number(ms / 60_000, 3), "min"


def time_text(ms: float | None, *, digits: int = 2) -> str:
    """Return a time as a person writes it: ``152 ms``, ``2.1 s``; "not measured" when missing."""
    if ms is None or math.isnan(ms):
        return NOT_MEASURED
    number, unit = _time_parts(ms, digits)
    return f"{number} {unit}".replace("-", "−")


def time_cell(ms: float | None) -> str:
    """Return a time for a right aligned column; a dash where nothing happened (0)."""
    if ms is None or math.isnan(ms):
        return NOT_MEASURED
    if ms == 0:
        return "–"
    number, unit = _time_parts(ms, 3)
    return f"{number}{_THIN}{unit}{_M_SPACE if unit == 's' else ''}".replace("-", "−")


def count_text(value: float | None) -> str:
    """Return a whole number, grouped by threes with a thin space."""
    if value is None or math.isnan(value):
        return NOT_MEASURED
    return f"{round(value):,}".replace(",", _THIN)


def bytes_text(value: float | None) -> str:
    """Return a size in B, kB, MB or GB (powers of 1000)."""
    if value is None or math.isnan(value):
        return NOT_MEASURED
    size = float(value)
    for unit in ("B", "kB", "MB"):
        if abs(size) < 999.5:
            return f"{_number(size, 3) if unit != 'B' else round(size)} {unit}"
        size /= 1000
    return f"{_number(size, 3)} GB"


def share_text(share: float | None) -> str:
    """Return a ratio as a percentage: ``29 %``."""
    if share is None or math.isnan(share):
        return NOT_MEASURED
    percent = share * 100
    if 0 < percent < 1:
        return "under 1 %"
    return f"{round(percent)} %"


def plural(count: float | None, one: str, many: str | None = None) -> str:
    """Return ``5 builds``, ``1 build``."""
    noun = one if count == 1 else (many or f"{one}s")
    return f"{count_text(count)} {noun}"


def figure_text(value: float | None, unit: str) -> str:
    """Return a figure of the summary in the unit the summary names for it."""
    if value is None or math.isnan(value):
        return NOT_MEASURED
    if unit == "ms":
        return time_text(value, digits=3)
    if unit == "bytes":
        return bytes_text(value)
    if unit == "ratio":
        return f"{value:.2f}"
    return count_text(value)


def hash_text(value: str | None) -> str:
    """Return the seven digits of a hash that views print."""
    return value[:7] if value else "no hash"


def dim_text(dim: object) -> str:
    """Return launch dimensions: ``1024 x 16``."""
    if isinstance(dim, Iterable) and not isinstance(dim, str):
        return " x ".join(count_text(float(n)) for n in dim)
    return "" if is_missing(dim) else str(dim)


def sentence(text: str) -> str:
    """Return the text with a capital and a full stop, so that reasons of any author line up.

    A first word that is a name in code (``enable_backward``) keeps its small letter.
    """
    stripped = text.strip()
    if not stripped:
        return ""
    ended = stripped if stripped[-1] in ".!?:" else f"{stripped}."
    return ended[0].upper() + ended[1:] if stripped.split()[0].rstrip(",:").isalpha() else ended
