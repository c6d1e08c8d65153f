"""What is on screen while a magic measures, and after it: in a notebook, and in a terminal.

Everything is published through the shell that is handed in, so that ``%%capture`` and the like see it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from warp_nbprobe.relay import Relay
from warp_nbprobe.run.progress import Progress

if TYPE_CHECKING:
    from warp_nbprobe.measurement import Measurement

_GAP_S = 0.1  # ten updates a second; servers drop messages when there are many more
_EXPLORER_TEXT = "Live panel: run the cell to use it."


class Screen(Protocol):
    """Where a measurement shows itself."""

    @property
    def relay(self) -> Relay | None:
        """Takes the measured cell's own output; None lets it go unseen."""

    def progress(self, progress: Progress) -> None: ...
    def sample_done(self, measurement: Measurement) -> None: ...
    def finished(self, measurement: Measurement, *, plot: bool) -> None: ...
    def report(self, measurement: Measurement) -> None: ...


class NotebookScreen:
    """Progress first, then the cell's own output, then the card, then the explorer."""

    def __init__(self, shell: Any, relay: Relay) -> None:
        self._shell = shell
        self._relay = _ClearWatch(relay)
        self._progress_id: str | None = None
        self._card_id: str | None = None
        self._last = 0.0

    @property
    def relay(self) -> Relay | None:
        return self._relay

    def progress(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last < _GAP_S:
            return
        self._last = now
        from warp_nbprobe.views.progress import progress_html, progress_text

        if self._relay.take_cleared():
            self._progress_id = None
        self._progress_id = self._put(
            {"text/html": progress_html(progress), "text/plain": progress_text(progress)}, self._progress_id
        )

    def sample_done(self, measurement: Measurement) -> None:
        self.report(measurement)

    def finished(self, measurement: Measurement, *, plot: bool) -> None:
        self._end_progress()
        self.report(measurement)
        if plot:
            self._show_plot(measurement)
        from warp_nbprobe.views.widgets import explorer

        data, metadata = self._shell.display_formatter.format(explorer(measurement))
        data["text/plain"] = _EXPLORER_TEXT
        self._publish(data, metadata=metadata)

    def report(self, measurement: Measurement) -> None:
        """Show the card, in place where it is there already."""
        from warp_nbprobe.views.html import card_html
        from warp_nbprobe.views.text import report_text

        self._end_progress()
        card = {"text/html": card_html(measurement), "text/plain": report_text(measurement)}
        self._card_id = self._put(card, self._card_id)

    def _show_plot(self, measurement: Measurement) -> None:
        from warp_nbprobe.views.plots import timeline_png
        from warp_nbprobe.views.text import one_line

        png = {"image/png": timeline_png(measurement), "text/plain": f"Timeline of {one_line(measurement)}"}
        self._publish(self._shell.display_formatter.format_raw(png) if False else png)

    def _end_progress(self) -> None:
        if self._progress_id is not None and not self._relay.take_cleared():
            self._put({"text/html": "", "text/plain": ""}, self._progress_id)

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
