"""Where no kernel is: notebooks converted to HTML, reports as pages, and the colours of editors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

import warp_nbprobe as nb
from tests.browser.access import serious
from tests.browser.conftest import RECORDED
from tests.browser.notebooks import LOAD, REMEMBER, SHOW
from warp_nbprobe.views.html import card_html

pytestmark = pytest.mark.browser

Picture = Callable[[Any, str], Path]

# Grounds and inks of VS Code's own themes, on which its notebooks show an output's HTML as it is. Not Solarized:
# its plain text is barely above the least contrast, so that nothing can be dimmer.
EDITORS = {
    "dark-modern": ("#1f1f1f", "#cccccc"),
    "light-modern": ("#ffffff", "#3b3b3b"),
    "dark-high-contrast": ("#000000", "#ffffff"),
}


@pytest.mark.kernel
def test_an_executed_notebook_converted_to_html_reads_without_a_kernel(
    page: Any, picture: Picture, tmp_path: Path
) -> None:
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    for path in RECORDED.glob("*.json.gz"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    sources = [f"{LOAD}\n{REMEMBER}", SHOW.format(name="base"), "%warp_history", "nb.compare(base, tuned)"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    html, _ = HTMLExporter().from_notebook_node(notebook)
    (tmp_path / "notebook.html").write_text(html, encoding="utf-8")
    page.route("http*://**", lambda route: route.abort())  # offline, as in an archive
    page.goto((tmp_path / "notebook.html").as_uri(), wait_until="domcontentloaded")

    text = page.inner_text("body")
    assert "3 builds, 925\u00a0ms" in text
    assert "Measurements of this session" in text
    assert "✓ improved" in text
    assert "Error displaying widget" not in text
    page.locator("text=came after").first.click()  # its own script marks
    assert page.evaluate("[...document.querySelectorAll('[data-b]')].filter(node => node.style.outline).length") > 3
    page.set_viewport_size({"width": 1100, "height": 2600})
    picture(page, "nbconvert")


@pytest.mark.parametrize("theme", list(EDITORS))
def test_the_card_reads_on_the_grounds_of_editors(page: Any, picture: Picture, tmp_path: Path, theme: str) -> None:
    ground, ink = EDITORS[theme]
    card = card_html(nb.load(RECORDED / "base.json.gz"))
    body = f'<body style="background:{ground};color:{ink};font-family:sans-serif">{card}</body>'
    (tmp_path / "card.html").write_text(f'<html lang="en"><title>card</title>{body}</html>', encoding="utf-8")
    page.goto((tmp_path / "card.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true })")

    assert serious(page, "body > div") == []
    picture(page, f"vscode-{theme}")


def test_a_report_saved_as_a_page_is_dark_where_the_reader_is(page: Any, picture: Picture, tmp_path: Path) -> None:
    nb.load(RECORDED / "base.json.gz").to_html(tmp_path / "base.html")
    page.emulate_media(color_scheme="dark")
    page.goto((tmp_path / "base.html").as_uri())

    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 25, 29)"
    assert serious(page, "body") == []
    picture(page, "page-dark")
