"""What is on screen in a terminal and in a notebook, piece by piece."""

from __future__ import annotations

import io
import sys

import pytest

from tests.data.wires_by_hand import recording
from tests.fronts.conftest import pair, progress
from warp_nbprobe.front.screen import ClearWatch, NoScreen, TerminalScreen, screen_for
from warp_nbprobe.measurement import Measurement
from warp_nbprobe.relay import StreamRelay


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_s_line_of_progress_gives_way_to_output(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    stdout = io.StringIO()
    screen = TerminalScreen(StreamRelay(stdout))

    screen.progress(progress())
    shown = stderr.getvalue()
    assert screen.relay is not None
    screen.relay.message("stream", {"name": "stdout", "text": "hello\n"})

    assert shown.startswith("\r")
    assert "\n" not in stderr.getvalue()
    assert stderr.getvalue()[len(shown) :].strip() == ""  # blanks over it
    assert stdout.getvalue() == "hello\n"


def test_a_line_of_progress_never_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setenv("COLUMNS", "40")

    TerminalScreen(None).progress(progress(module="a.module.with.a.very.long.name.indeed"))

    assert len(stderr.getvalue().lstrip("\r")) == 39


def test_there_is_no_progress_where_nobody_sees_it_change(capsys: pytest.CaptureFixture[str]) -> None:
    TerminalScreen(None).progress(progress())

    assert capsys.readouterr() == ("", "")


def test_a_quiet_screen_takes_no_output_and_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    measurement = Measurement(recording(*pair(1)))
    screen = screen_for(object(), quiet=True)

    screen.progress(progress())
    screen.sample_done(measurement)
    screen.report(measurement)
    screen.finished(measurement, plot=False)

    assert isinstance(screen, NoScreen)
    assert screen.relay is None
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("messages", "cleared"),
    [
        ([("clear_output", {"wait": False})], True),
        ([("clear_output", {"wait": True})], False),
        ([("clear_output", {"wait": True}), ("stream", {"text": "x"})], True),
        ([("clear_output", {"wait": True}), ("update_display_data", {})], False),
        ([("stream", {"text": "x"})], False),
    ],
)
def test_clearing_takes_effect_when_the_front_end_lets_it(
    messages: list[tuple[str, dict[str, object]]], cleared: bool
) -> None:
    watch = ClearWatch(StreamRelay(io.StringIO(), io.StringIO()))
    for kind, content in messages:
        watch.message(kind, content)

    assert watch.take_cleared() is cleared
    assert watch.take_cleared() is False  # told once
