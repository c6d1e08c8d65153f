"""Whether samples compiled the same thing, and what differs where they did not."""

from __future__ import annotations

from tests.data.wires_by_hand import Line, cell, event, inputs, kernel, order, recording, run, signature, source
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.structure import structure


def both(first: list[Line], second: list[Line]) -> Recording:
    runs: list[Run] = []
    for sample, lines in ((1, first), (2, second)):
        runs += [run("cold", [cell(1, 0, 900), *lines], sample=sample), run("warm", [cell(1, 0, 9)], sample=sample)]
    return recording(*runs)


def test_samples_that_compile_the_same_are_the_same() -> None:
    lines = [event("app", 1, 9), signature(1), order([1])]
    found = structure(both(lines, lines))

    assert found.same
    assert not found.differences
    assert not found.launches_differ


def test_one_sample_differs_from_none() -> None:
    assert structure(recording(run("cold", [event("app", 1, 9)]), run("warm"))).same
    assert structure(recording()).same


def test_a_module_that_differs_is_named_with_the_input_that_differs() -> None:
    def built(dt: str) -> list[Line]:
        lines = [source(1, "def step(): ..."), kernel(1, dt=dt), inputs(7, [1], f"{dt}aa")]
        return [*lines, event("app", 1, 9, inputs=7, hash=f"{dt}aa"), event("same", 20, 9)]

    (found,) = structure(both(built("0.1"), built("0.2"))).differences

    assert (found.module, found.samples, found.by_collection) == ("app", (1, 2), False)
    (told,) = found.inputs
    assert told.startswith("kernel step(array(float32)) / constant dt")
    assert "0.1" in told
    assert "0.2" in told
    assert found.text == f"app was not built alike in samples 1 and 2: {told}."


def test_a_difference_whose_inputs_were_not_recorded_is_still_named() -> None:
    found = structure(both([event("app", 1, 9)], [event("app", 1, 9, hash="cd" * 32)]))

    assert not found.same
    assert found.differences[0].text.endswith("what went into its hash was not recorded.")


def test_a_build_that_only_one_sample_made_is_a_difference() -> None:
    found = structure(both([event("app", 1, 9)], [event("app", 1, 9), event("more", 20, 9)]))

    assert [one.module for one in found.differences] == ["more"]
    assert found.differences[0].inputs == ("built only in sample 2",)


def test_old_versions_of_generic_kernels_differ_by_collection_and_not_by_program() -> None:
    texts = [source(1, "def scale(): old"), source(2, "def scale(): new")]
    old, new = kernel(1, "scale", source=1, parent=10), kernel(2, "scale", source=2, parent=11)
    kept = [*texts, old, new, inputs(7, [1, 2], "aa"), event("app", 1, 9, inputs=7, hash="aa")]
    collected = [*texts, new, inputs(7, [2], "bb"), event("app", 1, 9, inputs=7, hash="bb")]

    found = structure(both(kept, collected))

    assert found.same
    assert [one.by_collection for one in found.differences] == [True]
    assert "collected" in found.differences[0].text


def test_a_kernel_that_is_not_generic_never_differs_by_collection() -> None:
    texts = [source(1, "old"), source(2, "new")]
    old, new = kernel(1, "scale", source=1), kernel(2, "scale", source=2)
    more = [*texts, old, new, inputs(7, [1, 2], "aa"), event("app", 1, 9, inputs=7, hash="aa")]
    less = [*texts, new, inputs(7, [2], "bb"), event("app", 1, 9, inputs=7, hash="bb")]

    assert not structure(both(more, less)).same


def test_launches_that_differ_are_reported_and_no_more() -> None:
    first = [event("app", 1, 9), signature(1), order([1])]
    second = [event("app", 1, 9), signature(1), order([1, 1])]

    found = structure(both(first, second))

    assert found.launches_differ
    assert found.same


def test_the_same_launches_from_other_threads_and_lines_do_not_differ() -> None:
    first = [signature(1), order([1, 1])]
    second = [signature(3, thread=4, place=None), signature(1), order([1, 3])]

    assert not structure(both(first, second)).launches_differ
