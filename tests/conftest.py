"""What all tests share: finding a browser, and changing goldens only when asked to."""

from __future__ import annotations

import os
import shutil

import pytest

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the expected files anew")


@pytest.fixture
def update_goldens(request: pytest.FixtureRequest) -> bool:
    """Whether expected files are to be written instead of compared."""
    return bool(request.config.getoption("--update-goldens"))


def find_browser() -> str | None:
    """Return the path of a Chromium that is installed, or None."""
    return next((path for name in _BROWSERS if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a browser; without one the test is skipped, and fails in CI."""
    path = find_browser()
    if path is None:
        reason = f"no browser: none of {', '.join(_BROWSERS)} is installed"
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path
