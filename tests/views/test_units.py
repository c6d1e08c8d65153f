"""One rule for writing figures."""

from __future__ import annotations

import pytest

from warp_nbprobe.views import units


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0 ms"),
        (0.0003, "<0.01 ms"),
        (0.042, "0.04 ms"),
        (0.42, "0.42 ms"),
        (9.96, "10 ms"),
        (11.24, "11 ms"),
        (152.4, "152 ms"),
        (999.4, "999 ms"),
        (999.6, "1.0 s"),
        (2088, "2.1 s"),
        (9960, "10 s"),
        (61_240, "61 s"),
        (725_000, "12.1 min"),
        (-30.2, "−30 ms"),
    ],
)
def test_times_are_ms_below_a_second_and_s_above(ms: float, text: str) -> None:
    assert units.time_text(ms) == text


def test_a_column_gives_seconds_a_third_digit() -> None:
    assert units.time_cell(1838.0).replace("\u202f", " ").rstrip("\u00a0") == "1.84 s"


def test_digits_end_at_the_same_place_for_ms_and_s() -> None:
    assert units.time_cell(1838.0).endswith("s\u00a0\u00a0\u00a0")
    assert units.time_cell(152.0).endswith("ms")


def test_what_did_not_happen_is_a_dash_and_what_was_not_seen_is_said_in_words() -> None:
    assert units.time_cell(0.0) == "–"
    assert units.time_cell(None) == units.time_cell(float("nan")) == "not measured"
    assert units.time_text(None) == units.bytes_text(None) == units.count_text(None) == "not measured"
    assert units.figure_text(float("nan"), "ratio") == units.share_text(None) == "not measured"


def test_sizes_counts_and_shares_have_their_units() -> None:
    assert units.bytes_text(84_000) == "84.0 kB"
    assert units.bytes_text(512) == "512 B"
    assert units.bytes_text(3.2e9) == "3.20 GB"
    assert units.count_text(1_000_000) == "1\u202f000\u202f000"
    assert units.share_text(0.294) == "29 %"
    assert units.share_text(0.004) == "under 1 %"
    assert units.plural(1, "build") == "1 build"
    assert units.plural(2, "launch", "launches") == "2 launches"
    assert units.dim_text((1024, 16)) == "1\u202f024 x 16"


def test_a_sentence_keeps_names_of_code_as_they_are() -> None:
    assert units.sentence("the log does not say") == "The log does not say."
    assert units.sentence("enable_backward went from True to False") == "enable_backward went from True to False."
    assert units.sentence("  ") == ""
