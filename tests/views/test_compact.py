"""Styles that repeat become classes, and nothing else changes."""

from __future__ import annotations

import re

from tests.views import fakes
from tests.views.reading import Document
from warp_nbprobe.views.compact import compact
from warp_nbprobe.views.html import card_html


def expanded(html: str) -> str:
    """Return compact HTML with its classes written out again."""
    rules = dict(re.findall(r"\.(n[0-9a-f]+)\.\1\.\1\{([^}]*)\}", html))
    body = html.partition("</style>")[2]
    styled = re.sub(
        r' class="([^"]*)"', lambda found: f' classed="{";".join(rules[n] for n in found[1].split())}"', body
    )
    return re.sub(r' classed="([^"]*)" style="([^"]*)"', r' classed="\1;\2"', styled).replace("classed=", "style=")


def styles(html: str) -> list[list[str]]:
    return [sorted(value.split(";")) for _, name, value in Document(html).attributes if name == "style"]


def test_every_element_keeps_its_style() -> None:
    html = card_html(fakes.many(), script=False)
    assert styles(expanded(compact(html))) == styles(html)
    assert len(compact(html)) < 0.75 * len(html)


def test_text_that_looks_like_a_style_stays_text() -> None:
    html = card_html(fakes.hostile(), script=False)
    assert Document(compact(html)).text.endswith(Document(html).text[-500:])


def test_what_repeats_nothing_stays_as_it_is() -> None:
    assert compact('<div style="color:red">a</div>') == '<div style="color:red">a</div>'
