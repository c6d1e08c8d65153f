"""Watches Warp from inside the child and writes what it sees as JSON lines.

One standard-library file: its text is loaded into a module object of its own in the child, so it imports nothing of
ours. It waits for the user's code to import Warp, then rewrites the code objects of a few of Warp's functions in place:
a call of a hook goes in front of the body, and where needed around its returns. No frame, no wrapper and no new
function object comes between the user and Warp, so callers that Warp inspects, tracebacks, tape metadata and the
frames that Warp clears after an error are what they are without us.

The guest rules: no name in the user's namespace, no exception into the user's code, nothing of the user's kept alive
that would have ended, every line written at once. What can be noticed: kernels and recorded launches carry an
attribute ``_nbp``, and a module's options are a subclass of ``dict``. The wire is described in docs/wire.md.
"""

from __future__ import annotations
import __future__ as _future

import _thread as _thread_module
import ast
import atexit
import base64
import enum
import functools
import gc
import hashlib
import importlib.abc
import inspect
import itertools
import json
import linecache
import mmap
import os
import platform
import re
import select
import sys
import sysconfig
import threading
import time
import types
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

WIRE_VERSION = 1
TRACE_VARIABLE = "WARP_NBPROBE_TRACE"
OWN_FILE = "<warp_nbprobe probe>"
TEXT_LIMIT = 400  # characters of a value's text on the wire
MESSAGE_LIMIT = 4000  # characters of an error's message
LINES_KEPT = 20_000  # of those that Warp prints
SAME_LINES = 1000  # equal assignments and calls that are written; more would fill the disk and say nothing new
THREADS_TOLD_APART = 256  # of later ones, those that get an earlier one's ident get its number too
ROOM = 1 << 24  # launches of one process; the file is sparse, so room costs nothing until it is used
TRACKED_OPTIONS = (
    "enable_backward",
    "max_unroll",
    "lineinfo",
    "deterministic",
    "deterministic_max_records",
    "compile_time_trace",
)

_clock = time.perf_counter_ns
_own_codes: set[str] = {__file__ if "__file__" in globals() else OWN_FILE, OWN_FILE}


class _Missing(Exception):
    """A hook point that this Warp does not have; the text says what is missing."""


# ---------------------------------------------------------------------------------------------------------------------
# The wire


class _Wire:
    """An append-only file of JSON lines; a line is one ``write``, so a crash loses none that was written."""

    def __init__(self, folder: str) -> None:
        self.lock = threading.RLock()
        self.name, self.handle = self._new_file(folder)

    @staticmethod
    def _new_file(folder: str) -> tuple[str, int | None]:
        """Make a file of a name that nobody has: a process may have this pid's wire before an ``exec``."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        for again in itertools.count(1):
            name = str(os.getpid()) if again == 1 else f"{os.getpid()}-{again}"
            try:
                return name, os.open(os.path.join(folder, f"wire-{name}.jsonl"), flags, 0o600)
            except FileExistsError:
                continue
        raise OSError("no name is left")

    def write(self, kind: str, **fields: Any) -> None:
        self.write_text(_encode({"kind": kind, **fields}))

    def write_text(self, line: str) -> None:
        data = (line + "\n").encode("utf-8", "backslashreplace")
        with self.lock:  # closing must not come between: the number may be another file's by then
            while data and self.handle is not None:
                try:
                    data = data[os.write(self.handle, data) :]
                except OSError:
                    self.close()  # the run's folder is gone or full: nobody reads any more

    def close(self) -> None:
        with self.lock:
            if self.handle is not None:
                os.close(self.handle)
                self.handle = None


class _ForkedWire(_Wire):
    """The wire of a forked process, made when there is something to write: most forks run another program at once."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.name, self.handle = "", None

    def write_text(self, line: str) -> None:
        if _state.wire is self:
            _open_forked()
        if _state.wire is not None and _state.wire is not self:
            _state.wire.write_text(line)


def _write(kind: str, **fields: Any) -> None:
    if _state.wire is not None:
        _state.wire.write(kind, **fields)


def _trouble(where: str, error: BaseException) -> None:
    try:
        text = f"{type(error).__name__}: {error}"[:TEXT_LIMIT]
        if (where, text) not in _state.troubles:
            _state.troubles.add((where, text))
            _write("trouble", t=_clock(), where=where, error=text)
    except Exception:
        _state.wire = None  # not even that can be written


def _text(value: Any, depth: int = 2) -> str:
    """Return a short text of a value. No method of the user's own classes is run for it."""
    kind = type(value)
    shown = f"<{kind.__qualname__}>"
    if kind in (str, bytes):
        shown = repr(value[: TEXT_LIMIT + 1])
    elif kind is int and value.bit_length() > 1000:
        shown = f"<int of {value.bit_length()} bits>"
    elif value is None or kind in (bool, int, float, complex) or hasattr(kind, "_wp_scalar_type_"):
        shown = repr(value)
    elif issubclass(kind, enum.Enum):
        shown = f"{kind.__qualname__}.{value._name_}"
    elif kind in (list, tuple, set, frozenset, dict):
        shown = _text_of_many(value, kind, depth)
    elif issubclass(kind, (type, types.FunctionType, types.BuiltinFunctionType)):
        shown = str(value.__qualname__)
    elif issubclass(kind, types.ModuleType):
        shown = f"<module {vars(value).get('__name__')}>"
    elif kind.__module__ == "numpy":
        shape = tuple(value.shape) if hasattr(kind, "shape") else ()
        shown = f"<array of {value.dtype} {shape}>" if shape or not hasattr(kind, "item") else repr(value)
    elif _is_warp(kind) and hasattr(kind, "_type_") and hasattr(value, "value"):
        shown = f"{kind.__name__}({value.value!r})"
    return shown if len(shown) <= TEXT_LIMIT else shown[: TEXT_LIMIT - 3] + "..."


_encode = json.JSONEncoder(default=_text, separators=(",", ":")).encode


def _is_a(value: Any, kind: Any) -> bool:
    """Tell what ``isinstance`` tells, without asking the value: it may answer with code of its own."""
    return issubclass(type(value), kind)


def _text_of_many(value: Any, kind: type, depth: int) -> str:
    if depth == 0:
        return f"<{kind.__name__} of {len(value)}>"
    if kind is dict:
        parts = [f"{_text(k, depth - 1)}: {_text(v, depth - 1)}" for k, v in itertools.islice(value.items(), 20)]
    else:
        parts = [_text(part, depth - 1) for part in itertools.islice(value, 20)]
    parts += ["..."] if len(value) > 20 else [""] if kind is tuple and len(value) == 1 else []
    ends = "[]" if kind is list else "()" if kind is tuple else "{}"
    return ends[0] + ", ".join(parts).rstrip(" ") + ends[1]


def _option_text(value: Any) -> str:
    return str(value) if type(value) in (str, int, float, bool, type(None)) else _text(value)


def _is_warp(kind: type) -> bool:
    return str(kind.__module__).partition(".")[0] == "warp"


# ---------------------------------------------------------------------------------------------------------------------
# What is known in this process


class _Local(threading.local):
    """What one thread is doing."""

    def __init__(self) -> None:
        self.busy = False  # inside one of our own hooks
        self.spent_ns = 0  # in hooks, by this thread
        self.event: _Event | None = None  # the build or load under way
        self.references: dict[int, tuple[Any, Any]] | None = None  # get_references results while Warp hashes
        self.generating = 0  # inside code generation
        self.builder: list[tuple[str, Any]] = []  # kernels that code generation entered: name, place
        self.tiled: list[Any] = []  # block_dim requests of launch_tiled calls under way
        self.unrecorded: tuple[int, str] | None = None  # position and kernel of a launch that is no launch yet
        self.end: _ThreadEnd | None = None


class _ThreadEnd:
    """Goes with a thread's locals: the system gives its ident to another thread, which is to have its own number."""

    __slots__ = ("ident", "recorder", "threads")

    def __init__(self, ident: int, threads: dict[int, int], recorder: _Recorder | None) -> None:
        self.ident, self.threads, self.recorder = ident, threads, recorder

    def __del__(self) -> None:
        self.threads.pop(self.ident, None)
        if self.recorder is not None:
            self.recorder.forget_sites()


class _Meter:
    """The time in which some thread was inside a hook: no more than has passed, however many threads there are.

    It takes no lock: threads that begin or end at one instant may count that instant twice.
    """

    def __init__(self) -> None:
        self.inside: list[int] = []  # when each that is inside began
        self.since = 0
        self.spent_ns = 0

    def begin(self) -> int:
        now = _clock()
        if not self.inside:
            self.since = now
        self.inside.append(now)
        return now

    def end(self) -> int:
        now = _clock()
        if self.inside:  # an interrupt may have come before it was noted
            self.inside.pop()
        if not self.inside:
            self.spent_ns += now - self.since
            self.since = now
        return now

    def read(self) -> int:
        return self.spent_ns + (_clock() - self.since if self.inside else 0)


class _State:
    """All that the probe knows in this process."""

    def __init__(self) -> None:
        # of the process
        self.folder = ""
        self.local = _Local()
        self.is_command = False  # a process whose wire says when its code began and ended
        # where cache folders that the code itself sets are sent to, if they are
        self.private_cache = os.environ.get("WARP_CACHE_PATH") if os.environ.get("WARP_NBPROBE_ISOLATE") else None
        self.in_workers = False  # multiprocessing is told to finish our record in its workers
        self.kids = itertools.count(1)
        self.codes: dict[int, _Code] = {}
        # of a file: its cell, and the lines of that above the file's own; None for a text that stands in no cell
        self.cells: dict[str, tuple[int | None, int]] = {}
        self.cell: int | None = None  # the latest one
        self.source = ""  # of that
        self.cell_open = False
        self.nested = 0  # texts that the open cell has the shell run
        self.cell_count = 0
        # of Warp
        self.warp: Any = None
        self.context: Any = None
        self.launch: Any = None  # the function
        self.launch_tiled: Any = None
        self.warp_folder = ""
        self.cache_folders: tuple[str, ...] = ()
        self.hooks: dict[str, str] = {}
        self.load_codes: set[types.CodeType] = set()
        self.silent_block_dim: int | None = None  # before 1.18 a default, which cannot be told from a request
        self.modules: weakref.WeakKeyDictionary[Any, _Module] = weakref.WeakKeyDictionary()
        self.kernels: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self.struct_places: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self.failures: dict[Any, dict[str, Any]] = {}
        self.assignments: dict[tuple[Any, str], _Assignment] = {}
        self.epoch = 0  # grows with every assignment that a launch may have to be looked at for
        self.order = itertools.count()  # of assignments and modules
        self.kernel_keys: set[str] = set()
        self.begin_wire()

    def begin_wire(self) -> None:
        """Forget what belongs to a wire: a forked process writes one of its own."""
        self.wire: _Wire | None = None
        self.recorder: _Recorder | None = None
        self.meter = _Meter()
        self.lock = threading.RLock()
        self.ids = itertools.count(1)
        self.threads: dict[int, int] = {}
        self.thread_numbers = itertools.count(1)
        self.interned: dict[Any, int] = {}
        self.contents: dict[Any, _Content] = {}
        self.defines: dict[Any, int] = {}
        self.define_counts: dict[int, int] = {}
        self.counts_told = 0
        self.rehashes: dict[str, _Rehash] = {}
        self.files: dict[str, int] = {}
        self.calls: list[_Call] = []  # under way
        self.said: dict[Any, int] = {}  # how often each line was written that is written once, or not too often
        self.troubles: set[tuple[str, str]] = set()
        self.runtime_told = False
        self.finished = False

    def once(self, *key: Any, limit: int = 1) -> bool:
        """Tell whether a line with this key is still to be written."""
        with self.lock:
            count = self.said[key] = self.said.get(key, 0) + 1
        return count <= limit


