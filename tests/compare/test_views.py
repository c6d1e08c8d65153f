"""The compare view as text, HTML, Markdown and JUnit's XML: verdict first, names escaped, no script needed."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.compare.checked import value
from tests.compare.pairs import BASE, H1, H2, LESS, Made
from tests.compare.test_verdicts import compared
from tests.views.fakes import HOSTILE
from warp_nbprobe.explain.verdict import WORDS
from warp_nbprobe.views.compare_figures import picture_html
from warp_nbprobe.views.compare_html import compare_html, compare_page
from warp_nbprobe.views.compare_outcome import compare_junit, compare_markdown, failed_checks
from warp_nbprobe.views.compare_text import compare_line, compare_text, shared_scale
from warp_nbprobe.views.compare_words import TINTS, figure_rows
from warp_nbprobe.views.source_diff import diff_lines

CHECKED = BASE.but(results=(value(np.arange(4.0)),), source="a = 1\nb = 2")
CHANGED = CHECKED.but(
    results=(value(np.array([0.0, 1.0, 2.0, 3.5])),),
    source="a = 1\nb = 3",
    hashes=(H1, H2),
    launches=({}, {"dim": [9]}, {"kernel": "more"}),
    work=LESS,
)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags(html: str) -> _Tags:
    found = _Tags()
    found.feed(html)
    assert found.open == []
    return found


def test_the_verdict_comes_first_with_its_reason() -> None:
    found = compared(CHECKED, CHANGED)

    lines = compare_text(found).splitlines()
    assert lines[0] == "Warp cold start · tuned against base"
    assert lines[1].strip().startswith("invalid: Results moved")
    assert re.sub(r"<[^>]+>", " ", compare_html(found)).split()[:5] == ["tuned", "against", "base", "✗", "invalid"]


def test_everything_the_verdict_rests_on_is_shown() -> None:
    text = compare_text(compared(CHECKED, CHANGED))

    for part in ("build_ms", "band", "3 / 3", "largest difference 0.5", "at [3]", "They part at launch 2", "app [1/1]",
                 "appeared", "-b = 2", "+b = 3", "More was built"):  # fmt: skip
        assert part in text
    assert "Not checked" in compare_text(compared(BASE, BASE))


@pytest.mark.parametrize("wide", [60, 80, 140])
def test_text_stays_within_its_width(wide: int) -> None:
    long = CHANGED.but(label="a measurement with a rather long label " * 2)

    assert max(map(len, compare_text(compared(CHECKED, long), width=wide).splitlines())) <= wide


def test_html_is_well_formed_and_needs_neither_script_nor_network() -> None:
    found = tags(compare_html(compared(CHECKED, CHANGED)))

    assert not {tag for tag, _ in found.seen} & {"script", "style", "iframe", "svg", "link"}
    assert not any(name in attrs for _, attrs in found.seen for name in ("src", "href", "id", "class", "onclick"))


def test_a_page_of_its_own_lets_nothing_in() -> None:
    page = compare_page(compared(CHECKED, CHANGED))

    assert "default-src 'none'" in page
    tags(page)


def test_hostile_names_do_nothing() -> None:
    launches = ({"kernel": HOSTILE, "dim": [3]}, {"kernel": "other"})
    bad = CHANGED.but(module=HOSTILE, launches=launches, source=HOSTILE, errors=(HOSTILE,))
    found = compared(CHECKED, bad)
    found.candidate.recording.options["command"] = [HOSTILE]  # type: ignore[attr-defined]
    page = compare_html(found)

    assert "<img" not in page
    assert "<script" not in page
    tags(page)
    assert "\x1b" not in compare_text(found)
    assert "\u202e" not in compare_text(found)
    assert not re.search(r"(?<!\\)<(?!/?details|/?summary|!-- -->)", compare_markdown(found))
    ElementTree.fromstring(compare_junit(found, ("invalid",)))


def test_the_picture_has_the_band_and_every_sample() -> None:
    rows = {row["metric"]: row for row in figure_rows(compared(BASE, BASE.but(work=LESS)))[0]}
    picture = picture_html(rows["build_ms"])

    assert picture.count("width:3px") == 6
    assert "rgba(128,128,128,.22)" in picture
    assert "samples: 300 ms, 301 ms, 302 ms" in picture
    assert "band ± 5.0 ms; down" in picture


def test_no_picture_without_both_sides() -> None:
    rows = {row["metric"]: row for row in figure_rows(compared(BASE, BASE.but(wait=(None,) * 3)))[0]}

    assert picture_html(rows["compile_elapsed_ms"]) == ""


def test_both_timelines_have_one_scale() -> None:
    (_, ours), (_, theirs) = shared_scale(compared(BASE, BASE.but(work=(900.0, 901.0, 902.0))))

    assert ours is not None
    assert theirs is not None
    assert (ours.begin_ms, ours.end_ms) == (theirs.begin_ms, theirs.end_ms)


def test_measurements_without_a_build_have_no_timeline_and_still_compare() -> None:
    empty = BASE.but(hashes=())

    assert "No time line" in compare_html(compared(empty, empty))
    assert "Timelines" not in compare_text(compared(empty, empty))


def test_failed_measurements_can_be_shown() -> None:
    failed: Made = BASE.but(work=(), wait=(), failed=1)

    for pair in ((BASE, failed), (failed, BASE), (failed, failed)):
        assert compare_text(compared(*pair))
        tags(compare_html(compared(*pair)))


def test_every_verdict_has_a_colour_and_its_word_beside_it() -> None:
    assert set(TINTS) == set(WORDS)


def test_a_diff_shows_lines_with_their_signs() -> None:
    assert diff_lines(["a", "b"], ["a", "c"])[1:] == [" a", "-b", "+c"]
    assert diff_lines(["a"], ["a"]) == []
    assert diff_lines([], [str(n) for n in range(1000)])[-1].endswith("more lines")


def test_one_line_for_logs() -> None:
    assert compare_line(compared(BASE, BASE.but(work=LESS))).startswith("tuned against base: improved: Less work")


def test_checks_fail_when_they_are_named() -> None:
    worse = compared(BASE, BASE.but(work=(400.0, 401.0, 402.0), hashes=(H1, H2)))

    assert failed_checks(worse, ("invalid",)) == []
    assert [text.split(".")[0] for text in failed_checks(worse, ("regressed",))] == ["The verdict is regressed"]
    assert len(failed_checks(worse, ("regressed", "more-built"))) == 2
    assert failed_checks(compared(BASE, BASE), ("more-built",)) == []


def test_a_verdict_of_several_words_has_hyphens() -> None:
    one = BASE.but(work=(300.0,), wait=(400.0,))

    assert failed_checks(compared(one, one), ("not-enough-evidence",))


def test_junit_has_a_case_for_each_check() -> None:
    worse = compared(BASE, BASE.but(work=(400.0, 401.0, 402.0), hashes=(H1, H2)))
    root = ElementTree.fromstring(compare_junit(worse, ("invalid", "regressed", "more-built")))

    assert [case.get("name") for case in root.iter("testcase")] == [
        "the verdict is not invalid", "the verdict is not regressed", "nothing more is built"
    ]  # fmt: skip
    assert [failure.get("type") for failure in root.iter("failure")] == ["regressed", "more-built"]


def test_markdown_has_the_verdict_the_figures_and_the_builds() -> None:
    found = compare_markdown(compared(CHECKED, CHANGED))

    assert found.startswith("### Warp cold start: tuned against base")
    assert "**invalid**" in found
    assert "| `build_ms` | 301 ms | 201 ms |" in found
    assert "<details><summary>1 build that differs</summary>" in found
