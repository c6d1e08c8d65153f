"""The wire as it is read: what is understood, what is counted, what a crash leaves."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.wires_by_hand import cell, event, footer, header, order, place, signature, wire
from warp_nbprobe.data.records import Place, WireError, decode_order, encode_order, parse_wire, read_wire


def texts(*lines: dict[str, Any]) -> list[str]:
    return [json.dumps(line) for line in lines]


def write(path: Path, *lines: dict[str, Any], end: str = "\n") -> Path:
    path.write_text("\n".join(texts(*lines)) + end)
    return path


def test_a_line_becomes_a_record_with_places_and_tuples() -> None:
    failed = {"type": "X", "defined": place(7), "kernel": None}
    found = wire([event("app", 1, 2, error=failed, kernels=["a", "b"])])

    (record,) = found.events
    assert record.kernels == ("a", "b")
    assert record.place == Place("/tmp/ipykernel_1/0.py", 3, 0, user=True)
    assert record.error == {"type": "X", "defined": Place("/tmp/ipykernel_1/0.py", 7, 0), "kernel": None}
    assert not found.truncated


def test_a_global_named_like_a_place_stays_a_value() -> None:
    value = {"text": "1", "type": "int", "bytes": "01", "from": "global"}
    line = {"kind": "kernel", "id": 1, "kid": 1, "name": "k", "module": "m", "constants": {"defined": value}}

    assert wire([line]).kernels[1].constants == {"defined": value}


def test_a_missing_part_is_none_and_a_null_flag_its_default() -> None:
    found = wire([event("app", 1, 2, header_ms=None, lto=None, aot=None)])

    assert found.events[0].header_ms is None
    assert found.events[0].lto is None
    assert found.events[0].aot is False


@pytest.mark.parametrize(
    "line",
    [
        {"kind": "tachyon", "t": 1},
        {"t": 1},
        {"kind": "event", "module": "app"},
        event("app", 1, 2, kernels="step"),
        {**event("app", 1, 2), "ms": "fast"},
        {**event("app", 1, 2), "ms": True},
        event("app", 1, 2, place={"file": "x"}),
        {**event("app", 1, 2), "module": None},
        {**event("app", 1, 2), "t0": 2**70},
        {"kind": "order", "n": 3, "zlib": "AAAA"},
        {"kind": "order", "n": 10**12, "zlib": ""},
        {"kind": "order", "n": 0, "size": 3, "zlib": "eJwDAAAAAAE="},
        {"kind": "define_counts", "t": 1, "counts": {"a": 1}},
        signature(0),
        signature(2**40),
        header(wire=2),
    ],
    ids=lambda line: str(line.get("kind")),
)
def test_what_is_not_understood_is_counted_and_refused_by_a_strict_reader(line: dict[str, Any]) -> None:
    lines = texts(header(), line, footer())

    found = parse_wire(lines)

    assert found.unknown_lines == 1
    assert not found.events
    with pytest.raises(WireError):
        parse_wire(lines, strict=True)


@pytest.mark.parametrize("line", ["{", "[1]", "7", '{"kind": "log", "t": NaN}', '{"t": 1, "t": 2}', "[" * 9999])
def test_what_is_no_object_is_counted(line: str) -> None:
    assert parse_wire([*texts(header()), line, *texts(footer())]).unknown_lines == 1


def test_unknown_keys_do_no_harm_and_are_kept() -> None:
    found = parse_wire(texts(header(), event("app", 1, 2, colour="red"), footer()), strict=True)

    assert len(found.events) == 1
    assert isinstance(found.raw[1], dict)
    assert found.raw[1]["colour"] == "red"


def test_half_a_character_cannot_reach_a_frame() -> None:
    found = parse_wire(['{"kind": "log", "t": 1, "text": "\\ud800!"}'])

    assert found.log[0].text == "?!"


def test_without_a_footer_the_wire_is_truncated(tmp_path: Path) -> None:
    path = write(tmp_path / "wire-7.jsonl", header(), event("app", 1, 2))

    assert read_wire(path).truncated
    assert not read_wire(write(path, header(), footer())).truncated


def test_a_last_line_without_its_end_is_left_out_and_no_unknown_line(tmp_path: Path) -> None:
    path = write(tmp_path / "wire-7.jsonl", header(), footer(), event("app", 1, 2), end="")

    found = read_wire(path)

    assert found.truncated
    assert found.unknown_lines == 0
    assert not found.events


def test_of_a_crashed_process_the_launches_are_taken_from_the_mapped_file(tmp_path: Path) -> None:
    path = write(tmp_path / "wire-7.jsonl", header(), signature(1), signature(2))
    (tmp_path / "launches-7.bin").write_bytes(struct.pack("<6I", 1, 2, 2, 0, 0, 0) + b"\x01")

    assert read_wire(path).order.tolist() == [1, 2, 2]


def test_of_an_orderly_process_the_order_on_the_wire_counts(tmp_path: Path) -> None:
    path = write(tmp_path / "wire-7.jsonl", header(), signature(1), signature(2), order([2, 1]), footer())
    (tmp_path / "launches-7.bin").write_bytes(struct.pack("<3I", 1, 1, 1))

    assert read_wire(path).order.tolist() == [2, 1]


def test_an_empty_file_is_a_truncated_wire(tmp_path: Path) -> None:
    (tmp_path / "wire-7.jsonl").write_bytes(b"")

    found = read_wire(tmp_path / "wire-7.jsonl")

    assert found.truncated
    assert found.header is None


def test_a_cell_that_did_not_end_has_no_end() -> None:
    found = wire([cell(1, 1, 2), cell(2, 3)])

    assert [(begin.number, end is not None) for begin, end in found.cells] == [(1, True), (2, False)]


def test_the_latest_rehash_of_a_module_counts() -> None:
    lines = [{"kind": "rehash", "t": t, "module": "app", "count": t, "ms": 2.0 * t} for t in (1, 2)]

    assert wire(lines).rehashes["app"].ms == 4.0


@given(st.lists(st.integers(1, 2**32 - 1)) | st.lists(st.integers(1, 300)) | st.lists(st.integers(1, 255)))
def test_the_order_survives_its_coding(ids: list[int]) -> None:
    coded = encode_order(np.array(ids, dtype=np.uint32))

    assert coded["n"] == len(ids)
    assert decode_order(json.loads(json.dumps(coded))).tolist() == ids


@given(st.lists(st.integers(1, 9), min_size=1), st.data())
def test_a_damaged_order_is_refused_or_the_same(ids: list[int], data: st.DataObject) -> None:
    coded = encode_order(np.array(ids, dtype=np.uint32))
    text = coded["zlib"]
    at = data.draw(st.integers(0, len(text) - 1))
    changed = text[:at] + data.draw(st.characters(codec="ascii")) + text[at + 1 :]

    try:
        found = decode_order({**coded, "zlib": changed})
    except WireError:
        return
    assert len(found) == len(ids)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_LINES = [event("app", 1, 2), signature(1), header(), footer(), order([1]), *cell(1, 1, 2)]


@given(st.sampled_from(_LINES), st.data())
def test_a_reader_survives_any_value_in_any_field(line: dict[str, Any], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(line)))
    changed = {**line, name: data.draw(_JSON)}

    found = parse_wire([json.dumps(changed)])

    assert found.unknown_lines in (0, 1)
