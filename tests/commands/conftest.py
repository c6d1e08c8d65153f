"""Fixtures of the tests of commands."""

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


@pytest.fixture(autouse=True)
def nothing_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for sandboxes; whatever a test does with commands, afterwards none is left in it."""
    with tempfile.TemporaryDirectory(prefix="n") as folder:
        monkeypatch.setenv("WARP_NBPROBE_SCRATCH", folder)
        yield Path(folder)
        assert [path.name for path in Path(folder).glob("nbp-*")] == []
