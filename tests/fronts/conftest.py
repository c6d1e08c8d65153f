"""A real shell with a stand-in for measuring: what the magics do with it is tested without a child."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from traitlets.config import Config

from tests.data.wires_by_hand import cached, cell, event, recording, run, warp
from warp_nbprobe import api
from warp_nbprobe.ask.request import Request
from warp_nbprobe.data.model import Failure, Recording, Run
from warp_nbprobe.front.screen import Screen
from warp_nbprobe.measurement import Measurement
from warp_nbprobe.run.progress import Progress

RAISED = Failure(
    "raised",
    "Cell 1 raised NameError: name 'points' is not defined.",
    "NameError",
    "name 'points' is not defined",
    ("the child's own traceback",),
    cell=0,
)


def pair(sample: int) -> tuple[Run, Run]:
    """Return a cold run that builds one module twice, and its warm run."""
    cold = [warp(), *cell(1, 0, 900), event("app", 10, 300), event("app", 400, 200, hash="cd" * 32)]
    warm = [warp(), *cell(1, 0, 90), cached("app", 10), cached("app", 40, hash="cd" * 32)]
    return run("cold", cold, sample=sample), run("warm", warm, sample=sample)


def failing(failure: Failure = RAISED) -> tuple[Run, ...]:
    """Return a measurement's runs of which the first failed."""
    return (run("cold", [warp(), *cell(1, 0, 90, ok=False)], failure=failure),)


def progress(**given: Any) -> Progress:
    plain = Progress(1, 3, "cold", "main", 0, 1, "app", 0, 1.0, None)
    return replace(plain, **given)


@dataclass
class Measuring:
    """Stands in for ``api.measure_request``: remembers what was asked, plays ``scene``, ends as told."""

    runs: tuple[Run, ...] = field(default_factory=lambda: (*pair(1), *pair(2)))
    scene: Callable[[Screen], None] = lambda screen: None
    error: Callable[[Measurement], BaseException] | None = None
    requests: list[Request] = field(default_factory=list)

    def __call__(self, request: Request, screen: Screen) -> Measurement:
        self.requests.append(request)
        self.scene(screen)
        recorded: Recording = recording(*self.runs, cells=request.cells)
        measurement = Measurement(replace(recorded, label=request.label, notes=request.notes))
        if self.error is not None:
            raise self.error(measurement)
        return measurement

    @property
    def request(self) -> Request:
        """The one request that was made."""
        (request,) = self.requests
        return request


@pytest.fixture
def measuring(monkeypatch: pytest.MonkeyPatch) -> Measuring:
    stand_in = Measuring()
    monkeypatch.setattr(api, "measure_request", stand_in)
    return stand_in


@pytest.fixture
def terminal() -> Iterator[InteractiveShell]:
    """A shell as in a terminal, with the extension loaded."""
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    shell.run_line_magic("load_ext", "warp_nbprobe")
    yield shell
    atexit.unregister(shell.atexit_operations)
    shell.atexit_operations()


@pytest.fixture
def notebook(terminal: InteractiveShell) -> InteractiveShell:
    """A shell as in a notebook: it has a kernel, and what it displays is kept in ``display_pub.outputs``."""
    terminal.kernel = object()
    terminal.display_pub = CapturingDisplayPublisher()
    return terminal


@pytest.fixture
def run_cell() -> Callable[[InteractiveShell, str], ExecutionResult]:
    """Run one cell as a notebook does."""

    def execute(shell: InteractiveShell, source: str) -> ExecutionResult:
        return shell.run_cell(source, store_history=True)

    return execute
