"""The picture of the time line, and the line of progress."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.views import fakes
from tests.views.reading import Document
from warp_nbprobe.views.plots import timeline_figure, timeline_png
from warp_nbprobe.views.progress import progress_html, progress_text, share_done
from warp_nbprobe.views.timeline import timeline


@pytest.mark.parametrize(
    "make", [fakes.small, fakes.many, fakes.threads, fakes.failed, fakes.log_only, fakes.nothing, fakes.hostile]
)
def test_a_picture_comes_out_whatever_was_measured(make) -> None:  # type: ignore[no-untyped-def]
    assert timeline_png(make()).startswith(b"\x89PNG")


def test_the_picture_says_the_headline_and_names_its_lanes() -> None:
    figure = timeline_figure(fakes.small())
    assert figure.get_suptitle().replace("\n", " ").startswith("4 builds, 2.1 s")
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["cold", "3× __main__", "warm"]


def test_a_dollar_in_a_name_is_no_formula() -> None:
    m = fakes.small()
    m.modules["build"] = m.modules["build"].str.replace("__main__", "$x_{$")
    m.modules["module"] = m.modules["module"].str.replace("__main__", "$x_{$")
    assert timeline_png(m).startswith(b"\x89PNG")


def test_a_script_that_the_font_lacks_raises_no_warning() -> None:
    m = fakes.small()
    m.modules["module"] = m.modules["module"].str.replace("__main__", "模型")
    assert timeline_png(m).startswith(b"\x89PNG")


def test_cold_and_warm_share_one_scale_and_setup_stands_before_zero() -> None:
    line = timeline(fakes.small())
    assert line is not None
    assert [lane.run for lane in line.lanes] == ["cold", "cold", "warm"]
    assert line.begin_ms == -420.0
    assert line.end_ms == 6112.0  # the cold run, with the probe's own 12 ms in it
    assert [text for _, text in line.ticks()] == ["0", "1 s", "2 s", "3 s", "4 s", "5 s", "6 s"]


def test_each_thread_has_its_lane() -> None:
    line = timeline(fakes.threads())
    assert line is not None
    assert [lane.label for lane in line.lanes] == ["main thread", "thread 1", "thread 2"]


@dataclass(frozen=True)
class Moment:
    sample: int = 1
    samples: int = 3
    run: str = "cold"
    phase: str = "main"
    cell: int | None = 1
    cells: int = 5
    module: str | None = "app.stages"
    builds: int = 2
    elapsed_s: float = 4.2
    estimate_s: float | None = 12.0


def test_progress_says_where_it_is_what_builds_and_what_is_left() -> None:
    assert progress_text(Moment()) == (
        "cold run · sample 1 of 3 · cell 2 of 5 · building app.stages, 2 builds so far · 4 s · about 12 s left"
    )
    assert progress_text(Moment(phase="setup", module=None, estimate_s=None, builds=0)) == (
        "cold run · sample 1 of 3 · setup code · 0 builds so far · 4 s"
    )


def test_progress_moves_by_time_where_the_rest_is_estimated_and_by_runs_where_not() -> None:
    assert share_done(Moment(elapsed_s=3, estimate_s=9)) == 0.25
    assert share_done(Moment(sample=2, run="warm", estimate_s=None)) == 0.5


def test_a_module_being_built_is_text() -> None:
    html = progress_html(Moment(module=fakes.HOSTILE))
    assert Document(html).tags["img"] == 0
    assert "\x1b" not in progress_text(Moment(module=fakes.HOSTILE))


@dataclass
class Grows:
    module: str = "app"
    builds: int = 0
    ms: float = 0.0
    running_s: float | None = None


def test_a_bar_for_each_module_says_how_long_it_took_so_far() -> None:
    html = progress_html(Moment(), [Grows("one", 2, 1500.0), Grows("two", 0, 0.0, 0.75)])
    text = Document(html).text
    assert "one 1.5 s, 2 builds" in text
    assert "two building, 0.8 s" in text


def test_of_many_modules_the_longest_have_bars_and_what_is_being_built_always_has() -> None:
    many = [Grows(f"m{n:02d}", 1, 10.0 + n) for n in range(40)]
    text = Document(progress_html(Moment(), [*many, Grows("last", 0, 0.0, 0.001)])).text
    assert "m39" in text
    assert "m00" not in text
    assert "last building" in text
    assert "and 29 more modules, " in text
