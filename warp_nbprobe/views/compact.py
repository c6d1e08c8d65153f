"""Makes HTML of ours smaller where style sheets are kept: styles that repeat become classes.

The card cannot have this, since a page that does not trust it drops ``<style>``; a panel can, and its state is
saved with the notebook.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from typing import Final

# Text of the user's program has its quotes escaped, so that only attributes of ours are found.
_STYLED: Final = re.compile(r' style="([^"]*)"')
_OFTEN: Final = 3  # from so many times on, a whole style is worth a class
_PART_OFTEN, _PART_LONG = 12, 11  # and a declaration in styles that differ


def compact(html: str) -> str:
    """Return the HTML looking the same, led by the style sheet that it needs."""
    styles = Counter(_STYLED.findall(html))
    whole = {style for style, count in styles.items() if count >= _OFTEN and len(style) > _PART_LONG}
    parts: Counter[str] = Counter()
    for style, count in styles.items():
        if style not in whole:
            parts.update(dict.fromkeys(style.split(";"), count))
    often = {part for part, count in parts.items() if count >= _PART_OFTEN and len(part) >= _PART_LONG}
    if not whole and not often:
        return html

    def shorter(found: re.Match[str]) -> str:
        style = found[1]
        if style in whole:
            return f' class="{_name(style)}"'
        split = style.split(";")
        classes = " ".join(_name(part) for part in split if part in often)
        left = ";".join(part for part in split if part not in often)
        return (f' class="{classes}"' if classes else "") + (f' style="{left}"' if left else "")

    # Named three times over, a class outweighs what the page says of td, pre and summary.
    rules = "".join(f".{_name(style)}.{_name(style)}.{_name(style)}{{{style}}}" for style in sorted(whole | often))
    return f"<style>{rules}</style>{_STYLED.sub(shorter, html)}"


def _name(style: str) -> str:
    return f"n{zlib.crc32(style.encode()):x}"
