"""How far a run is, read from a wire that is being written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from warp_nbprobe.run.progress import WireTail


def line(**record: Any) -> str:
    return json.dumps(record) + "\n"


def test_the_module_that_is_being_built_is_known_until_its_event(tmp_path: Path) -> None:
    tail = WireTail(tmp_path)
    tail.look()
    assert (tail.module, tail.builds) == (None, 0)
    with (tmp_path / "wire-1.jsonl").open("a") as wire:
        wire.write(line(kind="building", module="app", thread=0))
        wire.flush()
        tail.look()
        assert (tail.module, tail.builds) == ("app", 0)
        wire.write(line(kind="event", module="app", thread=0, status="compiled"))
        wire.flush()
        tail.look()
        assert (tail.module, tail.builds) == (None, 1)


def test_what_comes_from_the_cache_is_no_build(tmp_path: Path) -> None:
    text = line(kind="event", module="a", thread=0, status="cached") + line(kind="event", module="b", status="error")
    (tmp_path / "wire-1.jsonl").write_text(text)
    tail = WireTail(tmp_path)
    tail.look()
    assert tail.builds == 1


def test_the_latest_of_several_threads_and_processes_is_shown(tmp_path: Path) -> None:
    (tmp_path / "wire-1.jsonl").write_text(line(kind="building", module="a", thread=0))
    (tmp_path / "wire-2.jsonl").write_text(
        line(kind="building", module="b", thread=0) + line(kind="building", module="c", thread=1)
    )
    tail = WireTail(tmp_path)
    tail.look()
    assert tail.module == "c"
    with (tmp_path / "wire-2.jsonl").open("a") as wire:
        wire.write(line(kind="event", module="c", thread=1, status="compiled"))
    tail.look()
    assert tail.module == "b"


def test_a_line_that_is_still_being_written_waits(tmp_path: Path) -> None:
    whole = line(kind="event", module="a", thread=0, status="compiled")
    path = tmp_path / "wire-1.jsonl"
    path.write_text(whole[:15])
    tail = WireTail(tmp_path)
    tail.look()
    assert tail.builds == 0
    with path.open("a") as wire:
        wire.write(whole[15:])
    tail.look()
    assert tail.builds == 1


def test_a_damaged_line_is_left_to_the_reader_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "wire-1.jsonl").write_text('{"kind": "event", \n["event"]\n' + line(kind="event", status="compiled"))
    tail = WireTail(tmp_path)
    tail.look()
    assert tail.builds == 1


def test_each_module_grows_while_it_is_built(tmp_path: Path) -> None:
    path = tmp_path / "wire-1.jsonl"
    path.write_text(
        line(kind="building", module="app", thread=0)
        + line(kind="event", module="app", thread=0, status="compiled", ms=300.0)
        + line(kind="building", module="cached", thread=0)
        + line(kind="event", module="cached", thread=0, status="cached", ms=2.0)
        + line(kind="building", module="app", thread=0)
    )
    tail = WireTail(tmp_path)
    tail.look()

    (app,) = tail.modules()  # what came from the cache has ended and was no build

    assert (app.module, app.builds, app.ms) == ("app", 1, 300.0)
    assert app.running_s is not None
    (later,) = tail.modules()
    assert later.running_s is not None
    assert later.running_s >= app.running_s
    with path.open("a") as wire:
        wire.write(line(kind="event", module="app", thread=0, status="compiled", ms=200.0))
    tail.look()
    (app,) = tail.modules()
    assert (app.builds, app.ms, app.running_s) == (2, 500.0, None)
