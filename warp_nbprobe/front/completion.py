"""Completes options of the magics with Tab."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from warp_nbprobe.ask.options import COMPARE, LINE, MEASURE, SETUP, Option
from warp_nbprobe.front.session import Session


def options_after(line: str, options: Sequence[Option], session: Session) -> list[str]:
    """Return what may stand at the end of ``line``: option names, or setup names after ``--setup``."""
    words = line.split()
    typed = "" if line[-1:].isspace() else words[-1]
    before = words[-1] if not typed else words[-2] if len(words) > 1 else ""
    if before == "--setup":
        return sorted(name for name in {*session.setups, "none"} if name.startswith(typed))
    if before == "--vs":
        return sorted(
            {entry.measurement.label for entry in session.entries if entry.measurement.label.startswith(typed)}
        )
    flags = [flag for option in options for flag in option.flags if flag.startswith("--")]
    return [flag for flag in flags if flag.startswith(typed)]


def magic_completers(session: Session) -> dict[str, Callable[[Any, Any], list[str]]]:
    """Return a completer for each magic that has options, by the word it begins with."""

    def completer(options: Sequence[Option]) -> Callable[[Any, Any], list[str]]:
        return lambda shell, event: options_after(event.text_until_cursor, options, session)

    return {
        "%%warp_cold": completer(MEASURE),
        "%warp_cold": completer(LINE),
        "%%warp_setup": completer(SETUP),
        "%warp_setup": completer(SETUP),
        "%warp_compare": completer(COMPARE),
    }
