"""What is on screen while something is measured, and after it: in a notebook, in a terminal, or nothing.

A notebook's screen publishes everything through the shell that it is handed, so that ``%%capture`` sees it.
"""

from __future__ import annotations

import shutil
import sys
import time
from base64 import b64encode
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from warp_nbprobe.front.displays import PANEL_TEXT
from warp_nbprobe.front.session import session_of

if TYPE_CHECKING:
    from warp_nbprobe.explain.compare import Comparison
    from warp_nbprobe.measurement import Measurement
    from warp_nbprobe.run.outputs import Relay
    from warp_nbprobe.run.progress import Growing, Progress

_GAP_S = 0.1  # servers drop messages when there are many more than ten updates a second
_SHOWS = ("stream", "display_data", "execute_result", "error")


class Screen(Protocol):
    """Where a measurement shows itself."""

    @property
    def relay(self) -> Relay | None:
        """What takes the measured code's own output; with None it goes unseen."""

    def progress(self, progress: Progress) -> None:
        """Show how far it is."""

    def sample_done(self, measurement: Measurement) -> None:
        """Show what is known after a sample, more being on the way."""

    def finished(self, measurement: Measurement, *, plot: bool) -> None:
        """Show the whole report of a measurement that ended well."""

    def report(self, measurement: Measurement) -> None:
        """Show the report of one that failed or was stopped."""

    def compared(self, comparison: Comparison) -> None:
        """Show how it compares with an earlier one."""


class NotebookScreen:
    """Progress first, below it the cell's own output, then the card, then the explorer."""

    def __init__(self, shell: Any, relay: Relay) -> None:
        self._shell = shell
        self._relay = ClearWatch(relay)
        self._progress_id: str | None = None
        self._card_id: str | None = None
        self._grown: tuple[Growing, ...] = ()
        self._last = 0.0

    @property
    def relay(self) -> Relay:
        return self._relay

    def progress(self, progress: Progress) -> None:
        if time.monotonic() - self._last < _GAP_S:
            return
        from warp_nbprobe.views.progress import progress_html, progress_text

        if self._relay.take_cleared():
            self._progress_id = None
        self._grown = progress.modules or self._grown
        # Once there is a card, its time line shows them.
        grown = self._grown if self._card_id is None else ()
        shown = {"text/html": progress_html(progress, grown), "text/plain": progress_text(progress)}
        self._progress_id = self._put(shown, self._progress_id)
        self._last = time.monotonic()

    def sample_done(self, measurement: Measurement) -> None:
        self._put_card(measurement)

    def finished(self, measurement: Measurement, *, plot: bool) -> None:
        self._end_progress()
        self._put_card(measurement)
        if plot:
            self._publish(_picture(measurement))
        from warp_nbprobe.views.widgets import explorer

        data, metadata = self._shell.display_formatter.format(explorer(measurement, session_of(self._shell).entries))
        self._publish({**data, "text/plain": PANEL_TEXT}, metadata=metadata)

    def report(self, measurement: Measurement) -> None:
        self._end_progress()
        self._put_card(measurement)

    def compared(self, comparison: Comparison) -> None:
        from warp_nbprobe.views.compare_html import compare_html
        from warp_nbprobe.views.compare_text import compare_text

        self._publish({"text/html": compare_html(comparison), "text/plain": compare_text(comparison)})

    def _put_card(self, measurement: Measurement) -> None:
        self._card_id = self._put(card_bundle(measurement), self._card_id)

    def _end_progress(self) -> None:
        if self._progress_id is not None and not self._relay.take_cleared():
            self._put({"text/html": "", "text/plain": ""}, self._progress_id)
        self._progress_id = None

    def _put(self, data: dict[str, Any], display_id: str | None) -> str:
        """Show ``data`` as a new display, or in the place of an earlier one; return its id."""
        known = display_id or uuid4().hex
        self._publish(data, display_id=known, update=display_id is not None)
        return known

    def _publish(
        self,
        data: dict[str, Any],
        *,
        metadata: dict[str, Any] | None = None,
        display_id: str | None = None,
        update: bool = False,
    ) -> None:
        transient = {"display_id": display_id} if display_id else None
        self._shell.display_pub.publish(data, metadata or {}, transient=transient, update=update)


