"""The pages on commands and CI: what they say to type is what can be typed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from warp_nbprobe.ask.options import LINE
from warp_nbprobe.ask.words import Word, parse, split_line
from warp_nbprobe.cli import _COMMANDS

DOCS = Path(__file__).parent.parent.parent / "docs"


def lines_of(page: str) -> list[str]:
    """Return the lines of code on a page, folded YAML joined."""
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)
    joined = re.sub(r"run: >\n\s+(.*)\n\s+(.*)\n", r"\1 \2\n", "\n".join(blocks))
    return [re.sub(r"^[\s-]*(run: )?", "", line) for line in joined.splitlines()]


@pytest.mark.parametrize("page", ["commands.md", "ci.md"])
def test_every_command_on_a_page_is_one(page: str) -> None:
    found = [line for line in lines_of(page) if re.match(r"warp-nbprobe \w", line)]
    assert found
    for line in found:
        _, name, *words = shlex.split(line.replace("[options] ", "").partition(" > ")[0])
        command = _COMMANDS[name]
        parsed = parse([Word(word, 0) for word in words], command.options, what=name, mixed=command.mixed)
        assert parsed.rest, line


def test_every_magic_on_the_page_is_one() -> None:
    found = [line for line in lines_of("commands.md") if line.startswith("%warp_cold")]
    assert found
    for line in found:
        parse(split_line(line.partition("  #")[0].removeprefix("%warp_cold ")), LINE, what="%warp_cold")
