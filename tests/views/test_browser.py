"""The card in a real browser: what the script adds, and what is there without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.views import fakes
from warp_nbprobe.views.html import card_html, page_html

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A blank page of Chromium that fails on any script error and reaches no network."""
    page = browser.new_page(viewport={"width": 800, "height": 900})
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: troubles.append(request.url) if request.url.startswith("http") else None)
    yield page
    page.close()
    assert troubles == []


def shown(page: Any, folder: Path, html: str) -> None:
    path = folder / "card.html"
    path.write_text(html, encoding="utf-8")
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true })")


def test_a_click_on_a_heading_sorts_by_value_and_not_by_text(page: Any, tmp_path: Path) -> None:
    shown(page, tmp_path, page_html(fakes.small()))
    page.get_by_role("button", name="total", exact=True).click()
    first = page.locator("table[data-table=modules] tbody tr").first.inner_text()
    assert first.startswith("__main__ [1/3]")  # 1.48 s, above 302 ms
    assert page.locator("table[data-table=modules] th[aria-sort=descending]").inner_text() == "total"


def test_the_filter_keeps_rows_that_hold_every_word(page: Any, tmp_path: Path) -> None:
    shown(page, tmp_path, page_html(fakes.many(60)))
    page.get_by_label("filter modules").fill("stage_07 256")
    assert page.locator("table[data-table=modules] tbody tr:visible").count() == 1


def test_a_finding_marks_its_bars_rows_lines_and_what_stands_out(page: Any, tmp_path: Path) -> None:
    shown(page, tmp_path, page_html(fakes.small()))
    page.get_by_text("was defined after its module had loaded").click()
    marked = "[...document.querySelectorAll('[data-b]')].filter(node => node.style.outline)"
    kinds = page.evaluate(f"{marked}.map(node => node.tagName + node.style.position)")
    assert sorted(set(kinds)) == ["DIV", "DIVabsolute", "SPAN", "TR"]
    page.keyboard.press("Escape")


def test_marking_works_from_the_keyboard(page: Any, tmp_path: Path) -> None:
    shown(page, tmp_path, page_html(fakes.small()))
    page.locator("[data-b]").first.focus()
    page.keyboard.press("Enter")
    assert page.evaluate("[...document.querySelectorAll('[data-b]')].filter(node => node.style.outline).length") > 3
    page.keyboard.press("Escape")
    assert page.evaluate("[...document.querySelectorAll('[data-b]')].filter(node => node.style.outline).length") == 0


@pytest.mark.parametrize("width", [720, 800, 1600])
@pytest.mark.parametrize("make", [fakes.small, fakes.many, fakes.hostile, fakes.log_only])
def test_nothing_is_wider_than_the_page(page: Any, tmp_path: Path, make: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    shown(page, tmp_path, page_html(make()))
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_two_cards_on_one_page_do_not_mark_each_other(page: Any, tmp_path: Path) -> None:
    shown(page, tmp_path, card_html(fakes.small()) + card_html(fakes.small()))
    page.locator("[data-b]").first.click(position={"x": 5, "y": 5})
    counts = page.evaluate(
        "[...document.body.children].map(card => [...card.querySelectorAll('[data-b]')]"
        ".filter(node => node.style.outline).length)"
    )
    assert counts[0] > 0
    assert counts[1] == 0


def test_hostile_names_run_nothing(page: Any, tmp_path: Path) -> None:
    shown(page, tmp_path, card_html(fakes.hostile()))
    assert page.locator("img").count() == 0
