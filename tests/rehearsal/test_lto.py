"""Link-time-optimisation objects: made once for real, and what the rules say of recorded ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import warp_nbprobe as nb
from tests.rehearsal.rehearse import rehearse
from warp_nbprobe.measurement import Measurement

_RECORDED = Path(__file__).parents[1] / "wire" / "rehearsal"

_PRODUCT = """
    {before}
    @wp.kernel{argument}
    def product(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
        x = wp.tile_load(a, shape=(16, 16))
        y = wp.tile_load(b, shape=(16, 16))
        wp.tile_store(c, wp.tile_matmul(x, y))
    {after}
    a = wp.ones((16, 16), dtype=float, device="cuda:0")
    c = wp.zeros((16, 16), dtype=float, device="cuda:0")
    wp.launch_tiled(product, dim=[1], inputs=[a, a], outputs=[c], block_dim=64)
    """


@pytest.mark.warp
def test_the_modules_option_removes_backward_objects_and_the_kernels_own_does_not(tmp_path: Path) -> None:
    """The four ways share one cache, so that each object is made once: the first way takes most of a minute."""

    def objects(before: str = "pass", argument: str = "", after: str = "pass") -> list[tuple[bool, bool]]:
        source = _PRODUCT.format(before=before, argument=argument, after=after)
        found = rehearse(source, tmp_path, only=True, cache=tmp_path / "cache")
        assert found.code == 0, found.complained
        (event,) = found.gpu
        assert event.lto is not None
        assert {one["op"] for one in event.lto} <= {"tile_matmul"}
        assert all(one["bytes"] > 1_000_000 for one in event.lto)
        return [(bool(one["adjoint"]), bool(one["made"])) for one in event.lto]

    assert objects() == [(False, True), (True, True), (True, True)]
    assert objects(argument="(enable_backward=False)") == [(False, False), (True, False), (True, False)]
    assert objects(after='wp.set_module_options({"enable_backward": False})') == [(False, False)]
    assert objects(before="wp.config.enable_mathdx_gemm = False") == []


@pytest.fixture(scope="module", params=["all", "kernel_off", "module_off", "no_mathdx"])
def recorded(request: pytest.FixtureRequest) -> tuple[str, Measurement]:
    """One of four rehearsed tile products, recorded with its warm run."""
    return request.param, nb.load(_RECORDED / f"lto_{request.param}.json.gz")


def test_artifacts_are_counted(recorded: tuple[str, Measurement]) -> None:
    way, m = recorded

    expected = {"all": 3, "kernel_off": 3, "module_off": 1, "no_mathdx": 0}[way]
    assert m.summary.loc["lto_artifacts", "median"] == expected
    assert m.lto["objects"].sum() == expected
    assert (m.lto["made"] == m.lto["objects"]).all()
    assert set(m.lto["operation"]) == ({"tile_matmul"} if expected else set())


def test_backward_objects_come_first_in_the_advice_and_the_library_second(
    recorded: tuple[str, Measurement],
) -> None:
    way, m = recorded

    found = m.findings.set_index("rule")
    assert ("lto_link" in found.index) == (way != "no_mathdx")
    if way in ("all", "kernel_off"):
        fix = found.loc["lto_link", "fix"]
        assert fix.index("option of the module") < fix.index("enable_mathdx_gemm")
        assert "2 of them for running backwards" in found.loc["lto_link", "what"]
    if way == "module_off":
        assert found.loc["lto_link", "fix"].startswith("Measure wp.config.enable_mathdx_gemm")
    assert ("backward_unused" in found.index) == (way != "module_off")
    if way == "kernel_off":
        assert "given to a kernel drops its code and keeps its objects" in found.loc["backward_unused", "what"]


def test_objects_are_shown_by_operation_and_direction(recorded: tuple[str, Measurement]) -> None:
    from warp_nbprobe.views.html import card_html
    from warp_nbprobe.views.text import report_text

    way, m = recorded
    text, card = report_text(m), card_html(m)
    assert ("LTO objects" in text) == ("LTO objects" in card) == (way != "no_mathdx")
    if way == "all":
        assert "3 objects, 2 for running backwards" in text
        assert "tile_matmul" in card
        assert "adjoint" in card
