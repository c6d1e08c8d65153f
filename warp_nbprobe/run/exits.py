"""How a command went wrong, from its exit status and what it wrote last."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from typing import Final, Literal

from warp_nbprobe.data.model import Failure
from warp_nbprobe.errors import signal_name

_HEAD: Final = "Traceback (most recent call last):"
_LAST: Final = re.compile(r"(?P<name>[A-Za-z_][\w.]*)(?:: (?P<value>.*))?")
_FRAME: Final = re.compile(r'File "(?P<file>.+)", line (?P<line>\d+)')
_INSTALLED: Final = re.compile(r"[\\/](?:site|dist)-packages[\\/]|[\\/]lib[\\/]python3")
_LONGEST_VALUE: Final = 300
_SHELL_SIGNALS: Final = 128  # a shell's status for a command that a signal ended: this and the signal's number


@dataclass(frozen=True, slots=True)
class Traceback:
    """The last traceback on a command's standard error."""

    lines: tuple[str, ...]
    ename: str
    evalue: str


def left(exit_code: int | None, said: str, crash: str | None) -> Failure | None:
    """Return the failure of a command that has ended; ``None`` for status 0.

    Args:
        exit_code: Negative for a signal, ``None`` where nobody saw it end.
        said: The end of what it wrote to standard error.
        crash: What a crash in native code left behind.
    """
    if exit_code == 0:
        return None
    if exit_code is None or exit_code < 0:
        return _died(exit_code, crash)
    found = last_traceback(said)
    if found is None:
        message = f"The command left with exit status {exit_code}{_in_shell(exit_code)}."
        return Failure("raised", message, exit_code=exit_code, crash=crash)
    first = found.evalue.strip().split("\n", 1)[0][:_LONGEST_VALUE]
    raised = f"{found.ename}: {first}" if first else found.ename
    message = f"The command left with exit status {exit_code}; the last error it showed is {raised.rstrip('.')}."
    return Failure("raised", message, found.ename, found.evalue, found.lines, exit_code, crash=crash)


def stopped(by: Literal["timeout", "interrupted"], timeout_s: float, said: str, exit_code: int | None) -> Failure:
    """Return the failure of a command that was stopped from outside, with where it was if it said so."""
    found = last_traceback(said)
    lines = found.lines if found is not None and found.ename == "KeyboardInterrupt" else ()
    if by == "timeout":
        message = f"The command took longer than {timeout_s:g} s and was stopped, with all that it had started."
        return Failure("timeout", message, traceback=lines, exit_code=exit_code)
    message = "The command was interrupted."
    return Failure("interrupted", message, "KeyboardInterrupt", "", lines, exit_code)


def last_traceback(text: str) -> Traceback | None:
    """Return the last traceback in a text, with the tracebacks that it names as its cause."""
    lines = text.replace("\r\n", "\n").split("\n")
    heads = [at for at, line in enumerate(lines) if line == _HEAD]
    if not heads:
        return None
    end = _end(lines, heads[-1])
    found = _LAST.match(lines[end - 1])
    if found is None:
        return None
    last = end
    while last < len(lines) and lines[last].strip() and lines[last] != _HEAD and last - end < _LONGEST_VALUE:
        last += 1  # further lines of the message
    value = "\n".join([found["value"] or "", *lines[end:last]]).strip("\n")
    return Traceback(tuple(lines[_begin(lines, heads) : last]), found["name"], value)


def _end(lines: list[str], head: int) -> int:
    """Return the index after the line that names the error: the first one that is not indented."""
    at = head + 1
    while at < len(lines) and (lines[at].startswith(" ") or not lines[at]):
        at += 1
    return min(at + 1, len(lines))


def _begin(lines: list[str], heads: list[int]) -> int:
    """Return the first of the tracebacks that belong together: Python puts a sentence between two of them."""
    first = heads[-1]
    for head in reversed(heads[:-1]):
        between = [line for line in lines[_end(lines, head) : first] if line.strip()]
        if len(between) != 1 or not between[0].endswith((" exception:", " exception occurred:")):
            break
        first = head
    return first


def _died(exit_code: int | None, crash: str | None) -> Failure:
    name, place = signal_name(exit_code), _crash_place(crash)
    if name is None:
        message = "The command vanished: nobody saw it end."
    elif name == "SIGKILL":
        message = "The command was killed (SIGKILL): most often by the system when memory runs out."
    else:
        message = f"The command was ended by {name}{f' in {place}' if place else ''}."
    return Failure("died", message, exit_code=exit_code, crash=crash)


def _in_shell(exit_code: int) -> str:
    """Return the signal that a shell's exit status tells of, in words."""
    try:
        name = signal.Signals(exit_code - _SHELL_SIGNALS).name
    except ValueError:
        return ""
    return f", as a shell says {name}" if exit_code > _SHELL_SIGNALS else ""


def _crash_place(crash: str | None) -> str | None:
    """Return the line of the command's own code that the crashed thread was in, else the innermost one."""
    current = (crash or "").rpartition("Current thread")[2].partition("\n\n")[0]
    frames = [(frame["file"], frame["line"]) for frame in _FRAME.finditer(current)]
    if not frames:
        return None
    file, line = next((frame for frame in frames if not _INSTALLED.search(frame[0])), frames[0])
    return f"{file}:{line}"
