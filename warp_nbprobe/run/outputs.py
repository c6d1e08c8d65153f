"""What a child prints and displays, on its way to whoever shows it."""

from __future__ import annotations

import re
from collections import deque
from typing import Any, Final, Protocol

from warp_nbprobe.run.client import Message

CAP_BYTES: Final = 200_000_000
"""How much of one run's output is passed on; the rest is cut with a note."""

WIDGET_VIEW: Final = "application/vnd.jupyter.widget-view+json"

_SHOWN = frozenset({"stream", "display_data", "update_display_data", "clear_output", "execute_result"})
_WARP_LINE = re.compile(r"Module .* took [\d.]+ ms.*|    Compile .* took [\d.]+ ms|\[Module\.load\] .*|Warp \d.*")
_MOST_LINES = 20_000
_LONGEST_LINE = 4096
_HELD_BYTES = 1_000_000


class Relay(Protocol):
    """Shows a child's output where the user looks."""

    def message(self, kind: str, content: dict[str, Any]) -> None:
        """Show one message of Jupyter's protocol (``stream``, ``display_data``, ``execute_result``, ...).

        ``error`` is only sent for a cell that is allowed to raise, ``page`` for help that the cell asked for.
        """


class Outputs:
    """Passes output on in order and counts it; keeps the lines that look like Warp's own."""

    def __init__(self, relay: Relay | None, *, cap_bytes: int = CAP_BYTES) -> None:
        self._relay = relay
        self._cap_bytes = cap_bytes
        self._partial = ""
        self._warp_lines: list[str] = []
        self.bytes = 0
        self.cut = False

    @property
    def warp_lines(self) -> tuple[str, ...]:
        """The lines on standard output that Warp seems to have printed."""
        return tuple(self._warp_lines)

    def take(self, message: Message, *, show_errors: bool = False) -> None:
        """Take one message from the child's output channel."""
        if message.kind == "unreadable":
            self.note(f"an output of the child was lost: {message.content['error']}")
        elif message.kind in _SHOWN or (message.kind == "error" and show_errors):
            self._note_warp_lines(message)
            self._pass_on(message)

    def page(self, payload: dict[str, Any]) -> None:
        """Pass on help that came with a reply."""
        if self._relay is not None:
            self._relay.message("page", payload)

    def note(self, text: str) -> None:
        """Say something of our own among the output."""
        if self._relay is not None:
            self._relay.message("stream", {"name": "stderr", "text": f"[warp_nbprobe] {text}\n"})

    def _pass_on(self, message: Message) -> None:
        if self._relay is None or self.cut:
            return
        if self.bytes + message.size > self._cap_bytes:
            self.cut = True
            self.note(f"the output after the first {self._cap_bytes / 1e6:g} MB is not shown.")
            return
        self.bytes += message.size
        content = message.content
        if WIDGET_VIEW in (content.get("data") or {}):
            content = _without_view(content)
        if message.kind in ("stream", "clear_output", "error") or content.get("data"):
            self._relay.message(message.kind, content)

    def _note_warp_lines(self, message: Message) -> None:
        if message.kind != "stream" or message.content.get("name") != "stdout":
            return
        *lines, rest = (self._partial + message.content.get("text", "")).split("\n")
        self._partial = rest[:_LONGEST_LINE]
        for line in lines:
            if len(self._warp_lines) < _MOST_LINES and _WARP_LINE.fullmatch(line):
                self._warp_lines.append(line)


class HeldRelay:
    """Keeps the latest output of a run that is silent unless it fails."""

    def __init__(self, limit_bytes: int = _HELD_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._held: deque[tuple[str, dict[str, Any], int]] = deque()
        self._bytes = 0
        self.dropped = False

    def message(self, kind: str, content: dict[str, Any]) -> None:
        """Keep one message, and drop the oldest when there are too many."""
        size = len(repr(content))
        self._held.append((kind, content, size))
        self._bytes += size
        while self._bytes > self._limit_bytes and len(self._held) > 1:
            self._bytes -= self._held.popleft()[2]
            self.dropped = True

    def show(self, relay: Relay, heading: str) -> None:
        """Show what is kept under a line that says whose it is."""
        if not self._held:
            return
        cut = " (the last part)" if self.dropped else ""
        relay.message("stream", {"name": "stderr", "text": f"[warp_nbprobe] {heading}{cut}:\n"})
        while self._held:
            kind, content, _ = self._held.popleft()
            relay.message(kind, content)


def _without_view(content: dict[str, Any]) -> dict[str, Any]:
    """Return a display without its live widget, whose kernel is gone before anybody can use it."""
    data = {kind: value for kind, value in content["data"].items() if kind != WIDGET_VIEW}
    return {**content, "data": data}
