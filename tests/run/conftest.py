"""Fixtures of the tests of children."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.children import Seen


@pytest.fixture
def seen() -> Seen:
    """A relay that remembers what it was handed."""
    return Seen()


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder in which sandboxes are made; its name is short, since sockets lie in it."""
    with tempfile.TemporaryDirectory(prefix="n") as folder:
        monkeypatch.setenv("WARP_NBPROBE_SCRATCH", folder)
        yield Path(folder)


@pytest.fixture(autouse=True)
def nothing_left(scratch: Path) -> Iterator[None]:
    """Whatever a test does with children: afterwards no sandbox is left."""
    yield
    assert [path.name for path in scratch.glob("nbp-*")] == []
