"""The parent is a cell of a notebook's own kernel: output, errors and stops as if the code had run there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from queue import Empty
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

from tests.run.children import processes_with, wait_until

pytestmark = pytest.mark.kernel

_HELPERS = """
from pathlib import Path
from warp_nbprobe.data.model import Cell
from warp_nbprobe.relay import IPythonRelay, own_error
from warp_nbprobe.run.kernel import ChildSpec, run_cells
from warp_nbprobe.run.sandbox import open_sandbox
def measure(*sources, **spec):
    cells = [Cell(source, number) for number, source in enumerate(sources, 1)]
    with open_sandbox() as sandbox:
        run = run_cells(cells, sandbox=sandbox, run="cold", sample=1, relay=IPythonRelay(get_ipython()),
                        spec=ChildSpec(None, Path.cwd(), **spec), progress=None)
    if run.failure:
        raise own_error(run.failure) from None
"""


class Notebook:
    """A notebook's kernel, and what its cells put out."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager = manager
        self.client = client
        self.outputs: list[tuple[str, dict[str, Any]]] = []

    def run(self, code: str, *, stop_at: str | None = None, queued: str | None = None) -> dict[str, Any]:
        """Run a cell and return its reply; press stop when the text appears. ``queued`` is sent right behind."""
        self.outputs = []
        request = self.client.execute(code)
        behind = self.client.execute(queued) if queued else None
        give_up = time.monotonic() + 60
        idle = False
        while not idle:
            assert time.monotonic() < give_up, "the cell did not end"
            try:
                message = self.client.get_iopub_msg(timeout=1)
            except Empty:
                continue
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status":
                idle = content["execution_state"] == "idle"
            elif kind != "execute_input":
                self.outputs.append((kind, content))
                if stop_at is not None and stop_at in content.get("text", ""):
                    time.sleep(0.5)  # let the child get to what is to be stopped
                    self.manager.interrupt_kernel()
        reply = self._reply(request)
        if behind is not None:
            reply["queued"] = self._reply(behind)["status"]
        return reply

    def _reply(self, request: str) -> dict[str, Any]:
        while True:
            message = self.client.get_shell_msg(timeout=60)
            if message["parent_header"].get("msg_id") == request:
                return dict(message["content"])

    def text(self, name: str = "stdout") -> str:
        return "".join(c["text"] for kind, c in self.outputs if kind == "stream" and c["name"] == name)


@pytest.fixture(scope="module")
def kernel() -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    manager = KernelManager()
    manager.start_kernel(extra_arguments=["--log-level=40"])
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()
    manager.context.destroy(linger=0)


@pytest.fixture
def notebook(kernel: tuple[KernelManager, BlockingKernelClient], scratch: Any) -> Notebook:
    made = Notebook(*kernel)
    place = f"import os; os.environ['WARP_NBPROBE_SCRATCH'] = {str(scratch)!r}"
    assert made.run(place)["status"] == "ok"
    assert made.run(_HELPERS)["status"] == "ok"
    return made


def test_output_appears_under_the_cell(notebook: Notebook) -> None:
    code = "from IPython.display import display\nprint('a')\ndisplay('b')\nprint('c')\n'd'"
    assert notebook.run(f"measure({code!r})")["status"] == "ok"
    assert [(kind, c.get("text") or c["data"]["text/plain"]) for kind, c in notebook.outputs] == [
        ("stream", "a\n"),
        ("display_data", "'b'"),
        ("stream", "c\n"),
        ("display_data", "'d'"),
    ]


def test_output_can_be_captured(notebook: Notebook) -> None:
    assert notebook.run("%%capture caught\nmeasure('print(1)', 'display(2)', '3')")["status"] == "ok"
    assert notebook.outputs == []
    notebook.run("print(caught.stdout, [output.data['text/plain'] for output in caught.outputs])")
    assert notebook.text() == "1\n ['2', '3']\n"


def test_an_error_is_the_cells_own_and_stops_run_all(notebook: Notebook) -> None:
    reply = notebook.run("measure('x = 1', 'x / 0')", queued="print('never')")
    assert (reply["status"], reply["ename"], reply["queued"]) == ("error", "ZeroDivisionError", "aborted")
    traceback = "\n".join(reply["traceback"])
    assert "division by zero" in traceback
    assert "own_error" not in traceback


@pytest.mark.parametrize("before", ["", "import asyncio; await asyncio.sleep(0)\n"])
@pytest.mark.parametrize(
    "code",
    ["while True: pass", "import asyncio; await asyncio.sleep(1000)", "sum(range(10**15))"],
)
def test_the_stop_button_stops_the_child(notebook: Notebook, before: str, code: str) -> None:
    child = (
        "import subprocess, time; subprocess.Popen(['sleep', '55010'], start_new_session=True)\n"
        f"print('ready', flush=True); time.sleep(0.1)\n{code}"
    )
    reply = notebook.run(f"{before}measure({child!r})", stop_at="ready")
    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    assert processes_with("55010") == []
    assert notebook.run("print('still here')")["status"] == "ok"
    assert notebook.text() == "still here\n"


def test_after_a_stop_the_button_means_what_it_meant_before(notebook: Notebook) -> None:
    notebook.run("measure('print(\"ready\")\\nwhile True: pass')", stop_at="ready")
    reply = notebook.run("print('ready', flush=True)\nwhile True: pass", stop_at="ready")
    assert reply["ename"] == "KeyboardInterrupt"


def test_nothing_is_left_when_the_notebooks_kernel_is_killed(notebook: Notebook, scratch: Any) -> None:
    child = "import subprocess; subprocess.Popen(['sleep', '55020'], start_new_session=True)\nwhile True: pass"
    notebook.client.execute(f"measure({child!r})")
    wait_until(lambda: processes_with("55020"))
    notebook.manager.restart_kernel(now=True)
    notebook.client.wait_for_ready(timeout=60)
    wait_until(lambda: not processes_with("55020"))
    notebook.run(f"import os; os.environ['WARP_NBPROBE_SCRATCH'] = {str(scratch)!r}")
    assert notebook.run(f"{_HELPERS}\nmeasure('print(1)')")["status"] == "ok"
    assert list(scratch.glob("nbp-*")) == []
