"""Hooks go into a function's own code, and nothing else of it changes."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import textwrap
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from warp_nbprobe.child import probe

TEXT = '''
    import functools

    LIMIT = 3


    def plain(a, b=2, *args, c=3, **kwargs):
        """A text."""
        # a comment
        total = a + b + c
        return [each + total for each in args] if args else total


    def early(a):
        if a:
            return
        for each in range(2):
            with open(__file__):
                if each:
                    return each, lambda: each
        try:
            return 1
        finally:
            LIMIT


    def fails(a):
        first = 1
        try:
            return first / a
        except ZeroDivisionError as error:
            second = 2
            raise ValueError(
                "no "
                "number"
            ) from error


    def fails_again(a):
        try:
            return fails(a)
        except ValueError:
            third = 3
            raise


    class Base:
        def hidden(self):
            return "base"


    class Own(Base):
        def __secret(self):
            return "secret"

        def hidden(self, mark="}"):
            text = """
    not indented
            """
            return super().hidden() + self.__secret() + mark + text.strip()

        @property
        def value(self):
            def inner():
                return self.__secret()
            return inner

        class Deeper:
            def far(self):
                return self


    def decorated(function):
        @functools.wraps(function)
        def wrapper(*args):
            return "wrapped", function(*args)
        return wrapper


    @decorated
    def inside(a):
        return a


    def closure(b):
        def closed(a):
            return a + b
        return closed


    def generator(a):
        yield a
        return


    on_one_line = lambda a: a


    def last(a): return a
'''


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    path = tmp_path / "rewritten.py"
    path.write_text(textwrap.dedent(TEXT), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("rewritten", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Seen:
    """Hooks that keep what they are called with."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def enter(self, *values: Any) -> Any:
        self.calls.append(values)
        return "token"

    def leave(self, token: Any, value: Any) -> Any:
        self.calls.append((token, value))
        return value

    def fail(self, token: Any) -> None:
        self.calls.append((token, type(sys.exc_info()[1])))

    def into(self, function: Any, *arguments: str) -> None:
        probe._instrument(function, self.enter, arguments, self.leave, self.fail)


def facts(function: Any) -> dict[str, Any]:
    code = inspect.unwrap(function).__code__
    names = ("co_name", "co_filename", "co_firstlineno", "co_flags", "co_argcount", "co_freevars", "co_cellvars")
    inner = [(c.co_name, c.co_firstlineno) for c in code.co_consts if hasattr(c, "co_name")]
    return {
        **{name: getattr(code, name) for name in names},
        "inner": inner,
        "qualname": (function.__qualname__, getattr(code, "co_qualname", None)),
        "signature": str(inspect.signature(function)),
        "source": inspect.getsource(function),
        "doc": function.__doc__,
    }


def shown(call: Callable[..., Any], *args: Any) -> tuple[str, list[int]]:
    """Return a traceback as Python prints it, and the last line that each frame of it was at."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it is
        call(*args)
    tb = caught.value.__traceback__
    assert tb is not None
    frames = [frame.f_lineno for frame, _ in traceback.walk_tb(tb.tb_next)]
    return "".join(traceback.format_exception(caught.value)), frames


def test_calls_and_returns_pass_through(module: ModuleType) -> None:
    seen = Seen()
    seen.into(module.plain, "a", "args", "kwargs", "?missing")

    assert module.plain(1, 2, 5, c=0, d=4) == [8]
    assert seen.calls == [(1, (5,), {"d": 4}, None), ("token", [8])]


@pytest.mark.parametrize("value", [0, 1])
def test_every_return_is_seen_once(module: ModuleType, value: int) -> None:
    before = module.early(value)
    seen = Seen()
    seen.into(module.early)

    after = module.early(value)

    assert [call[0] for call in seen.calls[1:]] == ["token"]
    assert (after and after[0]) == (before and before[0])


def test_tracebacks_are_the_same_to_the_column(module: ModuleType) -> None:
    before = shown(module.fails_again, 0)
    seen = Seen()
    for function in (module.fails, module.fails_again):
        seen.into(function)

    assert shown(module.fails_again, 0) == before
    assert [call for call in seen.calls if call] == [("token", ValueError)] * 2


@pytest.mark.parametrize("name", ["plain", "early", "fails", "fails_again", "inside", "last"])
def test_what_can_be_asked_of_a_function_stays(module: ModuleType, name: str) -> None:
    function = getattr(module, name)
    before = facts(function)

    Seen().into(function)

    assert getattr(module, name) is function
    assert facts(function) == before
    assert hash(function.__code__) == hash(function.__code__)


def test_methods_keep_their_names_super_and_private_names(module: ModuleType) -> None:
    own = module.Own()
    before, inner = own.hidden("!"), own.value
    seen = Seen()
    for function in (module.Own.hidden, module.Own.value.fget, module.Own.Deeper.far):
        kept = facts(function)
        seen.into(function, "self")
        assert facts(function) == kept

    assert own.hidden("!") == before == "basesecret!not indented"
    assert (own.value(), own.value.__qualname__) == (inner(), inner.__qualname__)
    assert len(seen.calls) == 6


def test_a_decorated_function_is_changed_inside_its_decoration(module: ModuleType) -> None:
    seen = Seen()
    seen.into(module.inside, "a")

    assert module.inside(3) == ("wrapped", 3)
    assert seen.calls == [(3,), ("token", 3)]


def test_an_answer_stands_in_for_the_body_and_hooks_stay_around_it(module: ModuleType) -> None:
    seen = Seen()
    seen.into(module.last, "a")
    probe._instrument(module.last, answer=lambda a: NotImplemented if a else "answer", asks=("a",))

    assert (module.last(0), module.last(1)) == ("answer", 1)
    assert seen.calls == [(0,), ("token", "answer"), (1,), ("token", 1)]


def test_new_hooks_replace_the_old_ones(module: ModuleType) -> None:
    old, new = Seen(), Seen()
    old.into(module.last)
    new.into(module.last)

    module.last(1)

    assert (len(old.calls), len(new.calls)) == (0, 2)


@pytest.mark.parametrize(
    ("find", "reason"),
    [
        (lambda module: len, "it is not a Python function"),
        (lambda module: module.closure(1), "it is a closure"),
        (lambda module: module.on_one_line, "its source is another function's"),
        (lambda module: eval("lambda a: a"), "no source"),
    ],
)
def test_what_cannot_be_rewritten_is_left_alone(
    module: ModuleType, find: Callable[[ModuleType], Any], reason: str
) -> None:
    function = find(module)
    code = getattr(function, "__code__", None)

    with pytest.raises(probe._Missing, match=reason):
        Seen().into(function)

    assert getattr(function, "__code__", None) is code


def test_an_argument_that_is_not_there_is_missed(module: ModuleType) -> None:
    with pytest.raises(probe._Missing, match="it has no argument nothing"):
        Seen().into(module.plain, "nothing")


def test_a_source_that_was_changed_since_is_noticed(module: ModuleType) -> None:
    path = Path(str(module.__file__))
    path.write_text(path.read_text(encoding="utf-8").replace("total = a", "amount = a"), encoding="utf-8")

    with pytest.raises(probe._Missing, match="not what it was compiled from"):
        Seen().into(module.plain)
