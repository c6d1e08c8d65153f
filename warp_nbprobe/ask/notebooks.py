"""Turns notebook files and cells as typed into cells to run, under the rule "restart and run all"."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warp_nbprobe.data.model import Cell
from warp_nbprobe.errors import UsageError

_INSTALL = re.compile(r"^(%|!)\s*(python3?\s+-m\s+|uv\s+|\{sys\.executable\}\s+-m\s+)?(pip3?|conda|mamba)\b")
_NEUTRAL_CELL_MAGIC = re.compile(r"^%%capture\b")
_OWN_CELL_MAGIC = re.compile(r"^%%warp_(cold|setup)\b")
_OWN_LINE = re.compile(r"^(\s*)(%(?:re)?load_ext\s+warp_nbprobe\b|%warp_\w+)")


@dataclass(frozen=True, slots=True)
class Notebook:
    """The cells of a notebook file that are to be run, and a sentence for each that is not."""

    path: Path
    cells: tuple[Cell, ...]
    notes: tuple[str, ...]


def typed_cell(source: str, number: int, *, allow_error: bool = False) -> tuple[Cell, str | None]:
    """Return a cell as someone typed it, without what would measure inside a measurement.

    The first line of a cell of ours (``%%warp_cold``, ``%%warp_setup``) is left out and its body run as it
    stands; lines that load this extension or call its line magics do nothing. The second value says so.
    """
    first, _, body = source.partition("\n")
    first_line, note = 1, None
    if _OWN_CELL_MAGIC.match(first):
        source, first_line = body, 2
        note = f"cell {number}: its first line ({first.split()[0]}) was left out, the rest was run"
    lines = source.split("\n")
    for at, line in enumerate(lines):
        found = _OWN_LINE.match(line)
        if found:
            lines[at] = f"{found.group(1)}pass  # left out: {line.strip()}"
            note = note or f"cell {number}: {found.group(2).split()[0]} was left out"
    return Cell("\n".join(lines), number, first_line, allow_error=allow_error), note


def only_installs(source: str) -> bool:
    """Return whether a cell does nothing but install packages."""
    lines = [line.strip() for line in _joined(source).splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if lines and _NEUTRAL_CELL_MAGIC.match(lines[0]):
        lines = lines[1:]
    return bool(lines) and all(_INSTALL.match(line) for line in lines)


def _joined(source: str) -> str:
    return re.sub(r"\\\n", " ", source)


def read_notebook(path: Path, *, allow_errors: bool = False) -> Notebook:
    """Read a notebook file's code cells, numbered as "restart and run all" would number them.

    Raises:
        UsageError: The file is missing, or is no Python notebook of format 4.
    """
    content = _content(path)
    cells: list[Cell] = []
    notes: list[str] = []
    number = 0
    for raw in content["cells"]:
        source = _source(raw)
        if raw.get("cell_type") != "code" or not source.strip():
            continue
        number += 1
        tags = (raw.get("metadata") or {}).get("tags") or ()
        if "skip-warp" in tags:
            notes.append(f"cell {number} was left out: it carries the tag skip-warp")
        elif only_installs(source):
            notes.append(f"cell {number} was left out: it only installs packages")
        else:
            cell, note = typed_cell(source, number, allow_error=allow_errors or "raises-exception" in tags)
            cells.append(cell)
            notes.extend([note] if note else [])
    if not cells:
        raise UsageError(f"{path} has no code cell to measure." + "".join(f" {note}." for note in notes))
    return Notebook(path, tuple(cells), tuple(notes))


def _content(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"The notebook {path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise UsageError(f"{path} is no notebook: it is not JSON ({error}).") from None
    if not isinstance(content, dict) or not isinstance(content.get("cells"), list):
        raise UsageError(
            f"{path} is no notebook of format 4; `jupyter nbconvert --to notebook` turns older ones into one."
        )
    metadata = content.get("metadata") or {}
    language = (metadata.get("kernelspec") or {}).get("language") or "python"
    if language != "python":
        raise UsageError(f"{path} is a notebook in {language}; Warp programs are in Python.")
    return content


def _source(raw: dict[str, Any]) -> str:
    source = raw.get("source", "")
    return source if isinstance(source, str) else "".join(source)
