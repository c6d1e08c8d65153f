"""The one set of colours, and HTML that survives where scripts and style sheets do not.

JupyterLab's sanitiser (untrusted notebooks) keeps inline styles property by property: literal
colours only, no ``var()`` in shorthands, no ids, no ``data-`` attributes. So text inherits its
colour from the page, everything else is a tint over the page's own background, and nothing that
matters hangs on a class, an attribute or a script. Light and dark need no rule of their own.
"""

from __future__ import annotations

import html
import re
import zlib
from typing import Final

PARTS: Final = {
    "codegen": ("code generation", (118, 169, 220)),
    "lto": ("LTO", (186, 148, 222)),
    "header": ("precompiled header", (226, 205, 142)),
    "native": ("native compile", (236, 165, 92)),
    "load": ("load", (118, 190, 148)),
    "other": ("other", (164, 170, 180)),
}
"""Parts of a build in the order they happen: key, words, colour (dark text reads on each)."""

TINTS: Final = {
    "wrong": (214, 69, 65),
    "redundant": (214, 137, 16),
    "opportunity": (52, 120, 200),
    "note": (128, 128, 128),
    "lto": (140, 90, 200),
    "good": (60, 150, 90),
    "chosen": (240, 200, 40),
}
"""Colours of meaning, used as borders and, thinned, as backgrounds; a word always says the same."""

REPEATED: Final = ((200, 120, 0), (196, 64, 140), (0, 130, 140), (96, 96, 210), (124, 140, 20))
"""One colour for each module that was built more than once; a lane of its own says the same."""

HAIRLINE: Final = "1px solid rgba(128,128,128,.28)"
DIM: Final = "opacity:.8"
SMALL: Final = "font-size:12px"
MONO: Final = "font-family:Menlo,Consolas,DejaVu Sans Mono,monospace"
NUMBERS: Final = "font-variant-numeric:tabular-nums"

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def visible(value: object) -> str:
    """Return text with control and direction characters made visible, so that none acts on the reader."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", str(value))


def esc(value: object) -> str:
    """Return any text of the user's program as HTML text, safe in attributes as well."""
    return html.escape(visible(value), quote=True)


_CODE = re.compile(r"`([^`]+)`")
_IN_CODE = r'<code style="background-color:rgba(128,128,128,.14);padding:0 2px">\1</code>'
_FIGURE = re.compile(r"(?<=\d) (?=(?:ms|s|min|%|kB|MB|GB)\b|%)")


def prose(sentence: object) -> str:
    """Return a sentence of ours as HTML: figures stay with their units, names in backticks are code."""
    return _CODE.sub(_IN_CODE, _FIGURE.sub("\u00a0", esc(sentence)))


def linked(*builds: str) -> str:
    """Return the attribute by which the card's script finds everything that shows a build.

    Short keys instead of names: a name may hold anything, and stands beside it anyway.
    """
    keys = " ".join(dict.fromkeys(f"{zlib.crc32(name.encode('utf-8', 'replace')):x}" for name in builds))
    return f' data-b="{keys}"' if keys else ""


def hexa(colour: tuple[int, int, int]) -> str:
    """Return a literal colour in its shortest form."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def rgb(colour: tuple[int, int, int], alpha: float | None = None) -> str:
    """Return a literal colour."""
    red, green, blue = colour
    return f"rgb({red},{green},{blue})" if alpha is None else f"rgba({red},{green},{blue},{alpha:g})"


def tint(name: str, alpha: float = 0.18) -> str:
    """Return a colour of meaning, thinned so that the page's own text reads on it."""
    return rgb(TINTS[name], alpha)


def tag(name: str, inner: str, style: str = "", *, title: str = "", link: str = "") -> str:
    """Return an element around HTML; ``title`` is plain text, ``link`` an attribute from ``linked``."""
    styled = f' style="{style}"' if style else ""
    titled = f' title="{esc(title)}"' if title else ""
    return f"<{name}{link}{styled}{titled}>{inner}</{name}>"


def div(inner: str, style: str = "", *, title: str = "", link: str = "") -> str:
    """Return a div around HTML."""
    return tag("div", inner, style, title=title, link=link)


def span(inner: str, style: str = "", *, title: str = "") -> str:
    """Return a span around HTML."""
    return tag("span", inner, style, title=title)


def chip(word: str, tint_name: str, why: str = "") -> str:
    """Return a word on a tint; ``why`` shows on hover."""
    style = f"background-color:{tint(tint_name, 0.2)};border-radius:3px;padding:0 5px;font-size:11px;white-space:nowrap"
    return span(esc(word), style, title=why)


def missing(reason: str | None) -> str:
    """Return "not measured", with the reason on hover."""
    return span("not measured", f"{DIM};font-style:italic", title=reason or "")


def folded(summary: str, body: str, style: str = "margin:0") -> str:
    """Return HTML that shows when its summary is clicked; it does so without any script."""
    return f'<details style="{style}"><summary style="cursor:pointer">{summary}</summary>{body}</details>'


_SECTION: Final = f"margin:10px 0 0 0;border-top:{HAIRLINE};padding:7px 0 0 0"


def section(heading: str, body: str, *, fold: bool = False) -> str:
    """Return a section of the card with its heading; both are HTML."""
    if fold:
        return folded(heading, div(body, "padding:6px 0 2px 0"), _SECTION)
    return div(div(heading, "padding:0 0 5px 0") + body, _SECTION)


def heading(title: str, aside: str = "") -> str:
    """Return the heading of a section: its name, and beside it what it holds."""
    rest = " " + span(esc(aside), f"{DIM};{SMALL};margin:0 0 0 5px") if aside else ""
    return tag("b", esc(title), "font-weight:600") + rest


def notice(lines: str, tint_name: str) -> str:
    """Return HTML on a coloured edge."""
    style = (
        f"border-left:3px solid {rgb(TINTS[tint_name])};background-color:{tint(tint_name, 0.07)};"
        "padding:4px 10px 6px 10px;margin:0 0 6px 0;word-break:break-word"
    )
    return div(lines, style)
