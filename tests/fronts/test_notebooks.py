"""Which cells of a notebook run, with which numbers and lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from warp_nbprobe.ask.notebooks import only_installs, read_notebook, typed_cell
from warp_nbprobe.errors import UsageError


def write(path: Path, *cells: Any, **metadata: Any) -> Path:
    """Write a notebook; a cell is its source, or a pair of source and tags."""
    raw = []
    for cell in cells:
        source, tags = cell if isinstance(cell, tuple) else (cell, [])
        raw.append({"cell_type": "code", "source": source, "metadata": {"tags": tags}, "outputs": []})
    content = {"cells": raw, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "source",
    [
        "%pip install warp-lang",
        "# tools\n\n!pip install a \\\n  b\n%conda install c",
        "%%capture\n!pip install -q a",
        "!python -m pip install a",
        "!uv pip install a",
        "!{sys.executable} -m pip install a",
    ],
)
def test_a_cell_that_only_installs_is_known(source: str) -> None:
    assert only_installs(source)


@pytest.mark.parametrize("source", ["%pip install a\nimport a", "# only words", "!pipeline run", "x = 1"])
def test_a_cell_that_does_more_is_not_taken_for_an_installation(source: str) -> None:
    assert not only_installs(source)


def test_cells_are_numbered_as_restart_and_run_all_would(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ipynb", "%pip install a", "", "x = 1", ("y = 2", ["skip-warp"]), ["z\n", "= 3"])

    notebook = read_notebook(path)

    assert [(cell.number, cell.source) for cell in notebook.cells] == [(2, "x = 1"), (4, "z\n= 3")]
    assert notebook.notes == (
        "cell 1 was left out: it only installs packages",
        "cell 3 was left out: it carries the tag skip-warp",
    )


def test_a_cell_that_is_meant_to_raise_may(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ipynb", ("1 / 0", ["raises-exception"]), "x = 1")

    assert [cell.allow_error for cell in read_notebook(path).cells] == [True, False]
    assert [cell.allow_error for cell in read_notebook(path, allow_errors=True).cells] == [True, True]


def test_a_measuring_cell_is_run_without_measuring() -> None:
    cell, note = typed_cell("%%warp_cold -o base\nimport warp as wp\n", 3)

    assert (cell.source, cell.first_line) == ("import warp as wp\n", 2)
    assert note == "cell 3: its first line (%%warp_cold) was left out, the rest was run"


def test_lines_that_measure_do_nothing_and_keep_their_place() -> None:
    cell, note = typed_cell("%load_ext warp_nbprobe\nif x:\n    %warp_compare a b\ny = 1", 1)

    assert cell.source.splitlines() == [
        "pass  # left out: %load_ext warp_nbprobe",
        "if x:",
        "    pass  # left out: %warp_compare a b",
        "y = 1",
    ]
    assert note == "cell 1: %load_ext was left out"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("not json", "is no notebook: it is not JSON"),
        ("[]", "is no notebook of format 4"),
        ('{"cells": [], "metadata": {"kernelspec": {"language": "R"}}}', "is a notebook in R"),
        ('{"cells": []}', "has no code cell to measure"),
    ],
)
def test_a_file_that_is_no_python_notebook_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(UsageError, match=said):
        read_notebook(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.ipynb cannot be read: No such file"):
        read_notebook(tmp_path / "none.ipynb")
