"""Output on its way: complete, in order, cut with a note, without widgets that no longer live."""

from __future__ import annotations

from typing import Any

import pytest

from tests.run.children import Seen
from warp_nbprobe.run.client import Message
from warp_nbprobe.run.outputs import WIDGET_VIEW, HeldRelay, Outputs


def said(text: str, name: str = "stdout", size: int = 1) -> Message:
    return Message("stream", "request", {"name": name, "text": text}, size)


def shown(kind: str, **content: Any) -> Message:
    return Message(kind, "request", content, 1)


def test_what_is_shown_passes_in_order_and_unchanged(seen: Seen) -> None:
    outputs = Outputs(seen)
    messages = [
        said("a"),
        said("b", "stderr"),
        shown("display_data", data={"text/plain": "1", "text/html": "1"}, metadata={}, transient={"display_id": "x"}),
        shown("update_display_data", data={"text/plain": "2"}, metadata={}, transient={"display_id": "x"}),
        shown("clear_output", wait=True),
        shown("execute_result", data={"text/plain": "3"}, metadata={}, execution_count=4),
    ]
    for message in messages:
        outputs.take(message)
    assert seen.messages == [(message.kind, message.content) for message in messages]


@pytest.mark.parametrize("kind", ["status", "execute_input", "comm_open", "comm_msg", "comm_close", "shutdown_reply"])
def test_what_is_not_for_the_eye_is_not_passed_on(seen: Seen, kind: str) -> None:
    Outputs(seen).take(shown(kind))
    assert seen.messages == []


def test_an_error_is_passed_on_only_where_it_is_allowed(seen: Seen) -> None:
    outputs = Outputs(seen)
    outputs.take(shown("error", traceback=["x"]))
    assert seen.messages == []
    outputs.take(shown("error", traceback=["x"]), show_errors=True)
    assert seen.kinds() == ["error"]


def test_a_widget_leaves_its_text(seen: Seen) -> None:
    data = {WIDGET_VIEW: {"model_id": "x"}, "text/plain": "IntSlider(value=0)"}
    Outputs(seen).take(shown("display_data", data=data, metadata={}))
    assert seen.messages == [("display_data", {"data": {"text/plain": "IntSlider(value=0)"}, "metadata": {}})]


def test_a_widget_without_text_leaves_nothing(seen: Seen) -> None:
    Outputs(seen).take(shown("display_data", data={WIDGET_VIEW: {}}, metadata={}))
    assert seen.messages == []


def test_output_past_the_cap_is_cut_with_a_note(seen: Seen) -> None:
    outputs = Outputs(seen, cap_bytes=10)
    for _ in range(5):
        outputs.take(said("12345", size=5))
    assert seen.text() == "1234512345"
    assert outputs.cut
    assert "is not shown" in seen.text("stderr")
    assert len(seen.messages) == 3


def test_a_message_that_cannot_be_read_is_said(seen: Seen) -> None:
    Outputs(seen).take(Message("unreadable", None, {"error": "Invalid Signature"}, 9))
    assert "lost: Invalid Signature" in seen.text("stderr")


def test_lines_that_look_like_warps_are_kept_also_when_nobody_looks() -> None:
    outputs = Outputs(None)
    line = "Module __main__ 71e67fb load on device 'cpu' took 5423.00 ms  (compiled)"
    for part in ("hello\n", line[:20], line[20:] + "\n    Compile x86 took 1.20 ms\nModule of mine\n"):
        outputs.take(said(part))
    outputs.take(said(f"{line}\n", "stderr"))
    assert outputs.warp_lines == (line, "    Compile x86 took 1.20 ms")


def test_a_silent_run_keeps_its_latest_output_for_the_case_that_it_fails(seen: Seen) -> None:
    held = HeldRelay(limit_bytes=500)
    for number in range(100):
        held.message("stream", {"name": "stdout", "text": f"{number}\n"})
    held.show(seen, "output of the warm run")
    assert seen.text("stderr") == "[warp_nbprobe] output of the warm run (the last part):\n"
    assert seen.text().endswith("98\n99\n")
    assert len(seen.text()) < 100


def test_a_silent_run_that_said_nothing_has_nothing_to_show(seen: Seen) -> None:
    HeldRelay().show(seen, "output of the warm run")
    assert seen.messages == []
