"""Card and explorer in a real JupyterLab and a real Notebook 7: opened, clicked, filtered, reloaded, darkened."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.access import serious
from tests.browser.notebooks import LOAD, SHOW
from tests.browser.pages import Open

pytestmark = [pytest.mark.browser, pytest.mark.kernel]

Picture = Callable[[Any, str], Path]
CARD = "text=builds, 925 ms"
OUTPUTS = ".jp-OutputArea-output"
WIDER = """() => [...document.querySelectorAll('.jp-OutputArea-output')]
  .filter(output => output.scrollWidth > output.clientWidth + 1).map(output => output.innerText.slice(0, 80))"""
MARKED = "[...document.querySelectorAll('[data-b]')].filter(node => node.style.outline).length"
BARS = """output => [...output.querySelectorAll('div')]
  .filter(bar => getComputedStyle(bar).boxShadow.startsWith('rgb(240, 200, 40)')).length"""
STATE = "application/vnd.jupyter.widget-state+json"


def shown(opened: Open, name: str, report: str = "base", *, lab: bool = True) -> None:
    """Open a notebook that shows a report, and run it."""
    opened.server.put(name, [LOAD, SHOW.format(name=report)])
    opened.open(name, lab=lab)
    opened.run_all()
    opened.page.get_by_role("tab", name="Timeline").wait_for()


@pytest.mark.parametrize("lab", [True, False], ids=["lab", "notebook7"])
def test_a_finding_chosen_marks_rows_bars_lines_and_launches(opened: Open, picture: Picture, lab: bool) -> None:
    shown(opened, f"choose-{lab}.ipynb", lab=lab)
    page = opened.page
    explorer = opened.outputs(1).nth(1)
    page.get_by_label("finding", exact=True).select_option(index=1)
    explorer.get_by_text("Define them before the first launch").wait_for()
    page.wait_for_function(f"output => ({BARS})(output) >= 2", arg=explorer.element_handle())
    page.get_by_role("tab", name="Modules").click()
    assert explorer.locator("tr:visible", has_text="chosen").count() == 2
    picture(explorer, f"explorer-{'lab' if lab else 'notebook7'}")
    page.get_by_role("tab", name="Source").click()
    explorer.locator("span:visible", has_text="triggered here").first.wait_for()
    assert explorer.locator("span:visible", has_text="chosen").count() >= 3  # where it shows and what caused it
    picture(explorer, f"source-{'lab' if lab else 'notebook7'}")
    page.get_by_role("tab", name="Launches").click()
    assert explorer.locator("tr:visible", has_text="chosen").count() >= 1
    page.get_by_label("build", exact=True).select_option(index=2)
    page.get_by_text("2 kernels: ").wait_for()
    page.get_by_role("button", name="show all").click()
    page.get_by_text("2 kernels: ").wait_for(state="detached")


def test_tables_are_filtered_ordered_and_paged_by_python(opened: Open) -> None:
    shown(opened, "tables.ipynb", "large")
    page, explorer = opened.page, opened.outputs(1).nth(1)
    page.get_by_role("tab", name="Modules").click()
    explorer.get_by_placeholder("filter modules").fill("stage_07")
    explorer.get_by_placeholder("filter modules").press("Enter")
    explorer.get_by_text("4 events").wait_for()
    assert explorer.locator("tbody tr:visible").count() == 4
    page.get_by_role("tab", name="Launches").click()
    explorer.get_by_role("button", name="one by one").click()
    explorer.get_by_text("1\u202f000\u202f000 rows").wait_for()
    assert explorer.locator("tbody tr:visible").count() == 25
    explorer.get_by_role("button", name="next").locator("visible=true").click()
    explorer.get_by_text("page 2 of").wait_for()
    assert page.locator("tr").count() < 600  # card and explorer; a million launches put no more into the page


def test_the_card_marks_and_sorts_by_itself(opened: Open, picture: Picture) -> None:
    shown(opened, "card.ipynb")
    page, card = opened.page, opened.outputs(1).nth(0)
    card.get_by_text("came after", exact=False).first.click()
    assert page.evaluate(MARKED) >= 4
    picture(card, "card-lab")
    card.get_by_text("Modules", exact=True).click()
    card.get_by_role("button", name="total", exact=True).click()
    assert card.locator("th[aria-sort=descending]").inner_text() == "total"


@pytest.mark.parametrize("report", ["base", "large"])
def test_nothing_is_wider_than_the_cell(opened: Open, picture: Picture, report: str) -> None:
    shown(opened, f"wide-{report}.ipynb", report)
    opened.page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true })")
    for width in (800, 1600):
        opened.page.set_viewport_size({"width": width, "height": 1000})
        for tab in ("Modules", "Source", "Launches", "Figures", "Checked", "Timeline"):
            opened.page.get_by_role("tab", name=tab).click()
            assert opened.page.evaluate(WIDER) == []
        picture(opened.outputs(1).nth(1), f"explorer-{report}-{width}")


def test_no_serious_fault_for_screen_readers_and_keyboards(opened: Open, picture: Picture) -> None:
    shown(opened, "access.ipynb")
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true })")
    page.get_by_label("finding", exact=True).select_option(index=1)
    for dark in (False, True):
        opened.theme(dark=dark)
        page.get_by_role("tab", name="Timeline").click()
        picture(opened.outputs(1).nth(1), f"explorer-{'dark' if dark else 'light'}")
        for tab in ("Timeline", "Modules", "Source", "Launches", "Compare", "Figures", "Checked"):
            page.get_by_role("tab", name=tab).click()
            assert serious(page, OUTPUTS) == []
    opened.theme(dark=False)


def test_the_explorer_is_used_without_a_mouse(opened: Open) -> None:
    shown(opened, "keys.ipynb")
    page = opened.page
    page.get_by_label("finding", exact=True).focus()
    page.keyboard.press("ArrowDown")
    explorer = opened.outputs(1).nth(1)
    explorer.get_by_text("Define them before").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    explorer.get_by_text("1 kernel: drift").wait_for()  # the build beside it
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # show all
    explorer.get_by_text("1 kernel: drift").wait_for(state="detached")


def test_a_saved_notebook_reads_without_its_kernel(opened: Open, picture: Picture) -> None:
    shown(opened, "saved.ipynb")
    opened.save()
    opened.page.evaluate("jupyterapp.serviceManager.sessions.shutdownAll()")
    opened.open("saved.ipynb")
    opened.page.get_by_role("tab", name="Timeline").wait_for()  # the state was saved
    card = opened.outputs(1).nth(0)
    card.get_by_text("Launches", exact=True).click()
    card.get_by_role("button", name="count").click()  # the card's own script, no kernel asked
    picture(opened.page, "lab-reopened")
    # As a file from someone else: not trusted, no script, no widget.
    file = opened.server.folder / "saved.ipynb"
    other = json.loads(file.read_text(encoding="utf-8"))
    other["cells"][1]["source"] += "\n# changed"
    other["metadata"].pop("widgets", None)
    (opened.server.folder / "untrusted.ipynb").write_text(json.dumps(other), encoding="utf-8")
    opened.open("untrusted.ipynb")
    card = opened.outputs(1).nth(0)
    card.get_by_text("3 builds, 925 ms").first.wait_for()
    assert card.locator("button, input, select").count() == 0  # nothing that is dead
    assert "Error" not in opened.outputs(1).nth(0).inner_text()
    assert opened.outputs(1).nth(1).inner_text().strip() in ("Live panel: run the cell to use it.", "")
    picture(opened.page, "lab-untrusted")


def test_two_hundred_builds_keep_the_saved_state_small(opened: Open) -> None:
    shown(opened, "large.ipynb", "large")
    opened.save()
    file = opened.server.folder / "large.ipynb"
    opened.page.wait_for_timeout(500)
    notebook = json.loads(file.read_text(encoding="utf-8"))
    state = notebook["metadata"]["widgets"][STATE]
    assert len(json.dumps(state, ensure_ascii=False).encode()) < 200_000


def test_hostile_names_are_text(opened: Open) -> None:
    shown(opened, "hostile.ipynb", "hostile")
    page = opened.page
    page.get_by_label("build", exact=True).select_option(index=1)
    for tab in ("Modules", "Source", "Launches", "Checked"):
        page.get_by_role("tab", name=tab).click()
    assert page.locator(f"{OUTPUTS} img").count() == 0
    assert page.get_by_text("</script><img").count() > 5
