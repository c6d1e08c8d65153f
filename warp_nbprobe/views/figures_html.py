"""The headline figures with their spread, what they are made of, and what could not be had."""

from __future__ import annotations

from dataclasses import dataclass

from warp_nbprobe.views.headline import wait_unknown
from warp_nbprobe.views.rows import Figure, figure, median, rehearsed
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.style import DIM, HAIRLINE, NUMBERS, PARTS, SMALL, div, esc, prose, rgb, span, tag
from warp_nbprobe.views.timeline_html import legend_html
from warp_nbprobe.views.units import figure_text, plural, sentence, share_text, time_text

_TILE = f"border-left:{HAIRLINE};padding:0 0 0 8px;flex:1 1 112px;min-width:0;margin:0 8px 0 0"
_PART_METRICS = {
    "codegen": "codegen_ms",
    "lto": "lto_ms",
    "header": "header_ms",
    "native": "native_ms",
    "load": "load_ms",
    "other": "other_ms",
}


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure with its name above and what qualifies it below; ``why`` shows on hover."""

    name: str
    value: str
    under: tuple[str, ...]
    why: str
    seen: bool = True


def tiles(m: Shown) -> list[Tile]:
    """Return the headline figures: build, header, wait, what could be spared, the warm run."""
    if median(m, "compiled") == 0:
        return [_tile("cold run", figure(m, "cold_wall_ms"), "the code itself, with empty caches", ()), _warm_tile(m)]
    work = figure(m, "build_ms")
    if work.median is None and median(m, "cold_module_ms") is not None:
        total = figure(m, "cold_module_ms")
        first = _tile("build, header included", total, "Warp's own load times of what it compiled", _counts(m))
    else:
        first = _tile("build", work, "work: the load times of what was compiled, without the header", _counts(m))
    found = [first, _header_tile(m), _wait_tile(m)]
    if not m.checked.empty:
        spared = figure(m, "avoidable_ms")
        share = _of(spared.median, work.median)
        under = (f"{share_text(share)} of build",) if share else ()
        found.append(_tile("could be spared", spared, "builds that were thrown away, unused or made twice", under))
    found.append(_warm_tile(m))
    return found


def tiles_html(m: Shown) -> str:
    """Return the tiles side by side; they wrap where the cell is narrow."""
    shown = "".join(_tile_html(tile) for tile in tiles(m))
    return div(shown, f"display:flex;flex-wrap:wrap;gap:10px 0;padding:8px 0 2px 0;{NUMBERS}")


def composition(m: Shown) -> list[tuple[str, float]]:
    """Return the parts of ``cold_module_ms`` (key of ``style.PARTS``, median ms) that are known and not 0."""
    header = median(m, "header_ms") or 0.0
    parts = []
    for key in PARTS:
        value = median(m, _PART_METRICS[key])
        if value is not None and key == "native":
            value = max(value - header, 0.0)
        if value:
            parts.append((key, value))
    return parts


def composition_html(m: Shown) -> str:
    """Return one bar that shows what the module time is made of, with its legend: words and times."""
    parts = composition(m)
    total = sum(ms for _, ms in parts)
    if not total:
        return ""
    bars = "".join(
        div(
            "",
            f"width:{100 * ms / total:.2f}%;background-color:{rgb(PARTS[key][1])}",
            title=f"{PARTS[key][0]}: {time_text(ms)}, {share_text(ms / total)}",
        )
        for key, ms in parts
    )
    legend = legend_html([key for key, _ in parts], {key: time_text(ms) for key, ms in parts})
    style = "display:flex;height:10px;margin:8px 0 3px 0;border:1px solid rgba(0,0,0,.3);overflow:hidden"
    return div(bars, style) + legend


def missing_figures(m: Shown) -> list[tuple[str, list[str]]]:
    """Return why figures could not be had: each reason with the figures it is the reason for."""
    found: dict[str, list[str]] = {}
    for metric in m.summary.index:
        item = figure(m, str(metric))
        if item.median is None:
            found.setdefault(sentence(item.reason or "No reason was recorded"), []).append(item.metric)
    if len(found) == 1 and len(m.summary.index) == sum(len(names) for names in found.values()):
        return [(reason, ["every figure"]) for reason in found]
    return list(found.items())


def all_figures(m: Shown) -> list[tuple[Figure, str, str]]:
    """Return every figure with its median and its spread as text."""
    found = [figure(m, str(metric)) for metric in m.summary.index]
    return [(item, figure_text(item.median, item.unit), spread_text(item)) for item in found]


def spread_text(found: Figure) -> str:
    """Return ``± 12 ms, 3 samples``; one sample has no spread."""
    if found.median is None:
        return ""
    if found.mad is None or found.n < 2:
        return plural(found.n, "sample")
    return f"± {figure_text(found.mad, found.unit)}, {plural(found.n, 'sample')}"


def _of(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _counts(m: Shown) -> tuple[str, ...]:
    compiled, modules = median(m, "compiled"), median(m, "modules")
    if compiled is None or modules is None:
        return ()
    return (f"{plural(compiled, 'build')} of {plural(modules, 'module')}",)


def _tile(name: str, found: Figure, meaning: str, under: tuple[str, ...]) -> Tile:
    if found.median is None:
        reason = sentence(found.reason or "No reason was recorded")
        return Tile(name, "not measured", (reason,), f"{found.metric}: {meaning}. {reason}", seen=False)
    said = [spread_text(found), *under]
    if found.source == "log":
        said.append("read from Warp's log")
    values = ", ".join(figure_text(value, found.unit) for value in found.values)
    return Tile(name, time_text(found.median), tuple(said), f"{found.metric}: {meaning}. Samples: {values}")


def _header_tile(m: Shown) -> Tile:
    header = figure(m, "header_ms")
    meaning = "the CPU's precompiled header, paid once per process, thread and block_dim; in no other figure here"
    if header.median == 0:
        return Tile("precompiled header", "none", ("not made in this run",), f"header_ms: {meaning}")
    return _tile("precompiled header", header, meaning, ("one-off",))


def _wait_tile(m: Shown) -> Tile:
    wait, wall = figure(m, "compile_elapsed_ms"), figure(m, "cold_wall_ms")
    meaning = "how much longer the code took cold than warm: what a person waits for"
    if wait.median is None:
        why = sentence(wait_unknown(m))
        return Tile("waited", "not measured", (why,), f"compile_elapsed_ms: {meaning}. {why}", seen=False)
    share = _of(wait.median, wall.median)
    under = (f"{share_text(share)} of the code's {time_text(wall.median)}",) if share is not None and share > 0 else ()
    if rehearsed(m) is not None:
        return _tile("elapsed", wait, "the time in which builds were made; the code itself ran on the CPU", ())
    return _tile("waited", wait, meaning, under)


def _warm_tile(m: Shown) -> Tile:
    wall, compiled_again = figure(m, "warm_wall_ms"), figure(m, "warm_module_ms")
    under = (f"modules took {time_text(compiled_again.median)} of it",) if compiled_again.median is not None else ()
    return _tile("warm run", wall, "the same code again, over the caches that the cold run filled", under)


def _tile_html(tile: Tile) -> str:
    size = (
        "font-size:21px;font-weight:600;line-height:1.25"
        if tile.seen
        else f"font-style:italic;font-weight:400;line-height:2;{DIM}"
    )
    # Blocks only by their style: where styles are stripped, a figure still reads as one line.
    under = " ".join(span(prose(line), "display:block") for line in tile.under if line)
    inner = (
        span(esc(tile.name), f"display:block;{SMALL}")
        + " "
        + tag("b", prose(tile.value), f"display:block;{size};white-space:nowrap")
        + " "
        + span(under, f"display:block;font-size:11px;line-height:1.4;{DIM}")
    )
    return div(inner, _TILE, title=tile.why)
