"""A cache folder that the code itself sets is sent to the run's private one when asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

import warp_nbprobe as nb

pytestmark = [pytest.mark.kernel, pytest.mark.warp]

CODE = """
import os
import warp as wp

wp.config.use_precompiled_headers = False
os.environ["WARP_CACHE_PATH"] = {folder!r}
wp.config.kernel_cache_dir = {folder!r}

@wp.kernel
def touch(a: wp.array(dtype=float)):
    a[0] = 1.0

wp.launch(touch, dim=1, inputs=[wp.zeros(1, dtype=float, device="cpu")], device="cpu")
assert os.environ["WARP_CACHE_PATH"] == {folder!r}
"""


def test_an_isolated_run_builds_in_its_own_folder_and_leaves_the_programs_alone(tmp_path: Path) -> None:
    code = CODE.format(folder=str(tmp_path / "pinned"))

    measured = nb.measure(code, samples=1, isolate=True, quiet=True)

    assert measured.error is None
    assert list(measured.modules["status"]) == ["compiled", "cached"]
    assert not list(tmp_path.rglob("wp_*"))
    assert "cache_dir_pinned" not in set(measured.findings["rule"])


def test_without_it_the_programs_folder_is_used_and_said(tmp_path: Path) -> None:
    measured = nb.measure(CODE.format(folder=str(tmp_path / "pinned")), samples=1, quiet=True)

    assert list(tmp_path.rglob("wp_*"))
    (finding,) = measured.diagnosis.findings[:1]
    assert finding.rule == "cache_dir_pinned"
