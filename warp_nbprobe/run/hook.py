"""What makes the processes that a child starts load the probe: a ``sitecustomize`` in front of their path."""

from __future__ import annotations

import marshal
import os
import re
from collections.abc import Sequence
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from pathlib import Path
from typing import Final

_CHILD: Final = Path(__file__).resolve().parents[1] / "child"

_GUESTS: Final = ("probe.py", "rehearsal.py", "rehearsal_builds.py", "rehearsal_answers.py")
"""What the hook may load, from beside the folder that it lies in."""

_NAME: Final = "PYTHONPATH"
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_SHELLS: Final = frozenset({"sh", "bash", "dash", "ksh", "zsh"})
_ENV_TAKES_VALUE: Final = frozenset({"-u", "--unset", "-C", "--chdir"})
_IN_SHELL: Final = re.compile(
    rf"(?P<before>(?:^|[;&|({{\n`]|\b(?:export|env|exec|time|then|do|else|[A-Za-z_]\w*=\S*)\s)\s*{_NAME}=)"
)


def lay_hook(folder: Path) -> None:
    """Put the hook into the folder of a run; doing it again changes nothing."""
    site = site_folder(folder)
    if not site.exists():
        site.mkdir()
        _lay(_CHILD / "sitecustomize.py", site)
        for name in _GUESTS:
            _lay(_CHILD / name, folder)


def _lay(text: Path, folder: Path) -> None:
    """Copy a text with its compiled form, which a process of this Python's version would else make for itself."""
    source, compiled = _with_compiled(text)
    copy = folder / text.name
    copy.write_bytes(source)
    cached = Path(cache_from_source(str(copy)))
    cached.parent.mkdir(exist_ok=True)
    cached.write_bytes(compiled)


@cache
def _with_compiled(text: Path) -> tuple[bytes, bytes]:
    source = text.read_bytes()
    code = SourceFileLoader(text.stem, str(text)).get_code(text.stem)
    unchecked = (1).to_bytes(4, "little")  # a hash that nobody compares: the copy is never changed
    return source, MAGIC_NUMBER + unchecked + source_hash(source) + marshal.dumps(code)


def site_folder(folder: Path) -> Path:
    """Return the folder that stands first on the path of a run's processes."""
    return folder / "site"


def python_path(site: Path, value: str | None) -> str:
    """Return a ``PYTHONPATH`` with the hook before ``value``, without those of other measurements."""
    kept = [entry for entry in (value or "").split(os.pathsep) if entry and not _is_hook(Path(entry))]
    return os.pathsep.join([str(site), *kept])


def _is_hook(entry: Path) -> bool:
    return entry.name == "site" and (entry.parent / "wire").is_dir() and (entry / "sitecustomize.py").is_file()


def leading_assignments(arguments: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return what ``NAME=VALUE`` words in front of a command set, as a shell reads them, and the command."""
    found: dict[str, str] = {}
    for at, word in enumerate(arguments):
        if not _ASSIGNMENT.match(word):
            return found, list(arguments[at:])
        name, _, value = word.partition("=")
        found[name] = value
    return found, []


def with_hook(arguments: Sequence[str], site: Path) -> list[str]:
    """Return a command in which every ``PYTHONPATH=x`` for ``env`` or a shell keeps the hook before x."""
    result: list[str] = []
    in_env = takes_value = False
    shell = script = False
    for word in arguments:
        name = os.path.basename(word)
        if takes_value:
            takes_value = False
        elif script:
            word, script = _in_shell(word, site), False
        elif in_env and word.startswith("-"):
            takes_value = word in _ENV_TAKES_VALUE
            word = _in_shell(word, site)  # -S "PYTHONPATH=x python"
        elif in_env and _ASSIGNMENT.match(word):
            word = f"{_NAME}={python_path(site, word.partition('=')[2])}" if word.startswith(f"{_NAME}=") else word
        elif shell and word.startswith("-"):
            script = "c" in word and not word.startswith("--")
        else:
            in_env, shell = name == "env", name in _SHELLS
        result.append(word)
    return result


def _in_shell(text: str, site: Path) -> str:
    def kept(match: re.Match[str]) -> str:
        rest = text[match.end() :]
        empty = not rest or rest[0] in " \t\n;&|)"
        return f"{match['before']}{_quoted(site)}{'' if empty else os.pathsep}"

    return _IN_SHELL.sub(kept, text)


def _quoted(site: Path) -> str:
    """Return the folder as a shell reads it; private folders may lie in one whose name has blanks."""
    return re.sub(r"([^\w@%+=:,./-])", r"\\\1", str(site))
