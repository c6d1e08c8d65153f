"""A notebook open in JupyterLab or in Notebook 7, driven as a person drives it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.browser.server import Server

_WAIT_S = 20
_READY = """() => {
  const panel = window.jupyterapp?.shell?.currentWidget;
  const context = panel?.sessionContext;
  return !!context && context.isReady && context.session?.kernel?.connectionStatus === 'connected'
    && context.session.kernel.status === 'idle';
}"""


@dataclass
class Open:
    """One open notebook. ``troubles`` holds script errors, dialogs, and requests that left this machine."""

    page: Any
    server: Server
    troubles: list[str] = field(default_factory=list)

    def open(self, name: str, *, lab: bool = True) -> None:
        from playwright.sync_api import TimeoutError as NotReady

        self.page.goto(self.server.lab(name) if lab else self.server.notebook(name))
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        try:
            self.page.wait_for_function(_READY, timeout=30_000)
        except NotReady:  # now and then a busy machine's Lab never connects to the kernel that it started
            self.page.reload()
            self.page.wait_for_function(_READY, timeout=60_000)

    def command(self, name: str, arguments: str = "{}") -> None:
        self.page.evaluate(f"jupyterapp.commands.execute({name!r}, {arguments})")

    def begin_all(self) -> None:
        """Run all cells, without waiting."""
        self.page.evaluate(
            "() => { window.done = false; jupyterapp.commands.execute('notebook:run-all-cells')"
            ".then(() => { window.done = true }, () => { window.done = true }); }"
        )

    def wait_done(self, timeout_s: float = 120) -> None:
        self.page.wait_for_function("window.done && (" + _READY + ")()", timeout=timeout_s * 1000)

    def run_all(self, timeout_s: float = 120) -> None:
        self.begin_all()
        self.wait_done(timeout_s)

    def save(self) -> None:
        self.page.evaluate("jupyterapp.commands.execute('docmanager:save')")

    def theme(self, *, dark: bool) -> None:
        """Turn to JupyterLab's dark or light theme, which the server remembers."""
        name, light = ("JupyterLab Dark", "false") if dark else ("JupyterLab Light", "true")
        self.page.evaluate(f"jupyterapp.commands.execute('apputils:change-theme', {{theme: {name!r}}})")
        self.page.wait_for_selector(f"body[data-jp-theme-light={light}]", state="attached")
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")

    def outputs(self, cell: int) -> Any:
        """Return the outputs of a cell, from 0."""
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(cell).locator(".jp-OutputArea-output")


def _failed(error: Any, troubles: list[str]) -> None:
    """Note an error of a script; not one inside Jupyter's own bundles, which are none of ours."""
    if "/static/" not in (getattr(error, "stack", "") or ""):
        troubles.append(f"script error: {error}\n{getattr(error, 'stack', '')}")


def _answered(dialog: Any, troubles: list[str]) -> None:
    """Leave a page when asked whether to; any other dialog is a trouble."""
    if dialog.type == "beforeunload":
        dialog.accept()
        return
    troubles.append(f"dialog: {dialog.message}")
    dialog.dismiss()


def watched(page: Any, server: Server) -> Open:
    """Return the page with its troubles recorded."""
    opened = Open(page, server)
    page.on("pageerror", lambda error: _failed(error, opened.troubles))
    page.set_default_timeout(_WAIT_S * 1000)
    page.on("dialog", lambda dialog: _answered(dialog, opened.troubles))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((server.url, "data:", "blob:", server.url.replace("http", "ws")))
            else opened.troubles.append(f"left this machine: {request.url}")
        ),
    )
    return opened
