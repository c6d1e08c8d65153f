"""What the panels of 200 builds and a million launches cost: time to interactive, size in the notebook file.

Opens a notebook with the report in a real JupyterLab and waits until the explorer answers a choice. Needs the extra
``test`` and a Chromium: ``python benchmarks/panels.py`` in a clone.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.browser.made import large, save_all
from tests.browser.notebooks import LOAD, SHOW
from tests.browser.pages import Open, watched
from tests.browser.server import Server, serving
from tests.conftest import find_browser

RECORDED = Path(__file__).parents[1] / "tests" / "browser" / "recorded"
_PAGES = {"base": "19", "large": "40\u202f000"}
STATE = "application/vnd.jupyter.widget-state+json"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server, sync_playwright() as playwright:
        (server.folder / "base.json.gz").write_bytes((RECORDED / "base.json.gz").read_bytes())
        save_all(server.folder, large=large())
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        for name, what in (("base", "3 builds"), ("large", "200 builds, 1,000,000 launches")):
            print(what)
            measured(browser.new_page(), server, name)
        browser.close()


def measured(page: Page, server: Server, name: str) -> None:
    path = server.put(f"{name}.ipynb", [LOAD, SHOW.format(name=name)])
    opened = watched(page, server)
    opened.open(path.name)
    begin = time.perf_counter()
    opened.begin_all()
    page.get_by_role("tab", name="Timeline").wait_for()
    shown_s = time.perf_counter() - begin
    page.get_by_label("build", exact=True).select_option(index=1)
    opened.outputs(1).nth(1).get_by_text("options", exact=True).wait_for()
    print(f"  from the report file to both panels on screen {shown_s:.2f} s, to a choice answered "
          f"{time.perf_counter() - begin:.2f} s")  # fmt: skip
    one_page(opened, name)
    opened.wait_done()
    opened.save()
    page.wait_for_timeout(1000)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    card = notebook["cells"][1]["outputs"][0]["data"]
    state = json.dumps(notebook["metadata"].get("widgets", {}).get(STATE), ensure_ascii=False)
    html, text = ("".join(card[kind]) for kind in ("text/html", "text/plain"))
    print(f"  card {len(html) / 1000:.0f} kB, as text {len(text) / 1000:.0f} kB")
    print(f"  widget state {len(state.encode()) / 1000:.0f} kB (limit 200)")
    print(f"  notebook file {path.stat().st_size / 1000:.0f} kB")


def one_page(opened: Open, name: str) -> None:
    """Time a page of the whole sequence of launches, from the click to the rows."""
    explorer = opened.outputs(1).nth(1)
    opened.page.get_by_role("tab", name="Launches").click()
    for press, words in (("one by one", f"page 1 of {_PAGES[name]}"), ("next", f"page 2 of {_PAGES[name]}")):
        begin = time.perf_counter()
        explorer.get_by_role("button", name=press).locator("visible=true").click()
        explorer.get_by_text(words).locator("visible=true").wait_for()
        print(f"  launches, {press!r}: {time.perf_counter() - begin:.2f} s (limit 1)")
    rows = explorer.locator("tbody tr:visible").count()
    print(f"  rows of launches in the document: {rows} (limit 25)")


if __name__ == "__main__":
    main()
