"""Reads the words of a magic line or a command into option values; every complaint is one line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from warp_nbprobe.ask.options import Option, defaults, suggestion
from warp_nbprobe.errors import UsageError

_WORD = re.compile(r"""(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+""")
_QUOTED = re.compile(r""""((?:\\.|[^"\\])*)"|'([^']*)'""")
_NUMBER = re.compile(r"-\d")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a line, without its quotes, and where it begins in the line."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """Values by option key (also of those not given), the keys given, and what follows the options."""

    values: dict[str, Any]
    given: frozenset[str]
    rest: tuple[Word, ...]
    dashes: bool  # the options were ended by `--`

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def tail(self, line: str) -> str:
        """Return what follows the options exactly as it stands in ``line``."""
        return line[self.rest[0].start :].strip() if self.rest else ""


def split_line(line: str) -> list[Word]:
    """Split a line at blanks outside quotes.

    A quote that is never closed stands for itself, as the apostrophe in ``don't`` does: what follows the
    options may be any Python.
    """
    words, at = [], 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        found = _WORD.match(line, at)
        end = found.end() if found else at
        while end < len(line) and not line[end].isspace():
            end += 1
        text = line[at:end]
        words.append(Word(_QUOTED.sub(_unquoted, text), at))
        at = end
    return words


def _unquoted(match: re.Match[str]) -> str:
    double, single = match.groups()
    return single if double is None else re.sub(r"\\(.)", r"\1", double)


def parse(words: Sequence[Word], options: Sequence[Option], *, what: str, mixed: bool = False) -> Parsed:
    """Read options until the first word that is none; with ``mixed`` also those after it.

    Args:
        words: The words of the line.
        options: The options that are known here.
        what: Who is asked, for messages: ``%%warp_cold``.

    Raises:
        UsageError: One line that names the wrong option, with the nearest right one.
    """
    by_flag = {flag: option for option in options for flag in option.flags}
    values = defaults(options)
    given: set[str] = set()
    others: list[Word] = []
    at = 0
    while at < len(words):
        text = words[at].text
        if text == "--":
            return Parsed(values, frozenset(given), (*others, *words[at + 1 :]), True)
        if not text.startswith("-") or text == "-" or _NUMBER.match(text):
            if not mixed:
                break
            others.append(words[at])
            at += 1
            continue
        option, value = _option(text, by_flag, what)
        at += 1
        if option.read is None:
            if value is not None:
                raise UsageError(f"{what}: {option.flags[-1]} takes no value, but was given {value!r}.")
            values[option.key] = True
        else:
            if value is None:
                if at >= len(words):
                    raise UsageError(f"{what}: {option.shown} needs a value after it.")
                value, at = words[at].text, at + 1
            _store(values, option, value, what)
        given.add(option.key)
        if option.ends:
            break
    return Parsed(values, frozenset(given), (*others, *words[at:]), False)


def _option(text: str, by_flag: dict[str, Option], what: str) -> tuple[Option, str | None]:
    flag, equals, value = text.partition("=")
    if flag in by_flag:
        return by_flag[flag], value if equals else None
    if not text.startswith("--") and text[:2] in by_flag and by_flag[text[:2]].read:
        return by_flag[text[:2]], text[2:]  # -n5
    raise UsageError(f"{what} has no option {flag}.{suggestion(flag, by_flag)}")


def _store(values: dict[str, Any], option: Option, text: str, what: str) -> None:
    assert option.read is not None
    try:
        value = option.read(text)
    except ValueError as error:
        raise UsageError(f"{what}: {option.shown} needs {error}.") from None
    if option.repeat:
        values[option.key].extend(value)
    else:
        values[option.key] = value


def no_more_words(parsed: Parsed, what: str, hint: str) -> None:
    """Refuse words that follow the options where none belong; ``hint`` says where they do."""
    if parsed.dashes:
        raise UsageError(f"{what}: what follows `--` is a command, and none belongs here. {hint}")
    if parsed.rest:
        raise UsageError(f"{what}: {parsed.rest[0].text!r} is no option. {hint}")
