"""The shells and the stand-in for measuring that the tests of front ends have."""

from __future__ import annotations

from tests.fronts.conftest import measuring, notebook, terminal

__all__ = ["measuring", "notebook", "terminal"]
