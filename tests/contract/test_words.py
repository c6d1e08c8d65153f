"""What a report says in words: never more than was seen, and code that runs when it is pasted."""

from __future__ import annotations

import ast
import re

import pytest

from tests.explain.program_wires import NAMES, recorded
from warp_nbprobe.measurement import Measurement
from warp_nbprobe.views.html import card_html
from warp_nbprobe.views.text import report_text

# A person reads these: shell lines, magics.
NO_PYTHON = re.compile(r"^(?:%|export |python |# in the environment)", re.MULTILINE)


def finding(name: str, rule: str) -> dict[str, object]:
    (row,) = Measurement(recorded(name)).findings.query("rule == @rule").to_dict("records")
    return dict(row)


@pytest.mark.parametrize("name", NAMES)
def test_snippets_are_code(name: str) -> None:
    for row in Measurement(recorded(name)).findings.dropna(subset=["snippet"]).itertuples():
        if not NO_PYTHON.search(row.snippet) and "(...)" not in row.snippet:
            ast.parse(row.snippet)
        assert 'modules=["' not in row.snippet, "wp.force_load takes module objects"


@pytest.mark.parametrize("name", NAMES)
def test_no_sentence_names_a_rule_of_warps_own_guidance_or_a_file_of_a_kernel(name: str) -> None:
    for row in Measurement(recorded(name)).findings.itertuples():
        assert not re.search(r"\bCS-\d|ipykernel_|\b\d{8,}\.py", f"{row.what} {row.fix}")


@pytest.mark.parametrize("name", ["no_warp", "no_text"])
def test_a_run_that_built_nothing_is_not_called_free_of_redundant_builds(name: str) -> None:
    m = Measurement(recorded(name))

    assert "redundant builds" not in report_text(m).lower()
    assert "redundant builds" not in card_html(m).lower()


def test_a_clean_run_is_called_free_of_redundant_builds() -> None:
    m = Measurement(recorded("late_cell_fixed"))

    assert "no redundant builds" in report_text(m)
    assert "No redundant builds" in card_html(m)


def test_an_old_helper_is_named_with_both_of_its_definitions() -> None:
    row = finding("stale_helper", "stale_value")

    assert "as it was defined at cell 1, line 6, although it was defined anew at cell 2, line 1" in str(row["what"])
    assert row["cause_location"] == "cell 2, line 1"


def test_a_comment_in_a_helper_is_told_with_the_helpers_line() -> None:
    row = finding("function_comment", "text_only_edit")
    event = Measurement(recorded("function_comment")).modules.set_index("build").loc[row["events"][0]]  # type: ignore[index]

    assert row["cause_location"] == event["cause_location"]


def test_what_a_notebook_keeps_as_output_is_named_without_its_echoes() -> None:
    row = finding("versions_in_out", "old_versions_kept")

    assert "Held by `Out[1]`. " in str(row["what"])
    assert str(row["snippet"]).startswith("%xdel scale")
