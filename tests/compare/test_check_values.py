"""The child's side of ``--check``: what becomes of values of every kind."""

from __future__ import annotations

import collections
import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.compare.checked import CHECK, checked, value
from warp_nbprobe.data.results import Part, read_results, results_json, results_of, sample_positions, without_repeats


def parts(given: Any) -> list[tuple[Any, ...]]:
    return [(p.path, p.kind, p.dtype, p.shape) for p in value(given).parts]


@pytest.mark.parametrize(
    ("given", "dtype", "shape"),
    [
        (np.arange(6, dtype="f4").reshape(2, 3), "float32", (2, 3)),
        (np.arange(3, dtype=">i4"), ">i4", (3,)),
        (np.zeros(0), "float64", (0,)),
        (np.float16(1.5), "float16", ()),
        (np.array([1 + 2j]), "complex128", (1,)),
        (np.array([True, False]), "bool", (2,)),
        (np.longdouble(1.5), str(np.dtype(np.longdouble)), ()),
        (np.array(["2020-01-01"], dtype="M8[D]"), "datetime64[D]", (1,)),
        (3, "int64", ()),
        (2.5, "float64", ()),
        (True, "bool", ()),
        (list(range(100)), "int64", (100,)),
        (memoryview(b"abc"), "uint8", (3,)),
    ],
)
def test_numbers_and_arrays(given: Any, dtype: str, shape: tuple[int, ...]) -> None:
    (part,) = value(given).parts

    assert (part.kind, part.dtype, part.shape) == ("array", dtype, shape)
    assert part.digest is not None
    assert len(part.values) == part.size


def test_values_come_back_as_they_were() -> None:
    given = np.random.default_rng(0).random((7, 5))
    (part,) = value(given).parts

    assert np.array_equal(part.values.reshape(part.shape), given)


def test_an_array_that_is_no_block_of_memory_is_read_in_its_order() -> None:
    given = np.arange(12.0).reshape(3, 4)

    assert value(given.T).parts[0].digest == value(np.ascontiguousarray(given.T)).parts[0].digest


def test_containers_are_flattened_with_a_path_to_each_part() -> None:
    Point = collections.namedtuple("Point", "x y")

    @dataclasses.dataclass
    class State:
        mass: float
        names: tuple[str, ...]

    given = {"a": [np.zeros(2), 1], "p": Point(1, 2.5), "s": State(2.0, ("m",)), "e": [], "n": None}

    assert [path for path, *_ in parts(given)] == [
        "['a'][0]", "['a'][1]", "['p'].x", "['p'].y", "['s'].mass", "['s'].names[0]", "['e']", "['n']"
    ]  # fmt: skip
    assert [part.text for part in value(given).parts[-3:]] == ["'m'", "'empty list'", "None"]


def test_a_container_that_holds_itself_ends() -> None:
    given: list[Any] = [1]
    given.append(given)

    assert value(given).parts[-1].why is not None


def test_very_many_parts_are_cut_and_counted() -> None:
    found = value([[n] for n in range(1000)])

    assert (len(found.parts), found.left_out) == (500, 500)


def test_numbers_too_large_for_an_array_are_texts() -> None:
    assert parts(10**30) == [("", "text", None, ())]


def test_what_has_no_numbers_says_so_and_fails_nothing() -> None:
    (part,) = value(object()).parts

    assert (part.kind, part.digest) == ("unknown", None)
    assert part.why == "a object has no numbers that can be read"


def test_an_expression_that_raises_says_so_and_the_others_go_on() -> None:
    found = checked({"x": 1}, "y", "1/0", "x", "__import__('sys').exit(3)")

    assert [one.error for one in found] == [
        "NameError: name 'y' is not defined",
        "ZeroDivisionError: division by zero",
        None,
        "SystemExit: 3",
    ]


def test_the_users_namespace_is_left_as_it_was_and_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    namespace = {"x": [1]}
    with_names = set(namespace)
    (found,) = checked(namespace, "print('hello') or [y for y in x if (z := y)]")

    assert set(namespace) == with_names
    assert found.error is None
    assert capsys.readouterr().out == ""


