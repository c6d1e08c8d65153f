"""How far a measurement is: one line, and below it a bar for each module that is built, which grows as it is."""

from __future__ import annotations

from collections.abc import Sequence

from warp_nbprobe.views.shown import GrowingShown, ProgressShown
from warp_nbprobe.views.style import DIM, NUMBERS, PARTS, div, esc, rgb, span, visible
from warp_nbprobe.views.units import plural, time_text

_PHASES = {"starting": "starting", "setup": "setup code", "ending": "ending"}
_MOST_BARS = 12
_NAME = (
    "flex:0 0 150px;min-width:0;padding:0 8px 0 0;text-align:right;"
    "overflow:hidden;white-space:nowrap;text-overflow:ellipsis"
)
_LINE = f"font-size:13px;line-height:1.5;{NUMBERS};overflow:hidden;white-space:nowrap;text-overflow:ellipsis"


def progress_text(p: ProgressShown) -> str:
    """Return the progress as one line of plain text."""
    return " · ".join([*_where(p), visible(_doing(p)), *_times(p)])


def progress_html(p: ProgressShown, grown: Sequence[GrowingShown] = ()) -> str:
    """Return the progress as a line over a bar, and ``grown`` as bars below it."""
    where = " · ".join(_where(p))
    rest = span(f"{esc(_doing(p))} · {' · '.join(_times(p))}", f"{DIM};margin:0 0 0 8px")
    track = f"height:4px;margin:3px 0 0 0;max-width:560px;background-color:{rgb((128, 128, 128), 0.2)}"
    done = div("", f"height:4px;width:{100 * share_done(p):.0f}%;background-color:{rgb(PARTS['native'][1])}")
    line = div(f"<b>{esc(where)}</b>{rest}", _LINE) + div(done, track)
    return div(line + _bars(grown), "padding:2px 0 4px 0")


def _bars(grown: Sequence[GrowingShown]) -> str:
    """Return a bar for each module, the longest ones where there are many, on one scale of at least a second."""
    if not grown:
        return ""
    longest = max(1000.0, *(_so_far(module) for module in grown))
    shown = sorted(grown, key=lambda module: (module.running_s is None, -_so_far(module)))[:_MOST_BARS]
    rows = "".join(_bar(module, longest) for module in grown if module in shown)
    left = [module for module in grown if module not in shown]
    if left:
        more = f"and {plural(len(left), 'more module')}, {time_text(sum(map(_so_far, left)))}"
        rows += div(div("", _NAME) + div(more, DIM), "display:flex")
    return div(rows, f"margin:6px 0 0 0;max-width:900px;font-size:12px;line-height:1.5;{NUMBERS}")


def _bar(module: GrowingShown, longest: float) -> str:
    running = module.running_s is not None
    colour = rgb(PARTS["native"][1], 0.6 if running else None)
    width = max(0.5, 62 * _so_far(module) / longest)
    bar = div("", f"flex:0 0 {width:.1f}%;height:10px;background-color:{colour}")
    took = f"{_so_far(module) / 1000:.1f} s" if running else time_text(_so_far(module))
    said = (
        ("building, " if running else "") + took + (f", {plural(module.builds, 'build')}" if module.builds > 1 else "")
    )
    words = div(said, f"{DIM};padding:0 0 0 8px;white-space:nowrap")
    style = "display:flex;flex:1;min-width:0;align-items:center"
    return div(div(esc(module.module), _NAME) + div(bar + words, style), "display:flex;align-items:center")


def _so_far(module: GrowingShown) -> float:
    return module.ms + 1000 * (module.running_s or 0.0)


def share_done(p: ProgressShown) -> float:
    """Return how much is done, from 0 to 1: by time where the rest is estimated, else by runs."""
    if p.estimate_s is not None and p.elapsed_s + p.estimate_s > 0:
        return p.elapsed_s / (p.elapsed_s + p.estimate_s)
    return ((p.sample - 1) * 2 + (p.run == "warm")) / max(1, 2 * p.samples)


def _where(p: ProgressShown) -> list[str]:
    said = [f"{p.run} run", f"sample {p.sample} of {p.samples}"]
    if p.phase in _PHASES:
        said.append(_PHASES[p.phase])
    elif p.cells > 1 and p.cell is not None:
        said.append(f"cell {p.cell + 1} of {p.cells}")
    return said


def _doing(p: ProgressShown) -> str:
    built = f"{plural(p.builds, 'build')} so far"
    return f"building {p.module}, {built}" if p.module else built


def _times(p: ProgressShown) -> list[str]:
    said = [f"{p.elapsed_s:.0f} s"]
    if p.estimate_s is not None:
        said.append(f"about {time_text(max(1.0, round(p.estimate_s)) * 1000)} left")
    return said
