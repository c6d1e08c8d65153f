"""What an ordinary run on a GPU shows, from lines as such a run writes them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from warp_nbprobe.data.model import Cell, Recording, Run
from warp_nbprobe.data.records import parse_wire
from warp_nbprobe.measurement import Measurement

_CARD = {"alias": "cuda:0", "name": "NVIDIA H100", "arch": 90, "is_cuda": True, "memory_bytes": 80 << 30}


def _lines(status: str, env: dict[str, str]) -> list[dict[str, Any]]:
    place = {"file": "<1>", "line": 3, "cell": 0, "user": True}
    event = {
        "kind": "event", "t0": 2_000_000_000, "t1": 3_000_000_000, "ms": 900.0, "module": "app", "hash": "ab" * 32,
        "device": "cuda:0", "block_dim": 256, "status": status, "codegen_ms": 5.0, "lto_ms": 0.0, "native_ms": 800.0,
        "header_ms": 0.0, "load_ms": 95.0, "hash_ms": 0.2, "kernels": ["push"], "place": place, "source_bytes": 900,
    }  # fmt: skip
    return [
        {"kind": "header", "wire": 1, "pid": 7, "t": 0, "time": 0.0, "env": env, "machine": {"cpu": "x"}},
        {"kind": "warp", "t": 1, "version": "1.19.0", "hooks": {}},
        {"kind": "runtime", "t": 2, "devices": [{"alias": "cpu", "is_cuda": False}, _CARD], "driver": "13.0"},
        {"kind": "cell_begin", "t": 1_000_000_000, "cell": 0, "number": 1, "phase": "main", "file": "<1>"},
        event,
        {"kind": "cell_end", "t": 4_000_000_000, "cell": 0},
        {"kind": "footer", "t": 5_000_000_000},
    ]


def measured(warm: str = "cached", **env: str) -> Measurement:
    runs = tuple(
        Run(1, run, 7, datetime.now(timezone.utc), (parse_wire(_lines(status, env)),), None, 0, 0, 0)
        for run, status in (("cold", "compiled"), ("warm", warm))
    )
    cell = Cell("import warp as wp\n\nwp.launch(push, 8)", 1)
    return Measurement(Recording("gpu", (cell,), 1, runs, {}, datetime.now(timezone.utc), "0"))


def test_events_of_a_gpu_have_their_device_and_their_loading() -> None:
    m = measured()

    assert list(m.modules["device"]) == ["cuda:0", "cuda:0"]
    assert not m.modules["rehearsed"].any()
    figures = m.summary["median"]
    assert (figures["build_ms"], figures["load_ms"], figures["other_ms"]) == (900.0, 95.0, 0.0)


def test_the_facts_of_the_device_are_in_the_report() -> None:
    about = measured().runs["environment"].iloc[0]

    assert about["devices"][1]["name"] == "NVIDIA H100"
    assert about["driver"] == "13.0"
    assert "rehearsed" not in about


@pytest.mark.parametrize(("value", "noticed"), [("1", True), ("0", False), ("", False)])
def test_a_driver_without_its_cache_is_noticed(value: str, noticed: bool) -> None:
    m = measured(CUDA_CACHE_DISABLE=value)

    assert any("CUDA_CACHE_DISABLE" in note for note in m.notes) == noticed


def test_the_drivers_cache_is_named_where_the_warm_run_compiles_again() -> None:
    m = measured("compiled", CUDA_CACHE_DISABLE="1")

    finding = m.findings.set_index("rule").loc["cache_not_reused"]
    assert "CUDA_CACHE_DISABLE" in finding["what"]
