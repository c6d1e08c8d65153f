"""How far a measurement is: one line, of the same height from the first to the last update."""

from __future__ import annotations

from warp_nbprobe.views.shown import ProgressShown
from warp_nbprobe.views.style import DIM, NUMBERS, PARTS, div, esc, rgb, span, visible
from warp_nbprobe.views.units import plural, time_text

_PHASES = {"starting": "starting", "setup": "setup code", "ending": "ending"}
_LINE = f"font-size:13px;line-height:1.5;{NUMBERS};overflow:hidden;white-space:nowrap;text-overflow:ellipsis"


def progress_text(p: ProgressShown) -> str:
    """Return the progress as one line of plain text."""
    return " · ".join([*_where(p), visible(_doing(p)), *_times(p)])


def progress_html(p: ProgressShown) -> str:
    """Return the progress as a line over a bar."""
    where = " · ".join(_where(p))
    rest = span(f"{esc(_doing(p))} · {' · '.join(_times(p))}", f"{DIM};margin:0 0 0 8px")
    track = f"height:4px;margin:3px 0 0 0;max-width:560px;background-color:{rgb((128, 128, 128), 0.2)}"
    done = div("", f"height:4px;width:{100 * share_done(p):.0f}%;background-color:{rgb(PARTS['native'][1])}")
    return div(div(f"<b>{esc(where)}</b>{rest}", _LINE) + div(done, track), "padding:2px 0 4px 0")


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
