"""The Markdown report: short, whole, and harmless whatever a program's names are."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.views import fakes
from tests.views.fakes import HOSTILE, FakeMeasurement, rows
from warp_nbprobe.data.columns import FINDINGS
from warp_nbprobe.views.markdown import MOST_CHARACTERS, code, report_markdown, text


def test_the_headline_is_on_top_and_tables_are_folded() -> None:
    shown = report_markdown(fakes.small())

    lines = shown.splitlines()
    assert lines[0].startswith("### Warp cold start: ")
    assert lines[2].startswith("**")
    assert "\n\n<details><summary>" in shown
    assert shown.index("| figure | value |") < shown.index("<details>")
    assert shown.endswith("</sub>\n")


def test_a_finding_says_what_to_do_with_a_snippet() -> None:
    finding = {
        "rule": "late_kernel", "kind": "redundant", "cost_ms": 600.0, "share": 0.3, "modules": ("app",),
        "what": "`app` was built twice.", "fix": "Define it first.", "snippet": "```\nwp.force_load()",
        "not_for": "Loops.", "certainty": "measured", "location": "sim.py:3", "events": ("app [2/2]",),
    }  # fmt: skip
    shown = report_markdown(replace(fakes.small(), findings=rows(FINDINGS, [finding])))

    assert "- **redundant** `late_kernel` · sim.py:3 · 600 ms, 30 % of build" in shown
    assert "**Do:** Define it first." in shown
    assert "  ````python\n  ```\n  wp.force_load()\n  ````" in shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a_b*c", r"a\_b\*c"),
        ("a|b", r"a\|b"),
        ("<img>", r"\<img\>"),
        ("@someone and #12", "@<!-- -->someone and #<!-- -->12"),
        ("`a_b` is a_b", r"`a_b` is a\_b"),
        ("two\nlines", "two lines"),
        ("&amp;", "&amp;amp;"),
    ],
)
def test_text_shows_just_what_it_is(value: str, shown: str) -> None:
    assert text(value) == shown


@given(st.text(max_size=30))
def test_a_name_stays_in_its_code_and_in_its_cell(name: str) -> None:
    shown = code(name)

    assert "\n" not in shown
    assert re.search(r"(?<!\\)\|", shown) is None
    fence = re.match("`+", shown)
    assert fence is not None
    inner = shown[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall("`+", inner)


def test_names_that_try_to_break_out_do_not() -> None:
    shown = report_markdown(fakes.hostile())

    outside_blocks = re.sub(r"(?sm)^ *(`{3,})python\n.*?\n *\1$", "", shown)
    outside_code = re.sub(r"(`+).*?\1", "", outside_blocks)
    assert "<img" not in outside_code.replace(r"\<img", "")
    assert "<script" not in outside_code.replace(r"\</script", "")


def test_a_report_that_is_too_long_says_what_it_leaves_out() -> None:
    finding = {"rule": "late_kernel", "kind": "redundant", "what": "x" * 5000, "certainty": "measured"}
    shown = report_markdown(FakeMeasurement(findings=rows(FINDINGS, [finding] * 40)))

    assert len(shown) < MOST_CHARACTERS + 200
    assert re.search(r"\*\d+ parts of the report would not fit here\.\*", shown)


def test_a_failed_measurement_says_why() -> None:
    shown = report_markdown(FakeMeasurement(failed=True, error=RuntimeError("It *broke*.")))

    assert r"It \*broke\*." in shown


def test_a_hostile_label_is_only_text() -> None:
    first = report_markdown(FakeMeasurement(label=HOSTILE)).splitlines()[0]

    assert "<img" not in first.replace(r"\<img", "")
    assert "\x1b" not in first
