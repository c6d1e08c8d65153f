"""The probe's own parts keep the rules of a guest."""

from __future__ import annotations

import copy
import enum
import json
import pickle
import threading
import time
from typing import Any

import numpy as np
import pytest

from warp_nbprobe.child import probe


class Hostile:
    """Whatever is asked of it, it raises."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("no attribute")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = None  # type: ignore[assignment]


class Color(enum.IntEnum):
    RED = 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (True, "True"),
        (1.5, "1.5"),
        ("a'b", '"a\'b"'),
        ([1, "a", None], "[1, 'a', None]"),
        ((1,), "(1,)"),
        ({"a": [1]}, "{'a': [1]}"),
        ([[[[1]]]], "[[<list of 1>]]"),
        (list(range(100)), "[" + ", ".join(map(str, range(20))) + ", ...]"),
        (Color.RED, "Color.RED"),
        (np.float32(2.0), repr(np.float32(2.0))),
        (np.zeros((2, 3), dtype=np.float32), "<array of float32 (2, 3)>"),
        (json, "<module json>"),
        (json.dumps, "dumps"),
    ],
)
def test_a_value_has_a_short_text(value: object, text: str) -> None:
    assert probe._text(value) == text


def test_no_code_of_a_values_own_is_run_for_its_text() -> None:
    assert probe._text(Hostile()) == "<Hostile>"
    assert probe._text([Hostile(), {"a": Hostile()}]) == "[<Hostile>, {'a': <Hostile>}]"
    assert probe._text(Hostile) == "Hostile"
    assert probe._text(10**5000) == "<int of 16610 bits>"


def test_a_long_text_is_cut() -> None:
    assert len(probe._text("x" * 10_000_000)) == probe.TEXT_LIMIT


class FakeModule:
    """Stands for a module of Warp's that has gone: nothing is to be written."""


@pytest.fixture
def options() -> Any:
    return probe._Options({"a": 1, "b": None}, FakeModule())


def test_options_are_a_dict_to_whoever_looks(options: Any) -> None:
    plain = {"a": 1, "b": None}

    assert options == plain
    assert (repr(options), str(options), f"{options}") == (repr(plain), str(plain), f"{plain}")
    assert (options.__class__, str(type(options))) == (dict, "<class 'dict'>")
    assert json.dumps(options) == json.dumps(plain)
    for copied in (copy.copy(options), copy.deepcopy(options), pickle.loads(pickle.dumps(options)), options.copy()):
        assert type(copied) is dict
        assert copied == plain
    assert type(options | {"c": 2}) is dict


def test_options_change_as_a_dict_does(options: Any) -> None:
    options["a"] = 2
    options.update({"c": 3}, d=4)
    options.update(iter([("e", 5)]))
    options |= {"f": 6}

    assert options.setdefault("f", 7) == 6
    assert options.setdefault("g", 7) == 7
    assert options == {"a": 2, "b": None, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7}
    for wrong in (5, "ab"):
        with pytest.raises((TypeError, ValueError)) as caught:
            {}.update(wrong)  # type: ignore[call-overload]
        with pytest.raises(type(caught.value), match=str(caught.value).replace("#", ".")):
            options.update(wrong)


def test_time_in_hooks_is_counted_once_however_many_threads_are_in_one() -> None:
    meter = probe._Meter()
    begun = time.perf_counter_ns()
    threads = [threading.Thread(target=lambda: (meter.begin(), time.sleep(0.05), meter.end())) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 0 < meter.read() <= time.perf_counter_ns() - begun


def test_a_hook_that_fails_is_no_concern_of_the_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[tuple[str, dict[str, Any]]] = []

    class Wire:
        def write(self, kind: str, **fields: Any) -> None:
            lines.append((kind, fields))

    state = probe._State()
    state.wire = Wire()  # type: ignore[assignment]
    monkeypatch.setattr(probe, "_state", state)

    @probe._hook("this one")
    def failing(value: int) -> float:
        return value / 0

    @probe._leaving("that one")
    def leaving(token: Any, value: Any) -> None:
        raise KeyError(token)

    assert failing(1) is None
    assert failing(1) is None
    assert leaving("token", 5) == 5
    assert leaving(None, 6) == 6
    assert [(kind, fields["where"]) for kind, fields in lines] == [("trouble", "this one"), ("trouble", "that one")]
    assert state.meter.read() > 0


def test_a_hook_lets_an_interrupt_pass_and_is_ready_again(monkeypatch: pytest.MonkeyPatch) -> None:
    state = probe._State()
    state.wire = probe._ForkedWire()
    monkeypatch.setattr(probe, "_state", state)

    @probe._hook("this one")
    def interrupted() -> None:
        raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            interrupted()
    assert not state.local.busy
    assert state.meter.inside == []


@pytest.mark.parametrize(
    ("value", "name", "found"),
    [
        (json, "dumps", json.dumps),
        (Color, "__doc__", Color.__doc__),
        (type("Plain", (), {"rate": 1.0}), "rate", 1.0),
        (type("Plain", (), {"rate": 1.0})(), "rate", 1.0),
        (type("Plain", (), {"rate": property(lambda self: 1 / 0)})(), "rate", None),
        (type("Slots", (), {"__slots__": ("rate",)})(), "rate", None),
    ],
)
def test_an_attribute_is_read_only_where_it_simply_is(value: object, name: str, found: object) -> None:
    read = probe._attribute(value, name)

    assert (None if read is probe._GONE else read) == found
    assert probe._attribute(Hostile(), "value") is probe._GONE


def test_names_are_compared_by_identity_alone() -> None:
    space: dict[str, Any] = {"a": Hostile(), "b": 1.0, "config": type("Config", (), {"dt": 2.0})}
    function = eval("lambda: None", space)
    values = [(function, ("a",), space["a"]), (function, ("b",), 1.0), (function, ("config", "dt"), 2.0)]
    values[1] = (function, ("b",), space["b"])
    values[2] = (function, ("config", "dt"), space["config"].dt)
    same = probe._comparison(values)

    assert probe._comparison([]) is None
    assert same is not None
    assert same()
    space["b"] = True  # equal, and another
    assert not same()
    space["b"] = values[1][2]
    assert same()
    space["config"].dt = float("2.0")
    assert not same()
    del space["a"]
    with pytest.raises(NameError):
        same()