class _Tensor:
    """Stands in for a tensor of torch, of which no one else is here."""

    def __init__(self, values: Any, dtype: str = "torch.float32") -> None:
        self._values, self.dtype = values, dtype

    def detach(self) -> _Tensor:
        return self

    cpu = resolve_conj = detach

    def float(self) -> _Tensor:
        return self

    def numpy(self) -> Any:
        return np.asarray(self._values, dtype="f4")


_Tensor.__module__ = "torch"


class _Jax:
    def __init__(self, values: Any) -> None:
        self._values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self._values)


def test_tensors_and_arrays_of_other_libraries() -> None:
    assert parts(_Tensor([1, 2], "torch.bfloat16")) == [("", "array", "bfloat16", (2,))]
    assert parts(_Jax([1.0, 2.0])) == [("", "array", "float64", (2,))]


def test_arrays_of_structs_are_numbers_side_by_side() -> None:
    given = np.zeros(3, dtype=[("a", "f4"), ("b", "f4", (2,))])
    (part,) = value(given).parts

    assert part.shape == (3, 3)


def test_a_large_array_keeps_a_fixed_sample_and_the_digest_of_all() -> None:
    given = np.arange(1_000_000)
    (part,) = value(given).parts
    other = given.copy()
    other[999_999] += 1

    assert part.kept == 16_384
    assert np.array_equal(given[part.positions], part.values)
    assert value(other).parts[0].digest != part.digest


@pytest.mark.parametrize(("size", "kept"), [(10, 10), (70_000, 16_384), (10**9, 16_384), (300, 256)])
def test_child_and_host_choose_the_same_sample(size: int, kept: int) -> None:
    ours = sample_positions(size, kept)
    theirs = CHECK._positions(size, kept)

    if kept < size:
        assert np.array_equal(ours, theirs)
        assert len(set(ours.tolist())) == kept
        assert ours.max() < size
    assert np.all(np.diff(ours) > 0)


def test_values_kept_in_one_run_are_limited() -> None:
    many = {f"x{n}": np.random.default_rng(n).random(65_536) for n in range(20)}
    found = checked(many, *many)
    kept = [result.parts[0].kept for result in found]

    assert kept[0] == 65_536
    assert kept[-1] == 256
    assert sum(kept) * 8 < 6 * 2**20


def test_values_that_an_earlier_run_had_are_not_kept_again() -> None:
    seen: set[tuple[str, str, str]] = set()
    (first,) = without_repeats([value(np.arange(3))], seen)
    (again,) = without_repeats([value(np.arange(3))], seen)

    assert first.parts[0].data is not None
    assert again.parts[0].data is None
    assert again.parts[0].digest == first.parts[0].digest


def test_the_file_is_read_back_whole_and_refused_when_it_is_damaged(tmp_path: Path) -> None:
    found = checked({"x": np.arange(3)}, "x", "nope")
    assert results_of(json.loads(json.dumps(results_json(found)))) == found
    path = tmp_path / "results.json"
    path.write_text('{"results": [')
    with pytest.raises(ValueError, match="Expecting value"):
        read_results(path)


@pytest.mark.parametrize(
    "edit",
    [
        {"kind": "pickle"}, {"zlib": "AAAA"}, {"code": "O"}, {"code": "<f8,<f8"}, {"kept": 10**12}, {"shape": [-1]},
        {"shape": "x"}, {"digest": 3}, {"kept": True}, {"zlib": 7},
    ],
)  # fmt: skip
def test_no_damaged_or_hostile_part_is_accepted(edit: dict[str, Any]) -> None:
    (given,) = results_json([value(np.arange(3.0))])
    given["parts"][0] |= edit

    with pytest.raises(ValueError, match="checked value"):
        results_of([given])


def test_an_empty_part_has_no_values() -> None:
    assert len(Part("", "array").values) == 0
