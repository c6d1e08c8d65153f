"""The report card reads everywhere: untrusted, without styles, without scripts, whatever names it holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tests.views import fakes
from tests.views.reading import Document
from warp_nbprobe.data.columns import MODULES, RUNS
from warp_nbprobe.data.model import Failure
from warp_nbprobe.data.structure import Difference, Structure
from warp_nbprobe.views.html import card_html, page_html, script_text

Make = Callable[[], fakes.FakeMeasurement]
ALL: tuple[Make, ...] = (
    fakes.small,
    fakes.many,
    fakes.threads,
    fakes.failed,
    fakes.log_only,
    fakes.nothing,
    fakes.hostile,
)
each = pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)

# What an untrusted JupyterLab keeps of inline styles (measured), as far as the card uses it.
KEPT = {
    "align-items", "background", "background-color", "border", "border-bottom", "border-collapse", "border-left",
    "border-radius", "border-top", "box-shadow", "color", "cursor", "display", "flex", "flex-wrap", "font-family",
    "font-size", "font-style", "font-weight", "gap", "height", "left", "line-height", "margin", "max-width",
    "min-width", "opacity", "overflow", "padding", "position", "table-layout", "text-align", "text-indent",
    "text-overflow", "top", "vertical-align", "white-space", "width", "word-break", "z-index",
}  # fmt: skip
# Dropped there: nothing may depend on these.
ONLY_NICER = {"font-variant-numeric", "user-select"}


@each
def test_every_style_survives_an_untrusted_notebook(make: Make) -> None:
    found = Document(card_html(make())).declarations
    assert {name for name, _ in found} <= KEPT | ONLY_NICER
    forbidden = re.compile(r"var\(|url\(|hsl|inherit|currentColor|calc|expression|sticky|fixed(?!;)", re.I)
    assert [value for name, value in found if forbidden.search(value)] == []


@each
def test_no_meaning_hangs_on_ids_classes_handlers_or_sheets(make: Make) -> None:
    document = Document(card_html(make()))
    names = {name for _, name, _ in document.attributes}
    assert names <= {"style", "title", "scope", "open", "data-b", "tabindex", "data-table"}
    assert document.tags["style"] == 0


@each
def test_it_has_one_script_which_is_ours_and_the_same_for_every_report(make: Make) -> None:
    assert Document(card_html(make())).scripts == [script_text()]
    assert Document(card_html(make(), script=False)).tags["script"] == 0


@each
def test_controls_are_made_by_the_script_so_that_none_is_dead_without_it(make: Make) -> None:
    tags = Document(card_html(make())).tags
    assert not {"button", "input", "select", "textarea", "a", "form"} & set(tags)


@each
def test_the_markup_is_balanced(make: Make) -> None:
    assert Document(card_html(make())).open_tags == []


def test_names_of_the_program_are_text_everywhere() -> None:
    for html in (card_html(fakes.hostile()), page_html(fakes.hostile())):
        document = Document(html)
        assert document.tags["img"] == 0
        assert document.tags["script"] == 1
        assert not [name for _, name, _ in document.attributes if name.startswith("on")]
        assert "\x1b" not in html
        assert "\u202e" not in html
    assert document.text.count("</script><img src=x onerror") > 20


def test_the_script_cannot_be_left_from_inside() -> None:
    assert "</" not in script_text()
    assert len(script_text()) < 4000


def test_marks_are_words() -> None:
    text = Document(card_html(fakes.small())).text
    for words in ("repeated · 3 hashes", "setup", "redundant", "opportunity", "3× __main__", "1 built more than once"):
        assert words in text
    text = Document(card_html(fakes.many())).text
    for words in ("3 block dims", "mostly LTO", "failed"):
        assert words in text


def test_what_stands_out_is_said_beside_the_headline_and_on_the_time_line() -> None:
    html = card_html(fakes.small())
    above, _, below = Document(html).text.partition("Findings")
    assert "repeated __main__ 3 times, 3 hashes" in above
    assert "3× __main__" in below
    document = Document(card_html(fakes.many()))
    above, _, below = document.text.partition("Timeline")
    for words in (
        "failed 1 build",
        "repeated 60 modules",
        "block dims 60 modules, 64, 128, 256",
        "mostly LTO 19 builds",
    ):
        assert words in above
    for words in ("55 more", "block dims", "mostly LTO"):
        assert words in below.partition("Modules")[0]


def test_a_measurement_without_repetition_has_nothing_that_stands_out() -> None:
    assert "repeated" not in Document(card_html(fakes.threads())).text.partition("Findings")[0]


def test_source_lines_carry_what_they_did() -> None:
    text = Document(card_html(fakes.small())).text
    assert re.search(r"11 +wp.launch\(drift, n, inputs=\[x, v, 0.01\]\) +triggered here 1.5 s: __main__ \[1/3\]", text)
    assert re.search(r"13 +@wp.kernel +caused here __main__ \[2/3\]", text)
    assert re.search(r"22 +wp.set_module_options.* set here __main__ \[3/3\]", text)
    assert "setup default" in text


def test_samples_that_differ_are_named() -> None:
    m = fakes.small()
    inputs = ("constant dt (0.1, 0.2)",)
    m.structure = Structure((Difference("app", (1, 3), inputs, False),), True, (2, 3))
    text = Document(card_html(m)).text
    assert "app was not built alike in samples 1 and 3: constant dt (0.1, 0.2)." in text
    assert "samples 2, 3 launched otherwise than the first" in text


def test_a_run_that_was_stopped_is_no_failure() -> None:
    m = fakes.small()
    m.interrupted = True
    stopped = fakes.run(3, "cold", ok=False, exit_code=-9, reason="interrupted", truncated=True)
    m.runs = fakes.rows(RUNS, [*(fakes.run(n, kind) for n in (1, 2) for kind in ("cold", "warm")), stopped])
    text = Document(card_html(m)).text
    assert "Interrupted: 2 of 3 samples finished." in text
    assert "failed" not in text.partition("Findings")[0]


def test_places_outside_the_cells_are_listed() -> None:
    m = fakes.small()
    m.modules.loc[4, "location"] = "solver/core.py:12"
    text = Document(card_html(m)).text
    assert "outside the measured cells: 1 line" in text
    assert "solver/core.py:12 triggered here" in text


def test_every_bar_explains_itself_on_hover_without_a_script() -> None:
    titles = [value for tag, name, value in Document(card_html(fakes.small())).attributes if name == "title"]
    (title,) = [text for text in titles if text.startswith("__main__ [2/3]: compiled")]
    assert title.splitlines() == [
        "__main__ [2/3]: compiled, 302 ms",
        "code generation 38 ms, native compile 240 ms, load 21 ms",
        "at cell 3, line 19, for kick",
        "Kernel kick was added after the module had loaded.",
        "repeated, 3 hashes",
    ]


def test_the_time_line_is_told_in_words() -> None:
    text = Document(card_html(fakes.small())).text
    assert "5 builds; the longest is __main__ [1/3], 1.5 s. Built more than once: 3× __main__." in text
    assert "200 builds on 2 threads" in Document(card_html(fakes.many())).text


def test_a_missing_figure_is_words_with_its_reason_and_never_zero() -> None:
    html = card_html(fakes.log_only())
    text = Document(html).text
    assert "precompiled header not measured The log of Warp 1.10 does not show the header." in text
    assert "Not measured: code generation, LTO, native, load, hashing (this Warp version does not report it)." in text
    assert "read from Warp's log" in text
    assert 'title="the log of Warp 1.10 does not show the header"' in html


def test_a_failed_measurement_shows_no_figure() -> None:
    text = Document(card_html(fakes.failed())).text
    assert "The cold run of sample 1 failed: the code raised an exception." in text
    assert "In 1 run a process ended before its record was closed" in text
    assert "2 lines of the recording were not understood" in text
    assert "±" not in text
    assert "__main__ [2/3]" in text


def test_the_traceback_of_a_failure_is_kept_without_its_colours() -> None:
    m = fakes.failed()
    failure = Failure("raised", "It raised.", traceback=("\x1b[31mZeroDivisionError\x1b[0m: <b>division</b>",))
    m.error.run = SimpleNamespace(failure=failure)  # type: ignore[union-attr]
    text = Document(card_html(m)).text
    assert "Traceback of the first run that failed ZeroDivisionError: <b>division</b>" in text


def test_without_a_diagnosis_there_is_no_claim_about_redundant_builds() -> None:
    assert "redundant builds" not in Document(card_html(fakes.log_only())).text
    assert "No rules were applied" in Document(card_html(fakes.log_only())).text


def test_samples_that_differ_are_said_to() -> None:
    m = fakes.small()
    m.structure = Structure((Difference("app", (1, 2), ("constant k: 1, 2",), False),), True)
    text = Document(card_html(m)).text
    assert "app was not built alike in samples 1 and 2: constant k: 1, 2." in text
    assert "did not compile the same thing" in text


def test_a_second_sample_is_shown_when_the_first_failed() -> None:
    m = fakes.small()
    second = m.modules.copy()
    second["sample"] = 2
    m.modules = fakes.rows(MODULES, second.astype(object).where(second.notna(), None).to_dict("records"))
    m.runs = fakes.rows(
        RUNS, [fakes.run(1, "cold", ok=False, reason="raised"), fakes.run(2, "cold"), fakes.run(2, "warm")]
    )
    assert "sample 2, cold and warm on one scale" in Document(card_html(m)).text


def test_what_compiled_again_in_the_warm_run_has_its_own_table() -> None:
    m = fakes.small()
    warm = (m.modules["run"] == "warm") & (m.modules["seq"] == 4)
    m.modules.loc[warm, "status"] = "compiled"
    m.modules.loc[warm, "build"] = "warp.utils [1/1]"
    assert "Compiled again in the warm run" in Document(card_html(m)).text


def test_long_stretches_of_source_fold_and_marked_lines_do_not() -> None:
    m = fakes.small()
    cell = m.cells[1]
    source = "\n".join(f"x{n} = {n}" for n in range(60)) + "\n" + cell.source
    m.cells = (type(cell)(source, 3, 2 - 60),)
    html = card_html(m)
    assert html.count("lines -55 to -2") == 1 or "lines" in Document(html).text
    assert Document(html).text.count("triggered here") == 5


def test_two_hundred_builds_stay_a_light_file() -> None:
    assert len(card_html(fakes.many(200))) < 400_000


def test_the_longest_of_many_events_are_shown_and_the_rest_is_counted() -> None:
    text = Document(card_html(fakes.many(400))).text
    assert "The 100 longest of 400 events; all are in .modules." in text


def test_the_page_needs_no_network_and_lets_no_other_script_run() -> None:
    html = page_html(fakes.small())
    assert "http://" not in html
    assert "https://" not in html
    policy = next(value for _, name, value in Document(html).attributes if name == "content" and "default-src" in value)
    assert policy.startswith("default-src 'none'")
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/=]+'", policy)
