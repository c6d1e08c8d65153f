"""How a measurement or a comparison shows itself as a cell's value: registered, so that data types stay plain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warp_nbprobe.explain.compare import Comparison
    from warp_nbprobe.front.session import History
    from warp_nbprobe.measurement import Measurement

PANEL_TEXT = "Live panel: run the cell to use it."
"""What stands where a widget cannot be shown."""

_MEASUREMENT = ("warp_nbprobe.measurement", "Measurement")
_HISTORY = ("warp_nbprobe.front.session", "History")
_COMPARISON = ("warp_nbprobe.explain.compare", "Comparison")


class Displays:
    """The displays of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._returned: tuple[int, int] | None = None

    def returned(self, measurement: Measurement) -> None:
        """Remember that the running cell returns this value, whose card it has shown already."""
        self._returned = (id(measurement), self._shell.execution_count)

    def install(self) -> None:
        """Register with the shell's formatters; by name, so that nothing is imported for it."""
        formatters = self._shell.display_formatter.formatters
        formatters["text/html"].for_type_by_name(*_MEASUREMENT, self._html)
        formatters["text/plain"].for_type_by_name(*_MEASUREMENT, self._plain)
        formatters["text/html"].for_type_by_name(*_COMPARISON, _compared_html)
        formatters["text/plain"].for_type_by_name(*_COMPARISON, _compared_plain)
        formatters["text/html"].for_type_by_name(*_HISTORY, _history_html)
        if getattr(self._shell, "kernel", None) is not None:
            self._shell.display_formatter.ipython_display_formatter.for_type_by_name(*_HISTORY, self._show_history)

    def remove(self) -> None:
        """Take them away again."""
        for kind in ("text/html", "text/plain"):
            for shown in (_MEASUREMENT, _COMPARISON, _HISTORY):
                self._shell.display_formatter.formatters[kind].pop(".".join(shown), None)
        self._shell.display_formatter.ipython_display_formatter.pop(".".join(_HISTORY), None)

    def _is_return_value(self, measurement: Measurement) -> bool:
        return self._returned == (id(measurement), self._shell.execution_count)

    def _html(self, measurement: Measurement) -> str | None:
        if self._is_return_value(measurement):
            return None
        from warp_nbprobe.views.html import card_html

        return card_html(measurement)

    def _plain(self, measurement: Measurement, printer: Any, cycle: bool) -> None:
        from warp_nbprobe.views.text import one_line, report_text

        whole = not self._is_return_value(measurement)
        printer.text(report_text(measurement) if whole else one_line(measurement))

    def _show_history(self, history: History) -> None:
        """Show the list, then what compares two of them: never in one output, for a widget dies with its kernel."""
        from warp_nbprobe.views.history_html import KEYS_SCRIPT
        from warp_nbprobe.views.widgets import history_panel

        listed = _history_html(history) + KEYS_SCRIPT
        self._shell.display_pub.publish({"text/html": listed, "text/plain": repr(history)}, {})
        data, metadata = self._shell.display_formatter.format(history_panel(history.entries))
        self._shell.display_pub.publish({**data, "text/plain": PANEL_TEXT}, metadata)


def _history_html(history: History) -> str:
    from warp_nbprobe.views.history_html import history_html

    return history_html(history.entries)


def _compared_html(comparison: Comparison) -> str:
    from warp_nbprobe.views.compare_html import compare_html

    return compare_html(comparison)


def _compared_plain(comparison: Comparison, printer: Any, cycle: bool) -> None:
    from warp_nbprobe.views.compare_text import compare_text

    printer.text(compare_text(comparison))
