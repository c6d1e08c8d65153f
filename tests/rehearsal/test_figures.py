"""The figures, the notes and the marks of a recording that was rehearsed."""

from __future__ import annotations

from pathlib import Path

import pytest

import warp_nbprobe as nb
from warp_nbprobe.ask.architectures import architectures
from warp_nbprobe.errors import RehearsalError, UsageError
from warp_nbprobe.views.headline import headline
from warp_nbprobe.views.html import card_html
from warp_nbprobe.views.text import report_text

_RECORDED = Path(__file__).parents[1] / "wire" / "rehearsal"


def test_what_the_cpu_builds_to_go_on_is_in_no_figure() -> None:
    m = nb.load(_RECORDED / "lto_no_mathdx.json.gz")

    cold = m.modules[(m.modules["run"] == "cold")].set_index("device")
    assert list(cold.index) == ["sm_90", "cpu"]
    assert cold.loc["cpu", "build"] == "__main__ [cpu 1/1]"
    assert list(cold["rehearsed"]) == [True, False]
    figures = m.summary["median"]
    assert figures["build_ms"] == cold.loc["sm_90", "ms"]
    assert (figures["compiled"], figures["identities"], figures["header_ms"]) == (1, 1, 0)
    assert figures["compile_elapsed_ms"] == figures["build_span_ms"]
    assert m.summary.loc["load_ms", "reason"] == "a rehearsal loads nothing on a device"
    assert m.summary.loc[["load_ms", "other_ms", "elsewhere_ms"], "median"].isna().all()
    assert list(cold["cause"]) == ["first", "first"]


def test_every_view_says_that_it_was_a_rehearsal_and_what_was_assumed() -> None:
    m = nb.load(_RECORDED / "lto_no_mathdx.json.gz")

    assert headline(m).startswith("Rehearsed for sm_90: 1 build")
    for view in (report_text(m, width=140), card_html(m)):
        assert "without a GPU: the builds are real" in view
        assert "Assumed of the device: NVIDIA H100" in view
        assert "is in no figure" in view


@pytest.mark.parametrize(
    ("asked", "understood"),
    [
        ("sm_90", ("sm_90",)),
        ("90", ("sm_90",)),
        ("sm_75, sm_120", ("sm_75", "sm_120")),
        (["90", "sm_80", "compute_90"], ("sm_90", "sm_80")),
        (None, ()),
    ],
)
def test_architectures_are_named_in_several_ways(asked: str | list[str] | None, understood: tuple[str, ...]) -> None:
    assert architectures(asked) == understood


@pytest.mark.parametrize("asked", ["sm_12", "hopper", "sm_9000", "", "sm_90,sm_91"])
def test_an_architecture_that_there_is_none_of_is_named_with_those_there_are(asked: str) -> None:
    with pytest.raises(RehearsalError, match=r"sm_90") as error:
        architectures(asked)

    assert (asked.rpartition(",")[2] or "name an architecture") in str(error.value)


def test_a_list_of_something_else_is_a_misuse() -> None:
    with pytest.raises(UsageError, match="rehearse must be an architecture"):
        architectures(90)  # type: ignore[arg-type]
