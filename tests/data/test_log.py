"""What Warp's own lines tell, from recorded output of eight versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.data.wires_by_hand import MS, cell, event, log, run, warp, wire
from warp_nbprobe.data.events import ordered_events
from warp_nbprobe.data.log import FROM_LOG, log_events, printed_events, with_log

LOGS = Path(__file__).parent / "logs"
TOLD: dict[str, Any] = json.loads((LOGS / "told.json").read_text())


@pytest.mark.parametrize("name", sorted(TOLD))
def test_every_module_line_of_every_version_is_an_event(name: str) -> None:
    events = printed_events((LOGS / name).read_text().splitlines())

    told = [[one.module, one.hash, one.block_dim, one.status, one.ms, one.native_ms] for one in events]
    assert told == TOLD[name]


@pytest.mark.parametrize("name", sorted(TOLD))
def test_a_part_that_no_line_tells_is_missing_with_its_reason(name: str) -> None:
    for one in printed_events((LOGS / name).read_text().splitlines()):
        for part in ("hash_ms", "codegen_ms", "lto_ms", "native_ms", "header_ms", "load_ms"):
            assert (getattr(one, part) is None) == (part in one.why)


def test_a_line_tells_when_a_load_ended_and_so_when_it_began() -> None:
    told = log("Module app 0a1b2c3 load on device 'cpu' took 12.50 ms  (compiled)", 100)
    (one,) = log_events(wire([warp("1.9.0"), told]))

    assert (one.t0, one.t1) == (int(87.5 * MS), 100 * MS)
    assert (one.source, one.device, one.strip_hash) == ("log", "cpu", False)


def test_a_cached_load_made_nothing() -> None:
    (one,) = printed_events(["Module app 0a1b2c3 load on device 'cpu' took 1.50 ms  (cached)"])

    assert (one.codegen_ms, one.lto_ms, one.native_ms, one.header_ms, one.load_ms) == (0.0, 0.0, 0.0, 0.0, None)


def test_a_failed_load_tells_no_part() -> None:
    (one,) = printed_events(["Module app 0a1b2c3 load on device 'cpu' took 1.50 ms  (error)"])

    assert one.status == "error"
    assert one.native_ms is None


def test_a_module_without_hash_in_its_line_strips_it() -> None:
    (one,) = printed_events(["Module a.b<c> load on device 'cuda:0' (block_dim=64) took 9.00 ms  (compiled)"])

    assert (one.module, one.hash, one.block_dim, one.strip_hash) == ("a.b<c>", None, 64, True)


def test_a_cuda_compile_line_is_the_native_time_and_makes_no_header() -> None:
    lines = [
        "Module app 0a1b2c3 load on device 'cuda:0' (block_dim=256) ...",
        "    Compile CUDA (arch=90, mode=release, block_dim=256) took 7.50 ms",
        "Module app 0a1b2c3 load on device 'cuda:0' (block_dim=256) took 9.00 ms  (compiled)",
    ]

    (one,) = printed_events(lines)

    assert (one.native_ms, one.header_ms) == (7.5, 0.0)


@pytest.mark.parametrize(("version", "header"), [("1.12.1", 0.0), ("1.13.0", None)])
def test_before_1_13_there_was_no_precompiled_header(version: str, header: float | None) -> None:
    told = log("Module app 0a1b2c3 load on device 'cpu' took 12.50 ms  (compiled)", 100)

    assert log_events(wire([warp(version), told]))[0].header_ms == header


def test_threads_are_told_apart_and_interleaved_lines_are_not_guessed() -> None:
    def lines(name: str, thread: int) -> list[dict[str, Any]]:
        start = f"Module {name} 0a1b2c3 load on device 'cpu' (block_dim=1) "
        return [
            log(f"{start}...", 1, thread=thread),
            log(f"    Compile x86 took {thread + 5}.00 ms", 2, thread=thread),
            log(f"{start}took 9.00 ms  (compiled)", 3, thread=thread),
        ]

    mixed = [line for pair in zip(lines("a", 0), lines("b", 1), strict=True) for line in pair]

    assert [one.native_ms for one in log_events(wire(mixed))] == [5.0, 6.0]
    assert [one.native_ms for one in printed_events([line["text"] for line in mixed])] == [None, None]


def test_a_hash_that_changed_is_no_event() -> None:
    assert not printed_events(["[Module.load] Module hash changed, recompiling: app (0a1b2c3d -> 1a1b2c3d)"])


def test_a_program_that_prints_alike_is_not_believed() -> None:
    assert not printed_events(["see: Module app load on device 'cpu' took 1.0 ms (compiled)", "Module app took 1 ms"])


def test_the_log_is_read_only_where_hooks_gave_no_event() -> None:
    told = log("Module app 0a1b2c3 load on device 'cpu' took 12.50 ms  (compiled)", 100)
    hooked, deaf = wire([event("app", 1, 2), told]), wire([told], pid=101)

    found = ordered_events(run("cold", [event("app", 1, 2), told], others=(deaf, hooked)))

    assert [one.source for _, one in found] == ["hook", "hook", "log"]


PRINTED = ("Module app 0a1b2c3 load on device 'cpu' took 12.50 ms  (compiled)",)


def test_printed_lines_are_read_where_a_hook_was_missing_and_nothing_else_tells() -> None:
    deaf = warp(hooks={"compile": "no such function"})

    assert [one.module for _, one in ordered_events(run("cold", [deaf], printed=PRINTED))] == ["app"]
    assert [one.module for _, one in ordered_events(run("cold", [deaf, event("x", 1, 2)], printed=PRINTED))] == ["x"]


def test_what_a_program_prints_is_not_believed_against_whole_hooks() -> None:
    assert not ordered_events(run("cold", [warp(hooks={"compile": "ok"})], printed=PRINTED))
    assert not ordered_events(run("cold", [cell(1, 1, 2)], printed=PRINTED))


def test_a_native_time_that_no_hook_gave_is_filled_from_the_log() -> None:
    hooked = event("app", 10, 50, native_ms=None, why={"native_ms": "no such hook"})
    told = [log("    Compile x86 took 33.00 ms", 30), log("    Compile x86 took 7.00 ms", 90)]

    (one,) = with_log(wire([hooked, *told]))

    assert (one.native_ms, one.why["native_ms"]) == (33.0, FROM_LOG)
