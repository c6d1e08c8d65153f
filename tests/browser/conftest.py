"""One Jupyter server for all tests here, a browser for each file; pictures of what was seen: ``reports/screens``."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.made import hostile, large, save_all
from tests.browser.pages import Open, watched
from tests.browser.server import ROOT, Server, has_jupyter, serving

SCREENS = ROOT / "reports" / "screens"
IN_DOCS = {
    "live-progress",
    "explorer-lab",
    "source-lab",
    "explorer-large-1600",
    "history-lab",
    "compare-lab",
    "explorer-dark",
    "vscode-dark-modern",
}
"""Pictures that docs/panels.md shows; ``--update-goldens`` puts them there."""
RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose folder holds the reports that notebooks open: base, tuned, large, hostile."""
    if not has_jupyter():
        reason = "no Jupyter server: the extra `test` brings jupyterlab and notebook"
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail(reason)
        pytest.skip(reason)
    with serving(tmp_path_factory.mktemp("jupyter")) as server:
        for path in RECORDED.glob("*.json.gz"):
            (server.folder / path.name).write_bytes(path.read_bytes())
        save_all(server.folder, large=large(), hostile=hostile())
        yield server


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    """A browser; closed after each file, since other tests cannot run in the event loop that Playwright keeps."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Any, jupyter: Server) -> Iterator[Open]:
    """A page to open notebooks in; it fails on script errors, dialogs and requests that leave this machine."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    found = watched(context.new_page(), jupyter)
    yield found
    found.page.evaluate("window.jupyterapp?.serviceManager.sessions.shutdownAll()")
    context.close()
    assert found.troubles == []


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page without a server, for exported files."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(f"script error: {error}"))
    page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
    yield page
    context.close()
    assert troubles == []


@pytest.fixture
def picture(update_goldens: bool) -> Callable[[Any, str], Path]:
    """Keep a picture of a page or an element, for people to look at and for the docs."""

    def take(target: Any, name: str) -> Path:
        SCREENS.mkdir(parents=True, exist_ok=True)
        path = SCREENS / f"{re.sub(r'[^a-z0-9-]', '-', name.lower())}.png"
        page = getattr(target, "page", target)
        size = page.viewport_size
        if target is not page:  # what a notebook scrolls is drawn only as far as it shows
            page.set_viewport_size({"width": size["width"], "height": int(target.bounding_box()["height"]) + 400})
        target.screenshot(path=str(path))
        page.set_viewport_size(size)
        if update_goldens and name in IN_DOCS:
            shutil.copyfile(path, ROOT / "docs" / "images" / path.name)
        return path

    return take
