"""A notebook in a real kernel, measuring with real children."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel
from nbclient import NotebookClient

ROOT = Path(__file__).parent.parent.parent
QUICKSTART = ROOT / "notebooks" / "quickstart.ipynb"


@pytest.mark.kernel
@pytest.mark.warp
def test_the_quickstart_runs_from_top_to_bottom(tmp_path: Path) -> None:
    notebook = nbformat.read(QUICKSTART, as_version=4)

    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()

    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    measured = next(cell for cell in cells if "-o base" in cell.source)
    shown = [output for output in measured.outputs if output.output_type == "display_data"]
    value = measured.outputs[-1].data
    assert set(value) == {"text/plain"}  # the value: one line, for the card is there already
    assert "2 builds" in value["text/plain"]
    assert any("<table" in output.data.get("text/html", "") for output in shown)  # the card
    assert any("application/vnd.jupyter.widget-view+json" in output.data for output in shown)  # the explorer
    assert all(
        "text/html" not in output.data or "application/vnd.jupyter.widget-view+json" not in output.data
        for output in shown
    )
    assert "[1." in "".join(output.get("text", "") for output in measured.outputs)  # what the cell printed
    tuned = next(cell for cell in cells if "-o tuned" in cell.source)
    assert "1 build" in tuned.outputs[-1].data["text/plain"]
    assert list(tmp_path.iterdir()) == []


class Notebook:
    """A notebook's kernel that is asked one cell after the other."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager = manager
        self.client = client

    def begin(self, source: str) -> str:
        return str(self.client.execute(source, stop_on_error=False))  # else what is asked next is dropped

    def read_until(self, request: str, text: str) -> None:
        """Wait until a cell has shown ``text`` on one of its streams."""
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") == request and text in message["content"].get("text", ""):
                return

    def finish(self, request: str) -> dict[str, Any]:
        while True:
            reply: dict[str, Any] = self.client.get_shell_msg(timeout=60)
            if reply["parent_header"].get("msg_id") == request:
                return dict(reply["content"])

    def run(self, source: str) -> dict[str, Any]:
        return self.finish(self.begin(source))

    def value(self, expression: str) -> str:
        request = str(self.client.execute("", user_expressions={"value": expression}))
        content = self.finish(request)["user_expressions"]["value"]
        return str(content["data"]["text/plain"])


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    monkeypatch.setenv("WARP_NBPROBE_SCRATCH", str(tmp_path))
    manager, client = start_new_kernel(kernel_name="python3", extra_arguments=["--log-level=40"])
    try:
        notebook = Notebook(manager, client)
        assert notebook.run("%load_ext warp_nbprobe")["status"] == "ok"
        yield notebook
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        client.context.term()


def without_colours(traceback: list[str]) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", "".join(traceback))


def children_of(pid: int) -> list[int]:
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]


@pytest.mark.kernel
def test_stopping_a_cell_keeps_what_there_is_and_leaves_nothing_behind(notebook: Notebook, tmp_path: Path) -> None:
    pid = int(notebook.value("__import__('os').getpid()"))
    request = notebook.begin("%%warp_cold -o base\nimport time\nprint('begun', flush=True)\ntime.sleep(600)\n")
    notebook.read_until(request, "begun")
    assert len(children_of(pid)) >= 2
    begin = time.monotonic()
    notebook.manager.interrupt_kernel()
    reply = notebook.finish(request)

    assert time.monotonic() - begin < 30  # the child would have slept for ten minutes
    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    assert "line 4" in without_colours(reply["traceback"])  # the cell's own line, the magic's being 1
    assert notebook.value("base.interrupted") == "True"
    assert notebook.value("_ is base") == "True"
    assert children_of(pid) == []
    assert list(tmp_path.glob("nbp-*")) == []


@pytest.mark.kernel
def test_a_failing_cell_raises_as_its_own_and_stops_what_follows(notebook: Notebook) -> None:
    notebook.run("points = [1, 2]")
    reply = notebook.run("%%warp_cold -o base\n\nn = len(points)\n")

    assert (reply["status"], reply["ename"]) == ("error", "NameError")
    shown = without_colours(reply["traceback"])
    assert "len(points)" in shown
    assert "warp_nbprobe" not in shown
    assert notebook.value("base.failed, base.error.ename") == "(True, 'NameError')"
    assert notebook.run("%%warp_cold -q -n 1 --push points\nassert len(points) == 2")["status"] == "ok"


@pytest.mark.kernel
def test_everything_an_ipython_cell_may_hold_works(notebook: Notebook) -> None:
    source = "%%warp_cold -o base -n 1\nimport asyncio\nawait asyncio.sleep(0)\nfiles = !echo one\n%time x = 1\nfiles"

    assert notebook.run(source)["status"] == "ok"
    assert notebook.value("base.failed") == "False"
    assert notebook.value("'x' in globals() or 'files' in globals()") == "False"


@pytest.mark.kernel
def test_cells_of_the_session_and_notebook_files_are_measured_cell_by_cell(notebook: Notebook, tmp_path: Path) -> None:
    notebook.run("first = 20")  # cell 2 of this notebook: cell 1 loaded the extension
    notebook.run("assert first == 20")
    assert notebook.run("%warp_cold -n 1 2-3")["status"] == "ok"
    assert notebook.value("[cell.number for cell in _.cells]") == "[2, 3]"

    cells = [nbformat.v4.new_code_cell(source) for source in ("import os", "assert os.path.exists('here.ipynb')")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "here.ipynb")
    assert notebook.run(f"%warp_cold -o file -n 1 -f {tmp_path / 'here.ipynb'}")["status"] == "ok"
    assert notebook.value("file.label, file.failed") == "('file', False)"
