"""The report card: one piece of HTML that reads anywhere, and the page that holds it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection
from importlib import resources

from warp_nbprobe.views.figures_html import composition_html, tiles_html
from warp_nbprobe.views.findings_html import findings_html
from warp_nbprobe.views.headline import headline, is_clean
from warp_nbprobe.views.highlights import highlights_html
from warp_nbprobe.views.launches_html import MOST_GROUPS, launch_groups_html
from warp_nbprobe.views.lto_html import lto_aside, lto_html, lto_rows
from warp_nbprobe.views.modules_html import modules_html
from warp_nbprobe.views.report_html import (
    checked_section,
    figures_table_html,
    findings_aside,
    launches_aside,
    modules_aside,
    reasons,
    subtitle,
    traceback_html,
    troubles_html,
    warm_html,
)
from warp_nbprobe.views.rows import events, findings, rows_of, shown_sample
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.source_html import source_html
from warp_nbprobe.views.source_marks import line_marks
from warp_nbprobe.views.style import DIM, SMALL, div, esc, heading, prose, section
from warp_nbprobe.views.timeline import timeline
from warp_nbprobe.views.timeline_html import legend_html, timeline_html

_CARD = "font-size:13px;line-height:1.45;max-width:1400px;text-align:left;padding:4px 2px 8px 2px;word-break:normal"

_PAGE_STYLE = """
:root{color-scheme:light dark}
body{margin:0;padding:16px 22px;background:#fff;color:#1b1f24;
font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
h1{font-size:13px;font-weight:600;margin:0 0 4px 0;opacity:.75;word-break:break-word}
code{font-family:Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:.92em}
main{max-width:1280px;margin:0 auto}
summary:hover{background:rgba(128,128,128,.1)}
tbody tr{border-bottom:1px solid rgba(128,128,128,.12)}
@media(prefers-color-scheme:dark){body{background:#16191d;color:#e6e8ea}}
@media print{body{padding:0;background:#fff;color:#000}input{display:none}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
details::details-content{content-visibility:visible;block-size:auto}
tr,figure{break-inside:avoid}}
"""


def card_html(m: Shown, *, script: bool = True) -> str:
    """Return the report card. With ``script`` it can be sorted, filtered and marked where scripts run."""
    rows, warm, found = events(m, "cold"), events(m, "warm"), findings(m)
    said = findings_html(found, clean=is_clean(m))
    groups = launch_groups_html(rows_of(m.launch_groups.head(MOST_GROUPS)), total=len(m.launch_groups))
    modules = modules_html(rows, reasons=reasons(m)) + warm_html(warm)
    source = source_html(m.cells, line_marks(rows, found))
    objects = lto_rows(m)
    parts = [
        headline_html(m),
        figures_html(m),
        traceback_html(m),
        section(heading("Findings", findings_aside(found)), said) if said else "",
        section(heading("Source", "the lines that triggered, caused or set something"), source, fold=True),
        section(*timeline_parts(m)),
        section(heading("Modules", modules_aside(rows)), modules, fold=True),
        section(heading("LTO objects", lto_aside(objects)), lto_html(objects), fold=True) if objects else "",
        section(heading("Launches", launches_aside(m)), groups, fold=True),
        section(heading("All figures", "median, spread, where each comes from"), figures_table_html(m), fold=True),
        section(heading("What was checked, and what could not be seen"), checked_section(m), fold=True),
    ]
    code = f"<script>{script_text()}</script>" if script else ""
    return div("".join(parts) + code, _CARD)


def headline_html(m: Shown) -> str:
    """Return the headline under what was measured with which Warp, and what went wrong."""
    said = div(
        prose(headline(m)), "font-size:16px;font-weight:600;line-height:1.4;padding:2px 0 0 0;word-break:break-word"
    )
    above = div(prose(subtitle(m)), f"{SMALL};{DIM};word-break:break-word")
    return above + said + highlights_html(events(m, "cold")) + troubles_html(m)


def figures_html(m: Shown) -> str:
    """Return the headline figures with their spread, and what the builds are made of; a failed run has none."""
    return "" if m.failed else tiles_html(m) + composition_html(m)


def timeline_parts(m: Shown, marked: Collection[str] = ()) -> tuple[str, str]:
    """Return the time line's heading, and the time line with its legend."""
    line = timeline(m)
    sample = shown_sample(m)
    aside = f"sample {sample}, cold and warm on one scale; grey: the code itself" if sample is not None else ""
    legend = legend_html(line.parts()) if line is not None else ""
    return heading("Timeline", aside), timeline_html(line, marked=marked) + legend


def page_html(m: Shown) -> str:
    """Return a page of its own: no network, light and dark, printable."""
    return whole_page(f"{m.label}: Warp cold start", f"<h1>Warp cold start</h1>{card_html(m)}")


def whole_page(title: str, body: str) -> str:
    """Return a page around HTML of ours; no script but the card's can run in it."""
    digest = base64.b64encode(hashlib.sha256(script_text().encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<title>{esc(title)}</title><style>{_PAGE_STYLE}</style></head>"
        f"<body><main>{body}</main></body></html>\n"
    )


def script_text() -> str:
    """Return the card's script: a file of ours, the same for every report, without its indentation."""
    text = resources.files("warp_nbprobe.views").joinpath("card.js").read_text("utf-8")
    return "\n".join(line.strip() for line in text.splitlines() if not line.strip().startswith("//"))
