"""Who still refers to an old version of a kernel, and how to let go of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

_OUT: Final = re.compile(r"`?Out\[\d+\]`?")
_ECHO: Final = re.compile(r"variable `(_+|_\d+)`|a dict of \d+|an object of type ExecutionResult")
_VARIABLE: Final = re.compile(r"variable `(\w+)`")
_OLDER: Final = re.compile(r"an older class `\w+`.*")
_CONTAINER: Final = re.compile(r"(?:list|dict|set) `(\w+)`")


def named_once(texts: Iterable[object]) -> list[str]:
    """Return the holders in order, without what IPython keeps for itself beside an ``Out[n]``."""
    found = list(dict.fromkeys(map(str, texts)))
    if not any(_OUT.fullmatch(text) for text in found):
        return found
    return [text for text in found if not _ECHO.fullmatch(text)]


def letting_go(texts: Sequence[str]) -> str:
    """Return what to do so that an old version is not built."""
    if any(_OUT.fullmatch(text) for text in texts):
        return (
            "End the line with `;` so that no result is kept. What is kept already goes with `%xdel NAME`, run while "
            "NAME still is the old kernel; Out.clear() alone leaves `_` behind."
        )
    if texts and not all(_OLDER.fullmatch(text) for text in texts):
        return "Let go of it before the kernel is defined anew: `%xdel NAME` or `del`; keep no kernels in containers."
    return "Let Python collect them before the next launch: gc.collect()."


def letting_go_code(texts: Sequence[str], kernel: str, *, notebook: bool) -> str | None:
    """Return code that lets go; ``kernel`` is the name under which the kernel is defined anew."""
    word = "%xdel" if notebook else "del"
    if any(_OUT.fullmatch(text) for text in texts):
        return f"{word} {kernel}  # before {kernel} is defined anew; empties Out as well"
    if all(_OLDER.fullmatch(text) for text in texts):
        return "import gc\n\ngc.collect()"
    lines = [f"{word} {match[1]}" for text in texts if (match := _VARIABLE.fullmatch(text))]
    lines += [f"{match[1]}.clear()" for text in texts if (match := _CONTAINER.fullmatch(text))]
    return "\n".join(lines) or None
