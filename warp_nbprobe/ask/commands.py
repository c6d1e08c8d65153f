"""Commands to measure: what is typed as a module, a script or a command, checked."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from warp_nbprobe.ask.options import MEASURE, NOT_FOR_COMMANDS, defaults_of_measure
from warp_nbprobe.ask.request import Request, make_request
from warp_nbprobe.errors import UsageError

Arguments = Sequence[str | os.PathLike[str]]

_LONGEST_LABEL = 60
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


def command_request(args: Arguments, values: Mapping[str, Any], *, label: str | None = None) -> Request:
    """Check what is given for a command and return what is to be done.

    Args:
        args: The command and its arguments.
        values: Keyword arguments of ``measure_command``; those left out have their defaults.
        label: The label when the caller gives none; the command itself, when left out.

    Raises:
        UsageError: An argument that cannot be used, named, with what to do.
    """
    command = _texts(args)
    request = make_request((), (), {**defaults_of_measure(), **values}, label=label or command_label(command))
    return replace(request, command=command)


def module_command(module: str, args: Sequence[str]) -> list[str]:
    """Return the command that runs a module with this Python."""
    return [_python(), "-m", module, *args]


def script_command(file: str, args: Sequence[str], cwd: str | Path | None) -> list[str]:
    """Return the command that runs a script with this Python.

    Raises:
        UsageError: There is no such file.
    """
    path = Path(file).expanduser()
    if not (Path(cwd or ".").expanduser() / path).is_file():
        raise UsageError(f"There is no file {path}{f' in {cwd}' if cwd and not path.is_absolute() else ''}.")
    return [_python(), str(path), *args]


def command_label(command: Sequence[str]) -> str:
    """Return a command as a person types it, cut where it is long."""
    program = next((at for at, word in enumerate(command) if not _ASSIGNMENT.match(word)), 0)
    shown = [os.path.basename(word) if at == program else word for at, word in enumerate(command)]
    text = shlex.join(shown).replace("\n", " ")
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"


def refuse_for_command(given: Sequence[str] | frozenset[str], what: str) -> None:
    """Raise `UsageError` for an option that no command can have."""
    for option in MEASURE:
        if option.key in NOT_FOR_COMMANDS and option.key in given:
            instead = "name the other environment's Python in it" if option.key == "kernel" else "leave it out"
            raise UsageError(f"{what}: {option.flags[-1]} is for code in a kernel, not for a command; {instead}.")


def _python() -> str:
    if not sys.executable:
        raise UsageError("This Python does not know its own executable; name one after `--`.")
    return sys.executable


def _texts(args: Arguments) -> tuple[str, ...]:
    if isinstance(args, str):
        raise UsageError(f"A command is a list of words: {args.split()!r}.")
    try:
        words = tuple(os.fspath(word) for word in args)
    except TypeError:
        raise UsageError("A command is a list of texts and paths.") from None
    if not words:
        raise UsageError("There is no command to measure.")
    if not all(isinstance(word, str) and "\0" not in word for word in words):
        raise UsageError("A command is a list of texts and paths.")
    return words