def _hook(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function a hook: what it raises goes on the wire, the time it takes is counted, it never nests."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            state = _state
            local = state.local
            if local.busy or state.wire is None:
                return None
            local.busy = True
            meter = state.meter
            begun = meter.begin()
            try:
                return function(*args)
            except Exception as error:
                _trouble(name, error)
                return None
            finally:
                local.spent_ns += meter.end() - begun
                local.busy = False

        return run

    return decorate


def _leaving(name: str) -> Callable[[Callable[[Any, Any], None]], Callable[[Any, Any], Any]]:
    """Make a hook for returns: the value returned goes on unchanged whatever the hook does."""

    def decorate(function: Callable[[Any, Any], None]) -> Callable[[Any, Any], Any]:
        guarded = _hook(name)(function)

        def run(token: Any, value: Any) -> Any:
            if token is not None:
                guarded(token, value)
            return value

        return run

    return decorate


def _ending(name: str, over: Callable[[bool, Any, Any], None]) -> tuple[Any, Any]:
    """Return the hooks for a value returned and for an error, both of which call ``over(failed, value, token)``."""
    guarded = _hook(name)(over)

    def leave(token: Any, value: Any) -> Any:
        if token is not None:
            guarded(False, value, token)
        return value

    def fail(token: Any) -> None:
        if token is not None:
            guarded(True, None, token)

    return leave, fail


def _thread() -> int:
    """Return this thread's number: 0 for the main thread, then by first appearance."""
    ident, threads = threading.get_ident(), _state.threads
    known = threads.get(ident)
    if known is None:
        with _state.lock:
            if ident == threading.main_thread().ident:
                return threads.setdefault(ident, 0)
            known = threads[ident] = next(_state.thread_numbers)
            if known < THREADS_TOLD_APART:
                _state.local.end = _ThreadEnd(ident, threads, _state.recorder)
    return known


# ---------------------------------------------------------------------------------------------------------------------
# Places: which line of the user's code a frame stands for


class _Code(NamedTuple):
    """What is known of a code object, which is kept, so that its id stays its own."""

    code: types.CodeType
    kind: str  # user, warp, own, library
    file: str
    cell: int | None
    above: int  # lines of the cell above the code's first


_INSTALLED = tuple(
    {
        os.path.realpath(path) + os.sep
        for path in (*map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")), sys.prefix + "/bin")
        if path
    }
)
_INSTALLED_PARTS = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
_TIMED = ("<timed exec>", "<timed eval>")  # what %%time runs
_CODES_AT_MOST = 50_000
_BELOW_API = ("load", "_compile", "compile", "__init__", "__enter__", "__exit__", "get_module_hash", "hash_module")


def _code(code: types.CodeType) -> _Code:
    """Return whose code this is, its file and its cell."""
    known = _state.codes.get(id(code))
    if known is not None and known.code is code:
        return known
    if len(_state.codes) > _CODES_AT_MOST:  # a program that compiles texts in a loop
        _state.codes.clear()
        if _state.recorder is not None:
            _state.recorder.forget_sites()
    file = code.co_filename
    cell, above = _state.cells.get(file, (None, 0))
    if cell is None and file in _TIMED and _state.source.lstrip().startswith("%%time"):
        cell, above = _state.cell, _blank_lines(_state.source) + 1  # it takes its own line away
    kind = "user" if cell is not None else "library" if file in _state.cells else _kind_of_file(file)
    if cell is None and not file.startswith("<"):
        file = os.path.abspath(file)
    known = _state.codes[id(code)] = _Code(code, kind, file, cell, above)
    return known


def _blank_lines(text: str) -> int:
    """Return how many lines IPython drops from the top of a text."""
    lines = text.splitlines()
    return next((number for number, line in enumerate(lines) if line.strip()), 0)


def _kind_of_file(file: str) -> str:
    if file in _own_codes:
        return "own"
    if _state.warp_folder and file.startswith(_state.warp_folder):
        return "warp"
    if file.startswith("<") or any(part in file for part in _INSTALLED_PARTS):
        return "library"
    # what Warp generates into its cache is its generator's
    return "library" if os.path.realpath(file).startswith((*_INSTALLED, *_state.cache_folders)) else "user"


def _place_at(code: types.CodeType, line: int) -> dict[str, Any]:
    known = _code(code)
    return {"file": known.file, "line": line + known.above, "cell": known.cell, "user": known.kind == "user"}


def _caller(depth: int) -> types.FrameType | None:
    """Return the frame so many calls above the function that asks; None where Python was called from C."""
    try:
        return sys._getframe(depth + 1)
    except ValueError:
        return None


def _user_frame(frame: types.FrameType | None) -> types.FrameType | None:
    while frame is not None and _code(frame.f_code).kind != "user":
        frame = frame.f_back
    return frame


def _place(frame: types.FrameType | None) -> dict[str, Any] | None:
    """Return the nearest place in the user's own code above a frame, else the nearest outside Warp."""
    found = _user_frame(frame)
    if found is None:
        while frame is not None and _code(frame.f_code).kind in ("warp", "own"):
            frame = frame.f_back
        found = frame
    if found is None or found.f_code.co_filename.startswith("<frozen"):
        return None
    return _place_at(found.f_code, found.f_lineno)


def _here() -> dict[str, Any] | None:
    """Return the place of the call that led to the hook that asks."""
    return _place(sys._getframe(1))


def _spot(place: dict[str, Any] | None) -> Any:
    return None if place is None else (place["file"], place["line"], place["cell"])


def _api_call(frame: types.FrameType | None) -> str:
    """Return the name of the outermost function of Warp on this side of the user's code, or ``launch``."""
    name = ""
    while frame is not None:
        kind = _code(frame.f_code).kind
        if kind == "warp":
            name = frame.f_code.co_name
            if frame.f_code is getattr(_state.launch, "__code__", None):
                return "launch"
        elif kind != "own" and name and name not in _BELOW_API:
            return name
        frame = frame.f_back
    return name


def _defined(func: Any) -> dict[str, Any] | None:
    """Return where a Python function was written: its decorator's line."""
    code = getattr(func, "__code__", None)
    return None if code is None else _place_at(code, code.co_firstlineno)


def _tell_file(place: dict[str, Any] | None) -> None:
    """Write the text of a user's file once, and again when it changed, so that a recording explains itself anywhere."""
    if place is None or place["cell"] is not None or not place["user"]:
        return
    file = place["file"]
    try:
        stamp = os.stat(file).st_mtime_ns
        if _state.files.get(file) == stamp:
            return
        _state.files[file] = stamp
        with open(file, encoding="utf-8", errors="replace") as handle:
            text = handle.read()
    except OSError:
        return  # a text that is no file
    if len(text) <= 1 << 20:
        _write("file", t=_clock(), file=file, source=_source_id(text))


# ---------------------------------------------------------------------------------------------------------------------
# Rewriting: a hook goes into a function's own code

_instrumented: dict[Any, tuple[Any, ...]] = {}  # the latest hooks of a function
_rewritten: dict[Any, _Rewritten] = {}


class _Point:
    """What a rewritten function calls: before its body, with each value it returns, and when it raises."""

    __slots__ = ("enter", "fail", "leave")

    def __init__(self, enter: Any, leave: Any = None, fail: Any = None) -> None:
        self.enter, self.leave, self.fail = enter, leave, fail

    def failing(self, token: Any) -> _Failing:
        return _Failing(self.fail, token)


class _Failing:
    """Surrounds a body. A ``with`` ends where the error was raised, so that is the frame's last line, as without us."""

    __slots__ = ("fail", "token")

    def __init__(self, fail: Any, token: Any) -> None:
        self.fail, self.token = fail, token

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is not None:
            self.fail(self.token)


class _Rewritten:
    """A function whose code was changed."""

    def __init__(self, code: types.CodeType) -> None:
        self.code = code  # as it was
        self.now = code
        self.changes: dict[str, tuple[Callable[[ast.FunctionDef, str], None], Any]] = {}  # one of each kind


def _instrument(
    function: Any,
    enter: Callable[..., Any] | None = None,
    arguments: tuple[str, ...] = (),
    leave: Callable[[Any, Any], Any] | None = None,
    fail: Callable[[Any], Any] | None = None,
    answer: Callable[..., Any] | None = None,
    asks: tuple[str, ...] = (),
) -> None:
    """Put hooks into a function's code without changing the function.

    ``enter`` is called with the named arguments before the body and its result is handed on; ``leave`` gets that and
    the value returned, ``fail`` gets it when the body raises. ``answer`` is asked in front of the body with the
    arguments ``asks``: what it returns is returned, unless it is ``NotImplemented``. An argument written ``?name`` is
    None in versions that have none of that name. What a function has already of ``enter``, ``leave`` and ``fail`` goes
    when one of them is given; an ``answer`` goes when one is given.

    Raises:
        _Missing: See `_rewrite`; or the function lacks an argument.
    """
    target = inspect.unwrap(function)
    entering, asking = (_argument_list(target, names) for names in (arguments, asks))
    token = "_nbp_token"

    def ask(definition: ast.FunctionDef, mark: str) -> None:
        head, body = _split_docstring(definition.body)
        text = f"_nbp_answer = NBP.enter({asking})\nif _nbp_answer is not NotImplemented:\n    return _nbp_answer"
        definition.body = [*head, *_statements(text, mark, body[0]), *body]

    def surround(definition: ast.FunctionDef, mark: str) -> None:
        head, body = _split_docstring(definition.body)
        site = body[0]
        if enter is not None:
            head += _statements(f"{token} = NBP.enter({entering})", mark, site)
        else:
            head += _statements(f"{token} = None", mark, site) if leave is not None or fail is not None else []
        if leave is not None:
            end = _statements(f"NBP.leave({token}, None)", mark, site)
            _pass_returns(body, end[0])
            body += end
        if fail is not None:
            (failing,) = _statements(f"with NBP.failing({token}):\n    pass", mark, site)
            failing.body, body = body, [failing]
        definition.body = head + body

    if answer is not None:
        _rewrite(target, "answer", ask, _Point(answer))
    if enter is not None or leave is not None or fail is not None:
        _rewrite(target, "hooks", surround, _Point(enter, leave, fail))
        _instrumented[target] = enter, arguments, leave, fail


def _argument_list(function: Any, names: tuple[str, ...]) -> str:
    code = _code_of(function)
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + 2]
    for name in names:
        if name not in known and not name.startswith("?"):
            raise _Missing(f"it has no argument {name}")
    return ", ".join(name.lstrip("?") if name.lstrip("?") in known else "None" for name in names)


def _code_of(function: Any) -> types.CodeType:
    code = getattr(inspect.unwrap(function), "__code__", None)
    if not isinstance(code, types.CodeType):
        raise _Missing("it is not a Python function")
    return code


_KINDS = ("answer", "launches", "hooks")  # of changes, the innermost first


def _rewrite(function: Any, kind: str, change: Callable[[ast.FunctionDef, str], None], point: Any) -> None:
    """Give a function the code of its own changed text.

    ``change`` gets the definition and a mark: the constant in its place becomes ``point``. A change of the same kind
    goes, others stay. Lines, columns, names and file stay those of the source.

    Raises:
        _Missing: The function has no source, is a closure, or its source is not what it was compiled from.
    """
    target, code = inspect.unwrap(function), _code_of(function)
    known = _rewritten.get(target)
    if known is None or known.now is not code:
        known = _Rewritten(code)
    changes = {**known.changes, kind: (change, point)}
    code = known.code
    if set(code.co_freevars) - {"__class__"}:
        raise _Missing("it is a closure")
    definition, tree = _definition_of(code, target.__qualname__.split(".")[:-1])
    points = {}
    for kind in _KINDS:
        if kind in changes:
            points[f"warp_nbprobe {kind}"] = changes[kind][1]
            changes[kind][0](definition, f"warp_nbprobe {kind}")
    flags = code.co_flags & sum(getattr(_future, name).compiler_flag for name in _future.all_feature_names)
    new = _code_named(compile(tree, code.co_filename, "exec", flags=flags, dont_inherit=True), code.co_name)
    if new is None or not _is_same_but_hooks(new, code):
        raise _Missing("its source is not what it was compiled from")
    new = _moved(new, code.co_firstlineno - new.co_firstlineno)
    consts = (points[each] if isinstance(each, str) and each in points else each for each in new.co_consts)
    known.now = target.__code__ = new.replace(co_consts=tuple(consts))
    known.changes = changes
    _rewritten[target] = known


def _definition_of(code: types.CodeType, classes: list[str]) -> tuple[ast.FunctionDef, ast.Module]:
    """Return a function's definition inside classes of the names given, so that its names come out as they were."""
    lines = linecache.getlines(code.co_filename)
    first, last = code.co_firstlineno - 1, max(_lines_of(code))
    if last > len(lines):
        raise _Missing("no source")
    indent = len(lines[first]) - len(lines[first].lstrip())
    while last < len(lines):  # the text ends where another begins, at the same depth or further out
        text = lines[last].strip()
        if text and text[0] not in ")]}#" and len(lines[last]) - len(lines[last].lstrip()) <= indent:
            break
        last += 1
    head = "".join(f"{' ' * depth}class {name}:\n" for depth, name in enumerate(classes))
    try:
        tree = ast.parse(head + "".join(lines[first:last]))
    except SyntaxError as error:
        raise _Missing(f"its source cannot be read: {error.msg}") from None
    node: Any = tree
    for _ in range(len(classes) + 1):
        node = node.body[0]
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
        raise _Missing("its source is another function's")
    return node, tree


def _lines_of(code: types.CodeType) -> Iterator[int]:
    """Yield the lines of a function and of those in it."""
    yield code.co_firstlineno
    yield from (line for _, _, line in code.co_lines() if line is not None)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _lines_of(constant)


def _split_docstring(body: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    first = body[0]
    text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return (body[:1], body[1:]) if text else ([], list(body))


def _statements(text: str, mark: str, site: ast.stmt) -> list[Any]:
    """Return statements for a function's body; their place is that of a statement that was there."""
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    tree: Any = ast.parse(f"def f():\n{lines}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "NBP":
            node.value = ast.copy_location(ast.Constant(value=mark), site)
        if isinstance(node, (ast.expr, ast.stmt, ast.excepthandler)):
            ast.copy_location(node, site)
    return list(tree.body[0].body)


def _pass_returns(body: Iterable[Any], call: Any) -> None:
    """Pass what a function returns through a call; functions and classes inside it are left alone."""
    for node in body:
        if isinstance(node, ast.Return):
            token, nothing = call.value.args
            passed = ast.Call(func=call.value.func, args=[token, node.value or nothing], keywords=[])
            node.value = ast.copy_location(passed, node.value or node)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for part in ("body", "orelse", "finalbody", "handlers", "cases"):
                _pass_returns(getattr(node, part, ()), call)


def _code_named(code: types.CodeType, name: str) -> types.CodeType | None:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found = constant if constant.co_name == name else _code_named(constant, name)
            if found is not None:
                return found
    return None


def _is_same_but_hooks(new: types.CodeType, code: types.CodeType) -> bool:
    """Tell whether a compiled text is the running code with our calls in it, as far as names show."""
    names = [name for name in new.co_varnames if not name.startswith("_nbp")]
    inner = [[c.co_name for c in each.co_consts if isinstance(c, types.CodeType)] for each in (new, code)]
    return (
        names == list(code.co_varnames)
        and (new.co_freevars, new.co_cellvars, new.co_flags) == (code.co_freevars, code.co_cellvars, code.co_flags)
        and set(code.co_names) <= set(new.co_names)
        and inner[0] == inner[1]
    )


def _moved(code: types.CodeType, lines: int) -> types.CodeType:
    """Return code further down in its file; its line table counts from its first line."""
    consts = tuple(_moved(each, lines) if isinstance(each, types.CodeType) else each for each in code.co_consts)
    return code.replace(co_firstlineno=code.co_firstlineno + lines, co_consts=consts)


# ---------------------------------------------------------------------------------------------------------------------
# Kernels, known by a number of their own


class _Known:
    """What is remembered of one kernel object; it lives on the kernel, so it ends with it."""

    __slots__ = ("__weakref__", "built", "flagged", "kid", "owner", "same", "taped")

    def __init__(self, kid: int, owner: weakref.ref[Any]) -> None:
        self.kid = kid
        self.owner = owner
        # tells whether what the code reads is what it was at the last look; None where it reads nothing
        self.same: Callable[[], bool] | None = _never
        self.built: tuple[_Built, ...] | None = None  # what the loaded code was generated with
        self.flagged = False  # it has been seen to use an old value
        self.taped = False


def _never() -> bool:
    return False


def _known(kernel: Any) -> _Known:
    """Return what is remembered of a kernel; an instance of a generic kernel is a shallow copy and has its own."""
    known = kernel.__dict__.get("_nbp")
    if known is None or known.owner() is not kernel:
        known = kernel._nbp = _Known(next(_state.kids), weakref.ref(kernel))
        _state.kernels[known.kid] = kernel
    return known  # type: ignore[no-any-return]


def _name_of(kernel: Any) -> str:
    return str(getattr(kernel.func, "__qualname__", kernel.key))


# ---------------------------------------------------------------------------------------------------------------------
# Launches: a signature once, then one small integer a launch

# Goes into wp.launch, where everything is known and the module is about to be loaded. Every launch passes here: a key
# of small values looked up, one integer written.
_LAUNCH = """
try:
    _nbp_known = kernel._nbp
    _nbp_same = _nbp_known.same
    if adjoint or record_cmd or (_nbp_same is not None and not _nbp_same()):
        raise LookupError
    _nbp_frame = NBP.frame(1)
    NBP.put[next(NBP.count)] = NBP.keys[
        _nbp_known.kid,
        dim,
        device.alias,
        _nbp_asked,
        id(_nbp_frame.f_code),
        _nbp_frame.f_lasti,
        NBP.ident(),
    ]
except IndexError:
    pass
except Exception:
    NBP.look(kernel, dim, device, adjoint, record_cmd, _nbp_asked)
"""


class _Recorder:
    """The order of launches, as signature ids in a file that survives a crash."""

    __slots__ = (
        "asked", "capturing", "count", "era", "frame", "ident", "ids", "keys", "look", "looked", "map", "path", "put",
        "room", "signatures",
    )  # fmt: skip

    def __init__(self, path: str | None, room: int | None = None) -> None:
        self.frame, self.ident, self.look = sys._getframe, threading.get_ident, _launch_looked_at
        self.path = path
        self.room = ROOM if room is None else room
        self.capturing = 0
        self.forget()
        self.map: Any = None
        self.put = self._open()

    def _open(self) -> memoryview:
        if self.path is None:
            self.map = bytearray(self.room * 4)
        else:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
            try:
                os.ftruncate(handle, self.room * 4)
                self.map = mmap.mmap(handle, self.room * 4)
            finally:
                os.close(handle)
        return memoryview(self.map).cast("I")

    def forget(self) -> None:
        """Begin anew, in a forked process under the same rewritten code: the first launch comes to be looked at."""
        self.count = itertools.count()
        self.ids: dict[str, int] = {}
        self.signatures: list[tuple[str, int]] = [("", 0)]  # kernel name and thread, by id
        self.forget_sites()

    def forget_sites(self) -> None:
        """Forget which code objects launched: their ids may be others' from now on."""
        self.asked: dict[Any, int] = {}  # signature ids of launches, by all that tells them apart
        self.era = object()  # stands for these ids where recorded commands remember them
        self.forget_looks()

    def forget_looks(self) -> None:
        """Have the next launch of every kind looked at; what it resolves to, or uses, may have changed."""
        self.looked: set[Any] = set()  # of `asked`, those that need not be looked at again
        self.keys: dict[Any, int] = {}  # those that are known at first sight

    def forget_kernel(self, kid: int) -> None:
        """Have the next launch of a kernel looked at, wherever it comes from."""
        for key in [key for key in list(self.keys) if key[0] == kid]:
            self.keys.pop(key, None)
        self.looked = {key for key in list(self.looked) if key[0] != kid}

    def move(self, path: str) -> None:
        """Write to another file from now on: the present one is the parent's."""
        self.put.release()
        self.map.close()
        self.path = path
        self.put = self._open()

    def capture(self, begun: bool) -> None:
        """Look at every launch while a graph is captured, since such a launch is none yet."""
        self.capturing = max(0, self.capturing + (1 if begun else -1))
        self.keys = {}

    def write(self, signature: int) -> None:
        """Write one launch; one beyond the room is only counted."""
        index = next(self.count)
        if index < self.room:
            self.put[index] = signature

    def position(self) -> int:
        """Return how many launches were recorded so far."""
        return int(repr(self.count)[6:-1])  # a count has no other way to tell its next value without taking it

    def last_of(self, thread: int) -> tuple[int, str] | None:
        """Return position and kernel of a thread's latest launch."""
        end = min(self.position(), self.room)
        for index in range(end - 1, max(-1, end - 4096), -1):
            signature = self.put[index]
            if signature and self.signatures[signature][1] == thread:
                return index, self.signatures[signature][0]
        return None


class _Asked:
    """A launch as it was asked for, while it is looked at; it holds the kernel and lives no longer than that."""

    __slots__ = (
        "adjoint", "block_dim", "caller", "device", "dims", "kernel", "kind", "known", "requested", "site",
    )  # fmt: skip

    def __init__(self, kernel: Any, kind: str, dims: Any, device: Any, adjoint: bool, block_dim: Any) -> None:
        self.kernel = kernel  # of a generic one the instance
        self.known = _known(kernel)
        self.kind = kind
        self.dims: int | tuple[int, ...] = dims
        self.device = device
        self.adjoint = adjoint
        self.block_dim = block_dim  # as the call had it
        self.requested = None if _is_no_request(block_dim) else _asked_number(block_dim)
        self.caller: types.FrameType | None = None
        self.site: types.FrameType | None = None  # the user's, or the caller


_Key = tuple[Any, ...]  # all that tells launches apart; the kernel's number comes first


def _site_key(site: types.FrameType | None) -> tuple[int, int, int]:
    if site is None:
        return 0, 0, threading.get_ident()
    _code(site.f_code)  # which keeps it
    return id(site.f_code), site.f_lasti, threading.get_ident()


@_hook("launch")
def _launch_looked_at(kernel: Any, dim: Any, device: Any, adjoint: Any, record_cmd: Any, block_dim: Any) -> None:
    """Record a launch that is not known at first sight: new, or from inside a library, or one that waits."""
    recorder = _state.recorder
    if recorder is None:
        return
    caller = _caller(3)  # this function, its guard, launch
    tiled: tuple[Any, ...] = ()
    if caller is not None and caller.f_code is getattr(_state.launch_tiled, "__code__", None):
        caller, tiled = caller.f_back, tuple(_state.local.tiled[-1:]) or (block_dim,)
    known, site = _known(kernel), _user_frame(caller) or caller
    code, lasti, ident = _site_key(site)
    width = getattr(block_dim, "asked", block_dim)
    dims = dim if dim.__class__ is tuple else _dims(dim)
    key = known.kid, dims, device.alias, bool(adjoint), tiled, block_dim.__class__, width, code, lasti, ident
    sight = None  # under which it is known at first sight from now on
    if caller is site is not None and not (tiled or adjoint or record_cmd or recorder.capturing):
        sight = known.kid, dims, device.alias, block_dim, code, lasti, ident
    if key in recorder.looked and not record_cmd and not recorder.capturing and _is_same(known):
        signature = recorder.asked[key]
        recorder.write(signature)
        if sight is not None:
            recorder.keys[sight] = signature
        return
    asked = _Asked(kernel, "tiled" if tiled else "launch", dims, device, bool(adjoint), block_dim)
    asked.caller, asked.site = caller, site
    _ask(asked, key, sight, bool(record_cmd), tiled)


def _ask(asked: _Asked, key: _Key, sight: _Key | None, record_cmd: bool, tiled: tuple[Any, ...]) -> None:
    """Record a launch that has to be looked at."""
    recorder, block_dim = _state.recorder, asked.block_dim
    assert recorder is not None
    if tiled:
        asked.requested = None if tiled[0] is None else _asked_number(tiled[0])
        asked.dims = _last_gone(asked.dims)  # launch_tiled appended the block dimension
        if hasattr(asked.device, "_nbp_runs_on"):
            asked.block_dim = asked.requested  # what the CPU gets is not what was asked for
    elif getattr(block_dim, "tiled", False):  # the adjoint of a tiled launch that is rehearsed
        asked.dims = (*_last_gone(asked.dims), _asked_number(block_dim) or 1)
    waits = record_cmd or (recorder.capturing and _is_capturing(asked.device))
    if waits:
        _state.local.unrecorded = (recorder.position(), _name_of(asked.kernel))
    signature = recorder.asked.get(key)
    if signature is None:
        _tell_runtime()
        signature = recorder.asked[key] = _signature(asked)
    if waits:
        return  # no launch until it is replayed; its signature says that it was asked for
    if key not in recorder.looked or not _is_same(asked.known):
        _look_at(asked)
        recorder.looked.add(key)
    recorder.write(signature)
    if sight is not None:
        recorder.keys[sight] = signature


def _dims(dim: Any) -> int | tuple[int, ...]:
    """Return launch dimensions as plain numbers; empty where Warp will refuse them itself."""
    try:
        return tuple(map(int, dim)) if hasattr(dim, "__len__") or hasattr(dim, "__iter__") else int(dim)
    except (TypeError, ValueError):
        return ()


def _is_no_request(block_dim: Any) -> bool:
    """Tell whether a block dimension is a default, or what Tape.backward hands on of a launch's own."""
    resolved = getattr(_state.context, "_ResolvedBlockDim", ())
    return block_dim is None or block_dim == _state.silent_block_dim or isinstance(block_dim, resolved)


def _last_gone(dims: int | tuple[int, ...]) -> tuple[int, ...]:
    return dims[:-1] if isinstance(dims, tuple) else ()


def _is_same(known: _Known) -> bool:
    try:
        return known.same is None or known.same()
    except (NameError, AttributeError):
        return False  # a name is gone


def _is_capturing(device: Any) -> bool:
    context = _state.context
    if device.is_cpu:
        find = getattr(context, "_get_apic_capture_for_device", None)
        if find is not None:
            return find(device) is not None
        return getattr(context.runtime, "_apic_capture", None) is not None
    return bool(device.is_capturing)


def _asked_number(block_dim: Any) -> int | None:
    """Return a block dimension as a number; in a rehearsal it carries the one that a GPU would have had."""
    try:
        return int(getattr(block_dim, "asked", block_dim))
    except (TypeError, ValueError):
        return None  # Warp will refuse this launch itself


def _resolved_block_dim(device: Any, requested: Any) -> int | None:
    """Return the block dimension that a launch really gets, by Warp's own rule where it has one."""
    resolve = getattr(_state.context, "_resolve_launch_block_dim", None)
    if resolve is not None:
        try:
            return _asked_number(resolve(device, requested))
        except (TypeError, ValueError, NotImplementedError):
            return _asked_number(requested)
    if device.is_cpu and not hasattr(device, "_nbp_runs_on"):
        return 1
    return 256 if requested is None or requested <= 0 else _asked_number(requested)


def _type_text(kind: Any) -> str:
    """Return the text of an argument's type: ``array(float32)``, ``array2d(float32)``, ``vec3f``, a struct's name."""
    dtype = getattr(kind, "dtype", None)
    if dtype is not None and not isinstance(kind, type):
        name = type(kind).__name__.removeprefix("_").removesuffix("Annotation")
        return _array_text(name[:1].lower() + name[1:], _type_text(dtype), getattr(kind, "ndim", 1))
    key = getattr(kind, "key", None)
    if isinstance(key, str) and not isinstance(kind, type):
        return key
    known = {float: "float32", int: "int32", bool: "bool"}.get(kind) if isinstance(kind, type) else None
    return known or str(getattr(kind, "__name__", None) or _text(kind))


def _array_text(name: str, dtype: str, ndim: Any) -> str:
    dims = f"{ndim}d" if isinstance(ndim, int) and ndim > 1 and name.endswith("array") else ""
    return f"{name}{dims}({dtype})"


def _signature(asked: _Asked) -> int:
    """Return the id of a launch's signature; a new one is written."""
    kernel, dims = asked.kernel, asked.dims
    parent = kernel.__dict__.get("generic_parent")
    return _signature_id(
        kind_of=asked.kind,
        kid=asked.known.kid if parent is None else _known(parent).kid,
        kernel=_name_of(kernel),
        key=str(kernel.key),
        module=kernel.module.name,
        dim=list(dims) if isinstance(dims, tuple) else [dims],
        device=asked.device.alias,
        dtypes=[_type_text(kind) for kind in kernel.adj.arg_types.values()],
        block_dim=_resolved_block_dim(asked.device, asked.block_dim),
        requested_block_dim=asked.requested,
        adjoint=asked.adjoint,
        place=_place(asked.site),
        thread=_thread(),
    )


def _signature_id(**fields: Any) -> int:
    recorder = _state.recorder
    assert recorder is not None
    content = _encode(fields)
    with _state.lock:
        known = recorder.ids.get(content)
        if known is None:
            known = recorder.ids[content] = len(recorder.signatures)
            recorder.signatures.append((fields["kernel"] or "", fields["thread"]))
            if _state.wire is not None:
                _state.wire.write_text(f'{{"kind":"signature","id":{known},{content[1:]}')
    return known


def _tiled_entered(kwargs: Any) -> Any:
    tiled = _state.local.tiled
    tiled.append(kwargs.get("block_dim"))
    return tiled


def _tiled_left(tiled: Any, value: Any) -> Any:
    tiled.pop()
    return value


def _tiled_failed(tiled: Any) -> None:
    tiled.pop()


def _replayed(command: Any) -> None:
    """Record one replay of a recorded launch, also inside Warp's own solvers."""
    recorder = _state.recorder
    try:
        frame = sys._getframe(2)
        bounds, signatures = command._nbp
        if recorder is None or recorder.capturing or bounds is not command.bounds:
            raise LookupError
        site = (recorder.era, id(frame.f_code), frame.f_lasti, threading.get_ident())
        recorder.put[next(recorder.count)] = signatures[site]
    except IndexError:
        return
    except Exception:
        _replay_looked_at(command)


@_hook("Launch.launch")
def _replay_looked_at(command: Any) -> None:
    recorder = _state.recorder
    if recorder is None or (recorder.capturing and _is_capturing(command.device)):
        return
    bounds, known, block_dim = command.bounds, _known(command.kernel), getattr(command, "block_dim", None)
    dims = tuple(bounds.shape[: bounds.ndim]) if hasattr(bounds, "ndim") else tuple(bounds.shape)
    if getattr(block_dim, "tiled", False):
        dims = (*_last_gone(dims), _asked_number(block_dim) or 1)
    asked = _Asked(command.kernel, "replay", dims, command.device, bool(command.adjoint), block_dim)
    asked.requested, asked.caller = None, _caller(4)  # this function, its guard, `_replayed`, Launch.launch
    asked.site = _user_frame(asked.caller) or asked.caller
    width = getattr(block_dim, "asked", block_dim)
    key = (known.kid, "replay", dims, command.device.alias, asked.adjoint, width, *_site_key(asked.site))
    signature = recorder.asked.get(key)
    if signature is None:
        signature = recorder.asked[key] = _signature(asked)
    recorder.write(signature)
    if asked.caller is asked.site is not None:
        if getattr(command, "_nbp", (None, None))[0] is not bounds:
            command._nbp = (bounds, {})
        site = _site_key(asked.site)
        command._nbp[1][recorder.era, site[0], site[1], site[2]] = signature


@_hook("capture_launch")
def _graph_launched(graph: Any) -> None:
    """Record one replay of a captured graph."""
    recorder = _state.recorder
    if recorder is None:
        return
    caller = _caller(3)
    site = _user_frame(caller) or caller
    key = (0, "graph", graph.device.alias, *_site_key(site))
    signature = recorder.asked.get(key)
    if signature is None:
        nothing: dict[str, Any] = dict.fromkeys(
            ("kid", "kernel", "key", "module", "dim", "block_dim", "requested_block_dim")
        )
        signature = recorder.asked[key] = _signature_id(
            kind_of="graph", dtypes=[], device=graph.device.alias, adjoint=False, place=_place(site), thread=_thread(),
            **nothing,
        )  # fmt: skip
    recorder.write(signature)


@_leaving("capture_begin")
def _capture_began(token: Any, value: Any) -> None:
    if _state.recorder is not None:
        _state.recorder.capture(begun=True)


@_hook("capture_end")
def _capture_ends() -> None:
    if _state.recorder is not None:
        _state.recorder.capture(begun=False)


def _taped(kernel: Any) -> None:
    try:
        if kernel._nbp.taped:
            return
    except AttributeError:
        pass
    _tell_taped(kernel)


@_hook("Tape.record_launch")
def _tell_taped(kernel: Any) -> None:
    known = _known(kernel)
    known.taped = True
    _write(
        "taped",
        t=_clock(),
        kid=known.kid,
        kernel=_name_of(kernel),
        key=kernel.key,
        module=kernel.module.name,
        place=_here(),
    )


# ---------------------------------------------------------------------------------------------------------------------
# What code reads from outside: names of globals that a kernel and the functions it reaches really use

_GONE = object()


class _Read(NamedTuple):
    """One value that code reads."""

    func: Any  # whose globals hold the name
    path: tuple[str, ...]
    value: Any


class _Built(NamedTuple):
    """One value that code was generated with. Nothing is held but plain numbers: a function leads to its globals."""

    func: weakref.ref[Any]
    path: tuple[str, ...]
    value: Any  # the value, or a weak reference to it
    is_weak: bool
    hashed: Any  # what Warp hashes of it
    shown: str

    @classmethod
    def of(cls, read: _Read, known: dict[int, tuple[Any, bool, Any, str]]) -> _Built:
        value = read.value
        facts = known.get(id(value))
        if facts is None:
            weak = _is_function(value) or _is_struct(value) or _is_a(value, type)
            facts = known[id(value)] = (weakref.ref(value) if weak else value, weak, _hashed(value), _shown(value))
        return cls(weakref.ref(read.func), read.path, *facts)

    def changed_to(self, value: Any) -> bool:
        """Tell whether another value would have been built in."""
        same = (self.value() if self.is_weak else self.value) is value
        return not same and _hashed(value) != self.hashed


def _is_function(value: Any) -> bool:
    return _is_a(value, _state.context.Function)


def _is_struct(value: Any) -> bool:
    return _is_warp(type(value)) and isinstance(getattr(value, "__dict__", {}).get("hash"), bytes)


def _is_hashed_value(value: Any) -> bool:
    kind = type(value)
    is_value = _source_module("types").type_is_value
    if issubclass(kind, type):
        return bool(is_value(value))
    return issubclass(kind, (int, float)) or bool(is_value(kind)) or _is_struct(value)


def _hashed(value: Any) -> Any:
    """Return what Warp hashes of a value that code reads, as far as two values can be told apart by it."""
    if _is_function(value):
        sources = [each.adj.source for each in _overloads(value) if getattr(each, "adj", None) is not None]
        return "function", value.key, tuple(sorted(sources)), getattr(value, "native_snippet", None)
    if _is_struct(value):
        return "struct", value.hash
    if not _is_hashed_value(value):
        return "nothing", type(value).__qualname__
    if _is_a(value, type):
        return "type", _source_module("types").get_type_code(value)
    return "constant", _constant_bytes(value)


def _constant_bytes(value: Any) -> str | None:
    """Return the bytes, as hex, that Warp puts into a hash for a constant, by its own rule."""
    rule = getattr(_state.context.ModuleHasher, "get_constant_bytes", None)
    if rule is None:
        return None
    try:
        return bytes(rule(None, value)).hex()
    except (TypeError, AttributeError, ValueError, OverflowError):
        return None


def _shown(value: Any) -> str:
    if not _is_function(value):
        return str(value.key) if _is_struct(value) else _text(value)
    place = _defined(value.func)
    return f"{value.key} ({os.path.basename(place['file'])}:{place['line']})" if place else str(value.key)


def _reads(adjoint: Any, known: dict[int, list[_Read]]) -> list[_Read]:
    """Return every outside value that Warp hashes and the code really reads, functions followed."""
    found: dict[Any, _Read] = {}
    pending, seen = [adjoint], set()
    while pending:
        adj = pending.pop()
        if id(adj) in seen:
            continue
        seen.add(id(adj))
        own = known.get(id(adj))
        if own is None:
            own = known[id(adj)] = list(_own_reads(adj))
        for read in own:
            if _is_function(read.value):
                pending.extend(each.adj for each in _overloads(read.value))
            found.setdefault((id(read.func.__globals__), read.path), read)
    return list(found.values())


def _overloads(function: Any) -> list[Any]:
    both = {**getattr(function, "user_overloads", {}), **getattr(function, "user_templates", {})}
    return [f for f in both.values() if getattr(f, "generic_parent", None) is None] or [function]


def _own_reads(adj: Any) -> Iterator[_Read]:
    func: Any = getattr(adj, "func", None)
    space = getattr(func, "__globals__", None)
    if space is None:
        return
    for path in _names_in_text(adj).outside:
        value = space.get(path[0], _GONE)
        if _is_a(value, types.ModuleType) and str(vars(value).get("__name__")).partition(".")[0] == "warp":
            continue
        depth = 1
        while depth < len(path) and value is not _GONE and not _is_function(value) and not _is_hashed_value(value):
            value = _attribute(value, path[depth])
            depth += 1  # what follows a number or a function is read from it, not from outside
        if value is _GONE:
            continue
        if _is_hashed_value(value) or (_is_function(value) and not value.is_builtin()):
            yield _Read(func, path[:depth], value)


class _Names(NamedTuple):
    """What a function's text says of names. The code is kept, so that its id stays its own."""

    code: types.CodeType
    outside: tuple[tuple[str, ...], ...]  # dotted, that its body reads and that are not its own
    local: set[str]  # its own, but what it captured


_names_of_code: dict[int, _Names] = {}
_no_code = (lambda: None).__code__


def _names_in_text(adj: Any) -> _Names:
    code = adj.func.__code__ if hasattr(adj.func, "__code__") else _no_code
    known = _names_of_code.get(id(code))
    if known is None or known.code is not code:
        if len(_names_of_code) > _CODES_AT_MOST // 10:
            _names_of_code.clear()
        local, captured = _local_names(adj.tree), set(code.co_freevars)
        outside = tuple(path for path in _paths(adj.tree) if path[0] not in local | captured)
        known = _names_of_code[id(code)] = _Names(code, outside, local - captured)
    return known


def _local_names(tree: ast.AST) -> set[str]:
    """Return the names that a function's code does not read from outside: arguments, loop variables, assigned ones."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def _paths(tree: ast.AST) -> list[tuple[str, ...]]:
    """Return the dotted names that a function's body reads, without annotations, decorators and wp.static."""
    kinds = (ast.FunctionDef, ast.Lambda)
    definition = next((node for node in ast.walk(tree) if isinstance(node, kinds)), None)
    body: Any = tree if definition is None else definition.body
    pending: list[Any] = list(body) if isinstance(body, list) else [body]
    found: dict[tuple[str, ...], None] = {}
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call) and _dotted(node.func)[-1:] == ("static",):
            continue
        path = _dotted(node)
        if path:
            found[path] = None
        elif isinstance(node, ast.AnnAssign):
            pending.extend(part for part in (node.target, node.value) if part is not None)
        else:
            pending.extend(ast.iter_child_nodes(node))
    return list(found)


def _dotted(node: Any) -> tuple[str, ...]:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return (node.id, *reversed(names)) if isinstance(node, ast.Name) else ()


def _attribute(value: Any, name: str) -> Any:
    """Return an attribute that is simply there, else `_GONE`: no code of the user's is run to make one."""
    if _is_a(value, types.ModuleType):
        return vars(value).get(name, _GONE)
    kind: Any = type(value)
    is_class = issubclass(kind, type)
    if kind.__getattribute__ is not (type if is_class else object).__getattribute__:
        return _GONE
    found = next((vars(base)[name] for base in (value if is_class else kind).__mro__ if name in vars(base)), _GONE)
    if isinstance(found, types.MemberDescriptorType) and not is_class:
        try:
            return found.__get__(value, kind)
        except AttributeError:
            return _GONE
    if hasattr(type(found), "__get__"):
        return _GONE
    return found if is_class else getattr(value, "__dict__", {}).get(name, found)


def _now(built: _Built) -> Any:
    """Return what a name means now, else `_GONE`."""
    func = built.func()
    value = _GONE if func is None else func.__globals__.get(built.path[0], _GONE)
    for name in built.path[1:]:
        value = _GONE if value is _GONE else _attribute(value, name)
    return value


@functools.lru_cache(maxsize=4096)
def _comparing(paths: tuple[tuple[str, ...], ...], goes_on: bool) -> types.CodeType:
    """Return code that compares names with its defaults by identity; the last default goes on with other globals."""
    arguments = ", ".join([*(f"_nbp{index}" for index in range(len(paths))), "_nbp"])
    tests = [f"{'.'.join(path)} is _nbp{index}" for index, path in enumerate(paths)] + ["_nbp()"] * goes_on
    whole = compile(f"lambda {arguments}: {' and '.join(tests)}", OWN_FILE, "eval")
    return next(constant for constant in whole.co_consts if isinstance(constant, types.CodeType))


def _comparison(reads: Iterable[tuple[Any, tuple[str, ...], Any]]) -> Callable[[], bool] | None:
    """Return a function that tells whether all names still mean these values; None where there are none."""
    spaces: dict[int, list[tuple[Any, tuple[str, ...], Any]]] = {}
    for read in reads:
        spaces.setdefault(id(read[0].__globals__), []).append(read)
    same: Callable[[], bool] | None = None
    for found in spaces.values():
        code = _comparing(tuple(path for _, path, _ in found), same is not None)
        same = types.FunctionType(code, found[0][0].__globals__, "same", (*(value for *_, value in found), same))
    return same


# ---------------------------------------------------------------------------------------------------------------------
# What a launch still uses: old values, options that are not in force


class _Assignment(NamedTuple):
    """The latest assignment of a setting or an option."""

    place: dict[str, Any] | None
    order: int


def _look_at(asked: _Asked) -> None:
    """Look for old values and missed options at a launch that is not known at first sight."""
    module = asked.kernel.module
    about = _module_of(module)
    block_dim = _resolved_block_dim(asked.device, asked.block_dim)
    rebuilds = _will_rebuild(module, asked.device, block_dim)
    _look_for_stale(asked, rebuilds)
    _look_for_redefined(asked, rebuilds, about)
    if about.checked != _state.epoch:
        about.checked = _state.epoch
        _look_for_missed_options(asked, about, None if rebuilds else block_dim)


def _will_rebuild(module: Any, device: Any, block_dim: Any) -> bool:
    """Tell whether this launch hashes or loads the module before it runs, without asking Warp for the hash."""
    loaded = module.execs.get((None if device.is_cpu else device.context, block_dim))
    if loaded is None or module.options.get("strip_hash"):
        return loaded is None
    hasher = (_has(module, "hashers") or {}).get(block_dim)
    if hasher is None or _has(module, "has_unresolved_static_expressions"):
        return True
    return bool(loaded.module_hash is not None and _hash_of(hasher) != loaded.module_hash.hex())


def _look_for_stale(asked: _Asked, rebuilds: bool) -> None:
    known = asked.known
    if known.built is None:  # it was loaded before we came, or never
        known.same = _comparison(_reads(asked.kernel.adj, {}))
        return
    now: list[tuple[Any, tuple[str, ...], Any]] = []
    changed = []
    for built in known.built:
        value = _now(built)
        if value is not _GONE:
            now.append((built.func(), built.path, value))
            if not rebuilds and built.changed_to(value):
                changed.append((built, value))
    known.same = _comparison(now)
    if changed and not known.flagged and _state.recorder is not None:
        _state.recorder.forget_kernel(known.kid)  # every place that launches this kernel is to be seen once
    known.flagged = bool(changed)
    how = "strip_hash" if asked.kernel.module.options.get("strip_hash") else "global"
    for built, value in changed:
        _tell_stale(asked, ".".join(built.path), built.shown, _shown(value), how)


def _look_for_redefined(asked: _Asked, rebuilds: bool, about: _Module) -> None:
    kernel, module = asked.kernel, asked.kernel.module
    newest = module.kernels.get(kernel.key)
    if newest is None or "<locals>" in _name_of(kernel):
        return
    newest = getattr(newest, "generic_parent", None) or newest
    own = getattr(kernel, "generic_parent", None) or kernel
    if newest is not own and newest.adj.source != own.adj.source and "<locals>" not in _name_of(newest):
        _tell_stale(asked, "kernel", "an older definition", "a newer definition", "redefined")
    built = about.sources.get(kernel.key)
    if module.options.get("strip_hash") and not rebuilds and built not in (None, _digest(own.adj.source)):
        _tell_stale(asked, "kernel", "the built source", "an edited source", "strip_hash")


def _tell_stale(asked: _Asked, value: str, old: str, new: str, how: str) -> None:
    kernel, kid, place = asked.kernel, asked.known.kid, _place(asked.site)
    if _state.recorder is None or not _state.once("stale", kid, value, _spot(place)):
        return
    _tell_file(place)
    _write(
        "stale",
        t=_clock(),
        kid=kid,
        name=_name_of(kernel),
        value=value,
        old=old,
        new=new,
        how=how,
        place=place,
        defined=_defined(kernel.func),
        launch=_state.recorder.position(),
    )


def _look_for_missed_options(asked: _Asked, about: _Module, block_dim: int | None) -> None:
    """Compare what was assigned since the module's last launch with what its build has.

    ``block_dim`` is None where the module is about to be hashed: only what it copied when it was made can then miss.
    """
    if about.stock:
        return
    module, config = asked.kernel.module, _state.warp.config
    for (what, name), made in list(_state.assignments.items()):
        copied = about.copied.get(name)
        if what != "config" or copied is None or name in about.assigned or made.order < copied:
            continue
        wanted, found = getattr(config, name, None), module.options.get(name)
        if wanted != found:
            _tell_missed(asked, about, name, wanted, found, made, "copied")
    resolve = vars(type(module)).get("resolve_options")
    built = (_has(module, "resolved_options") or {}).get(block_dim)
    if block_dim is None or built is None or resolve is None:
        return
    resolved = resolve(module, config, block_dim) if "block_dim" in _arguments_of(resolve) else resolve(module, config)
    for name, wanted in resolved.items():
        if name != "block_dim" and wanted != built.get(name):
            made_here, made_global = about.assigned.get(name), _state.assignments.get(("config", name))
            made_last = made_here or made_global
            if made_last is not None:
                how = "in_place" if made_here is not None else "hashed"
                _tell_missed(asked, about, name, wanted, built.get(name), made_last, how)


def _tell_missed(
    asked: _Asked, about: _Module, name: str, wanted: Any, found: Any, assignment: _Assignment, how: str
) -> None:
    module = asked.kernel.module.name
    if not _state.once("missed", module, name, _option_text(wanted), how):
        return
    _write(
        "option_missed",
        t=_clock(),
        module=module,
        name=name,
        assigned=_option_text(wanted),
        in_force=_option_text(found),
        assignment=assignment.place,
        how=how,
        place=_place(asked.site),
        created=about.created,
    )


# ---------------------------------------------------------------------------------------------------------------------
# Hash inputs: what Warp puts into a module's hash, taken while it hashes

_HASHES_KEPT = 8  # of one module


class _Module:
    """What is remembered of one Warp module; plain data only, since a hasher or a kernel kept would stay alive."""

    __slots__ = (
        "assigned", "checked", "copied", "created", "decoration_ms", "facts", "pending", "sequences", "sources",
        "stock", "unique",
    )  # fmt: skip

    def __init__(self) -> None:
        self.facts: dict[tuple[str, Any], _Facts] = {}  # by hash and block_dim, the latest last
        self.pending: list[tuple[tuple[str, Any], float, Any]] = []  # hashes that led to no event yet: key, ms, place
        self.decoration_ms = 0.0  # hashing that a decorator did
        self.unique = False
        self.created: dict[str, Any] | None = None
        self.assigned: dict[str, _Assignment] = {}  # options that the user set
        self.copied: dict[str, int] = {}  # options that it took from wp.config, with the order of that
        self.stock = False
        self.checked = 0
        self.sources: dict[str, str] = {}  # digests of what was built under strip_hash
        self.sequences: dict[Any, list[tuple[bytes, int]]] = {}  # versions of each key: hash and state


class _Content(NamedTuple):
    """One content of a module, as it went on the wire."""

    inputs: int | None
    names: list[str]  # of kernels, one per instance, sorted
    options: dict[str, str]
    kernels: list[tuple[int, str, str]]  # state, key, the hash's first eight hex digits


class _Facts:
    """One hash of a module in this process."""

    __slots__ = ("content", "digest", "loaded", "values")

    def __init__(self, digest: str) -> None:
        self.digest = digest
        self.loaded = False
        self.content = _Content(None, [], {}, [])
        self.values: list[tuple[weakref.ref[_Known], tuple[_Built, ...]]] = []

    def load(self) -> None:
        """Let launches compare with what the code just loaded was made from."""
        self.loaded = True
        for reference, values in self.values:
            known = reference()
            if known is not None:
                known.built, known.flagged, known.same = values, False, _never


class _Rehash:
    """Hashing of one module that led to no event."""

    __slots__ = ("count", "ms", "place", "told")

    def __init__(self) -> None:
        self.count = self.told = 0
        self.ms = 0.0
        self.place: dict[str, Any] | None = None

    def add(self, ms: float, place: dict[str, Any] | None) -> None:
        self.count, self.ms, self.place = self.count + 1, self.ms + ms, place


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _has(module: Any, name: str) -> Any:
    """Return an attribute of a Warp module, or None; some versions recurse when asked for a name they lack."""
    return vars(module).get(name)


def _hash_of(hasher: Any) -> str | None:
    known = vars(hasher) if hasher is not None else {}
    digest = known.get("hash", known.get("module_hash"))
    return digest.hex() if isinstance(digest, bytes) else None


def _module_of(module: Any) -> _Module:
    known = _state.modules.get(module)
    return known if known is not None else _state.modules.setdefault(module, _Module())


def _facts_of(event: _Event) -> _Facts | None:
    """Return the hash whose content an event built or loaded; under strip_hash the latest one."""
    facts = _module_of(event.target).facts
    found = facts.get((event.hash or "", event.block_dim))
    if found is None and facts and (event.hash is None or event.strip_hash):
        found = next(reversed(list(facts.values())))
    return found


def _intern(kind: str, key: Any, make: Callable[[], dict[str, Any]]) -> int:
    """Return the id of a piece of content; a new one is written, its parts before it."""
    with _state.lock:
        known = _state.interned.get((kind, key))
        if known is None:
            fields = make()
            known = _state.interned[(kind, key)] = next(_state.ids)
            _write(kind, id=known, **fields)
    return known


def _source_id(text: str) -> int:
    def make() -> dict[str, Any]:
        try:
            tree: str | None = _digest(ast.dump(ast.parse(text), annotate_fields=False))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            tree = None
        return {"text": text, "tree": tree}

    return _intern("source", _digest(text), make)


@_hook("ModuleHasher")
def _hash_entered(hasher: Any, first: Any, second: Any = None) -> Any:
    local = _state.local
    outer, local.references = local.references, {}
    return hasher, first, second, outer, _clock(), local.spent_ns


@_leaving("ModuleHasher")
def _hash_left(token: Any, value: Any) -> None:
    hasher, first, second, outer, begun, spent = token
    local = _state.local
    elapsed = (_clock() - begun - (local.spent_ns - spent)) / 1e6
    references, local.references = local.references or {}, outer
    kernels, options, module = _hashed_of(first, second)
    if module is not None:
        _take_inputs(module, hasher, kernels, options, references, elapsed)


@_hook("ModuleHasher")
def _hash_failed(token: Any) -> None:
    if token is not None:
        _state.local.references = token[3]


def _hashed_of(first: Any, second: Any) -> tuple[list[Any], dict[str, Any], Any]:
    """Return kernels, resolved options and module of a hash, over the two forms that ModuleHasher had."""
    if isinstance(first, _state.context.Module):
        return _live_kernels(first), dict(first.options), first
    kernels = list(first)
    if kernels:
        return kernels, dict(second or {}), kernels[0].module
    frame = _caller(2)
    while frame is not None and _code(frame.f_code).kind in ("warp", "own"):
        owner = frame.f_locals.get("self")
        if isinstance(owner, _state.context.Module):
            return kernels, dict(second or {}), owner
        frame = frame.f_back
    return kernels, dict(second or {}), None


def _live_kernels(module: Any) -> list[Any]:
    return list(_has(module, "_live_kernels") or _has(module, "live_kernels") or ())


def _take_inputs(
    module: Any, hasher: Any, kernels: list[Any], options: dict[str, Any], references: Any, elapsed: float
) -> None:
    about, digest, block_dim = _module_of(module), _hash_of(hasher) or "", options.get("block_dim")
    key = (digest, block_dim)
    facts = about.facts.pop(key, None)
    while facts is None and len(about.facts) >= _HASHES_KEPT:
        del about.facts[next(iter(about.facts))]
    about.facts[key] = facts = facts or _Facts(digest)
    facts.values = _values_of(kernels)
    if facts.loaded:
        facts.load()
    name = (module.name, digest, block_dim)
    content = _state.contents.get(name)
    if content is None:
        content = _content_of(module, about, hasher, kernels, options, references, elapsed)
        _state.contents[name] = content
    facts.content = content
    if not _has(module, "defer_reference_scan"):
        _count_pending(module.name, about)  # hashed again: what was hashed before led to nothing
        about.pending.append((key, elapsed, _here()))
    elif _state.once("decorated", kernels[0].key if kernels else module.name, digest):
        about.decoration_ms += elapsed
    else:  # this decorator makes the same unique kernel again, and Warp throws the module away
        _rehash_of(module.name if not digest else f"{module.name}_{digest[:8]}").add(elapsed, _here())


def _values_of(kernels: list[Any]) -> list[tuple[weakref.ref[_Known], tuple[_Built, ...]]]:
    """Return what the code of each kernel reads now."""
    values, reads, facts = [], {}, {}  # type: ignore[var-annotated]
    for kernel in kernels:
        built = tuple(_Built.of(read, facts) for read in _reads(kernel.adj, reads))
        for each in (kernel, *kernel.overloads.values()):
            values.append((weakref.ref(_known(each)), built))
    return values


def _content_of(
    module: Any, about: _Module, hasher: Any, kernels: list[Any], options: dict[str, Any], references: Any, ms: float
) -> _Content:
    """Write what went into a hash."""
    unique = hasher.unique_kernels
    states = _states_of(about, hasher, kernels, references)
    texts = {name: _option_text(value) for name, value in options.items()}
    inputs = next(_state.ids)
    _write(
        "inputs",
        id=inputs,
        t=_clock(),
        module=module.name,
        block_dim=options.get("block_dim"),
        hash=_hash_of(hasher) or "",
        kernels=[states[digest] for digest in unique],
        options=texts,
        ms=ms,
    )
    names = sorted(_name_of(kernel) for kernel in unique.values())
    return _Content(inputs, names, texts, [(states[h], kernel.key, h.hex()[:8]) for h, kernel in unique.items()])


def _states_of(about: _Module, hasher: Any, kernels: list[Any], references: Any) -> dict[bytes, int]:
    """Return the id of each kernel state in a hash.

    A state stands for the newest kernel object of its content. Where the versions of a key are those of the module's
    last hash, in the same order of age, their states are used again: a loop that makes equal kernels adds none.
    """
    groups: dict[Any, list[tuple[int, bytes, Any]]] = {}
    newest: dict[bytes, int] = {}
    for kernel in kernels:
        for each in kernel.overloads.values() if kernel.is_generic else (kernel,):
            newest[each.hash] = max(newest.get(each.hash, 0), _known(each).kid)
    for digest, kernel in hasher.unique_kernels.items():
        group = groups.setdefault((kernel.module.name, kernel.key, kernel.sig), [])
        group.append((newest.get(digest, _known(kernel).kid), digest, kernel))
    states: dict[bytes, int] = {}
    for key, group in groups.items():
        group.sort(key=lambda entry: entry[0])
        last = about.sequences.get(key, [])
        if [digest for digest, _ in last] != [digest for _, digest, _ in group]:
            newest_of = [(digest, _state.kernels.get(kid, kernel)) for kid, digest, kernel in group]
            last = [(digest, _kernel_state(kernel, digest, hasher, references)) for digest, kernel in newest_of]
            about.sequences[key] = last
        states.update(last)
    return states


def _rehash_of(name: str) -> _Rehash:
    return _state.rehashes.setdefault(name, _Rehash())


def _count_pending(name: str, about: _Module) -> None:
    """Count the hashing that led to no event."""
    for _, ms, place in about.pending:
        _rehash_of(name).add(ms, place)
    about.pending = []


def _tell_counts() -> None:
    """Write the counters that grow too often for a line each."""
    for name, total in list(_state.rehashes.items()):
        if total.count != total.told:
            total.told = total.count
            _write("rehash", t=_clock(), module=name, count=total.count, ms=total.ms, place=total.place)
    made = sum(_state.define_counts.values())
    if made != _state.counts_told:
        _state.counts_told = made
        _write("define_counts", t=_clock(), counts=dict(_state.define_counts))


def _references_entered(adj: Any) -> Any:
    return adj if _state.local.references is not None else None


def _references_left(token: Any, value: Any) -> Any:
    references = _state.local.references
    if references is not None and token is not None:
        references[id(token)] = (token, value)
    return value


def _kernel_state(kernel: Any, digest: bytes, hasher: Any, references: dict[int, Any]) -> int:
    """Return the id of one state of a kernel instance."""
    known = _known(kernel)

    def make() -> dict[str, Any]:
        func = kernel.func
        defined = _defined(func)
        _tell_file(defined)
        parent = kernel.__dict__.get("generic_parent")
        fields = _adjoint_state(kernel.adj, hasher, references)
        del fields["native"]
        fields.update(
            kid=known.kid,
            parent=None if parent is None else _known(parent).kid,
            name=_name_of(kernel),
            key=kernel.key,
            module=kernel.module.name,
            hash=digest.hex(),
            options={name: _option_text(value) for name, value in kernel.options.items()},
            captured=_captured(func),
            defined=defined,
            in_function="<locals>" in _name_of(kernel),
            pymodule=getattr(func, "__module__", None),
            file=getattr(getattr(func, "__code__", None), "co_filename", None),
        )
        return fields

    return _intern("kernel", (known.kid, kernel.module.name, digest), make)


def _captured(func: Any) -> dict[str, str]:
    """Return the texts of a function's free variables."""
    names = getattr(getattr(func, "__code__", None), "co_freevars", ())
    found = {}
    for name, cell in zip(names, getattr(func, "__closure__", None) or (), strict=False):
        try:
            found[name] = _shown(cell.cell_contents)
        except ValueError:
            continue  # not assigned yet
    return found


def _adjoint_state(adj: Any, hasher: Any, references: dict[int, Any]) -> dict[str, Any]:
    """Return the hashed content of one kernel or function body."""
    _, (constants, kinds, functions) = references.get(id(adj), (None, ({}, {}, {})))
    closure = set(getattr(getattr(adj.func, "__code__", None), "co_freevars", ()))
    hidden = _names_in_text(adj).local
    structs: dict[int, None] = {}
    for kind in (*adj.arg_types.values(), *kinds):
        _collect_structs(kind, structs)
    statics = _static_values(adj)
    called = [*functions, *(value for _, value in statics if _is_function(value))]
    return {
        "source": _source_id(adj.source),
        "args": [[name, _type_text(kind)] for name, kind in adj.arg_types.items()],
        "constants": {
            name: _constant(value, "closure" if name.partition(".")[0] in closure else "global")
            for name, value in constants.items()
        },
        "statics": {name: _constant(value, "static") for name, value in statics},
        "types": [_type_text(kind) for kind in kinds],
        "structs": list(structs),
        "functions": list(
            {_function_id(function, hasher, references): None for function in called if not function.is_builtin()}
        ),
        "hidden": sorted(name for name in constants if name.partition(".")[0] in hidden),
        "native": None,
    }


def _constant(value: Any, origin: str) -> dict[str, Any]:
    if _is_function(value):
        return {"text": _shown(value), "type": "function", "bytes": None, "from": origin}
    return {"text": _text(value), "type": type(value).__name__, "bytes": _constant_bytes(value), "from": origin}


def _collect_structs(kind: Any, found: dict[int, None]) -> None:
    """Add the ids of a type's structs, nested ones too."""
    struct: Any
    for struct in (kind, getattr(kind, "dtype", None)):
        if _is_struct(struct):
            known = _struct_id(struct)
            if known not in found:
                found[known] = None
                for variable in struct.vars.values():
                    _collect_structs(variable.type, found)


def _static_values(adj: Any) -> list[tuple[str, Any]]:
    """Return (expression, value) of every wp.static, over the forms that Warp kept them in."""
    known = vars(adj)
    early = known.get("resolved_static_expressions", known.get("static_expressions", {}))
    return [*early.items(), *known.get("deferred_static_expressions", ())]


def _struct_id(struct: Any) -> int:
    place = _state.struct_places.get(struct)

    def make() -> dict[str, Any]:
        return {
            "name": getattr(struct.cls, "__qualname__", struct.key),
            "module": getattr(struct.module, "name", None),
            "hash": struct.hash.hex(),
            "fields": [[label, _type_text(variable.type)] for label, variable in struct.vars.items()],
            "defined": place,
        }

    return _intern("struct", (struct.key, struct.hash, _spot(place)), make)


def _function_id(function: Any, hasher: Any, references: dict[int, Any]) -> int:
    """Return the id of a function's content; one that reaches itself is described inside by its name alone."""
    digest = hasher.function_hashes.get(function, b"")
    defined = _defined(function.func)
    module = getattr(function.module, "name", None)
    key = (function.key, module, digest, _spot(defined))
    inside = ("inside", key)
    stub = inside in _state.interned or not digest

    def make() -> dict[str, Any]:
        bodies = [] if stub else [_overload_state(each, hasher, references) for each in _overloads(function)]
        name = getattr(function.func, "__qualname__", function.key)
        return {"name": name, "key": function.key, "module": module, "overloads": bodies}

    if stub:
        return _intern("function", (function.key, module, "by name"), make)
    _tell_file(defined)
    _state.interned[inside] = 0
    try:
        return _intern("function", key, make)
    finally:
        _state.interned.pop(inside, None)


def _overload_state(overload: Any, hasher: Any, references: dict[int, Any]) -> dict[str, Any]:
    body = _adjoint_state(overload.adj, hasher, references)
    texts = [getattr(overload, name, None) for name in ("native_snippet", "adj_native_snippet", "replay_snippet")]
    extras = [getattr(overload, name, None) for name in ("custom_grad_func", "custom_replay_func")]
    texts += [extra.adj.source for extra in extras if extra is not None]
    written = [text for text in texts if text]
    body["native"] = _digest("\n".join(written)) if written else None
    body["defined"] = _defined(overload.func)
    return body


# ---------------------------------------------------------------------------------------------------------------------
# Module events: one build or load, with its parts


class _Event:
    """One build or load under way. It holds the module and lives no longer than that."""

    def __init__(self, module: Any, device: str | None, block_dim: Any, digest: str | None) -> None:
        self.target = module
        self.timer: Any = None  # Warp's own; an ahead-of-time build has none
        self.outer = _state.local.event  # a build inside another's code generation
        self.thread = _thread()
        self.hash, self.device, self.block_dim = digest, device, block_dim
        self.strip_hash = bool(module.options.get("strip_hash"))
        self.ms: float | None = None
        self.codegen_ns: int | None = None
        self.native_ns: int | None = None
        self.header_ms: float | None = None
        self.lto_ms = 0.0
        self.lto: list[dict[str, Any]] = []
        self.compile_begun: int | None = None
        self.compile_ended: int | None = None
        self.compiled: bool | None = None
        self.text: str | None = None  # generated source
        self.values: list[Any] | None = None  # what code generation read, where it is not what was hashed
        self.mismatch: list[dict[str, Any]] = []
        self.error: dict[str, Any] | None = None
        self.fault: dict[str, Any] | None = None  # where the native compiler stopped
        self.call: _Call | None = None
        self.cache_path: str | None = None
        self.aot = self.replayed = self.rehearsed = False
        self.why: dict[str, str] = {}
        self.t1 = 0
        self.t0 = _clock()
        _write(
            "building",
            t=self.t0,
            module=module.name,
            hash=digest,
            device=device,
            block_dim=block_dim,
            thread=self.thread,
        )


def _target(device: Any) -> str | None:
    """Return the device that a module is built for; a rehearsed device runs its kernels on another."""
    return getattr(device, "_nbp_runs_on", None) or getattr(device, "alias", None)


@_hook("ScopedTimer")
def _timer_entered(timer: Any) -> None:
    if not timer.name.startswith("Module "):
        return
    frame = _caller(3)  # this function, its guard, __enter__
    if frame is None or frame.f_code not in _state.load_codes:
        return
    values = frame.f_locals
    module, device, digest = values["self"], values["device"], values.get("module_hash")
    block_dim = values.get("active_block_dim", module.options.get("block_dim"))
    event = _Event(module, _target(device), block_dim, digest.hex() if isinstance(digest, bytes) else None)
    event.timer = timer
    _state.local.event = event
    event.t0 = _clock()


@_hook("ScopedTimer")
def _timer_exits(timer: Any, kind: Any, error: Any) -> Any:
    event = _state.local.event
    while event is not None and event.timer is not timer and timer.name.startswith("Module "):
        event = event.outer  # one that was interrupted between two of our hooks
    if event is None or event.timer is not timer:
        return None
    event.t1 = _clock()
    if kind is not None:
        event.error = _error_facts(kind, error, event)
    frame = _caller(3)
    if frame is not None and frame.f_code in _state.load_codes:
        path = frame.f_locals.get("binary_path")
        event.cache_path = None if path is None else str(path)
    return event


@_leaving("ScopedTimer")
def _timer_left(event: Any, value: Any) -> None:
    timer, event.timer = event.timer, None
    _state.local.event = event.outer
    event.ms = timer.elapsed if timer.active and timer.elapsed else (event.t1 - event.t0) / 1e6
    failed = event.error is not None or "(error)" in timer.extra_msg
    _end(event, "error" if failed else "cached" if "(cached)" in timer.extra_msg else "compiled")


def _error_facts(kind: Any, error: Any, event: _Event | None) -> dict[str, Any]:
    """Return what is known of a failure: the kernel at fault is the one entered last, or where the compiler stopped."""
    builder = _state.local.builder
    facts: dict[str, Any] = {
        "type": getattr(kind, "__name__", str(kind)),
        "message": str(error)[:MESSAGE_LIMIT],
        "kernel": None,
        "defined": None,
        "native_line": None,
    }
    if event is not None and event.fault is not None:
        facts.update(event.fault)
    elif builder:
        facts.update(kernel=builder[-1][0], defined=builder[-1][1])
    return facts


def _end(event: _Event, status: str) -> None:
    """Write an event; its inputs are those of the hash that names what was loaded."""
    module, facts, why = event.target, _facts_of(event), event.why
    about = _module_of(module)
    key = (event.hash or "", event.block_dim)
    hash_ms: float | None = about.decoration_ms + sum(ms for pending, ms, _ in about.pending if pending == key)
    about.decoration_ms = 0.0
    about.pending = [entry for entry in about.pending if entry[0] != key]
    content = facts.content if facts is not None else _Content(None, [], {}, [])
    if facts is None and _state.hooks.get("ModuleHasher") != "ok":
        hash_ms, why["hash_ms"] = None, "this Warp hashes in a way that the recorder does not know"
    if facts is not None and status != "error":
        facts.values = facts.values if event.values is None else event.values
        facts.load()
    if status == "compiled" and event.strip_hash:
        about.sources = {kernel.key: _digest(kernel.adj.source) for kernel in module.kernels.values()}
    if event.error is not None and not event.replayed:
        _state.failures[(module.name, event.hash)] = event.error
    call = event.call or _trigger(_caller(1))
    _tell_file(call.place)
    _write(
        "event",
        t0=event.t0,
        t1=event.t1,
        ms=event.ms,
        thread=event.thread,
        module=module.name,
        hash=None if event.strip_hash else event.hash,
        device=event.device,
        block_dim=event.block_dim,
        status=status,
        inputs=content.inputs,
        kernels=content.names,
        hash_ms=hash_ms,
        **_parts(event, status),
        why=why,
        source_bytes=len(event.text.encode("utf-8")) if event.text is not None else 0,
        lto=event.lto,
        sources=_sources(event.text, content, event.strip_hash) if event.text is not None else [],
        options=content.options,
        strip_hash=event.strip_hash,
        trigger={"call": call.name, "kernel": call.kernel},
        launch=call.launch,
        place=call.place,
        aot=event.aot,
        replayed=event.replayed,
        error=event.error,
        mismatch=event.mismatch,
        cache_path=event.cache_path,
        holders=_holders(module, content) if status == "compiled" else {},
        rehearsed=event.rehearsed,
        source="hook",
    )
    _tell_counts()


_UNKNOWN = "this Warp {} in a way that the recorder does not know"


def _parts(event: _Event, status: str) -> dict[str, Any]:
    """Return the times of an event's parts; one that did not happen is 0, one that no hook saw is missing."""
    hooks, why = _state.hooks, event.why
    parts: dict[str, Any] = {"lto_ms": event.lto_ms}
    parts.update(dict.fromkeys(("codegen_ms", "native_ms", "header_ms", "load_ms"), 0.0))

    def unknown(how: str, *names: str) -> None:
        for name in names:
            parts[name], why[name] = None, _UNKNOWN.format(how)

    if event.compiled is not False and status != "cached" and not event.replayed:
        whole = ("_run_codegen",) if hooks.get("_run_codegen") == "ok" else ("codegen", "ModuleBuilder")
        if any(hooks.get(name) != "ok" for name in whole):
            unknown("generates code", "codegen_ms")
        elif event.codegen_ns is not None:
            parts["codegen_ms"] = max(0.0, event.codegen_ns / 1e6 - event.lto_ms)
        if event.native_ns is not None:
            parts["native_ms"], parts["header_ms"] = event.native_ns / 1e6, event.header_ms
        elif hooks.get("build_cpu") != "ok":
            unknown("calls its compiler", "native_ms", "header_ms")
    if hooks.get("build_lto") != "ok":
        unknown("makes LTO objects", "lto_ms")
    if event.rehearsed:
        parts["load_ms"], why["load_ms"] = None, "a rehearsal loads nothing on a device"
    elif not event.aot and not event.replayed:
        if event.compile_ended is None and hooks.get("compile") != "ok":
            unknown("compiles", "load_ms")
        elif status != "error":
            # before 1.11 a module that is in the cache is not handed to the compiler at all
            parts["load_ms"] = max(0.0, (event.t1 - (event.compile_ended or event.t0)) / 1e6)
    return parts


def _trigger(frame: types.FrameType | None) -> _Call:
    """Return what asked for a build: the call, the kernel of a launch, its position, and the user's line."""
    name, place, recorder = _api_call(frame), _place(frame), _state.recorder
    if (place is None or not place["user"]) and _state.calls:
        return _state.calls[-1]  # a worker thread of force_load has no user frame of its own
    call = _Call(name, place)
    if name in ("launch", "launch_tiled") and recorder is not None:
        call.name = "launch"
        last, early = recorder.last_of(call.thread), _state.local.unrecorded
        if early is not None and (last is None or early[0] > last[0]):
            call.kernel = early[1]  # recorded as a command, or into a graph
        elif last is not None:
            call.launch, call.kernel = last
    return call


@_hook("compile")
def _compile_entered(module: Any, device: Any, output_arch: Any) -> Any:
    local = _state.local
    event = local.event
    if event is None or event.target is not module or event.compile_begun is not None:
        arch = output_arch
        if arch is None and device is not None and not device.is_cpu:
            arch = device.alias
        name = "cpu" if arch is None else f"sm_{arch}" if isinstance(arch, int) else str(arch)
        event = local.event = _Event(module, name, module.options.get("block_dim"), None)
        event.aot = True
    event.compile_begun = _clock()
    return event


def _compile_over(failed: bool, value: Any, event: _Event) -> None:
    event.compile_ended = event.t1 = _clock()
    if failed and event.aot:
        kind, error, _ = sys.exc_info()
        event.error = _error_facts(kind, error, event)
    elif not failed:
        event.compiled = value if isinstance(value, bool) else event.native_ns is not None
    if event.aot:
        _end_aot(event, "error" if failed else "compiled" if event.compiled else "cached")


def _end_aot(event: _Event, status: str) -> None:
    """Finish an ahead-of-time build, which has no timer of Warp's."""
    _state.local.event = event.outer
    event.hash = _hash_of((_has(event.target, "hashers") or {}).get(event.block_dim))
    event.ms = (event.t1 - event.t0) / 1e6
    _end(event, status)


@_hook("codegen")
def _codegen_entered(module: Any) -> Any:
    local = _state.local
    local.generating += 1
    local.builder = []
    event = local.event
    if event is not None and event.target is module and event.codegen_ns is None:
        try:
            _look_for_mismatch(event, module)
        except Exception as error:
            _trouble("mismatch", error)
    return _clock(), local.spent_ns


def _codegen_over(failed: bool, value: Any, token: Any) -> None:
    local = _state.local
    local.generating = max(0, local.generating - 1)
    event = local.event
    if event is not None:
        event.codegen_ns = (event.codegen_ns or 0) + _clock() - token[0] - (local.spent_ns - token[1])
    text = value[0] if isinstance(value, tuple) and value else value
    if event is not None and isinstance(text, str):
        event.text = text
    if not failed:
        local.builder = []


@_hook("ModuleBuilder")
def _builder_entered(module: Any) -> Any:
    local = _state.local
    if not local.generating:
        local.builder = []
    return module, _clock(), local.spent_ns, local.generating


def _builder_over(failed: bool, value: Any, token: Any) -> None:
    module, begun, spent, inside_codegen = token
    if inside_codegen:
        return
    elapsed = _clock() - begun - (_state.local.spent_ns - spent)
    event = _state.local.event
    if event is None:
        _module_of(module).decoration_ms += elapsed / 1e6  # wp.static values that only a build resolves: hashing
        if failed:
            _failed_while_hashing(module)
    elif event.target is module and _state.hooks.get("_run_codegen") != "ok":
        event.codegen_ns = (event.codegen_ns or 0) + elapsed


def _failed_while_hashing(module: Any) -> None:
    """Write the error event of a module that could not even be hashed; Warp prints no line for it."""
    frame = _caller(2)
    while frame is not None and frame.f_code not in _state.load_codes:
        frame = frame.f_back
    if frame is None:
        return
    values = frame.f_locals
    device, block_dim = values.get("device"), values.get("active_block_dim", module.options.get("block_dim"))
    event = _Event(module, _target(device), block_dim, None)
    event.t1, event.ms, event.compiled = _clock(), 0.0, False
    kind, error, _ = sys.exc_info()
    event.error = _error_facts(kind, error, event)
    event.why["ms"] = "the module failed before Warp started its timer"
    _end(event, "error")


@_hook("replayed errors")
def _error_replayed(error: Any) -> None:
    """Write the error event of a failure that Warp raises again without building."""
    frame = _caller(3)  # this function, its guard, the function that raises
    if frame is None or frame.f_code not in _state.load_codes:
        return
    values = frame.f_locals
    module, device, block_dim = values["self"], values["device"], values.get("active_block_dim")
    digest = _hash_of((_has(module, "hashers") or {}).get(block_dim))
    event = _Event(module, _target(device), block_dim, digest)
    event.t1, event.ms, event.compiled, event.replayed = _clock(), 0.0, False, True
    known = _state.failures.get((module.name, digest), {})
    event.error = _error_facts(type(error), error, None)
    event.error.update({name: known.get(name) for name in ("kernel", "defined", "native_line")})
    _end(event, "error")


def _look_for_mismatch(event: _Event, module: Any) -> None:
    """Compare what the hash was made from with what code generation is about to read."""
    facts = _facts_of(event)
    if facts is None:
        return
    found: list[tuple[str, _Built, Any]] = []
    for reference, values in facts.values:
        known = reference()
        kernel = None if known is None else known.owner()
        if kernel is None or kernel.__dict__.get("generic_parent") is not None:
            continue
        for built in values:
            value = _now(built)
            if value is not _GONE and built.changed_to(value):
                found.append((_name_of(kernel), built, value))
    if found:
        event.values = _values_of(_live_kernels(module))
    event.mismatch = [
        {"kernel": name, "name": ".".join(built.path), "hashed": built.shown, "generated": _shown(value)}
        for name, built, value in found
    ]


@_hook("build_kernel")
def _kernel_entered(kernel: Any) -> None:
    _state.local.builder.append((_name_of(kernel), _defined(kernel.func)))


# Generated source, split by kernel

_BLOCK = re.compile(r"^(?!//|#|\s|\}|\{|\)).*?(\w+)\($|^struct (\w+) ", re.MULTILINE)
_CALL = re.compile(r"\b(\w+)\(")


def _blocks(text: str) -> Iterator[tuple[str, bool, str]]:
    """Yield (name, is a function, text) of each function and struct of generated source."""
    starts = list(_BLOCK.finditer(text))
    for start, following in itertools.zip_longest(starts, starts[1:]):
        body = text[start.start() : following.start() if following else len(text)]
        yield start.group(1) or start.group(2), start.group(1) is not None, body


def _sources(text: str, content: _Content, strip_hash: bool) -> list[dict[str, Any]]:
    """Share the generated source out over its kernels; a function's body goes to those that reach it, equally."""
    owners = {key if strip_hash else f"{key}_{digest}": state for state, key, digest in content.kernels}
    if not owners:
        return []
    own = "|".join(sorted(map(re.escape, owners), key=len, reverse=True))
    pattern = re.compile(rf"(?:wp_args_)?({own})(?:_c\w+|$)")
    totals = {state: [0.0, 0.0, 0.0] for state in owners.values()}
    bodies: dict[str, tuple[int, set[str]]] = {}
    called: dict[int, set[str]] = {state: set() for state in owners.values()}
    for name, is_function, body in _blocks(text):
        size, match = len(body.encode("utf-8")), pattern.fullmatch(name)
        if match is not None:
            state = owners[match.group(1)]
            totals[state][0] += size
            totals[state][1] += size if "backward" in name else 0
            called[state].update(_CALL.findall(body))
        elif is_function:
            old = bodies.get(name, (0, set()))
            bodies[name] = (old[0] + size, old[1] | set(_CALL.findall(body)))
    calls = {name: called_here for name, (_, called_here) in bodies.items()}
    reached = {state: _reached(direct, calls) for state, direct in called.items()}
    for name, (size, _) in bodies.items():
        users = [state for state, names in reached.items() if name in names]
        for state in users:
            totals[state][2] += size / len(users)
            totals[state][1] += size / len(users) if name.startswith("adj_") else 0
    return [
        {"kernel": state, "bytes": round(total), "adjoint_bytes": round(adjoint), "shared_bytes": round(shared)}
        for state, (total, adjoint, shared) in totals.items()
    ]


def _reached(names: Iterable[str], calls: dict[str, set[str]]) -> set[str]:
    """Return the functions that can be reached by calls."""
    pending, seen = [name for name in names if name in calls], set()
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending.extend(other for other in calls[name] if other in calls)
    return seen


# The native compiler


@_hook("build_cpu")
def _build_cpu_entered(pch_dir: Any) -> Any:
    headers = _headers(pch_dir)
    return _StderrCopy.begin(), pch_dir, headers, time.time_ns(), _clock()


def _headers(folder: Any) -> dict[str, int]:
    """Return the time stamps of the precompiled headers in a folder."""
    try:
        with os.scandir(folder or "") as entries:
            return {entry.path: entry.stat().st_mtime_ns for entry in entries if entry.name.endswith(".pch")}
    except OSError:
        return {}


def _native_over(capture: _StderrCopy | None, begun: int, failed: bool) -> tuple[_Event | None, int]:
    """Add a native build to the event under way, with what the compiler said if it failed; return it and the time."""
    elapsed = _clock() - begun
    text = capture.end() if capture is not None else ""
    event = _state.local.event
    if event is not None:
        event.native_ns = (event.native_ns or 0) + elapsed
        if failed and text:
            event.fault = _native_fault(event, text)
    return event, elapsed


def _build_cpu_over(failed: bool, value: Any, token: Any) -> None:
    capture, folder, before, wall, begun = token
    event, elapsed = _native_over(capture, begun, failed)
    if event is None:
        return
    made = [stamp for path, stamp in _headers(folder).items() if before.get(path) != stamp]
    event.header_ms = min(max(0.0, (max(made) - wall) / 1e6), elapsed / 1e6) if made else 0.0


@_hook("build_cuda")
def _build_cuda_entered(output_path: Any) -> Any:
    return _StderrCopy.begin(), output_path, _clock()


def _build_cuda_over(failed: bool, value: Any, token: Any) -> None:
    capture, path, begun = token
    event, _ = _native_over(capture, begun, failed)
    if event is None:
        return
    event.header_ms = 0.0
    if os.environ.get(TRACE_VARIABLE) and path:
        _take_compiler_trace(event, os.fspath(path), begun)


def _switch_compiler_trace_on(warp: Any, context: Any) -> None:
    """Have the compiler of CUDA write its own trace: the setting is copied by modules when they are made."""
    try:
        vars(warp.config)["compile_time_trace"] = True  # no assignment of the user's
        for module in context.user_modules.values():
            dict.__setitem__(module.options, "compile_time_trace", True)
    except (AttributeError, KeyError, TypeError) as error:
        _trouble("compile_time_trace", error)


def _take_compiler_trace(event: _Event, path: str, begun: int) -> None:
    """Write the trace that a compiler left beside its output, which is about to be moved."""
    folder, name = os.path.split(path)
    try:
        found = [entry for entry in os.listdir(folder) if entry.startswith(f"{name}_compile-time-trace")]
        if not found:
            return
        with open(os.path.join(folder, found[0]), "rb") as file:
            text = file.read()
    except OSError as error:
        _trouble("compile_time_trace", error)
        return
    _write(
        "compiler_trace",
        t=begun,
        t1=_clock(),
        module=event.target.name,
        hash=event.hash,
        device=event.device,
        block_dim=event.block_dim,
        thread=event.thread,
        size=len(text),
        zlib=base64.b64encode(zlib.compress(text)).decode("ascii"),
    )


_FAULT = re.compile(r"\.(?:cpp|cu)(?::(\d+):\d+: (?:fatal )?error|\((\d+)\): (?:catastrophic )?error[^:]*): (.*)")


def _native_fault(event: _Event, text: str) -> dict[str, Any] | None:
    """Map the compiler's first error line through the generated source to the kernels whose code it is in."""
    found, facts = _FAULT.search(text), _facts_of(event)
    if found is None or event.text is None:
        return None
    line = int(found.group(1) or found.group(2))
    fault: dict[str, Any] = {"native_line": f"{line}: {found.group(3).strip()}", "kernel": None, "defined": None}
    name = ""
    for start in _BLOCK.finditer(event.text):
        if event.text.count("\n", 0, start.start()) >= line:
            break
        name = start.group(1) or name
    if facts is None or not name:
        return fault
    places = {kernel.key: (_name_of(kernel), _defined(kernel.func)) for kernel in event.target.kernels.values()}
    users = [places[key] for key in _users_of(event, facts.content, name) if key in places]
    fault["kernel"] = ", ".join(name for name, _ in users) or None
    fault["defined"] = users[0][1] if len(users) == 1 else None
    return fault


def _users_of(event: _Event, content: _Content, name: str) -> list[str]:
    """Return the keys of the kernels whose generated code is, or reaches, a function."""
    calls: dict[str, set[str]] = {}
    for block, is_function, body in _blocks(event.text or ""):
        if is_function:
            calls.setdefault(block, set()).update(_CALL.findall(body))
    wanted = {name, name.removeprefix("adj_"), f"adj_{name}"}
    found = []
    for _, key, digest in content.kernels:
        mangled = key if event.strip_hash else f"{key}_{digest}"
        own = [block for block in calls if block.startswith(mangled)]
        if name in own:
            return [key]
        if wanted & _reached(own, calls):
            found.append(key)
    return found


class _StderrCopy:
    """Keeps a copy of what the compiler writes to file descriptor 2 and passes it on at once."""

    LIMIT = 1 << 20
    current: _StderrCopy | None = None
    free = threading.Lock()

    def __init__(self) -> None:
        self.old = os.dup(2)
        self.reader, writer = os.pipe()
        self.wake, self.waker = os.pipe()
        self.kept = bytearray()
        self.drained = threading.Event()
        _thread_module.start_new_thread(self._pump, ())  # one that the user's code cannot count
        os.dup2(writer, 2)
        os.close(writer)

    @classmethod
    def begin(cls) -> _StderrCopy | None:
        """Return None where another build has the descriptor, or there is none."""
        if not hasattr(select, "poll") or not cls.free.acquire(blocking=False):
            return None
        try:
            cls.current = cls()
        except (OSError, RuntimeError):
            cls.free.release()
            return None
        return cls.current

    def _pump(self) -> None:
        waiting = select.poll()
        waiting.register(self.reader, select.POLLIN)
        waiting.register(self.wake, select.POLLIN)
        while True:
            ready = [handle for handle, _ in waiting.poll()]
            if self.reader in ready:
                chunk = os.read(self.reader, 1 << 16)
                if not chunk:
                    break
                self.kept += chunk[: max(0, self.LIMIT - len(self.kept))]
                try:
                    os.write(self.old, chunk)
                except OSError:
                    continue  # the user's own descriptor is closed; nobody would have read it
            else:  # ended; what another thread started meanwhile may still write, and is still passed on
                waiting.unregister(self.wake)
                self.drained.set()
        self.drained.set()
        for handle in (self.reader, self.wake, self.waker, self.old):
            os.close(handle)

    def end(self) -> str:
        """Return what was written, up to a limit."""
        os.write(self.waker, b".")
        os.dup2(self.old, 2)  # from here on the pump may find the end of the pipe and close it all
        self.drained.wait(5.0)
        _StderrCopy.current = None
        self.free.release()
        return self.kept.decode("utf-8", "replace")

    @classmethod
    def forked(cls) -> None:
        """Give a forked process, which has no pump, its own descriptor back."""
        if cls.current is not None:
            os.dup2(cls.current.old, 2)
        cls.current, cls.free = None, threading.Lock()


# LTO objects


@_hook("build_lto")
def _lto_entered(symbol: Any) -> Any:
    return symbol, set(_lto_files()), _clock()


def _lto_files() -> list[str]:
    find = getattr(_source_module("build"), "get_lto_cache_dir", None)
    try:
        folder = find() if find is not None else ""
        return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith((".lto", ".ltoir"))]
    except OSError:
        return []


def _lto_over(failed: bool, value: Any, token: Any) -> None:
    symbol, before, begun = token
    elapsed = (_clock() - begun) / 1e6
    event = _state.local.event
    if event is None:
        return
    now = _lto_files()
    new = next((path for path in now if path not in before), None)
    path = new or _lto_file(str(symbol), now)
    operation, adjoint = _lto_asked_by(_caller(1))
    builder = _state.local.builder
    event.lto_ms += elapsed
    event.lto.append(
        {
            "op": operation or str(symbol).partition("_")[0],
            "symbol": str(symbol),
            "file": os.path.basename(path) if path else None,
            "bytes": os.path.getsize(path) if path else None,
            "ms": elapsed,
            "made": new is not None,
            "adjoint": adjoint,
            "kernel": builder[-1][0] if builder else None,
        }
    )


def _lto_file(symbol: str, files: list[str]) -> str | None:
    """Return the object that the cache holds for a symbol."""
    build = _source_module("build")
    name, length = getattr(build, "hash_symbol", None), getattr(build, "LTO_CACHE_KEY_LENGTH", None)
    if name is None or length is None:
        return None
    digest = name(symbol)[:length]
    return next((path for path in files if os.path.basename(path).partition(".")[0] == digest), None)


_FORWARD_MADE = ("fun_forward", "lto_symbol_fwd", "lto_symbol")  # bound when an operation has its forward object


def _lto_asked_by(frame: types.FrameType | None) -> tuple[str | None, bool | None]:
    """Return the tile operation that asks for an object, and whether it is for the operation's adjoint."""
    adjoint = None
    while frame is not None:
        if frame.f_code.co_name.endswith("lto_dispatch_func") and adjoint is None:
            adjoint = any(name in frame.f_locals for name in _FORWARD_MADE)
        elif adjoint is not None and "lto_dispatch_func" not in frame.f_code.co_name:
            key = getattr(frame.f_locals.get("func"), "key", None)
            return (key if isinstance(key, str) else None), adjoint
        frame = frame.f_back
    return None, adjoint


# Who keeps an old version of a kernel alive


def _holders(module: Any, content: _Content) -> dict[int, list[str]]:
    """Return, for kernels built beside a newer version of their key, what in the user's code still refers to them."""
    by_key: dict[str, dict[str, int]] = {}
    for state, key, digest in content.kernels:
        by_key.setdefault(key, {})[digest] = state
    old: list[tuple[Any, int]] = []
    for kernel in _live_kernels(module):
        versions = by_key.get(kernel.key, {})
        own = versions.get((kernel.hash or b"").hex()[:8])
        if len(versions) > 1 and own is not None and module.kernels.get(kernel.key) is not kernel and len(old) < 64:
            old.append((kernel, own))
    found: dict[int, list[str]] = {state: [] for _, state in old}
    for holder in gc.get_referrers(*(each for each, _ in old)) if old else ():
        if isinstance(holder, (types.FrameType, types.MethodType, weakref.ref)) or _is_warp(type(holder)):
            continue
        if isinstance(holder, tuple) and list(map(id, holder)) == [id(each) for each, _ in old]:
            continue  # the question itself
        for kernel, state in old:
            found[state].extend(text for text in _names_in(holder, kernel) if text not in found[state])
    return {state: names[:8] for state, names in found.items()}


def _names_in(holder: Any, kernel: Any) -> list[str]:
    """Return how a person would call what, in one object, refers to a kernel."""
    if isinstance(holder, dict):
        return _entries_holding(kernel, holder)
    if isinstance(holder, (list, tuple, set, frozenset)):
        ours = isinstance(holder, tuple) and len(holder) == 2 and isinstance(holder[1], int)
        held = not ours and any(entry is kernel for entry in holder)
        return [_container(type(holder).__name__, holder)] if held else []
    if isinstance(holder, types.CellType):
        return ["a function that captured it"] if holder.cell_contents is kernel else []
    held = any(each is kernel for each in gc.get_referents(holder))
    return [f"an object of type {type(holder).__name__}"] if held else []


def _container(kind: str, holder: Any) -> str:
    for name, value in list(vars(sys.modules["__main__"]).items()):
        if value is holder and not name.startswith("_"):
            return f"{kind} `{name}`"
    for owner in gc.get_referrers(holder) if kind == "dict" else ():
        if type(owner).__dictoffset__ and getattr(owner, "__dict__", None) is holder:
            return f"an object of type {type(owner).__name__}"  # whose attributes these are
    return f"a {kind} of {len(holder)}"


def _entries_holding(kernel: Any, holder: dict[Any, Any]) -> list[str]:
    parent = kernel.__dict__.get("generic_parent")
    if holder is kernel.module.kernels or (parent is not None and holder is parent.overloads):
        return []
    owner, names = holder.get("__name__"), []
    for name, value in list(holder.items()):
        if value is not kernel:
            continue
        if isinstance(name, int):
            names.append(f"`Out[{name}]`")
        elif isinstance(name, str) and isinstance(owner, str):
            names += [] if owner.startswith("warp") else [f"variable `{name}`"]
        elif isinstance(name, str):
            names.append(_class_of(holder) or _container("dict", holder))
    return names


def _class_of(space: dict[Any, Any]) -> str | None:
    """Return the class whose own names ``space`` holds; one defined anew leaves an older one until collected."""
    if "__module__" not in space or "__doc__" not in space:
        return None
    made = next((owner for owner in gc.get_referrers(space) if isinstance(owner, type)), None)
    if made is None:
        return None
    newest = vars(sys.modules["__main__"]).get(made.__name__)
    if isinstance(newest, type) and newest is not made:
        return f"an older class `{made.__name__}` that Python has not collected yet"
    return f"class `{made.__name__}`"


# ---------------------------------------------------------------------------------------------------------------------
# Kernels, modules, options, settings and calls, each with its line


def _self_entered(owner: Any) -> Any:
    """Hand the object on to the hook for returns."""
    return owner


@_leaving("Kernel")
def _kernel_made(kernel: Any, value: Any) -> None:
    """Number a kernel and write its first registration."""
    kid, module = _known(kernel).kid, kernel.module
    if module is None:
        return
    unique = bool(_has(module, "defer_reference_scan"))
    about = _module_of(module)
    about.unique = about.unique or unique
    defined = _defined(kernel.func)
    if kernel.key in _state.kernel_keys and _state.recorder is not None:
        _state.recorder.forget_looks()  # a newer definition: launches of the older one are looked at again
    _state.kernel_keys.add(kernel.key)
    key = (_spot(defined), "unique" if unique else module.name, _digest(kernel.adj.source))
    known = _state.defines.get(key)
    if known is None:
        place = _here()
        _tell_file(defined)
        _tell_file(place)
        known = _state.defines[key] = next(_state.ids)
        _write(
            "define",
            id=known,
            t=_clock(),
            kid=kid,
            name=_name_of(kernel),
            key=kernel.key,
            module=None if unique else module.name,
            defined=defined,
            unique=unique,
            place=place,
        )
    _state.define_counts[known] = _state.define_counts.get(known, 0) + 1


@_hook("Adjoint")
def _refused(func: Any) -> None:
    """Write that Warp does not take a kernel or function; without source, say."""
    error = sys.exc_info()[1]
    if isinstance(error, (RuntimeError, OSError)):
        name = getattr(func, "__qualname__", None)
        _write("refused", t=_clock(), name=name, error=str(error)[:MESSAGE_LIMIT], place=_here())


def _overload_left(kernel: Any, value: Any) -> Any:
    try:
        if value._nbp.owner() is value:  # every launch of a generic kernel passes here
            return value
    except AttributeError:
        pass
    _overload_made(kernel, value)
    return value


@_hook("overloads")
def _overload_made(kernel: Any, value: Any) -> None:
    """Number a new instance of a generic kernel; until then it carries its parent's number."""
    if value is None or value is kernel:
        return
    instance = _known(value)
    _write(
        "overload",
        t=_clock(),
        kid=instance.kid,
        parent=_known(kernel).kid,
        name=_name_of(kernel),
        key=kernel.key,
        module=kernel.module.name,
        types=[_type_text(kind) for kind in value.adj.arg_types.values()],
        place=_here(),
    )


@_leaving("Struct")
def _struct_made(struct: Any, value: Any) -> None:
    place = _here()
    _tell_file(place)
    _state.struct_places[struct] = place


@_leaving("Module")
def _module_made(module: Any, value: Any) -> None:
    _watch_module(module, stock=False)


def _watch_module(module: Any, stock: bool) -> None:
    """Follow a module's options from now on."""
    about = _module_of(module)
    about.stock = stock
    about.created = None if stock else _here()
    about.copied = dict.fromkeys((name for name in TRACKED_OPTIONS if name in module.options), next(_state.order))
    copied = {name: _option_text(module.options[name]) for name in about.copied}
    module.options = _Options(module.options, module)
    if _state.once("module", module.name, _spot(about.created), json.dumps(copied)):
        _write("module", t=_clock(), module=module.name, copied=copied, place=about.created, stock=stock)


class _Options(dict):  # type: ignore[type-arg]
    """A module's options, which print, compare, copy and pickle as the plain dict that they are."""

    __slots__ = ("_module",)
    __class__ = property(lambda self: dict)

    def __init__(self, options: dict[str, Any], module: Any) -> None:
        dict.__init__(self, options)
        self._module = weakref.ref(module)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (dict(self),)

    def __setitem__(self, name: Any, value: Any) -> None:
        old = self.get(name)
        dict.__setitem__(self, name, value)
        if name != "block_dim" or old != value:  # up to 1.18 every launch sets it
            _option_assigned(self._module(), name, old, value)

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        self.update(other)
        return self

    def setdefault(self, name: Any, value: Any = None) -> Any:
        if name not in self:
            self[name] = value
        return self[name]

    def update(self, *others: Any, **named: Any) -> None:
        if len(others) == 1 and not hasattr(others[0], "keys"):
            others = (list(others[0]),)  # read once
        before = dict(self)
        dict.update(self, *others, **named)
        for name, value in dict(*others, **named).items():
            _option_assigned(self._module(), name, before.get(name), value)


_Options.__name__ = _Options.__qualname__ = "dict"
_Options.__module__ = "builtins"
_PRINTING = ("log_level", "verbose", "verbose_warnings", "quiet", "print_launches")  # of no weight in a build
_OPTION_CALLS = ("set_module_options", "wrapper", "_set_strip_hash", "kernel", "compile_aot_module", "load_aot_module")


@_hook("options")
def _option_assigned(module: Any, name: Any, old: Any, new: Any) -> None:
    if module is None:
        return
    frame = _caller(2)
    through = False
    while frame is not None:
        is_call = frame.f_globals is vars(_state.context) and frame.f_code.co_name in _OPTION_CALLS
        if not is_call and _code(frame.f_code).kind != "own":
            break
        through = through or is_call
        frame = frame.f_back
    by_warp = frame is not None and _code(frame.f_code).kind == "warp"
    assignment = _assigned("option", str(name), old, new, module.name, by_warp, not through and not by_warp)
    if assignment is not None:
        _module_of(module).assigned[str(name)] = assignment


@_hook("config")
def _config_assigned(name: str, old: Any, new: Any) -> None:
    frame = _caller(2)
    while frame is not None and (
        _code(frame.f_code).kind == "own"
        or (frame.f_code.co_name == "__setattr__" and _code(frame.f_code).kind == "warp")
    ):
        frame = frame.f_back
    by_warp = frame is not None and _code(frame.f_code).kind == "warp"
    if name == "kernel_cache_dir" and not by_warp and _state.private_cache:
        vars(_state.warp.config)[name] = old or _state.private_cache
    assignment = _assigned("config", name, old, new, None, by_warp, False)
    if assignment is not None and old != new:
        _state.assignments[("config", name)] = assignment


def _assigned(
    what: str, name: str, old: Any, new: Any, module: str | None, by_warp: bool, in_place: bool
) -> _Assignment | None:
    """Write an assignment; return it unless Warp itself made it."""
    place = _here()
    texts = _option_text(old), _option_text(new)
    if _state.once("assign", what, name, module, texts, _spot(place), limit=SAME_LINES):
        _tell_file(None if by_warp else place)
        _write(
            "assign",
            t=_clock(),
            what=what,
            name=name,
            module=module,
            old=texts[0],
            new=texts[1],
            by_warp=by_warp,
            in_place=in_place,
            place=place,
            thread=_thread(),
        )
    if by_warp:
        return None
    if name not in _PRINTING:
        _state.epoch += 1
        if _state.recorder is not None and name == "enable_cpu_blocks":
            _state.recorder.forget_sites()  # launches resolve to another block dimension
        elif _state.recorder is not None:
            _state.recorder.forget_looks()
    return _Assignment(place, next(_state.order))


class _Call:
    """A call of Warp's that asks for builds, or that matters to them later."""

    def __init__(self, name: str, place: dict[str, Any] | None) -> None:
        self.name, self.place, self.thread = name, place, _thread()
        self.kernel: str | None = None  # of a launch
        self.launch: int | None = None  # its position
        self.args: dict[str, str] = {}
        self.inner = False  # load_module calls force_load: one call of the user's
        self.t = _clock()


def _calling(name: str, arguments: tuple[str, ...]) -> tuple[Any, Any, Any]:
    """Return the hooks that record a call of one of Warp's functions with its line."""

    @_hook(name)
    def entered(*values: Any) -> Any:
        call = _Call(name, _here())
        _tell_file(call.place)
        call.args = {argument: _call_text(value) for argument, value in zip(arguments, values, strict=True)}
        call.inner = any(other.thread == call.thread for other in _state.calls)
        _state.calls.append(call)
        return call

    def over(failed: bool, value: Any, call: _Call) -> None:
        _state.calls[:] = [other for other in _state.calls if other is not call]
        same = (name, *call.args.values(), _spot(call.place))
        if not call.inner and _state.once("call", *same, limit=SAME_LINES):
            _write(
                "call",
                t=call.t,
                t1=_clock(),
                name=name,
                args=call.args,
                place=call.place,
                thread=call.thread,
                ok=not failed,
            )

    return entered, *_ending(name, over)


def _call_text(value: Any) -> str:
    if _is_a(value, (list, tuple)):
        return "[" + ", ".join(_call_text(part) for part in value) + "]"
    if _is_warp(type(value)):
        named = getattr(value, "alias", None) or getattr(value, "name", None) or getattr(value, "key", None)
        if isinstance(named, str):
            return named
    return str(vars(value).get("__name__")) if _is_a(value, types.ModuleType) else _option_text(value)


def _unroll_entered(adj: Any, loop: Any) -> Any:
    return adj, loop


@_leaving("get_unroll_range")
def _unrolled(token: Any, value: Any) -> None:
    adj, loop = token
    local = _state.local
    code = getattr(adj.func, "__code__", None)
    if value is None or not local.generating or code is None or not hasattr(value, "__len__") or len(value) < 8:
        return
    place = _place_at(code, adj.fun_lineno + loop.lineno - 1)  # both count from the decorator, from 1
    kernel = local.builder[-1][0] if local.builder else None
    if _state.once("loop", _spot(place), len(value), kernel):
        _write(
            "loop",
            t=_clock(),
            module=None if local.event is None else local.event.target.name,
            kernel=kernel,
            file=place["file"],
            line=place["line"],
            place=place,
            iterations=len(value),
        )


# What Warp prints


@_hook("log")
def _logged(message: Any) -> None:
    """Keep a line that Warp's own logger prints; with a logger of the user's there is none."""
    if _state.once("log", limit=LINES_KEPT):
        _write("log", t=_clock(), text=str(message), shown=True, thread=_thread())


def _printed(*values: Any, **options: Any) -> None:
    """Stand in for ``print`` inside Warp's modules before it had a logger; prints as before and keeps the line."""
    print(*values, **options)
    if options.get("file") in (None, sys.stdout) and _state.wire is not None:
        _logged(str(options.get("sep") or " ").join(map(str, values)))


# ---------------------------------------------------------------------------------------------------------------------
# Attaching: each hook point is tried on its own, what is missing is said

after_attach: list[Callable[[Any, Any], None]] = []  # what else waits for Warp: the rehearsal
fatal: tuple[type[BaseException], ...] = ()  # errors of those that end the user's import: nothing can be measured


def _attach(warp: Any, begun: int) -> None:
    """Put the hooks into a Warp that has just been imported; one that has them is left alone."""
    context = sys.modules.get("warp._src.context") or sys.modules.get("warp.context")
    launch: Any = getattr(context, "launch", None)
    if launch in _rewritten and _rewritten[launch].now is launch.__code__:
        return
    started = _state.meter.begin()
    file = getattr(warp, "__file__", None)
    _state.warp = warp
    _state.warp_folder = os.path.dirname(os.path.abspath(file)) + os.sep if file else ""
    _state.codes.clear()  # frames seen before now may be Warp's own
    _state.hooks.clear()
    if context is None or not all(hasattr(context, name) for name in ("Kernel", "Module", "launch")):
        _state.hooks["all"] = "no implementation module"
    else:
        _state.context = context
        _state.launch = inspect.unwrap(context.launch)
        _state.launch_tiled = inspect.unwrap(getattr(context, "launch_tiled", _never))
        cached = set(linecache.cache)
        for name, install in _POINTS.items():
            _state.hooks[name] = _installed(install)
        for name in set(linecache.cache) - cached:
            del linecache.cache[name]
        if _state.hooks["_run_codegen"] == "ok":
            _state.hooks["codegen"] = "ok"
    _tell_warp(begun, _state.meter.end() - started)
    if "all" in _state.hooks:
        return
    if os.environ.get(TRACE_VARIABLE):
        _switch_compiler_trace_on(warp, context)
    for follow in after_attach:
        follow(warp, context)


def _installed(install: Callable[[], None]) -> str:
    try:
        install()
    except (_Missing, AttributeError, ValueError, TypeError, OSError, IndexError) as error:
        return str(error) or type(error).__name__
    return "ok"


def _tell_warp(begun: int, spent: int) -> None:
    warp = _state.warp
    version = getattr(getattr(warp, "config", None), "version", None) or getattr(warp, "__version__", None)
    _write(
        "warp",
        t=_clock(),
        t0=begun,
        version=str(version or "unknown"),
        path=_state.warp_folder,
        hooks=_state.hooks,
        probe_ns=spent,
    )


def _source_module(name: str) -> Any:
    module = sys.modules.get(f"warp._src.{name}") or sys.modules.get(f"warp.{name}")
    if module is None:
        raise _Missing(f"no module {name}")
    return module


def _own(owner: Any, name: str) -> Any:
    found = vars(owner).get(name)
    if found is None:
        raise _Missing(f"no {name}")
    return found.__func__ if isinstance(found, (staticmethod, classmethod)) else found


def _found(path: str) -> Any:
    """Return a function of Warp's by its module and name: ``codegen.Adjoint.get_references``."""
    module, *names = path.split(".")
    owner = _state.context if module == "context" else _source_module(module)
    for name in names:
        owner = _own(owner, name)
    return owner


def _arguments_of(function: Any) -> tuple[str, ...]:
    code = _code_of(function)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _install_launch() -> None:
    """Put the recording of launches into wp.launch, before it loads the module."""
    launch = _found("context.launch")
    missing = {"kernel", "dim", "device", "adjoint", "record_cmd", "block_dim"} - set(_arguments_of(launch))
    if missing:
        raise _Missing(f"it has no argument {sorted(missing)[0]}")
    last = (launch.__defaults__ or (None,))[-1]
    _state.silent_block_dim = last if isinstance(last, int) and last > 1 else None

    def change(definition: ast.FunctionDef, mark: str) -> None:
        head, body = _split_docstring(definition.body)
        place = _place_of_load(body)
        if place is None:
            raise _Missing("it loads no module")
        statements, index = place
        statements[index:index] = _statements(_LAUNCH, mark, statements[index])
        definition.body = [*head, *_statements("_nbp_asked = block_dim", mark, body[0]), *body]

    _rewrite(launch, "launches", change, _state.recorder)


def _place_of_load(body: list[ast.stmt]) -> tuple[list[ast.stmt], int] | None:
    """Return the statements, and which of them, that hold ``kernel.module.load(...)``, a ``try`` around it included."""
    for index, node in enumerate(body):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            if _dotted(node.value.func) == ("kernel", "module", "load"):
                return body, index
        elif isinstance(node, (ast.If, ast.Try)):
            place = _place_of_load(node.body)
            if place is not None:
                return (body, index) if isinstance(node, ast.Try) else place
    return None


def _install_hasher() -> None:
    function = _found("context.ModuleHasher.__init__")
    _instrument(function, _hash_entered, _arguments_of(function)[:3], _hash_left, _hash_failed)


def _install_timer() -> None:
    _state.load_codes = {_code_of(_found("context.Module.load"))}
    _instrument(_found("utils.ScopedTimer.__enter__"), _timer_entered, ("self",))
    exiting = _found("utils.ScopedTimer.__exit__")
    _instrument(exiting, _timer_exits, _arguments_of(exiting)[:3], _timer_left)


def _install_compile() -> None:
    name = "_compile" if "_compile" in vars(_state.context.Module) else "compile"
    arguments, endings = ("self", "device", "output_arch"), _ending("compile", _compile_over)
    _instrument(_found(f"context.Module.{name}"), _compile_entered, arguments, *endings)


def _install_builder_codegen() -> None:
    if _state.hooks.get("_run_codegen") != "ok":
        function = _found("context.ModuleBuilder.codegen")
        _instrument(function, _builder_codegen_entered, ("self",), *_ending("codegen", _codegen_over))


def _builder_codegen_entered(builder: Any) -> Any:
    return _codegen_entered(builder.module)


def _install_lto() -> None:
    build = _source_module("build")
    if "_build_lto_base" in vars(build):
        _instrument(build._build_lto_base, _lto_entered, ("lto_symbol",), *_ending("build_lto", _lto_over))
        return
    for name in ("build_lto_dot", "build_lto_fft", "build_lto_solver"):
        entered = functools.partial(_lto_entered, name.removeprefix("build_lto_"))
        _instrument(_own(build, name), entered, (), *_ending("build_lto", _lto_over))


def _install_overloads() -> None:
    known = vars(_state.context.Kernel)
    name = "_add_normalized_overload" if "_add_normalized_overload" in known else "add_overload"
    _instrument(_found(f"context.Kernel.{name}"), _self_entered, ("self",), _overload_left)


def _install_capture() -> None:
    _instrument(_found("context.capture_launch"), _graph_launched, ("graph",))
    _instrument(_found("context.capture_begin"), lambda: True, (), _capture_began)
    _instrument(_found("context.capture_end"), _capture_ends)


def _install_config() -> None:
    config = _state.warp.config
    kind = type(config)
    own = vars(kind).get("__setattr__")
    if isinstance(own, types.FunctionType):
        _instrument(own, _config_entered, _arguments_of(own)[:3], _config_left)
        return

    def assign(self: Any, name: str, value: Any) -> None:
        old = vars(self).get(name)
        kind.__setattr__(self, name, value)  # type: ignore[call-arg]
        _config_assigned(name, old, value)

    names = {"__setattr__": assign, "__module__": kind.__module__, "__doc__": kind.__doc__}
    config.__class__ = type(kind.__name__, (kind,), names)


def _config_entered(config: Any, name: str, value: Any) -> Any:
    return name, vars(config).get(name), value


def _install_isolation() -> None:
    """Have Warp take its cache folder from the environment that the run was given, whatever the code made of it."""
    if _state.private_cache:
        _instrument(_found("context.init"), _init_entered, (), _init_left, _init_failed)


@_hook("init")
def _init_entered() -> Any:
    name = "WARP_CACHE_PATH"
    own, os.environ[name] = os.environ.get(name), str(_state.private_cache)
    return (own,)


def _init_over(token: Any) -> None:
    if token is not None:
        if token[0] is None:
            del os.environ["WARP_CACHE_PATH"]
        else:
            os.environ["WARP_CACHE_PATH"] = token[0]


@_leaving("init")
def _init_left(token: Any, value: Any) -> None:
    _init_over(token)


@_hook("init")
def _init_failed(token: Any) -> None:
    _init_over(token)


def _config_left(token: Any, value: Any) -> Any:
    _config_assigned(*token)
    return value


def _install_modules() -> None:
    _instrument(_found("context.Module.__init__"), _self_entered, ("self",), _module_made)
    for module in list(_state.context.user_modules.values()):
        _watch_module(module, stock=True)


def _install_log() -> None:
    try:
        _source_module("logger")
    except _Missing:
        for name in ("context", "utils", "build", "codegen", "types"):
            module = sys.modules.get(f"warp._src.{name}") or sys.modules.get(f"warp.{name}")
            if module is not None and "print" not in vars(module):
                module.__dict__["print"] = _printed
        return
    for name in ("debug", "info", "warning", "error"):
        _instrument(_found(f"logger.LoggerBasic.{name}"), _logged, ("message",))


def _install_call(path: str, *arguments: str) -> Callable[[], None]:
    def install() -> None:
        function = _found(path)
        known = tuple(name for name in arguments if name in _arguments_of(function))
        entered, left, failed = _calling(function.__name__, known)
        _instrument(function, entered, known, left, failed)

    return install


def _plain(path: str, *hooks: Any) -> Callable[[], None]:
    return lambda: _instrument(_found(path), *hooks)


_POINTS: dict[str, Callable[[], None]] = {
    "ModuleHasher": _install_hasher,
    "get_references": _plain("codegen.Adjoint.get_references", _references_entered, ("adj",), _references_left),
    "timer": _install_timer,
    "compile": _install_compile,
    "_run_codegen": _plain(
        "context.Module._run_codegen", _codegen_entered, ("self",), *_ending("codegen", _codegen_over)
    ),
    "codegen": _install_builder_codegen,
    "ModuleBuilder": _plain(
        "context.ModuleBuilder.__init__", _builder_entered, ("module",), *_ending("ModuleBuilder", _builder_over)
    ),
    "build_kernel": _plain("context.ModuleBuilder.build_kernel", _kernel_entered, ("kernel",)),
    "build_cpu": _plain("build.build_cpu", _build_cpu_entered, ("?pch_dir",), *_ending("build_cpu", _build_cpu_over)),
    "build_cuda": _plain(
        "build.build_cuda", _build_cuda_entered, ("?output_path",), *_ending("build_cuda", _build_cuda_over)
    ),
    "build_lto": _install_lto,
    "replayed errors": _plain("context._raise_recorded_build_error", _error_replayed, ("build_error",)),
    "launch": _install_launch,
    "launch_tiled": _plain("context.launch_tiled", _tiled_entered, ("kwargs",), _tiled_left, _tiled_failed),
    "Launch.launch": _plain("context.Launch.launch", _replayed, ("self",)),
    "capture": _install_capture,
    "Tape.record_launch": _plain("tape.Tape.record_launch", _taped, ("kernel",)),
    "Kernel": _plain("context.Kernel.__init__", _self_entered, ("self",), _kernel_made),
    "refused": _plain("codegen.Adjoint.__init__", _self_entered, ("func",), None, _refused),
    "overloads": _install_overloads,
    "Struct": _plain("codegen.Struct.__init__", _self_entered, ("self",), _struct_made),
    "modules": _install_modules,
    "config": _install_config,
    "isolation": _install_isolation,
    "unroll": _plain("codegen.Adjoint.get_unroll_range", _unroll_entered, ("adj", "loop"), _unrolled),
    "log": _install_log,
    "force_load": _install_call("context.force_load", "device", "modules", "block_dim", "max_workers"),
    "load_module": _install_call("context.load_module", "module", "device", "recursive", "block_dim", "max_workers"),
    "compile_aot_module": _install_call("context.compile_aot_module", "module", "device", "arch", "module_dir"),
    "load_aot_module": _install_call("context.load_aot_module", "module", "device", "arch", "module_dir"),
    "get_suggested_block_size": _install_call("context.get_suggested_block_size", "kernel", "device"),
    "clear_kernel_cache": _install_call("build.clear_kernel_cache"),
    "clear_lto_cache": _install_call("build.clear_lto_cache"),
}


def _tell_runtime() -> None:
    """Write the facts of the devices, once, when Warp is initialised."""
    runtime = getattr(_state.context, "runtime", None)
    if runtime is None or _state.runtime_told:
        return
    _state.runtime_told = True
    folder = getattr(_state.warp.config, "kernel_cache_dir", None)
    if folder:
        _state.cache_folders = (os.path.realpath(str(folder)) + os.sep,)
        _state.codes.clear()
    _write(
        "runtime",
        t=_clock(),
        devices=[_device_facts(device) for device in _state.context.get_devices()],
        toolkit=_version(getattr(runtime, "toolkit_version", None)),
        driver=_version(getattr(runtime, "driver_version", None)),
        cache_dir=str(folder),
        environment={name: value for name, value in os.environ.items() if name.startswith("WARP_CACHE")},
    )


def _device_facts(device: Any) -> dict[str, Any]:
    cuda = bool(device.is_cuda)
    used = cuda and getattr(device, "_context", None) is not None  # asking would make a context on an unused device
    return {
        "alias": device.alias,
        "name": device.name,
        "arch": getattr(device, "arch", None) if cuda else None,
        "is_cuda": cuda,
        "memory_bytes": int(device.total_memory) if used else None,
    }


def _version(value: Any) -> str | None:
    return ".".join(map(str, value)) if isinstance(value, tuple) else None if value is None else str(value)


class _Watcher(importlib.abc.MetaPathFinder):
    """Waits on the import path for Warp, and for nothing else."""

    def __init__(self) -> None:
        self.looking = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "warp" or self.looking:
            return None
        self.looking = True
        try:
            spec = self._found(name, path, target)
        finally:
            self.looking = False
        if spec is not None and hasattr(spec.loader, "exec_module"):
            _watch_loader(spec)
        elif spec is None and _is_importing():
            _write("no_warp", t=_clock(), error="No module named 'warp'", missing=True, place=_here())
        return spec

    def _found(self, name: str, path: Any, target: Any) -> Any:
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if finder is not self and find is not None else None
            if spec is not None:
                return spec
        return None


def _is_importing() -> bool:
    """Tell an import from a look whether there is a module of that name."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != "_find_and_load_unlocked":
        if _code(frame.f_code).kind == "user":
            return False
        frame = frame.f_back
    return frame is not None


def _watch_loader(spec: Any) -> None:
    """Have the loader attach the probe after it has run the module; the loader stays the one that it is."""
    loader, begun = spec.loader, _clock()
    real = loader.exec_module

    def exec_module(module: Any) -> None:
        loader.__dict__.pop("exec_module", None)
        if spec.loader is not loader:
            spec.loader = module.__loader__ = loader
        try:
            real(module)
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"[:MESSAGE_LIMIT]
            _write("no_warp", t=_clock(), error=text, missing=False, place=_here())
            raise
        try:
            _attach(module, begun)
        except fatal:
            raise
        except Exception as error:
            _trouble("attach", error)

    try:
        loader.exec_module = exec_module
    except AttributeError:  # a loader that takes no attributes, or a class
        spec.loader = _Loader(loader, exec_module)


class _Loader(importlib.abc.Loader):
    """Stands for a loader until the module runs."""

    def __init__(self, real: Any, exec_module: Callable[[Any], None]) -> None:
        self.real = real
        self.run = exec_module

    def exec_module(self, module: Any) -> None:
        self.run(module)

    def create_module(self, spec: Any) -> Any:
        return self.real.create_module(spec)


# ---------------------------------------------------------------------------------------------------------------------
# Cells and the life of the process


def start(wire_dir: str, *, code_begun: int | None = None, spent_ns: int = 0) -> None:
    """Open the wire in a folder and wait for Warp; call once, before the user's code imports Warp.

    Args:
        wire_dir: The folder.
        code_begun: When the code of a command began; such a process calls ``finish`` itself when it ends.
        spent_ns: What it took to load this text while that code ran.

    Raises:
        OSError: The folder cannot be written to.
    """
    _state.folder = wire_dir
    _state.wire = _Wire(wire_dir)
    _state.recorder = _Recorder(_launches_file(_state.wire))
    _state.meter.spent_ns = spent_ns
    _write_header(None)
    if code_begun is not None:
        _state.is_command = True
        _write("code_begin", t=code_begun)
    sys.meta_path.insert(0, _Watcher())
    if "warp" in sys.modules and hasattr(sys.modules["warp"], "launch"):
        _attach(sys.modules["warp"], _clock())  # a kernel that had Warp before we came
    if code_begun is None:
        atexit.register(finish)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forked)
    _finish_in_workers()


def _launches_file(wire: _Wire) -> str:
    return os.path.join(_state.folder, f"launches-{wire.name}.bin")


def _finish_in_workers() -> None:
    """Have the workers of multiprocessing finish their records: they leave by ``os._exit``, past ``atexit``."""
    util = sys.modules.get("multiprocessing.util")
    if util is None:
        return

    def at_end(state: Any) -> None:
        util.Finalize(None, finish, kwargs={"quickly": True}, exitpriority=-1000)

    if not _state.in_workers:
        _state.in_workers = True
        util.register_after_fork(_state, at_end)  # a worker forgets what was registered before it began
    process = sys.modules.get("multiprocessing.process")
    if getattr(process, "_parent_process", None) is not None:
        at_end(_state)


def _write_header(cell: int | None) -> None:
    names = ("WARP_", "CUDA_", "NVIDIA_")
    _write(
        "header",
        wire=WIRE_VERSION,
        pid=os.getpid(),
        ppid=os.getppid(),
        t=_clock(),
        time=time.time(),
        python=platform.python_version(),
        executable=sys.executable,
        platform=platform.platform(),
        argv=list(sys.argv),
        cwd=os.getcwd(),
        machine={"host": platform.node(), "cpu": _cpu_name(), "cores": os.cpu_count()},
        env={name: value for name, value in os.environ.items() if name.startswith(names)},
        cell=cell,
    )


def _cpu_name() -> str | None:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        return platform.processor() or None
    return platform.processor() or platform.machine() or None


def _forked() -> None:
    """Forget in a forked process what belongs to its parent's wire."""
    wire, recorder = _state.wire, _state.recorder
    if wire is None or recorder is None:
        return
    try:
        _StderrCopy.forked()
        if wire.handle is not None:
            os.close(wire.handle)  # without its lock, which another thread of the parent may hold
        _state.begin_wire()
        _state.wire, _state.recorder = _ForkedWire(), recorder
        _state.is_command, _state.local.event, _state.local.busy = False, None, False
        for about in list(_state.modules.values()):
            about.sequences, about.pending = {}, []
            for facts in about.facts.values():  # the ids in them are of the parent's wire
                facts.content = _Content(None, facts.content.names, facts.content.options, [])
        recorder.forget()
        _finish_in_workers()
    except Exception as error:
        _trouble("fork", error)


def _open_forked() -> None:
    """Give a forked process a wire of its own."""
    try:
        _state.wire = wire = _Wire(_state.folder)
        if _state.recorder is not None:
            _state.recorder.move(_launches_file(wire))
    except OSError:
        _state.wire = None  # the run's folder is gone: nobody reads any more
        return
    _write_header(_state.cell)
    if _state.warp is not None:
        _tell_warp(_clock(), 0)


def attach_ipython(shell: Any, get_metadata: Callable[[], Any]) -> None:
    """Follow the cells that a shell runs.

    Args:
        shell: The running InteractiveShell.
        get_metadata: Returns the metadata of the request being executed; our host sends ``warp_nbprobe`` in it.
    """

    def begin(info: Any) -> None:
        try:
            _cell_began(shell, info, get_metadata())
        except Exception as error:
            _trouble("pre_run_cell", error)

    def end(result: Any) -> None:
        try:
            _cell_ended(result)
        except Exception as error:
            _trouble("post_run_cell", error)

    shell.events.register("pre_run_cell", begin)
    shell.events.register("post_run_cell", end)


def _cell_began(shell: Any, info: Any, metadata: Any) -> None:
    facts = (metadata or {}).get("warp_nbprobe") or {}
    source = info.raw_cell
    nested = _state.cell_open and facts.get("cell", _state.cell) == _state.cell  # a cell that runs another text
    cell = _state.cell if nested and _state.cell is not None else int(facts.get("cell", _state.cell_count))
    count = int(facts.get("number", shell.execution_count))
    try:
        file = shell.compile.get_code_name(source, source, count)
    except (AttributeError, TypeError):
        file = ""
    if nested:
        _state.nested += 1
        _follow_text(file, source)
        return
    _state.source = source
    if file:
        _state.cells[file] = cell, _blank_lines(source)
    _state.cell, _state.cell_open, _state.cell_count, _state.nested = cell, True, cell + 1, 0
    launches, probe_ns, t = _position(), _state.meter.read(), _state.meter.begin()
    _write(
        "cell_begin",
        t=t,
        cell=cell,
        number=count,
        phase=facts.get("phase", "main"),
        name=facts.get("name"),
        first_line=facts.get("first_line", 1),
        file=file,
        source=source,
        launches=launches,
        probe_ns=probe_ns,
    )
    _state.meter.end()


def _follow_text(file: str, text: str) -> None:
    """Find a text that the open cell has the shell run in the cell: %%capture runs the rest of it."""
    text = "\n".join(text.splitlines()[_blank_lines(text) :])
    position = _state.source.find(text) if text else -1
    if file:
        found = position >= 0
        _state.cells[file] = (_state.cell, _state.source.count("\n", 0, position)) if found else (None, 0)


def _cell_ended(result: Any) -> None:
    t, probe_ns = _clock(), _state.meter.read()
    if not _state.cell_open:
        return
    if _state.nested:
        _state.nested -= 1
        return
    _state.cell_open = False
    error = None if result is None else (result.error_before_exec or result.error_in_exec)
    _write(
        "cell_end",
        t=t,
        cell=_state.cell,
        ok=error is None,
        ename=None if error is None else type(error).__name__,
        evalue=None if error is None else str(error)[:MESSAGE_LIMIT],
        launches=_position(),
        probe_ns=probe_ns,
    )
    _tell_runtime()
    _tell_counts()


def _position() -> int:
    return 0 if _state.recorder is None else _state.recorder.position()


def is_own_code(code: Any) -> bool:
    """Tell whether a code object is the probe's, for tracebacks that should not show it."""
    return getattr(code, "co_filename", None) in _own_codes


def finish(ended: int | None = None, *, quickly: bool = False) -> None:
    """Write the order of launches and the footer; what comes later is not recorded.

    Args:
        ended: When the code of a command ended; now, when left out.
        quickly: Nothing is measured any more: a worker may be terminated while it ends.
    """
    wire, recorder = _state.wire, _state.recorder
    if wire is None or recorder is None or _state.finished:
        return
    ended = _clock() if ended is None else ended
    _state.finished = True
    if isinstance(wire, _ForkedWire):
        _state.wire = None
        return  # it never had to do with Warp
    try:
        if _state.is_command:
            _write("code_end", t=ended)
        for module, about in list(_state.modules.items()):
            _count_pending(module.name, about)
        _tell_counts()
        _tell_runtime()
        count, spent_ns = recorder.position(), _state.meter.read()
        kept = min(count, recorder.room)
        packed = base64.b64encode(zlib.compress(recorder.put[:kept], 6)).decode("ascii")
        _write("order", n=kept, zlib=packed)
        launch_ns = None if quickly or not count else _launch_cost()
        _write("probe", t=_clock(), probe_ns=spent_ns, launch_ns=launch_ns)
        _write("footer", t=_clock(), launches=count, probe_ns=spent_ns)
        if recorder.path is not None:
            os.unlink(recorder.path)
    except Exception as error:
        _trouble("finish", error)
    finally:
        _state.wire = None
        wire.close()


def _launch_cost() -> float:
    """Return the nanoseconds that recording one launch takes here, measured on a recorder of its own."""
    lines = "".join(f"    {line}\n" for line in _LAUNCH.splitlines())
    names = "kernel, dim, device, adjoint, record_cmd, _nbp_asked"
    recorder, kernel, device = (
        _Recorder(None, room=1 << 16),
        types.SimpleNamespace(),
        types.SimpleNamespace(alias="cpu"),
    )
    space: dict[str, Any] = {"NBP": recorder}
    exec(f"def empty({names}): pass\ndef full({names}):\n{lines}", space)
    kernel._nbp = known = _Known(0, weakref.ref(recorder.count.__class__))
    known.same = _comparison([(_launch_cost, ("_never",), _never), (_launch_cost, ("ROOM",), ROOM)])

    def measure(function: Callable[..., None]) -> float:
        best = float("inf")
        for _ in range(5):
            begun = _clock()
            for _ in range(1000):
                function(kernel, (64,), device, False, False, None)
            best = min(best, (_clock() - begun) / 1000)
        return best

    recorder.keys = _AnyKey()
    return max(0.0, measure(space["full"]) - measure(space["empty"]))


class _AnyKey(dict):  # type: ignore[type-arg]
    """Knows every launch from its second time on."""

    def __missing__(self, key: Any) -> int:
        self[key] = 1
        return 1


_state = _State()
