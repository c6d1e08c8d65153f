"""Reading HTML as a browser or a sanitiser would, for claims about it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"br", "img", "input", "meta", "link", "hr"}


@dataclass
class Document(HTMLParser):
    """The elements, attributes and text of a piece of HTML."""

    tags: Counter[str] = field(default_factory=Counter)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)  # tag, name, value
    scripts: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    open_tags: list[str] = field(default_factory=list)

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.scripts, self.texts, self.open_tags = Counter(), [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in _VOID:
            self.open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open_tags[-1:] == [tag], f"</{tag}> closes {self.open_tags[-3:]}"
        self.open_tags.pop()

    def handle_data(self, data: str) -> None:
        (self.scripts if self.open_tags[-1:] == ["script"] else self.texts).append(data)

    @property
    def text(self) -> str:
        """What is read with every style and script stripped; spaces as one."""
        return re.sub(r"\s+", " ", " ".join(self.texts))

    @property
    def declarations(self) -> list[tuple[str, str]]:
        """Every declaration of every inline style."""
        found = []
        for _, name, value in self.attributes:
            if name == "style":
                for part in value.split(";"):
                    key, _, said = part.partition(":")
                    found.append((key.strip(), said.strip()))
        return found
