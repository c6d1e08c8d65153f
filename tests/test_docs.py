"""The pages for people name every option, column and figure, and nothing that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from warp_nbprobe.ask.options import LINE, SETUP
from warp_nbprobe.data import columns
from warp_nbprobe.data.metrics import METRICS
from warp_nbprobe.explain import compare_frames
from warp_nbprobe.explain.verdict import WORDS

DOCS = Path(__file__).parent.parent / "docs"


def words_of(page: str) -> set[str]:
    """Return everything that stands as code on a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```.*?```", text, re.DOTALL)
    inline = re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return {word for code in (*blocks, *inline) for word in re.findall(r"[\w-]+", code)}


def test_every_option_is_explained() -> None:
    flags = {flag for option in (*LINE, *SETUP) for flag in option.flags}

    assert flags - words_of("options.md") - {"--file"} == set()


def test_no_option_is_explained_that_is_not_there() -> None:
    flags = {flag for option in (*LINE, *SETUP) for flag in option.flags}

    assert {word for word in words_of("options.md") if re.match(r"--?\w", word)} <= flags | {"--"}


@pytest.mark.parametrize(
    "frame", ["SUMMARY", "MODULES", "LAUNCHES", "LAUNCH_GROUPS", "RUNS", "LTO", "LOG", "FINDINGS", "CHECKED"]
)
def test_every_column_is_explained(frame: str) -> None:
    assert set(getattr(columns, frame)) - words_of("frames.md") == set()


@pytest.mark.parametrize("frame", ["FIGURES", "IDENTITIES", "COMPARED_LAUNCHES", "RENAMES", "RESULTS"])
def test_every_column_of_a_comparison_is_explained(frame: str) -> None:
    assert set(getattr(compare_frames, frame)) - words_of("compare.md") == set()


def test_every_verdict_is_explained() -> None:
    text = (DOCS / "compare.md").read_text(encoding="utf-8")

    assert all(f"`{word}`" in text for word in WORDS)


def test_every_figure_is_explained() -> None:
    assert set(METRICS) - words_of("figures.md") == set()
