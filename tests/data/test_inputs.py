"""What went into a hash, as text made for diffing."""

from __future__ import annotations

from tests.data.wires_by_hand import Line, cell, event, inputs, kernel, place, run, source
from warp_nbprobe.data.inputs import hash_inputs_text, source_digest

LINES: list[Line] = [
    source(1, "def step(): ..."),
    source(2, "def f(): ..."),
    {"kind": "struct", "id": 5, "name": "State", "fields": [["q", "vec3f"]]},
    {
        "kind": "function",
        "id": 6,
        "name": "f",
        "overloads": [
            {"source": 2, "constants": {"g": {"text": "9.8", "type": "float"}}, "structs": [5], "functions": [6]}
        ],
    },
    kernel(1, functions=[6], statics={"n": {"text": "3", "type": "int"}}, defined=place(2)),
    inputs(7, [1], "aa", options={"mode": "release", "max_unroll": "16"}),
    event("app", 1, 9, inputs=7, hash="aa"),
    event("other", 20, 9),
]


def test_every_input_is_a_line_of_its_own() -> None:
    one = run("cold", [cell(1, 0, 900), *LINES])
    digest = {number: source_digest(one.wires[0], number) for number in (1, 2)}

    assert hash_inputs_text(one, "app").splitlines() == [
        "app, event 0: compiled, hash aa, device cpu, block_dim 1",
        "    block_dim: 1",
        "    function f / constant g: 9.8 (float)",
        f"    function f / source: {digest[2]}",
        "    kernel step(array(float32)) / argument x: array(float32)",
        "    kernel step(array(float32)) / constant dt: 0.1 (float, global, bytes 0.1)",
        f"    kernel step(array(float32)) / source: {digest[1]}",
        "    kernel step(array(float32)) / static n: 3 (int)",
        "    option max_unroll: 16",
        "    option mode: release",
        "    struct State / q: vec3f",
        "    (defined) kernel step(array(float32)): cell 1, line 2",
    ]


def test_a_build_whose_inputs_were_not_seen_says_so() -> None:
    text = hash_inputs_text(run("cold", [cell(1, 0, 900), *LINES]), "other")

    assert text.splitlines()[1:] == ["    what went into this hash was not recorded"]


def test_versions_of_one_kernel_are_numbered() -> None:
    both = [kernel(1), kernel(2, source=2), inputs(7, [1, 2], "aa"), event("app", 1, 9, inputs=7)]
    text = hash_inputs_text(run("cold", [cell(1, 0, 900), *LINES[:2], *both]), "app")

    assert "kernel step(array(float32)) #1 / source" in text
    assert "kernel step(array(float32)) #2 / source" in text