class TerminalScreen:
    """Text alone: a line of progress where there is a terminal, the report once at the end."""

    def __init__(self, relay: Relay | None) -> None:
        self._relay = relay
        self._last = 0.0
        self._width = 0

    @property
    def relay(self) -> Relay | None:
        return self if self._relay is not None else None

    def message(self, kind: str, content: dict[str, Any]) -> None:
        """Pass on what the measured code shows, after taking the line of progress away."""
        self._wipe()
        if self._relay is not None:
            self._relay.message(kind, content)

    def progress(self, progress: Progress) -> None:
        if not sys.stderr.isatty() or time.monotonic() - self._last < _GAP_S:
            return
        from warp_nbprobe.views.progress import progress_text

        columns = shutil.get_terminal_size().columns - 1  # a line that wraps cannot be taken back
        text = progress_text(progress)[: max(20, columns)]
        sys.stderr.write(f"\r{text:{self._width}}")
        sys.stderr.flush()
        self._width = max(self._width, len(text))
        self._last = time.monotonic()

    def sample_done(self, measurement: Measurement) -> None:
        """Say nothing: what is printed cannot be updated."""

    def finished(self, measurement: Measurement, *, plot: bool) -> None:
        self.report(measurement)

    def report(self, measurement: Measurement) -> None:
        from warp_nbprobe.views.text import report_text

        self._wipe()
        print(report_text(measurement))

    def compared(self, comparison: Comparison) -> None:
        from warp_nbprobe.views.compare_text import compare_text

        print(f"\n{compare_text(comparison)}")

    def _wipe(self) -> None:
        if self._width:
            sys.stderr.write(f"\r{'':{self._width}}\r")
            sys.stderr.flush()
            self._width = 0


class NoScreen:
    """Shows nothing of ours; passes on the code's own output if it has where to."""

    def __init__(self, relay: Relay | None = None, shell: Any = None) -> None:
        self._relay = relay
        self._shell = shell

    @property
    def relay(self) -> Relay | None:
        return self._relay

    def progress(self, progress: Progress) -> None:
        """Say nothing."""

    def sample_done(self, measurement: Measurement) -> None:
        """Say nothing."""

    def finished(self, measurement: Measurement, *, plot: bool) -> None:
        if plot and self._shell is not None:
            self._shell.display_pub.publish(_picture(measurement), {})

    def report(self, measurement: Measurement) -> None:
        """Say nothing: the failure that is raised says it."""

    def compared(self, comparison: Comparison) -> None:
        from warp_nbprobe.views.compare_text import compare_line

        print(compare_line(comparison))


class ClearWatch:
    """Passes messages on and notices when the cell has cleared what was on screen."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay
        self._waits = False
        self._cleared = False

    def message(self, kind: str, content: dict[str, Any]) -> None:
        """Pass one message on. ``clear_output(wait=True)`` takes effect with the next output."""
        self._relay.message(kind, content)
        if kind == "clear_output":
            self._waits = bool(content.get("wait"))
            self._cleared = self._cleared or not self._waits
        elif self._waits and kind in _SHOWS:
            self._waits, self._cleared = False, True

    def take_cleared(self) -> bool:
        """Return whether the screen was cleared since this was asked last."""
        cleared, self._cleared = self._cleared, False
        return cleared


def card_bundle(measurement: Measurement) -> dict[str, str]:
    """Return the report card in the forms that a notebook keeps."""
    from warp_nbprobe.views.html import card_html
    from warp_nbprobe.views.text import report_text

    return {"text/html": card_html(measurement), "text/plain": report_text(measurement)}


def _picture(measurement: Measurement) -> dict[str, str]:
    from warp_nbprobe.views.headline import one_line
    from warp_nbprobe.views.plots import timeline_png

    return {
        "image/png": b64encode(timeline_png(measurement)).decode("ascii"),
        "text/plain": f"Timeline of {one_line(measurement)}",
    }


def screen_for(shell: Any, *, quiet: bool) -> Screen:
    """Return the screen that fits a shell: a kernel's is a notebook's, any other a terminal's."""
    if shell is None:
        return TerminalScreen(None)
    if quiet:
        return NoScreen(shell=shell)
    from warp_nbprobe.relay import IPythonRelay

    relay = IPythonRelay(shell)
    if getattr(shell, "kernel", None) is not None:
        return NotebookScreen(shell, relay)
    return TerminalScreen(relay)
