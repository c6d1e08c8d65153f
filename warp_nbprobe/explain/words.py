"""Small pieces of English that sentences are put together from."""

from __future__ import annotations

from collections.abc import Sequence


def quoted(name: str) -> str:
    """Return a name of the user's as code."""
    return f"`{name}`"


def listed(items: Sequence[str], most: int = 6) -> str:
    """Return ``a``, ``a and b``, ``a, b and c``, or the first few ``and 7 more``."""
    if not items:
        return "nothing"
    shown, rest = list(items[:most]), len(items) - most
    if rest == 1:  # one more name takes no more room than to say so
        shown, rest = list(items), 0
    if rest > 0:
        return f"{', '.join(shown)} and {rest} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def plural(count: int, noun: str) -> str:
    """Return the noun, with an ``s`` unless there is one of it."""
    return noun if count == 1 else f"{noun}s"


def counted(count: int, noun: str) -> str:
    """Return ``1 build``, ``3 builds``."""
    return f"{count} {plural(count, noun)}"


def times(count: int) -> str:
    """Return ``once``, ``twice``, ``5 times``."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def ms_text(ms: float) -> str:
    """Return a duration as people read it: ``340 ms``, ``1.4 s``."""
    if ms >= 9_950:
        return f"{ms / 1000:.0f} s"
    if ms >= 995:
        return f"{ms / 1000:.1f} s"
    return f"{ms:.0f} ms" if ms >= 9.95 else f"{ms:.1f} ms"


def percent(share: float) -> str:
    """Return a share as whole percent."""
    return f"{100 * share:.0f} %"
