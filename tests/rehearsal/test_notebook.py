"""The notebook on rehearsing, run from top to bottom."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

_NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "rehearsal.ipynb"


@pytest.mark.kernel
@pytest.mark.warp
def test_the_notebook_on_rehearsing_runs_and_shows_what_it_says(tmp_path: Path) -> None:
    notebook = nbformat.read(_NOTEBOOK, as_version=4)

    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()

    cells = {cell.source.split("\n")[0]: cell for cell in notebook.cells if cell.cell_type == "code"}
    base = cells["%%warp_cold -o base --rehearse sm_90 -n 1"]
    assert "Rehearsed for sm_90: 2 builds" in base.outputs[-1].data["text/plain"]
    printed = "".join(output.get("text", "") for output in base.outputs)
    assert "cuda:0 [" in printed
    assert "-0.05" in printed  # ten steps of a fall
    cards = [output.data.get("text/html", "") for output in base.outputs if output.output_type == "display_data"]
    assert any("Assumed of the device" in card and "block_dim_spread" in card for card in cards)
    built = cells["%%warp_cold -o built --rehearse sm_80,sm_90 --rehearse-only -n 1"]
    assert "[1. 1. 1. 1.]" in "".join(output.get("text", "") for output in built.outputs)
    assert "Rehearsed for sm_80, sm_90, not executed: 2 builds" in built.outputs[-1].data["text/plain"]
    assert list(tmp_path.iterdir()) == []
