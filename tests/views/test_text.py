"""The report as text: it fits, it is complete, and nothing in it acts on the terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest

from tests.views import fakes
from warp_nbprobe.views.text import report_text

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


@pytest.mark.parametrize("width", [72, 80, 120])
@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_no_line_is_wider_than_asked(make: Make, width: int) -> None:
    m = make()
    if make is fakes.hostile:  # code to copy is never broken
        m.findings["snippet"] = "x"
    assert max(len(line) for line in report_text(m, width=width).split("\n")) <= width


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_nothing_acts_on_the_terminal(make: Make) -> None:
    text = report_text(make()).replace("\n", "")
    assert [char for char in text if unicodedata.category(char) in ("Cc", "Cf")] == []


def test_it_holds_what_the_card_holds() -> None:
    text = report_text(fakes.small(), width=120)
    for words in (
        "4 builds, 2.1 s (and 1.3 s for the one-off precompiled header); 3 builds were thrown away:",
        "[redundant] late_kernel · cell 3, line 19, caused at cell 3, line 13 · 410 ms, 20 % of build",
        "Do: Define the kernels of a module before its first launch.",
        "Not for: Kernels that depend on run-time data",
        "[repeated, 3 hashes] Kernel kick was added after the module had loaded. Caused at cell 3,",
        "Launches: 403 launches of 3 kinds",
        "Ruled out: stale value",
        "Not observable: serial builds",
    ):
        assert words in text


def test_parts_are_letters_on_the_time_line() -> None:
    lines = report_text(fakes.small(), width=100).split("\n")
    (cold,) = [line for line in lines if line.lstrip().startswith("cold |")]
    assert "hhhhhh" in cold
    assert "nnnn" in cold
    assert any("c code generation, h precompiled header, n native compile, l load" in line for line in lines)


def test_a_failed_run_gives_its_reason_and_no_figures() -> None:
    text = report_text(fakes.failed(), width=120)
    assert "! The cold run of sample 1 failed: the code raised an exception." in text
    assert "±" not in text
    assert "every figure: No sample is good" in text


def test_a_long_name_keeps_its_end() -> None:
    assert "… [1/4]" in report_text(fakes.many(), width=80) or "[1/4]" in report_text(fakes.many(), width=80)
