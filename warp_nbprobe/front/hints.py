"""Answers a NameError in the child for a name that the notebook has."""

from __future__ import annotations

import re
import symtable
from collections.abc import Container, Sequence

from warp_nbprobe.data.model import Failure


def binds(source: str, name: str) -> bool:
    """Return whether running ``source`` at the top level binds ``name``."""
    try:
        table = symtable.symtable(source, "<cell>", "exec")
        symbol = table.lookup(name)
    except (SyntaxError, ValueError, KeyError):
        return False  # not Python (a cell magic, say), or the name does not occur
    return symbol.is_assigned() or symbol.is_imported()


def defining_cell(name: str, history: Sequence[str]) -> int | None:
    """Return the number of the latest cell in ``history`` (indexed by ``In[]`` number) that binds ``name``."""
    for number in range(len(history) - 1, 0, -1):
        if binds(history[number], name):
            return number
    return None


def missing_name(failure: Failure) -> str | None:
    """Return the name that a NameError was about.

    The child sends no more than the error's text, in which Python quotes the name.
    """
    if failure.ename not in ("NameError", "UnboundLocalError") or not failure.evalue:
        return None
    found = re.search(r"'(\w+)'", failure.evalue)
    return found.group(1) if found else None


def name_hint(failure: Failure, notebook: Container[str], history: Sequence[str]) -> str | None:
    """Return how to send the missing name to the child, or None when the notebook does not have it either."""
    name = missing_name(failure)
    if name is None or name not in notebook:
        return None
    cell = defining_cell(name, history)
    if cell is None:
        return (
            f"`{name}` exists in this notebook but not in the fresh kernel that the cell is measured in; "
            f"`--push {name}` sends it."
        )
    return (
        f"`{name}` was defined by cell {cell} of this notebook, and the cell is measured in a fresh kernel. "
        f"`--setup {cell}` runs that cell first; `--push {name}` sends the value."
    )
