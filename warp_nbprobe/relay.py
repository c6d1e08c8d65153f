"""Shows a child's output as if it had been made here: in an IPython shell, or on plain streams.

Everything goes the public way (``sys.stdout``, ``display_pub``), so that ``%%capture``, redirected streams and
terminals are honoured.
"""

from __future__ import annotations

import sys
from typing import Any, TextIO

from warp_nbprobe.data.model import Failure
from warp_nbprobe.errors import InputRefused, error_of


class IPythonRelay:
    """Shows output under the running cell of an IPython shell, or in its terminal."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._in_kernel = getattr(shell, "kernel", None) is not None
        self._stream = ""  # the stream written to last

    def message(self, kind: str, content: dict[str, Any]) -> None:
        """Show one message."""
        if kind == "stream":
            self._write(content.get("name") or "stdout", content.get("text") or "")
        elif kind == "error":
            self._write("stderr", _lines(content.get("traceback")))
        elif kind == "clear_output":
            self._shell.display_pub.clear_output(wait=bool(content.get("wait")))
        elif kind == "page":
            self._page(content)
        else:
            self._display(content, update=kind == "update_display_data")

    def _write(self, name: str, text: str) -> None:
        """Write to a stream; the other one first gives out what it holds, so that the order stays."""
        if self._stream not in ("", name):
            _stream(self._stream).flush()
        self._stream = name
        _stream(name).write(text)
        if not self._in_kernel:
            _stream(name).flush()  # a terminal holds a line back until it ends

    def _display(self, content: dict[str, Any], *, update: bool) -> None:
        if self._stream:
            _stream(self._stream).flush()
        self._shell.display_pub.publish(
            data=content.get("data") or {},
            metadata=content.get("metadata") or {},
            transient=content.get("transient") or {},
            update=update,
        )

    def _page(self, payload: dict[str, Any]) -> None:
        if self._in_kernel:
            self._shell.payload_manager.write_payload(payload)
        else:  # a terminal's shell has a manager as well, whose payloads nobody shows
            self._write("stdout", _plain(payload) + "\n")


class StreamRelay:
    """Shows output as text on two streams, by default the process's own at the moment of showing."""

    def __init__(self, stdout: TextIO | None = None, stderr: TextIO | None = None) -> None:
        self._stdout = stdout
        self._stderr = stderr

    def message(self, kind: str, content: dict[str, Any]) -> None:
        """Show one message; what has no text, and the clearing of output, is left out."""
        if kind == "stream":
            self._write(content.get("name") or "stdout", content.get("text") or "")
        elif kind == "error":
            self._write("stderr", _lines(content.get("traceback")))
        elif kind != "clear_output":
            text = _plain(content)
            if text:
                self._write("stdout", f"{text}\n")

    def _write(self, name: str, text: str) -> None:
        stream = self._stderr if name == "stderr" else self._stdout
        stream = stream if stream is not None else _stream(name)
        stream.write(text)
        stream.flush()


def own_error(failure: Failure, measurement: Any = None) -> BaseException:
    """Return the exception to raise, ``from None``, so that a failure in the child looks like the cell's own.

    Its class has the name of the child's exception, and IPython shows the child's traceback in place of ours. A
    run that was stopped, timed out or died has the class that says so. ``.measurement`` is what was recorded.
    """
    error: BaseException
    known = error_of(failure, measurement)
    shown = list(failure.traceback)
    if failure.reason == "interrupted":
        error = KeyboardInterrupt(failure.evalue or "")
    elif failure.reason == "raised" and failure.ename:
        error = Exception(failure.evalue or "")
    else:
        error = known
    if isinstance(known, InputRefused) or failure.reason in ("timeout", "died") or not (shown or failure.ename):
        shown.append(f"{type(known).__name__}: {known}")
    if failure.reason == "died" and failure.crash:
        shown.insert(0, failure.crash)
    base = type(error)
    name = failure.ename if failure.reason == "raised" and failure.ename else base.__name__
    members = {"_render_traceback_": lambda self: shown, "measurement": measurement, "__module__": "builtins"}
    own = type(name, (base,), members)
    try:
        error.__class__ = own
    except TypeError:  # a built-in's instances keep their class
        error = own(*error.args)
    return error


def _stream(name: str) -> TextIO:
    return sys.stderr if name == "stderr" else sys.stdout


def _lines(traceback: Any) -> str:
    return "".join(f"{line}\n" for line in traceback or ())


def _plain(content: dict[str, Any]) -> str:
    text = (content.get("data") or {}).get("text/plain", "")
    return text if isinstance(text, str) else "".join(map(str, text))
