"""Output in front of the user: in an IPython shell and on plain streams; errors as the cell's own."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.testing.globalipapp import start_ipython
from IPython.utils.capture import capture_output

from warp_nbprobe.data.model import Failure
from warp_nbprobe.errors import ChildDied, ChildTimedOut
from warp_nbprobe.relay import IPythonRelay, StreamRelay, own_error


@pytest.fixture(scope="module")
def shell() -> Iterator[InteractiveShell]:
    """A real shell, as in a terminal."""
    start_ipython()
    shell = InteractiveShell.instance()
    yield shell
    InteractiveShell.clear_instance()


def stream(text: str, name: str = "stdout") -> tuple[str, dict[str, Any]]:
    return "stream", {"name": name, "text": text}


def display(kind: str, plain: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return kind, {"data": {"text/plain": plain}, "metadata": {}, **more}


def test_streams_and_displays_are_captured_as_the_cells_own(shell: InteractiveShell) -> None:
    relay = IPythonRelay(shell)
    with capture_output() as captured:
        for message in (stream("a\n"), stream("b\n", "stderr")):
            relay.message(*message)
        relay.message(*display("display_data", "1"))
        relay.message(*display("execute_result", "2"))
    assert (captured.stdout, captured.stderr) == ("a\n", "b\n")
    assert [output.data["text/plain"] for output in captured.outputs] == ["1", "2"]


def test_a_display_keeps_its_id_when_it_is_updated(shell: InteractiveShell) -> None:
    relay = IPythonRelay(shell)
    with capture_output() as captured:
        relay.message(*display("display_data", "1", transient={"display_id": "x"}))
        relay.message(*display("update_display_data", "2", transient={"display_id": "x"}))
    first, second = captured.outputs
    assert (first.update, second.update) == (False, True)
    assert first.transient == second.transient == {"display_id": "x"}


def test_the_other_stream_is_flushed_when_the_stream_changes(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []

    class Slow(io.StringIO):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name_of = name

        def flush(self) -> None:
            if self.getvalue():
                order.append(self.name_of + self.getvalue())
                self.seek(0)
                self.truncate()

    monkeypatch.setattr("sys.stdout", Slow("out "))
    monkeypatch.setattr("sys.stderr", Slow("err "))
    relay = IPythonRelay(_Kernel(shell))
    for message in (stream("a"), stream("b", "stderr"), stream("c"), stream("d"), stream("e", "stderr")):
        relay.message(*message)
    assert order == ["out a", "err b", "out cd"]


class _Kernel:
    """A shell that says that it belongs to a kernel."""

    kernel = object()

    def __init__(self, shell: InteractiveShell) -> None:
        self.display_pub = shell.display_pub


def test_an_allowed_error_and_help_are_shown_as_text(shell: InteractiveShell) -> None:
    relay = IPythonRelay(shell)
    with capture_output() as captured:
        relay.message("error", {"traceback": ["line 1", "line 2"]})
        relay.message("page", {"data": {"text/plain": "help"}})
    assert captured.stderr == "line 1\nline 2\n"
    assert captured.stdout == "help\n"


def test_plain_streams_get_text_alone() -> None:
    out, err = io.StringIO(), io.StringIO()
    relay = StreamRelay(out, err)
    for message in (
        stream("a\n"),
        stream("b\n", "stderr"),
        ("display_data", {"data": {"text/html": "<b>", "text/plain": "1"}}),
        ("display_data", {"data": {"image/png": "x"}}),
        ("clear_output", {"wait": True}),
        display("execute_result", "2"),
        ("error", {"traceback": ["t"]}),
    ):
        relay.message(*message)
    assert out.getvalue() == "a\n1\n2\n"
    assert err.getvalue() == "b\nt\n"


def test_plain_streams_are_those_of_the_moment(capsys: pytest.CaptureFixture[str]) -> None:
    StreamRelay().message(*stream("x"))
    assert capsys.readouterr().out == "x"


def test_an_exception_of_the_child_is_raised_as_the_cells_own(shell: InteractiveShell) -> None:
    failure = Failure("raised", "Cell 1 raised MyError: no.", "MyError", "no", ("the child's", "own traceback"))
    shell.user_ns["error"] = own_error(failure, "what was recorded")
    with capture_output() as captured:
        result = shell.run_cell("raise error from None")
    assert type(result.error_in_exec).__name__ == "MyError"
    assert str(result.error_in_exec) == "no"
    assert captured.stdout.strip().splitlines() == ["the child's", "own traceback"]
    assert result.error_in_exec.measurement == "what was recorded"  # type: ignore[union-attr]


@pytest.mark.parametrize(("reason", "kind"), [("timeout", ChildTimedOut), ("died", ChildDied)])
def test_a_run_that_was_ended_raises_the_error_that_says_so(shell: InteractiveShell, reason: Any, kind: type) -> None:
    shell.user_ns["error"] = own_error(Failure(reason, "It took too long.", traceback=("where it was",)))
    with capture_output() as captured:
        result = shell.run_cell("raise error from None")
    assert isinstance(result.error_in_exec, kind)
    assert captured.stdout.startswith("where it was\n")
    assert f"{kind.__name__}: It took too long." in captured.stdout


def test_an_interrupt_is_raised_as_one(shell: InteractiveShell) -> None:
    error = own_error(Failure("interrupted", "x", "KeyboardInterrupt", "", ("stopped here",)), "recorded")
    assert isinstance(error, KeyboardInterrupt)
    assert type(error).__name__ == "KeyboardInterrupt"
    assert error.measurement == "recorded"  # type: ignore[attr-defined]


def test_refused_input_says_what_to_do() -> None:
    failure = Failure("raised", "Give the value in the setup code.", "StdinNotImplementedError", "", ("at line 1",))
    error = own_error(failure)
    assert type(error).__name__ == "StdinNotImplementedError"
    assert error._render_traceback_() == [  # type: ignore[attr-defined]
        "at line 1",
        "InputRefused: Give the value in the setup code.",
    ]
