"""Measuring live in a real JupyterLab: bars that grow, the stop button, the session's history, two compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.access import serious
from tests.browser.notebooks import LIVE, LOAD, REMEMBER, STOPPED
from tests.browser.pages import Open

pytestmark = [pytest.mark.browser, pytest.mark.kernel]

Picture = Callable[[Any, str], Path]
BARS = """() => { const bars = document.querySelectorAll('.jp-OutputArea-output div[style*="flex:0 0 "][style*="%"]');
  return bars.length >= 3 ? bars.length : 0 }"""


@pytest.mark.warp
def test_a_bar_grows_for_each_module_and_the_card_follows(opened: Open, picture: Picture) -> None:
    opened.server.put("live.ipynb", [LOAD, LIVE])
    opened.open("live.ipynb")
    opened.begin_all()
    opened.page.wait_for_function(BARS, timeout=90_000)
    picture(opened.page, "live-progress")
    opened.page.get_by_role("tab", name="Timeline").wait_for(timeout=90_000)
    opened.wait_done()
    shown = [text.strip() for text in opened.outputs(1).all_inner_texts()]
    assert any("sum 960" in text for text in shown)
    assert any(text.startswith("live · 1 sample") and "5 builds" in text for text in shown)
    assert not any("sample 1 of 1" in text for text in shown)  # the progress is gone
    assert shown[-1].startswith("live: 5 builds")


def test_the_notebooks_own_stop_button_keeps_finished_samples(opened: Open, picture: Picture) -> None:
    opened.server.put("stopped.ipynb", [LOAD, STOPPED, "stopped.interrupted, len(stopped.runs) >= 2"])
    opened.open("stopped.ipynb")
    opened.begin_all()
    opened.page.get_by_text("of 90 samples").first.wait_for(timeout=60_000)  # the card of the first sample
    opened.page.locator("[data-command='notebook:interrupt-kernel']").first.click()
    opened.wait_done(30)
    shown = opened.outputs(1).all_inner_texts()
    assert any("Interrupted: " in text and "of 90 samples finished." in text for text in shown)
    assert any("KeyboardInterrupt" in text for text in shown)
    picture(opened.page, "stopped")
    opened.page.evaluate(
        "() => { window.done = false; const panel = jupyterapp.shell.currentWidget.content; panel.activeCellIndex = 2;"
        "jupyterapp.commands.execute('notebook:run-cell').then(() => { window.done = true }) }"
    )
    opened.wait_done()
    assert opened.outputs(2).inner_text().strip() == "(True, True)"


@pytest.mark.parametrize("lab", [True, False], ids=["lab", "notebook7"])
def test_the_history_is_a_dashboard_of_which_two_are_compared(opened: Open, picture: Picture, lab: bool) -> None:
    name = f"history-{lab}.ipynb"
    opened.server.put(name, [f"{LOAD}\n{REMEMBER}", "%warp_history", "nb.show(tuned)"])
    opened.open(name, lab=lab)
    opened.run_all()
    page, history = opened.page, opened.outputs(1)
    page.get_by_label("baseline").select_option(index=1)
    page.get_by_label("candidate").select_option(index=2)
    history.get_by_text("tuned against base").wait_for()
    assert history.get_by_text("improved").first.is_visible()
    picture(history.nth(0), f"history-{'lab' if lab else 'notebook7'}")
    picture(history.nth(1), f"compare-{'lab' if lab else 'notebook7'}")
    page.get_by_role("button", name="swap").locator("visible=true").first.click()
    history.get_by_text("base against tuned").wait_for()
    assert serious(page, ".jp-OutputArea-output") == []
    page.get_by_role("tab", name="Compare").click()
    page.get_by_label("compare with").select_option(index=1)
    opened.outputs(2).get_by_text("tuned against base").wait_for()
