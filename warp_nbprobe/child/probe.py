"""Watches Warp from inside the child and writes what it sees as JSON lines.

One standard-library file: its text is loaded into a module object of its own in the child, so it imports nothing of
ours. It waits for the user's code to import Warp, then rewrites the code objects of a few of Warp's functions in place:
a call of a hook goes in front of the body, and where needed around its returns. No frame, no wrapper and no new
function object comes between the user and Warp, so callers that Warp inspects, tracebacks, tape metadata and the
frames that Warp clears after an error are what they are without us.

The guest rules: no name in the user's namespace, no exception into the user's code, no kernel or argument kept alive,
every line written at once. The wire is described in docs/wire.md.
"""

from __future__ import annotations
import __future__ as _future

import ast
import atexit
import base64
import functools
import gc
import hashlib
import importlib.abc
import inspect
import itertools
import json
import mmap
import operator
import os
import platform
import re
import sys
import sysconfig
import threading
import time
import types
import warnings
import weakref
import zlib
from collections.abc import Callable
from typing import Any

WIRE_VERSION = 1
TRACE_VARIABLE = "WARP_NBPROBE_TRACE"
OWN_FILE = "<warp_nbprobe probe>"
TEXT_LIMIT = 400  # characters of a value's text on the wire
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


def _text(value: Any) -> str:
    """Return a short text of a value; a user's broken ``__repr__`` is said, not raised."""
    try:
        shown = repr(value)
    except Exception as error:
        shown = f"<{type(value).__name__}, no text: {type(error).__name__}>"
    return shown if len(shown) <= TEXT_LIMIT else shown[: TEXT_LIMIT - 3] + "..."


class _Wire:
    """An append-only file of JSON lines; a line is one ``write``, so a crash loses none that was written."""

    def __init__(self, folder: str) -> None:
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
        if self.handle is None:
            return
        line = json.dumps({"kind": kind, **fields}, default=str, separators=(",", ":")) + "\n"
        try:
            os.write(self.handle, line.encode("utf-8", "backslashreplace"))
        except OSError:
            self.handle = None  # the run's folder is gone: nobody reads any more

    def close(self) -> None:
        if self.handle is not None:
            os.close(self.handle)
            self.handle = None


class _ForkedWire(_Wire):
    """The wire of a forked process, made when there is something to write: most forks run another program at once."""

    def __init__(self) -> None:
        self.name, self.handle = "", None

    def write(self, kind: str, **fields: Any) -> None:
        if _state.wire is self:
            _open_forked()
            _write(kind, **fields)


class _Local(threading.local):
    """What one thread is doing."""

    def __init__(self) -> None:
        self.event: dict[str, Any] | None = None  # the build or load under way
        self.references: dict[int, tuple[Any, Any]] | None = None  # get_references results while Warp hashes
        self.lto: list[dict[str, Any]] | None = None
        self.generating = 0  # inside code generation
        self.builder: list[tuple[str, Any, Any]] = []  # the kernel last entered by code generation: name, place, key
        self.tiled: list[Any] = []  # block_dim requests of launch_tiled calls under way
        self.unrecorded: tuple[int, str] | None = None  # position and kernel of a launch that is no launch yet
        self.busy = False  # inside one of our own hooks


class _State:
    """All that the probe knows in this process."""

    def __init__(self) -> None:
        self.wire: _Wire | None = None
        self.folder = ""
        self.local = _Local()
        self.lock = threading.RLock()
        self.spent_ns = 0
        self.launch_ns: float | None = None
        self.finished = False
        self.is_command = False  # a process whose wire says when its code began and ended
        self.in_workers = False  # multiprocessing is told to finish our record in its workers
        self.ids = itertools.count(1)
        self.kids = itertools.count(1)
        self.threads: dict[int, int] = {}
        self.codes: dict[int, tuple[Any, str, str, int | None]] = {}
        self.cells: dict[str, int] = {}
        self.cell: int | None = None
        self.cell_count = 0
        self.cell_timed = False
        self.warp: Any = None
        self.context: Any = None
        self.warp_folder = ""
        self.interned: dict[Any, int] = {}
        self.modules: weakref.WeakKeyDictionary[Any, _Module] = weakref.WeakKeyDictionary()
        self.checks: dict[int, _Check] = {}
        self.paths: dict[int, tuple[Any, list[tuple[str, ...]]]] = {}
        self.defines: dict[Any, int] = {}
        self.define_counts: dict[int, int] = {}
        self.rehashes: dict[str, list[Any]] = {}
        self.assignments: dict[tuple[str, str], dict[str, Any]] = {}
        self.epoch = 0
        self.stale_seen: set[Any] = set()
        self.stale_kids: set[int] = set()
        self.missed_seen: set[Any] = set()
        self.loops_seen: set[Any] = set()
        self.taped_seen: set[int] = set()
        self.calls: list[dict[str, Any]] = []
        self.struct_places: dict[int, Any] = {}
        self.kept: list[Any] = []
        self.files: dict[str, int] = {}
        self.order = itertools.count()
        self.kernel_keys: set[str] = set()
        self.failures: dict[Any, dict[str, Any]] = {}
        self.load_codes: set[Any] = set()
        self.cache_folders: tuple[str, ...] = ()
        self.silent_block_dim: int | None = (
            None  # before 1.18 the default is a number and cannot be told from a request
        )
        self.recorder: _Recorder | None = None
        self.runtime_told = False
        self.native_capture = threading.Lock()
        self.hooks: dict[str, str] = {}


class _Module:
    """What is remembered of one Warp module; plain data only, since a hasher or a kernel kept would stay alive."""

    __slots__ = (
        "checked",
        "copied",
        "created",
        "decoration_ms",
        "hashes",
        "own_options",
        "pending",
        "sources",
        "stock",
        "unique",
    )

    def __init__(self) -> None:
        self.hashes: dict[str, dict[str, Any]] = {}
        self.pending: list[tuple[str, float, Any]] = []
        self.unique = False
        self.created: Any = None
        self.own_options: set[str] = set()
        self.copied: dict[str, Any] = {}
        self.stock = False
        self.checked = 0
        self.sources: dict[str, str] = {}
        self.decoration_ms = 0.0


_state = _State()


def _write(kind: str, **fields: Any) -> None:
    if _state.wire is not None:
        _state.wire.write(kind, **fields)


def _trouble(where: str, error: BaseException) -> None:
    _write("trouble", t=_clock(), where=where, error=f"{type(error).__name__}: {error}"[:TEXT_LIMIT])


def _hook(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function a hook: what it raises goes on the wire, the time it takes is counted, it never nests."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*args: Any) -> Any:
            local = _state.local
            if local.busy or _state.wire is None:
                return None
            local.busy = True
            begun = _clock()
            try:
                return function(*args)
            except Exception as error:
                _trouble(name, error)
                return None
            finally:
                _state.spent_ns += _clock() - begun
                local.busy = False

        return run

    return decorate


def _thread() -> int:
    """Return this thread's number: 0 for the main thread, then by first appearance."""
    ident = threading.get_ident()
    known = _state.threads.get(ident)
    if known is None:
        main = threading.main_thread().ident
        if main not in _state.threads and main is not None:
            _state.threads[main] = 0
        known = _state.threads.setdefault(ident, 0 if ident == main else len(_state.threads))
    return known


# ---------------------------------------------------------------------------------------------------------------------
# Places: which line of the user's code a frame stands for

_INSTALLED = tuple(
    {
        os.path.realpath(path) + os.sep
        for path in (sysconfig.get_paths().get(key) for key in ("stdlib", "platstdlib", "purelib", "platlib"))
        if path
    }
)
_INSTALLED_PARTS = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)


def _kind_of_code(code: types.CodeType) -> tuple[Any, str, str, int | None]:
    """Return (code, kind, file, cell) of a code object; kind is ``user``, ``warp``, ``own`` or ``library``."""
    known = _state.codes.get(id(code))
    if known is not None and known[0] is code:
        return known
    file = code.co_filename
    cell = _state.cells.get(file)
    if file in _own_codes:
        kind = "own"
    elif cell is not None:
        kind = "user"
    elif _state.warp_folder and file.startswith(_state.warp_folder):
        kind = "warp"
    elif _state.cache_folders and os.path.realpath(file).startswith(_state.cache_folders):
        kind = "library"  # generated code is its generator's
    elif file == "<timed exec>" and _state.cell is not None:
        kind, cell = "user", _state.cell
    elif (
        file.startswith("<")
        or any(part in file for part in _INSTALLED_PARTS)
        or os.path.realpath(file).startswith(_INSTALLED)
        or os.path.dirname(os.path.realpath(file)) == os.path.join(os.path.realpath(sys.prefix), "bin")
    ):
        kind = "library"
    else:
        kind = "user"
    known = (code, kind, file, cell)  # the code object is kept, so that its id stays its own
    _state.codes[id(code)] = known
    return known


def _place_at(code: types.CodeType, line: int, user: bool = True) -> dict[str, Any]:
    _, kind, file, cell = _kind_of_code(code)
    if file == "<timed exec>":
        line += 1  # %%time takes its own line away
    if cell is None and not file.startswith("<"):
        file = os.path.abspath(file)
    return {"file": file, "line": line, "cell": cell, "user": user and kind == "user"}


def _user_frame(frame: types.FrameType | None) -> types.FrameType | None:
    while frame is not None:
        if _kind_of_code(frame.f_code)[1] == "user":
            return frame
        frame = frame.f_back
    return None


def _place(frame: types.FrameType | None) -> dict[str, Any] | None:
    """Return the nearest place in the user's own code above a frame, else the nearest outside Warp."""
    found = _user_frame(frame)
    if found is not None:
        return _place_at(found.f_code, found.f_lineno)
    while frame is not None and _kind_of_code(frame.f_code)[1] in ("warp", "own"):
        frame = frame.f_back
    if frame is None or frame.f_code.co_filename.startswith("<frozen"):
        return None
    return _place_at(frame.f_code, frame.f_lineno, user=False)


def _here() -> dict[str, Any] | None:
    """Return the place of the call that led to the hook that asks."""
    return _place(sys._getframe(1))


def _api_call(frame: types.FrameType | None) -> str:
    """Return the name of the outermost function of Warp on this side of the user's code, or ``launch``."""
    name = ""
    while frame is not None:
        kind = _kind_of_code(frame.f_code)[1]
        if kind == "warp":
            name = frame.f_code.co_name
            if name == "launch" and frame.f_globals is getattr(_state.context, "__dict__", None):
                return "launch"
        elif kind != "own" and name and name not in _BELOW_API:
            return name
        frame = frame.f_back
    return name


_BELOW_API = ("load", "_compile", "compile", "__init__", "__enter__", "__exit__", "get_module_hash", "hash_module")


def _defined(func: Any) -> dict[str, Any] | None:
    """Return where a Python function was written: its decorator's line."""
    code = getattr(func, "__code__", None)
    return None if code is None else _place_at(code, code.co_firstlineno)


# ---------------------------------------------------------------------------------------------------------------------
# Rewriting: a hook goes into a function's own code


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
    arguments ``asks``: what it returns is returned, unless it is ``NotImplemented``. Lines, columns and file name stay
    those of the source. A function can get an ``answer`` after its other hooks; they stay.

    Raises:
        _Missing: The function has no source, is a closure, or compiles to something else than it is.
    """
    target = inspect.unwrap(function)
    before = _instrumented.get(target)
    if before is not None and enter is None and leave is None and fail is None:
        enter, arguments, leave, fail = before
    code = getattr(target, "__code__", None)
    if code is None:
        raise _Missing("it is not a Python function")
    if code.co_freevars:
        raise _Missing("it is a closure")
    given = enter, arguments, leave, fail
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + 2]
    arguments, asks = _known_arguments(arguments, known), _known_arguments(asks, known)
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, TypeError) as error:
        raise _Missing(f"no source: {error}") from None
    text = "".join(lines)
    shift = first - 1
    if text[:1].isspace():
        text, shift = "if 1:\n" + text, shift - 1
    tree = ast.parse(text)
    ast.increment_lineno(tree, shift)
    definition = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    if definition.name != code.co_name:
        raise _Missing(f"its source is that of {definition.name}")
    constants = {} if answer is None else _rewrite_answer(definition, answer, asks)
    constants |= _rewrite(definition, enter, arguments, leave, fail)
    flags = code.co_flags & sum(getattr(_future, name).compiler_flag for name in _future.all_feature_names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # the compiler warns of calling a text
        module = compile(tree, code.co_filename, "exec", flags=flags, dont_inherit=True)
    new = _code_named(module, code.co_name, code.co_firstlineno)
    if new is None or new.co_varnames[: new.co_argcount] != code.co_varnames[: code.co_argcount] or new.co_freevars:
        raise _Missing("it compiles to something else")
    changes: dict[str, Any] = {
        "co_consts": tuple(constants.get(c, c) if isinstance(c, str) else c for c in new.co_consts)
    }
    if hasattr(code, "co_qualname"):
        changes["co_qualname"] = code.co_qualname
    target.__code__ = new.replace(**changes)
    if inspect.isfunction(target):
        _instrumented[target] = given


_instrumented: dict[Any, Any] = {}  # the hooks that a function has


def _known_arguments(names: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names as they are; one written ?name is handed over as None by versions that have none such."""
    for name in names:
        if name.lstrip("?") not in known and not name.startswith("?"):
            raise _Missing(f"it has no argument {name}")
    return tuple(name.lstrip("?") if name.lstrip("?") in known else "" for name in names)


def _code_named(code: types.CodeType, name: str, line: int) -> types.CodeType | None:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_name == name and constant.co_firstlineno == line:
                return constant
            found = _code_named(constant, name, line)
            if found is not None:
                return found
    return None


def _rewrite(
    definition: ast.FunctionDef,
    enter: Callable[..., Any] | None,
    arguments: tuple[str, ...],
    leave: Callable[[Any, Any], Any] | None,
    fail: Callable[[Any], Any] | None,
) -> dict[str, Any]:
    """Change a function's tree and return the objects that its placeholder texts stand for."""
    mark = f"__warp_nbprobe_{next(_marks)}"
    constants = {mark + "enter": enter, mark + "leave": leave, mark + "fail": fail}
    body = list(definition.body)
    head: list[ast.stmt] = []
    if (
        isinstance(body[0], ast.Expr)
        and isinstance(body[0].value, ast.Constant)
        and isinstance(body[0].value.value, str)
    ):
        head, body = body[:1], body[1:]
    site = definition.body[0]

    def call(part: str, *args: ast.expr) -> ast.Call:
        return ast.Call(func=ast.Constant(value=mark + part), args=list(args), keywords=[])

    def name(identifier: str) -> ast.Name:
        return ast.Name(id=identifier, ctx=ast.Load())

    token: ast.expr = ast.Constant(value=None)
    if enter is not None:
        entering = call("enter", *(name(argument) if argument else ast.Constant(value=None) for argument in arguments))
        if leave is None and fail is None:
            head.append(ast.Expr(value=entering))
        else:
            head.append(ast.Assign(targets=[ast.Name(id="_nbp_token", ctx=ast.Store())], value=entering))
            token = name("_nbp_token")
    if leave is not None:
        body = [_Returns(lambda value: call("leave", token, value)).visit(node) for node in body]
        body.append(ast.Expr(value=call("leave", token, ast.Constant(value=None))))
    if fail is not None:
        handler = ast.ExceptHandler(
            type=name("BaseException"), name=None, body=[ast.Expr(value=call("fail", token)), ast.Raise()]
        )
        body = [ast.Try(body=body, handlers=[handler], orelse=[], finalbody=[])]
    definition.body = head + body
    for node in ast.walk(definition):
        if isinstance(node, (ast.expr, ast.stmt, ast.excepthandler)) and not hasattr(node, "lineno"):
            ast.copy_location(node, site)
    ast.fix_missing_locations(definition)
    return constants


_marks = itertools.count()


def _rewrite_answer(definition: ast.FunctionDef, answer: Callable[..., Any], asks: tuple[str, ...]) -> dict[str, Any]:
    """Put the question in front of a function's body, behind its docstring."""
    mark = f"__warp_nbprobe_{next(_marks)}answer"
    asked = ", ".join(name or "None" for name in asks)
    lines = f"_nbp_answer = {mark!r}({asked})\nif _nbp_answer is not NotImplemented:\n    return _nbp_answer"
    first = definition.body[0]
    docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(definition.body) > 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        question = ast.parse(f"def f():\n    {lines.replace(chr(10), chr(10) + '    ')}").body[0].body  # type: ignore[attr-defined]
    for node in (inner for statement in question for inner in ast.walk(statement)):
        if hasattr(node, "lineno"):
            ast.copy_location(node, first)
    definition.body[int(docstring) : int(docstring)] = question
    return {mark: answer}


class _Returns(ast.NodeTransformer):
    """Passes what a function returns through a call; nested functions are left alone."""

    def __init__(self, through: Callable[[ast.expr], ast.expr]) -> None:
        self.through = through

    def visit_Return(self, node: ast.Return) -> ast.AST:
        value = node.value if node.value is not None else ast.Constant(value=None)
        node.value = ast.copy_location(self.through(value), value if hasattr(value, "lineno") else node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node


def _leaving(name: str) -> Callable[[Callable[[Any, Any], None]], Callable[[Any, Any], Any]]:
    """Make a hook for returns: the value returned goes on unchanged whatever the hook does."""

    def decorate(function: Callable[[Any, Any], None]) -> Callable[[Any, Any], Any]:
        guarded = _hook(name)(function)

        def run(token: Any, value: Any) -> Any:
            guarded(token, value)
            return value

        return run

    return decorate


# ---------------------------------------------------------------------------------------------------------------------
# Launches: a signature once, then one small integer a launch

ROOM = 1 << 24  # launches of one process; the file is sparse, so room costs nothing until it is used


class _Check:
    """The values that a kernel's generated code has, against those that its names have now."""

    __slots__ = ("built", "getter", "reads", "saved", "space")

    def __init__(self, reads: _Reads) -> None:
        self.saved: Any = None  # what the last comparison was against
        self.built: Any = None  # what the loaded code has
        self.getter: Callable[[Any], Any] = _values_now
        self.space: Any = ()
        self.reads: _Reads = ()
        self.watch(reads)

    def watch(self, reads: _Reads) -> None:
        self.reads = reads
        spaces = {id(space) for space, _ in reads}
        if len(spaces) == 1 and all(len(path) == 1 for _, path in reads):
            names = [path[0] for _, path in reads]
            # two names at least, so that a tuple comes back and comparing stops at identity
            self.getter, self.space = operator.itemgetter(*(names if len(names) > 1 else names * 2)), reads[0][0]
        else:
            self.getter, self.space = _values_now, reads

    def load(self, reads: _Reads, values: tuple[Any, ...]) -> None:
        """Take over what the code just loaded was generated with."""
        self.watch(reads)
        self.built = values
        self.saved = values * 2 if len(values) == 1 and self.getter is not _values_now else values


_Reads = tuple[tuple[Any, tuple[str, ...]], ...]  # (globals, dotted name) of every outside value that code reads


def _values_now(reads: _Reads) -> tuple[Any, ...]:
    values = []
    for space, path in reads:
        value = space[path[0]]
        for name in path[1:]:
            value = getattr(value, name)
        values.append(value)
    return tuple(values)


class _Recorder:
    """The order of launches, as signature ids in a file that survives a crash."""

    def __init__(self, path: str | None, room: int = ROOM) -> None:
        self.keys: dict[Any, Any] = {}
        self.ids: dict[Any, int] = {}
        self.signatures: list[tuple[str, int]] = [("", 0)]  # kernel name and thread, by id
        self.capturing = 0
        self.room = room
        self.path = path
        self.map: Any = None
        self.count = itertools.count()
        self.view = self._view()
        self.record = self._make_record()

    def _view(self) -> memoryview:
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
        """Begin anew in a forked process, under the same rewritten code: the first launch comes to be looked at."""
        self.keys, self.ids, self.signatures = {}, {}, [("", 0)]
        self.count = itertools.count()
        self._bind(keys=self.keys, count=self.count)

    def move(self, path: str) -> None:
        """Write to another file from now on: the present one is the parent's."""
        self.view.release()
        self.map.close()
        self.path = path
        self.view = self._view()
        self._bind(put_at=self.view)

    def capture(self, capturing: int) -> None:
        """Look at every launch while a graph is captured, since such a launch is none yet."""
        self.capturing = max(0, capturing)
        self._bind(keys={} if self.capturing else self.keys)

    def _bind(self, **values: Any) -> None:
        for name, cell in zip(self.record.__code__.co_freevars, self.record.__closure__ or (), strict=True):
            if name in values:
                cell.cell_contents = values[name]

    def put(self, signature: int) -> int:
        """Write one launch and return its position; a launch beyond the room is only counted."""
        index = next(self.count)
        if index < self.room:
            self.view[index] = signature
        return index

    def position(self) -> int:
        """Return how many launches were recorded so far."""
        return int(repr(self.count)[6:-1])  # a count has no other way to tell its next value without taking it

    def last_of(self, thread: int) -> tuple[int, str] | None:
        """Return position and kernel of a thread's latest launch."""
        end = min(self.position(), self.room)
        for index in range(end - 1, max(-1, end - 4096), -1):
            signature = self.view[index]
            if signature and self.signatures[signature][1] == thread:
                return index, self.signatures[signature][0]
        return None

    def _make_record(self) -> Callable[..., None]:
        keys, put_at, count = self.keys, self.view, self.count
        getframe, ident, slow = sys._getframe, threading.get_ident, _launch_slowly

        def record(
            kernel: Any,
            dim: Any,
            inputs: Any,
            outputs: Any,
            device: Any,
            stream: Any,
            adjoint: Any,
            record_cmd: Any,
            block_dim: Any,
        ) -> None:
            # every launch passes here: a key of small values looked up, one integer written
            frame = getframe(2)
            try:
                if record_cmd:
                    raise KeyError
                if stream is not None:
                    device = stream.device
                if device is not None and device.__class__ is not str:
                    device = device.alias
                if dim.__class__ is list:
                    dim = tuple(dim)
                signature, check = keys[
                    kernel._nbp_id, dim, device, adjoint, block_dim, id(frame.f_code), frame.f_lasti, ident()
                ]
                if check is not None and check.getter(check.space) != check.saved:
                    raise KeyError
                put_at[next(count)] = signature
            except IndexError:
                return  # beyond the room: counted, and said in the footer
            except Exception:
                slow(kernel, dim, inputs, outputs, device, stream, adjoint, record_cmd, block_dim, frame)

        return record


def _kid(kernel: Any) -> int:
    """Return a kernel object's number; an instance of a generic kernel is a shallow copy and must not share it."""
    known = kernel.__dict__.get("_nbp_id")
    parent = kernel.__dict__.get("generic_parent")
    if known is None or (parent is not None and parent.__dict__.get("_nbp_id") == known):
        known = kernel._nbp_id = next(_state.kids)
    return int(known)


def _name_of(kernel: Any) -> str:
    return str(getattr(kernel.func, "__qualname__", kernel.key))


@_hook("launch")
def _launch_slowly(
    kernel: Any,
    dim: Any,
    inputs: Any,
    outputs: Any,
    device: Any,
    stream: Any,
    adjoint: Any,
    record_cmd: Any,
    block_dim: Any,
    frame: Any,
) -> None:
    """Record a launch whose kind is new, or that has to be looked at."""
    recorder, context = _state.recorder, _state.context
    if recorder is None or not isinstance(kernel, context.Kernel):
        return
    tell_runtime()
    position = recorder.position()
    if stream is not None:
        device = stream.device
    if device is None:
        device = _default_device()
    elif isinstance(device, str):
        device = context.runtime.get_device(device)
    waits = record_cmd or (recorder.capturing and _is_capturing(device))
    if waits:
        _state.local.unrecorded = (position, _name_of(kernel))
    kind: str = "launch"
    caller: Any = frame
    requested = None if block_dim is None or block_dim == _state.silent_block_dim else _asked(block_dim)
    if frame.f_code is _code_of(context.launch_tiled):
        kind, caller = "tiled", frame.f_back
        if _state.local.tiled:
            requested = _state.local.tiled[-1]
    user: Any = caller if _kind_of_code(caller.f_code)[1] == "user" else _user_frame(caller)
    site: Any = caller if user is None else user
    dims = tuple(dim) if isinstance(dim, (list, tuple)) else dim
    kid = _kid(kernel)
    types_key = tuple(_type_key(value) for value in (*inputs, *outputs)) if kernel.is_generic else None
    key = (
        kind,
        kid,
        dims,
        device.alias,
        bool(adjoint),
        requested,
        block_dim,
        id(site.f_code),
        site.f_lasti,
        threading.get_ident(),
        types_key,
    )
    known = recorder.keys.get(key)
    resolved = _resolved_block_dim(device, block_dim)
    if known is None:
        known = (
            _signature(kind, kernel, kid, dims, device, adjoint, requested, resolved, site, types_key),
            _check_of(kernel, kid),
        )
        recorder.keys[key] = known
    if waits:
        return  # no launch until it is replayed; its signature says that it was asked for
    signature, check = known
    if not recorder.capturing:
        _look_at(kernel, kid, check, device, resolved, signature, site)
    recorder.put(signature)
    if kind == "launch" and caller is user and types_key is None:
        # from now on this kind is known at first sight; the default device stands under its None until it changes
        plain = (kid, dims, device.alias, adjoint, block_dim, id(caller.f_code), caller.f_lasti, threading.get_ident())
        recorder.keys[plain] = known
        if device is _default_device():
            recorder.keys[(kid, dims, None) + plain[3:]] = known  # noqa: RUF005


def _default_device() -> Any:
    runtime = _state.context.runtime
    device = runtime.default_device
    return device if device is not None else runtime.get_device(None)


def _code_of(function: Any) -> Any:
    return inspect.unwrap(function).__code__


def _is_capturing(device: Any) -> bool:
    context = _state.context
    if device.is_cpu:
        find = getattr(context, "_get_apic_capture_for_device", None)
        if find is not None:
            return find(device) is not None
        return getattr(context.runtime, "_apic_capture", None) is not None
    return bool(device.is_capturing)


def _type_key(value: Any) -> Any:
    dtype = getattr(value, "dtype", None)
    return type(value) if dtype is None else (dtype, getattr(value, "ndim", None))


def _asked(block_dim: Any) -> int:
    """Return a block dimension as a number; in a rehearsal it carries the one that a GPU would have had."""
    return int(getattr(block_dim, "asked", block_dim))


def _resolved_block_dim(device: Any, requested: Any) -> int:
    """Return the block dimension that a launch really gets, by Warp's own rule where it has one."""
    resolve = getattr(_state.context, "_resolve_launch_block_dim", None)
    if resolve is not None:
        try:
            return _asked(resolve(device, requested))
        except (ValueError, NotImplementedError):
            return int(requested)  # Warp will refuse this launch itself
    if device.is_cpu:
        return 1
    return 256 if requested is None or requested <= 0 else int(requested)


def _type_text(kind: Any) -> str:
    """Return the text of an argument's type: ``array(float32)``, ``vec3f``, a struct's name."""
    dtype = getattr(kind, "dtype", None)
    if dtype is not None and not isinstance(kind, type):
        name = type(kind).__name__.removeprefix("_").removesuffix("Annotation")
        return f"{name[:1].lower() + name[1:]}({_type_text(dtype)})"
    key = getattr(kind, "key", None)
    if isinstance(key, str) and not isinstance(kind, type):
        return key
    known = {float: "float32", int: "int32", bool: "bool"}.get(kind) if isinstance(kind, type) else None
    return known or str(getattr(kind, "__name__", None) or _text(kind))


def _argument_types(kernel: Any, types_key: Any) -> list[str]:
    texts = [_type_text(kind) for kind in kernel.adj.arg_types.values()]
    if types_key is None:
        return texts
    found = []
    for position, kind in enumerate(types_key):
        text = texts[position] if position < len(texts) else ""
        if isinstance(kind, tuple):
            found.append(f"array({_type_text(kind[0])})")
        elif kind is None:
            found.append(text)
        else:
            found.append(_type_text(kind))
    return found


def _signature(
    kind: Any,
    kernel: Any,
    kid: Any,
    dims: Any,
    device: Any,
    adjoint: Any,
    requested: Any,
    resolved: Any,
    site: Any,
    types_key: Any,
) -> int:
    """Return the id of a launch's signature; a new one is written."""
    recorder = _state.recorder
    assert recorder is not None
    place, thread = _site_place(site), _thread()
    try:
        shape = [_asked(size) for size in (dims if isinstance(dims, tuple) else (dims,))]
    except (TypeError, ValueError):
        shape = []
    if kind == "tiled" and shape:
        shape = shape[:-1]  # launch_tiled appended the block dimension
    fields: dict[str, Any] = {
        "kind_of": kind,
        "kid": kid,
        "kernel": _name_of(kernel),
        "key": _mangled_key(kernel),
        "module": kernel.module.name,
        "dim": shape,
        "device": device.alias,
        "dtypes": _argument_types(kernel, types_key),
        "block_dim": resolved,
        "requested_block_dim": requested,
        "adjoint": bool(adjoint),
        "place": place,
        "thread": thread,
    }
    return _signature_id(fields)


def _site_place(site: types.FrameType) -> dict[str, Any] | None:
    user = _kind_of_code(site.f_code)[1] == "user"
    return _place_at(site.f_code, site.f_lineno) if user else _place(site)


def _mangled_key(kernel: Any) -> str:
    return str(kernel.key)


def _signature_id(fields: dict[str, Any]) -> int:
    recorder = _state.recorder
    assert recorder is not None
    content = json.dumps(fields, default=str, sort_keys=True)
    with _state.lock:
        known = recorder.ids.get(content)
        if known is None:
            known = recorder.ids[content] = len(recorder.signatures)
            recorder.signatures.append((fields["kernel"] or "", fields["thread"]))
            _write("signature", id=known, **fields)
    return known


@_hook("launch_tiled")
def _tiled_entered(kwargs: Any) -> None:
    value = kwargs.get("block_dim")
    _state.local.tiled.append(value if value is None else int(value))


@_leaving("launch_tiled")
def _tiled_left(token: Any, value: Any) -> None:
    if _state.local.tiled:
        _state.local.tiled.pop()


@_hook("launch_tiled")
def _tiled_failed(token: Any) -> None:
    if _state.local.tiled:
        _state.local.tiled.pop()


@_hook("Launch.launch")
def _replayed(command: Any) -> None:
    """Record one replay of a recorded launch, also inside Warp's own solvers."""
    recorder = _state.recorder
    if recorder is None or (recorder.capturing and _is_capturing(command.device)):
        return
    kernel, bounds = command.kernel, command.bounds
    frame = sys._getframe(3)  # this hook, its guard, Launch.launch, its caller
    user = frame if _kind_of_code(frame.f_code)[1] == "user" else _user_frame(frame)
    site: Any = user if user is not None else frame
    dims = tuple(bounds.shape[: bounds.ndim]) if hasattr(bounds, "ndim") else tuple(bounds.shape)
    block_dim = _resolved_block_dim(command.device, getattr(command, "block_dim", None))
    kid = _kid(kernel)
    key = (
        "replay",
        kid,
        dims,
        command.device.alias,
        command.adjoint,
        block_dim,
        id(site.f_code),
        site.f_lasti,
        threading.get_ident(),
    )
    known = recorder.keys.get(key)
    if known is None:
        signature = _signature(
            "replay", kernel, kid, dims, command.device, command.adjoint, None, block_dim, site, None
        )
        known = recorder.keys[key] = (signature, None)
    recorder.put(known[0])


@_hook("capture_launch")
def _graph_launched(graph: Any) -> None:
    """Record one replay of a captured graph."""
    recorder = _state.recorder
    if recorder is None:
        return
    frame = sys._getframe(3)
    user = _user_frame(frame)
    site = user if user is not None else frame
    key = ("graph", graph.device.alias, id(site.f_code), site.f_lasti, threading.get_ident())
    known = recorder.keys.get(key)
    if known is None:
        fields: dict[str, Any] = dict.fromkeys(
            ("kid", "kernel", "key", "module", "dim", "block_dim", "requested_block_dim")
        )
        fields.update(
            kind_of="graph",
            dtypes=[],
            device=graph.device.alias,
            adjoint=False,
            place=_site_place(site),
            thread=_thread(),
        )
        known = recorder.keys[key] = (_signature_id(fields), None)
    recorder.put(known[0])


@_hook("capture_begin")
def _capture_began() -> None:
    if _state.recorder is not None:
        _state.recorder.capture(_state.recorder.capturing + 1)


@_leaving("capture_end")
def _capture_ended(token: Any, value: Any) -> None:
    if _state.recorder is not None:
        _state.recorder.capture(_state.recorder.capturing - 1)


@_hook("capture_end")
def _capture_failed(token: Any) -> None:
    if _state.recorder is not None:
        _state.recorder.capture(_state.recorder.capturing - 1)


@_hook("set_default_device")
def _default_device_set() -> None:
    recorder = _state.recorder
    if recorder is not None:
        for key in [key for key in recorder.keys if len(key) == 8 and key[2] is None]:
            del recorder.keys[key]


@_hook("Tape.record_launch")
def _taped(kernel: Any) -> None:
    kid = _kid(kernel)
    if kid not in _state.taped_seen:
        _state.taped_seen.add(kid)
        _write(
            "taped",
            t=_clock(),
            kid=kid,
            kernel=_name_of(kernel),
            key=kernel.key,
            module=kernel.module.name,
            place=_here(),
        )


# ---------------------------------------------------------------------------------------------------------------------
# What a launch still uses: stale values, options that are not in force


def _look_at(kernel: Any, kid: Any, check: Any, device: Any, block_dim: Any, signature: Any, site: Any) -> None:
    """Look for old values and missed options at a launch that is not known at first sight."""
    module = kernel.module
    about = _module_of(module)
    rebuilds = _will_rebuild(module, device, block_dim)
    if check is not None and check.saved is not None:
        _look_for_stale(kernel, kid, check, rebuilds, site, module)
    if not rebuilds:
        _look_for_redefined(kernel, kid, module, about, site)
    if about.checked != _state.epoch:
        about.checked = _state.epoch
        _look_for_missed_options(module, about, device, block_dim, rebuilds, site)


def _will_rebuild(module: Any, device: Any, block_dim: int) -> bool:
    """Tell whether this launch hashes the module anew before it runs, without asking Warp for the hash."""
    if module.options.get("strip_hash"):
        return (device.context if not device.is_cpu else None, block_dim) not in module.execs
    if (_has(module, "hashers") or {}).get(block_dim) is None or _has(module, "has_unresolved_static_expressions"):
        return True
    return (None if device.is_cpu else device.context, block_dim) not in module.execs


def _look_for_stale(kernel: Any, kid: Any, check: Any, rebuilds: Any, site: Any, module: Any) -> None:
    try:
        now = check.getter(check.space)
    except (KeyError, AttributeError):
        return  # a name is gone: nothing to compare with
    if rebuilds:
        check.saved = now
        return
    changed = []
    for (_, path), old, new in zip(check.reads, check.built or (), _values_now(check.reads), strict=False):
        if old is not new and _hashed_text(old) != _hashed_text(new):
            changed.append((".".join(path), old, new))
    check.saved = now
    if not changed:
        _state.stale_kids.discard(kid)
        return
    if kid not in _state.stale_kids:
        # every place that launches this kernel is to be seen once
        _state.stale_kids.add(kid)
        if _state.recorder is not None:
            for key in [key for key in _state.recorder.keys if kid in key[:2]]:
                del _state.recorder.keys[key]
    how = "strip_hash" if module.options.get("strip_hash") else "global"
    for name, old, new in changed:
        _tell_stale(kernel, kid, name, _shown(old), _shown(new), how, site)


def _look_for_redefined(kernel: Any, kid: Any, module: Any, about: Any, site: Any) -> None:
    newest = module.kernels.get(kernel.key)
    if newest is None or "<locals>" in _name_of(kernel):
        return
    newest = getattr(newest, "generic_parent", None) or newest
    own = getattr(kernel, "generic_parent", None) or kernel
    if newest is not own and newest.adj.source != own.adj.source:
        _tell_stale(kernel, kid, "kernel", "an older definition", "a newer definition", "redefined", site)
    built = about.sources.get(kernel.key)
    if module.options.get("strip_hash") and built is not None and built != _digest(own.adj.source):
        _tell_stale(kernel, kid, "kernel", "the built source", "an edited source", "strip_hash", site)


def _tell_stale(kernel: Any, kid: Any, value: Any, old: Any, new: Any, how: Any, site: Any) -> None:
    place = _site_place(site)
    seen = (kid, value, json.dumps(place))
    if seen in _state.stale_seen:
        return
    _state.stale_seen.add(seen)
    position = _state.recorder.position() if _state.recorder is not None else None
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
        launch=position,
    )


def _hashed_text(value: Any) -> Any:
    """Return what Warp hashes of a value that code reads, as far as two values can be told apart by it."""
    context = _state.context
    if isinstance(value, context.Function):
        return (
            "function",
            getattr(value, "key", ""),
            getattr(getattr(value, "adj", None), "source", None),
            value.native_snippet,
        )
    struct_hash = getattr(value, "hash", None)
    if isinstance(struct_hash, bytes):
        return ("struct", struct_hash)
    return ("constant", _constant_bytes(value))


def _constant_bytes(value: Any) -> str | None:
    """Return the bytes, as hex, that Warp puts into a hash for a constant, by its own rule."""
    rule = getattr(_state.context.ModuleHasher, "get_constant_bytes", None)
    if rule is None:
        return None
    try:
        return bytes(rule(None, value)).hex()
    except (TypeError, AttributeError, ValueError):
        return None


def _shown(value: Any) -> str:
    if isinstance(value, _state.context.Function):
        place = _defined(value.func)
        return f"{value.key} ({os.path.basename(place['file'])}:{place['line']})" if place else str(value.key)
    return _text(value)


def _look_for_missed_options(module: Any, about: Any, device: Any, block_dim: Any, rebuilds: Any, site: Any) -> None:
    """Compare what was assigned since the module's last launch with what its build has or will have."""
    if about.stock:
        return
    config = _state.warp.config
    for (what, name), made in list(_state.assignments.items()):
        if what != "config" or name not in about.copied or name in about.own_options or made["epoch"] < 0:
            continue
        assigned = getattr(config, name, None)
        in_force = module.options.get(name)
        if assigned == in_force or made["order"] < about.copied[name][1]:
            continue
        _tell_missed(module, name, assigned, in_force, made["place"], "copied", about, site)
    if rebuilds:
        return
    resolved = (_has(module, "resolved_options") or {}).get(block_dim)
    resolve = vars(type(module)).get("resolve_options")
    if resolved is None or resolve is None:
        return
    wanted = resolve(module, config, block_dim)
    for name, value in wanted.items():
        if value == resolved.get(name):
            continue
        for what in (f"option:{id(module)}", "config"):
            assignment = _state.assignments.get((what, name))
            if assignment is not None:
                how = "in_place" if what != "config" else "hashed"
                _tell_missed(module, name, value, resolved.get(name), assignment["place"], how, about, site)
                break


def _tell_missed(
    module: Any, name: Any, assigned: Any, in_force: Any, assignment: Any, how: Any, about: Any, site: Any
) -> None:
    seen = (module.name, name, _text(assigned), how)
    if seen in _state.missed_seen:
        return
    _state.missed_seen.add(seen)
    _write(
        "option_missed",
        t=_clock(),
        module=module.name,
        name=name,
        assigned=_text(assigned),
        in_force=_text(in_force),
        assignment=assignment,
        how=how,
        place=_site_place(site),
        created=about.created,
    )


# ---------------------------------------------------------------------------------------------------------------------
# What code reads from outside: names of globals that a kernel and the functions it reaches really use


def _check_of(kernel: Any, kid: int) -> _Check | None:
    known = _state.checks.get(kid)
    if known is None:
        reads = _reads(kernel.adj)
        if not reads:
            return None
        known = _state.checks[kid] = _Check(reads)
        for facts in reversed(list(_module_of(kernel.module).hashes.values())):
            if facts["loaded"] and kid in facts["values"]:
                known.load(*facts["values"][kid])
                break
    return known


def _reads(adjoint: Any) -> _Reads:
    """Return (globals, path) of every outside value that Warp hashes and the code really reads, functions followed."""
    found: dict[tuple[int, tuple[str, ...]], tuple[Any, tuple[str, ...]]] = {}
    pending, seen = [adjoint], set()
    while pending:
        adj = pending.pop()
        if id(adj) in seen:
            continue
        seen.add(id(adj))
        for space, path, value in _own_reads(adj):
            if isinstance(value, _state.context.Function):
                if value.is_builtin():
                    continue
                pending.extend(f.adj for f in _overloads(value))
            elif not _is_hashed_value(value):
                continue
            found.setdefault((id(space), path), (space, path))
    return tuple(found.values())


def _overloads(function: Any) -> list[Any]:
    both = {**getattr(function, "user_overloads", {}), **getattr(function, "user_templates", {})}
    return [f for f in both.values() if getattr(f, "generic_parent", None) is None] or [function]


def _own_reads(adj: Any) -> list[tuple[Any, tuple[str, ...], Any]]:
    func = adj.func
    space, code = getattr(func, "__globals__", None), getattr(func, "__code__", None)
    if space is None or code is None:
        return []
    known = _state.paths.get(id(code))
    if known is None or known[0] is not code:
        local = _local_names(adj.tree) | set(code.co_freevars)
        known = _state.paths[id(code)] = (code, [path for path in _paths(adj.tree) if path[0] not in local])
    values = []
    for path in known[1]:
        if path[0] not in space:
            continue
        value = space[path[0]]
        if value is _state.warp or (isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] == "warp"):
            continue
        depth = 1
        try:
            for name in path[1:]:
                if isinstance(value, _state.context.Function) or _is_hashed_value(value):
                    break  # what follows is an attribute of the value, read from the value itself
                value = getattr(value, name)
                depth += 1
        except AttributeError:
            continue
        values.append((space, path[:depth], value))
    return values


def _is_hashed_value(value: Any) -> bool:
    if isinstance(value, (int, float)):
        return True
    kind = type(value)
    if hasattr(kind, "_wp_scalar_type_") or hasattr(kind, "_wp_native_type_"):
        return True
    if isinstance(getattr(value, "hash", None), bytes) and hasattr(value, "vars"):
        return True  # a struct
    return kind.__module__.startswith("warp") and hasattr(value, "value") and hasattr(kind, "_type_")


def _definition(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            return node
    return tree


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
    definition = _definition(tree)
    body = definition.body if isinstance(definition, (ast.FunctionDef, ast.Lambda)) else [definition]
    pending: list[Any] = list(body) if isinstance(body, list) else [body]
    found: dict[tuple[str, ...], None] = {}
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call) and _dotted(node.func)[-1:] == ("static",):
            continue
        path = _dotted(node)
        if path:
            found[path] = None
            continue
        pending.extend(ast.iter_child_nodes(node))
    return list(found)


def _dotted(node: Any) -> tuple[str, ...]:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        return (node.id, *reversed(names))
    return ()


# ---------------------------------------------------------------------------------------------------------------------
# Hash inputs: what Warp puts into a module's hash, taken while it hashes


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
    if known is None:
        known = _state.modules[module] = _Module()
    return known


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
            tree: str | None = _digest(ast.dump(ast.parse(text)))
        except (SyntaxError, ValueError, RecursionError):
            tree = None
        return {"text": text, "tree": tree}

    return _intern("source", _digest(text), make)


def _tell_file(place: dict[str, Any] | None) -> None:
    """Write the text of a user's file once, and again when it changed, so that a recording explains itself anywhere."""
    if place is None or place["cell"] is not None or not place["user"]:
        return
    file = place["file"]
    try:
        stamp = os.stat(file).st_mtime_ns
    except OSError:
        return
    if _state.files.get(file) == stamp:
        return
    _state.files[file] = stamp
    with open(file, encoding="utf-8", errors="replace") as handle:
        text = handle.read()
    if len(text) <= 1 << 20:
        _write("file", t=_clock(), file=file, source=_source_id(text))


@_hook("ModuleHasher")
def _hash_entered(hasher: Any) -> Any:
    local = _state.local
    outer, local.references = local.references, {}
    return outer, _clock(), _state.spent_ns


@_leaving("ModuleHasher")
def _hash_left(token: Any, value: Any) -> None:
    if token is None:
        return
    outer, begun, spent = token[0]
    elapsed = (_clock() - begun - (_state.spent_ns - spent)) / 1e6
    hasher, first, second = token[1:]
    references, _state.local.references = _state.local.references or {}, outer
    kernels, options, module = _hashed(hasher, first, second)
    if module is None:
        return
    _take_inputs(module, hasher, kernels, options, references, elapsed)


@_hook("ModuleHasher")
def _hash_failed(token: Any) -> None:
    if token is not None:
        _state.local.references = token[0][0]


def _hash_entered_with(hasher: Any, first: Any, second: Any = None) -> Any:
    token = _hash_entered(hasher)
    return None if token is None else (token, hasher, first, second)


def _hashed(hasher: Any, first: Any, second: Any) -> tuple[list[Any], dict[str, Any], Any]:
    """Return kernels, resolved options and module of a hash, over the two forms that ModuleHasher had."""
    if isinstance(first, _state.context.Module):
        return _live_kernels(first), dict(first.options), first
    kernels = list(first)
    if kernels:
        return kernels, dict(second or {}), kernels[0].module
    frame = sys._getframe(3)
    while frame is not None and _kind_of_code(frame.f_code)[1] in ("warp", "own"):
        owner = frame.f_locals.get("self")
        if isinstance(owner, _state.context.Module):
            return kernels, dict(second or {}), owner
        frame = frame.f_back  # type: ignore[assignment]
    return kernels, dict(second or {}), None


def _live_kernels(module: Any) -> list[Any]:
    return list(_has(module, "_live_kernels") or _has(module, "live_kernels") or ())


def _take_inputs(module: Any, hasher: Any, kernels: Any, options: Any, references: Any, elapsed: Any) -> None:
    about, digest = _module_of(module), _hash_of(hasher) or ""
    unique = _has(module, "defer_reference_scan")
    block_dim = options.get("block_dim")
    values: dict[int, tuple[_Reads, tuple[Any, ...]]] = {}
    for kernel in kernels:
        reads = _reads(kernel.adj)
        if reads:
            entry = (reads, _values_now(reads))
            values[_kid(kernel)] = entry
            for instance in kernel.overloads.values():
                values[_kid(instance)] = entry
    states = [_kernel_state(kernel, hasher, references) for kernel in hasher.unique_kernels.values()]
    names = sorted(_name_of(kernel) for kernel in hasher.unique_kernels.values())
    texts = {name: _option_text(value) for name, value in options.items()}
    inputs = _intern(
        "inputs",
        (module.name, id(module), digest, block_dim),
        lambda: {
            "t": _clock(),
            "module": module.name,
            "block_dim": block_dim,
            "hash": digest,
            "kernels": states,
            "options": texts,
            "ms": elapsed,
        },
    )
    key = f"{digest}:{block_dim}"
    facts = about.hashes.pop(key, None)
    if facts is None:
        facts = {"loaded": False, "values": {}}
        while len(about.hashes) >= 16:
            del about.hashes[next(iter(about.hashes))]
    facts.update(inputs=inputs, kernels=names, options=texts, states=states, hash=digest)
    facts["values"].update(values)
    facts["mangled"] = [
        (state, kernel.key + "_" + (kernel.hash or b"").hex()[:8], kernel.key)
        for state, kernel in zip(states, hasher.unique_kernels.values(), strict=True)
    ]
    about.hashes[key] = facts
    if facts["loaded"]:
        _loaded_values(facts)
    if unique:
        about.decoration_ms += elapsed
    else:
        if about.pending:
            _rehashed(module.name, about, keep=0)
        about.pending.append((key, elapsed, _here()))


def _rehashed(name: str, about: _Module, keep: int) -> None:
    """Count the hashing that led to no event."""
    wasted = about.pending[: len(about.pending) - keep]
    about.pending = about.pending[len(wasted) :]
    if not wasted:
        return
    total = _state.rehashes.setdefault(name, [0, 0.0, None, False])
    total[0] += len(wasted)
    total[1] += sum(ms for _, ms, _ in wasted)
    total[2], total[3] = wasted[-1][2], True


def _tell_counts() -> None:
    """Write the counters that grow too often for a line each."""
    for name, total in _state.rehashes.items():
        if total[3]:
            total[3] = False
            _write("rehash", t=_clock(), module=name, count=total[0], ms=total[1], place=total[2])
    if _state.define_counts:
        _write("define_counts", t=_clock(), counts=_state.define_counts)


def _loaded_values(facts: dict[str, Any]) -> None:
    """Let the checks of launches compare with what the code just loaded was made from."""
    for kid, (reads, values) in facts["values"].items():
        check = _state.checks.get(kid)
        if check is not None:
            check.load(reads, values)
        _state.stale_kids.discard(kid)


def _option_text(value: Any) -> str:
    return str(value) if isinstance(value, (str, int, float, bool, type(None))) else _text(value)


@_leaving("Adjoint.get_references")
def _references_left(token: Any, value: Any) -> None:
    references = _state.local.references
    if references is not None and token is not None:
        references[id(token)] = (token, value)


def _references_entered(adj: Any) -> Any:
    return adj if _state.local.references is not None else None


def _kernel_state(kernel: Any, hasher: Any, references: dict[int, Any]) -> int:
    kid, digest = _kid(kernel), (kernel.hash or b"").hex()

    def make() -> dict[str, Any]:
        func = kernel.func
        defined = _defined(func)
        _tell_file(defined)
        parent = kernel.__dict__.get("generic_parent")
        fields = _adjoint_state(kernel.adj, hasher, references)
        fields.pop("native", None)
        fields.update(
            kid=kid,
            parent=None if parent is None else _kid(parent),
            name=_name_of(kernel),
            key=kernel.key,
            module=kernel.module.name,
            hash=digest,
            options={name: _option_text(value) for name, value in kernel.options.items()},
            captured=_captured(func),
            defined=defined,
            in_function="<locals>" in _name_of(kernel),
            pymodule=getattr(func, "__module__", None),
            file=getattr(getattr(func, "__code__", None), "co_filename", None),
        )
        return fields

    return _intern("kernel", (kid, kernel.module.name, digest), make)


def _captured(func: Any) -> dict[str, str]:
    names = getattr(getattr(func, "__code__", None), "co_freevars", ())
    found = {}
    for name, cell in zip(names, getattr(func, "__closure__", None) or (), strict=False):
        try:
            value = cell.cell_contents
        except ValueError:
            continue  # not assigned yet
        found[name] = _shown(value)
    return found


def _adjoint_state(adj: Any, hasher: Any, references: dict[int, Any]) -> dict[str, Any]:
    """Return the hashed content of one kernel or function body."""
    _, (constants, kinds, functions) = references.get(id(adj), (None, ({}, {}, {})))
    closure = set(getattr(getattr(adj.func, "__code__", None), "co_freevars", ()))
    local = _local_names(adj.tree)
    structs: dict[int, None] = {}
    for kind in (*adj.arg_types.values(), *kinds):
        _collect_structs(kind, structs)
    called = {_function_id(function, hasher, references): None for function in functions if not function.is_builtin()}
    statics: dict[str, Any] = {}
    for name, value in _static_values(adj):
        if isinstance(value, _state.context.Function):
            statics[name] = {"text": _shown(value), "type": "function", "bytes": None, "from": "static"}
            if not value.is_builtin():
                called[_function_id(value, hasher, references)] = None
        else:
            statics[name] = {
                "text": _text(value),
                "type": type(value).__name__,
                "bytes": _constant_bytes(value),
                "from": "static",
            }
    return {
        "source": _source_id(adj.source),
        "args": [[name, _type_text(kind)] for name, kind in adj.arg_types.items()],
        "constants": {
            name: {
                "text": _text(value),
                "type": type(value).__name__,
                "bytes": _constant_bytes(value),
                "from": "closure" if name.partition(".")[0] in closure else "global",
            }
            for name, value in constants.items()
        },
        "statics": statics,
        "types": [_type_text(kind) for kind in kinds],
        "structs": list(structs),
        "functions": list(called),
        "hidden": sorted(
            name for name in constants if name.partition(".")[0] in local and name.partition(".")[0] not in closure
        ),
        "native": None,
    }


def _collect_structs(kind: Any, found: dict[int, None]) -> None:
    """Add the ids of a type's structs, nested ones too."""
    struct: Any
    for struct in (kind, getattr(kind, "dtype", None)):
        if isinstance(getattr(struct, "hash", None), bytes) and hasattr(struct, "vars"):
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
    def make() -> dict[str, Any]:
        fields = [[label, _type_text(variable.type)] for label, variable in struct.vars.items()]
        return {
            "name": getattr(struct.cls, "__qualname__", struct.key),
            "module": getattr(struct.module, "name", None),
            "hash": struct.hash.hex(),
            "fields": fields,
            "defined": _state.struct_places.get(id(struct)),
        }

    return _intern("struct", (struct.key, struct.hash, json.dumps(_state.struct_places.get(id(struct)))), make)


def _function_id(function: Any, hasher: Any, references: dict[int, Any]) -> int:
    digest = hasher.function_hashes.get(function, b"")
    defined = _defined(function.func)

    def make() -> dict[str, Any]:
        _tell_file(defined)
        bodies = []
        for overload in _overloads(function):
            body = _adjoint_state(overload.adj, hasher, references)
            snippets = [
                text
                for text in (
                    getattr(overload, name, None) for name in ("native_snippet", "adj_native_snippet", "replay_snippet")
                )
                if text
            ]
            for extra in (getattr(overload, "custom_grad_func", None), getattr(overload, "custom_replay_func", None)):
                if extra is not None:
                    snippets.append(extra.adj.source)
            body["native"] = _digest("\n".join(snippets)) if snippets else None
            body["defined"] = _defined(overload.func)
            bodies.append(body)
        return {
            "name": getattr(function.func, "__qualname__", function.key),
            "key": function.key,
            "module": getattr(function.module, "name", None),
            "overloads": bodies,
        }

    key = ("function", function.key, getattr(function.module, "name", None), digest, json.dumps(defined))
    if ("busy", key) in _state.interned or not digest:
        # a function that reaches itself is described once, by its name
        return _intern(
            "function",
            (*key[:3], "recursive"),
            lambda: {
                "name": getattr(function.func, "__qualname__", function.key),
                "key": function.key,
                "module": getattr(function.module, "name", None),
                "overloads": [],
            },
        )
    _state.interned[("busy", key)] = 0
    try:
        return _intern("function", key, make)
    finally:
        _state.interned.pop(("busy", key), None)


# ---------------------------------------------------------------------------------------------------------------------
# Module events: one build or load, with its parts


def _begin(
    module: Any, device: str | None, block_dim: Any, digest: str | None, aot: bool, timer: Any
) -> dict[str, Any]:
    """Start an event of this thread."""
    thread = _thread()
    event = {
        "timer": timer,
        "target": module,
        "t0": _clock(),
        "thread": thread,
        "module": module.name,
        "hash": digest,
        "device": device,
        "block_dim": block_dim,
        "aot": aot,
        "lto_ms": 0.0,
        "lto": [],
        "codegen_ns": None,
        "native_ns": None,
        "header_ms": None,
        "compiled": None,
        "compile_end": None,
        "compile_begun": None,
        "spent": _state.spent_ns,
        "text": None,
        "inputs": None,
        "kernels": [],
        "options": {},
        "error": None,
        "mismatch": [],
        "source_bytes": 0,
        "sources": [],
        "hash_extra": 0.0,
        "native_line": None,
        "why": {},
    }
    _write(
        "building", t=event["t0"], module=module.name, hash=digest, device=device, block_dim=block_dim, thread=thread
    )
    return event


def _target(device: Any) -> str | None:
    """Return the device that a module is built for; a rehearsed device runs its kernels on another."""
    return getattr(device, "_nbp_runs_on", None) or getattr(device, "alias", None)


@_hook("ScopedTimer")
def _timer_entered(timer: Any) -> None:
    if not timer.name.startswith("Module "):
        return
    frame = sys._getframe(3)  # this hook, its guard, __enter__, load
    if frame.f_code not in _state.load_codes:
        return
    values = frame.f_locals
    module, device = values["self"], values["device"]
    block_dim = values.get("active_block_dim", (values.get("options") or module.options).get("block_dim"))
    digest = values.get("module_hash")
    digest = digest.hex() if isinstance(digest, bytes) else None
    event = _begin(module, _target(device), block_dim, digest, False, timer)
    del values
    if module.options.get("strip_hash"):
        event["strip_hash"] = True
    _state.local.event = event  # one that an interrupt left open goes with this
    event["t0"] = _clock()


@_hook("ScopedTimer")
def _timer_exits(timer: Any, kind: Any, error: Any) -> Any:
    event = _state.local.event
    if event is None or event["timer"] is not timer:
        return None
    event["t1"] = _clock()
    if kind is not None:
        event["error"] = _error_facts(kind, error, event)
    return timer


@_leaving("ScopedTimer")
def _timer_left(token: Any, value: Any) -> None:
    event = _state.local.event
    if token is None or event is None or event["timer"] is not token:
        return
    _state.local.event = None
    event["timer"] = None
    own = token.elapsed if token.active and token.elapsed else None
    event["ms"] = own if own is not None else (event["t1"] - event["t0"]) / 1e6
    extra = token.extra_msg
    status = (
        "error" if event["error"] is not None or "(error)" in extra else "cached" if "(cached)" in extra else "compiled"
    )
    _end(event, status)


def _error_facts(kind: Any, error: Any, event: dict[str, Any] | None) -> dict[str, Any]:
    builder = _state.local.builder
    facts: dict[str, Any] = {
        "type": getattr(kind, "__name__", str(kind)),
        "message": str(error)[:4000],
        "kernel": None,
        "defined": None,
        "native_line": None,
    }
    native = None if event is None else event["native_line"]
    if native is not None:
        facts.update(native_line=native["text"], kernel=native["kernel"], defined=native["defined"])
    elif builder:
        facts.update(kernel=builder[-1][0], defined=builder[-1][1])
    return facts


def _end(event: dict[str, Any], status: str) -> None:
    """Write an event; its inputs are those of the hash that names what was loaded."""
    module = event["target"]
    about = _module_of(module)
    facts = about.hashes.get(f"{event['hash']}:{event['block_dim']}")
    if facts is None and event["hash"] is None and about.hashes:
        facts = next(reversed(list(about.hashes.values())))
    hashed = event["hash_extra"] + about.decoration_ms
    about.decoration_ms = 0.0
    key = f"{event['hash']}:{event['block_dim']}"
    mine = [ms for pending, ms, _ in about.pending if pending == key]
    about.pending = [entry for entry in about.pending if entry[0] != key]
    hash_ms: float | None = hashed + sum(mine)
    why = event["why"]
    if facts is not None:
        event.update(inputs=facts["inputs"], kernels=facts["kernels"], options=facts["options"])
        if status != "error":
            facts["loaded"] = True
            _loaded_values(facts)
    elif _state.hooks.get("ModuleHasher") != "ok":
        hash_ms, why["hash_ms"] = None, "this Warp hashes in a way that the recorder does not know"
    if status == "compiled" and module.options.get("strip_hash"):
        about.sources = {kernel.key: _digest(kernel.adj.source) for kernel in module.kernels.values()}
    if event["error"] is not None and not event.get("replayed"):
        _state.failures[(module.name, event["hash"])] = event["error"]
    parts = _parts(event, status)
    frame = sys._getframe(1)
    call = event.get("call") or _trigger(frame)
    place = call["place"]
    _tell_file(place)
    _write(
        "event",
        t0=event["t0"],
        t1=event["t1"],
        ms=event["ms"],
        thread=event["thread"],
        module=module.name,
        hash=None if event.get("strip_hash") else event["hash"],
        device=event["device"],
        block_dim=event["block_dim"],
        status=status,
        inputs=event["inputs"],
        kernels=event["kernels"],
        hash_ms=hash_ms,
        **parts,
        why=why,
        source_bytes=event["source_bytes"],
        lto=event["lto"],
        sources=event["sources"],
        options=event["options"],
        strip_hash=bool(event.get("strip_hash")),
        trigger={"call": call["call"], "kernel": call["kernel"]},
        launch=call["launch"],
        place=place,
        aot=event["aot"],
        replayed=bool(event.get("replayed")),
        error=event["error"],
        mismatch=event["mismatch"],
        cache_path=event.get("cache_path"),
        holders=_holders(module, facts) if status == "compiled" and facts is not None else {},
        rehearsed=bool(event.get("rehearsed")),
        source="hook",
    )
    _tell_counts()


def _parts(event: dict[str, Any], status: str) -> dict[str, Any]:
    """Return the times of an event's parts; one that did not happen is 0, one that no hook saw is missing."""
    hooks, why = _state.hooks, event["why"]
    built = event["compiled"] is not False and status != "cached" and not event.get("replayed")
    parts: dict[str, Any] = {
        "codegen_ms": 0.0,
        "lto_ms": event["lto_ms"],
        "native_ms": 0.0,
        "header_ms": 0.0,
        "load_ms": 0.0,
    }
    if built:
        generated = event["codegen_ns"]
        if generated is not None:
            parts["codegen_ms"] = max(0.0, generated / 1e6 - event["lto_ms"])
        elif hooks.get("codegen") != "ok":
            parts["codegen_ms"], why["codegen_ms"] = (
                None,
                "this Warp generates code in a way that the recorder does not know",
            )
        if event["native_ns"] is not None:
            parts["native_ms"], parts["header_ms"] = event["native_ns"] / 1e6, event["header_ms"]
        elif hooks.get("build_cpu") != "ok":
            parts["native_ms"] = parts["header_ms"] = None
            why["native_ms"] = why["header_ms"] = (
                "this Warp calls its compiler in a way that the recorder does not know"
            )
    if hooks.get("build_lto") != "ok":
        parts["lto_ms"], why["lto_ms"] = None, "this Warp makes LTO objects in a way that the recorder does not know"
    if event.get("rehearsed"):
        parts["load_ms"], why["load_ms"] = None, "a rehearsal loads nothing on a device"
    elif event["aot"] or event.get("replayed"):
        parts["load_ms"] = 0.0
    elif event["compile_end"] is not None:
        parts["load_ms"] = max(0.0, (event["t1"] - event["compile_end"]) / 1e6) if status != "error" else 0.0
    elif hooks.get("compile") != "ok":
        parts["load_ms"], why["load_ms"] = None, "this Warp compiles in a way that the recorder does not know"
    return parts


def _trigger(frame: types.FrameType | None) -> dict[str, Any]:
    """Return what asked for a build: the call, the kernel of a launch, its position, and the user's line."""
    thread = _thread()
    call, place = _api_call(frame), _place(frame)
    kernel: str | None = None
    position: int | None = None
    recorder = _state.recorder
    if call in ("launch", "launch_tiled") and recorder is not None:
        now, early = recorder.position(), _state.local.unrecorded
        last = recorder.last_of(thread)
        if early is not None and (last is None or early[0] > last[0]):
            kernel = early[1]
        elif last is not None:
            position, kernel = last
        if early is not None and early[0] != now and early[0] <= (last[0] if last is not None else -1):
            _state.local.unrecorded = None
        call = "launch"
    if (place is None or not place["user"]) and _state.calls:
        outer = _state.calls[-1]  # a worker thread of force_load has no user frame of its own
        call, place = outer["name"], outer["place"]
    return {"call": call, "kernel": kernel, "launch": position, "place": place}


@_hook("compile")
def _compile_entered(module: Any, device: Any, output_arch: Any) -> Any:
    local = _state.local
    event = local.event
    if event is None or event["target"] is not module or event["compile_begun"] is not None:
        arch = output_arch
        if arch is None and device is not None and not device.is_cpu:
            arch = device.alias
        name = f"sm_{arch}" if isinstance(arch, int) else str(arch) if arch is not None else "cpu"
        if isinstance(arch, str):
            name = arch
        event = local.event = _begin(module, name, module.options.get("block_dim"), None, True, "aot")
    event["compile_begun"] = _clock()
    return event


@_leaving("compile")
def _compile_left(token: Any, value: Any) -> None:
    if token is None:
        return
    token["compile_end"] = token["t1"] = _clock()
    token["compiled"] = value if isinstance(value, bool) else token["native_ns"] is not None
    if token["timer"] == "aot" and id(_state.local.event) == id(token):
        _state.local.event = None
        _end_aot(token, "compiled" if token["compiled"] else "cached")


@_hook("compile")
def _compile_failed(token: Any) -> None:
    if token is None:
        return
    token["compile_end"] = token["t1"] = _clock()
    if token["timer"] == "aot" and id(_state.local.event) == id(token):
        _state.local.event = None
        kind, error, _ = sys.exc_info()
        token["error"] = _error_facts(kind, error, token)
        _end_aot(token, "error")


def _end_aot(event: dict[str, Any], status: str) -> None:
    """Finish an ahead-of-time build, which has no timer of Warp's."""
    module = event["target"]
    event["hash"] = _hash_of((_has(module, "hashers") or {}).get(event["block_dim"]))
    event["strip_hash"] = bool(module.options.get("strip_hash"))
    event["ms"] = (event["t1"] - event["t0"]) / 1e6
    _end(event, status)


@_hook("codegen")
def _codegen_entered(module: Any) -> Any:
    local = _state.local
    local.generating += 1
    local.builder = []
    event = local.event
    if event is not None and event["target"] is module and event["codegen_ns"] is None:
        _look_for_mismatch(event, module)
    return _clock(), _state.spent_ns


@_leaving("codegen")
def _codegen_left(token: Any, value: Any) -> None:
    local = _state.local
    local.generating = max(0, local.generating - 1)
    event = local.event
    if token is None or event is None:
        return
    event["codegen_ns"] = (event["codegen_ns"] or 0) + _clock() - token[0] - (_state.spent_ns - token[1])
    text = (
        value[0]
        if isinstance(value, tuple) and value and isinstance(value[0], str)
        else value
        if isinstance(value, str)
        else None
    )
    if text is not None:
        event["text"] = text
        event["source_bytes"] = len(text.encode("utf-8"))
        _split_source(event, text)
    local.builder = []


@_hook("codegen")
def _codegen_failed(token: Any) -> None:
    local = _state.local
    local.generating = max(0, local.generating - 1)
    if token is not None and local.event is not None:
        local.event["codegen_ns"] = (
            (local.event["codegen_ns"] or 0) + _clock() - token[0] - (_state.spent_ns - token[1])
        )


@_hook("ModuleBuilder")
def _builder_entered(module: Any) -> Any:
    _state.local.builder = []
    return module, _clock(), _state.spent_ns, _state.local.generating


@_leaving("ModuleBuilder")
def _builder_left(token: Any, value: Any) -> None:
    _builder_over(token)


@_hook("ModuleBuilder")
def _builder_failed(token: Any) -> None:
    _builder_over(token)
    if token is not None and not token[3] and _state.local.event is None:
        _failed_while_hashing(token[0])


def _builder_over(token: Any) -> None:
    if token is None or token[3]:
        return
    module, begun, spent, _ = token
    elapsed = _clock() - begun - (_state.spent_ns - spent)
    event = _state.local.event
    if event is not None and event["target"] is module and _state.hooks.get("_run_codegen") != "ok":
        event["codegen_ns"] = (event["codegen_ns"] or 0) + elapsed
    elif event is None:
        about = _module_of(module)  # wp.static values that only a build can resolve: a part of hashing
        about.decoration_ms += elapsed / 1e6


def _failed_while_hashing(module: Any) -> None:
    """Write the error event of a module that could not even be hashed; Warp prints no line for it."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code not in _state.load_codes:
        frame = frame.f_back
    if frame is None:
        return
    values = frame.f_locals
    device, block_dim = values.get("device"), values.get("active_block_dim", module.options.get("block_dim"))
    del values
    event = _begin(module, _target(device), block_dim, None, False, None)
    event.update(t1=_clock(), ms=0.0, compiled=False)
    kind, error, _ = sys.exc_info()
    event["error"] = _error_facts(kind, error, event)
    event["why"]["ms"] = "the module failed before Warp started its timer"
    _end(event, "error")


@_hook("build error")
def _error_replayed(error: Any) -> None:
    """Write the error event of a failure that Warp raises again without building."""
    frame = sys._getframe(3)
    if frame.f_code not in _state.load_codes:
        return
    values = frame.f_locals
    module, device, block_dim = values["self"], values["device"], values.get("active_block_dim")
    del values
    event = _begin(
        module, _target(device), block_dim, _hash_of((_has(module, "hashers") or {}).get(block_dim)), False, None
    )
    event.update(t1=_clock(), ms=0.0, compiled=False, replayed=True)
    known = _state.failures.get((module.name, event["hash"]), {})
    event["error"] = {
        "type": type(error).__name__,
        "message": str(error)[:4000],
        "kernel": known.get("kernel"),
        "defined": known.get("defined"),
        "native_line": known.get("native_line"),
    }
    _end(event, "error")


def _look_for_mismatch(event: dict[str, Any], module: Any) -> None:
    """Compare what the hash was made from with what code generation is about to read."""
    facts = _module_of(module).hashes.get(f"{event['hash']}:{event['block_dim']}")
    if facts is None:
        return
    names = {_kid(kernel): _name_of(kernel) for kernel in module.kernels.values()}
    for kid, (reads, values) in facts["values"].items():
        try:
            now = _values_now(reads)
        except (KeyError, AttributeError):
            continue
        for (_, path), old, new in zip(reads, values, now, strict=True):
            if old is not new and _hashed_text(old) != _hashed_text(new):
                event["mismatch"].append(
                    {"kernel": names.get(kid), "name": ".".join(path), "hashed": _shown(old), "generated": _shown(new)}
                )


@_hook("build_kernel")
def _kernel_entered(kernel: Any) -> None:
    _state.local.builder.append((_name_of(kernel), _defined(kernel.func), kernel.key))


# Generated source, split by kernel

_BLOCK = re.compile(r"^(?!//|#|\s|\}|\{|\)).*?(\w+)\($|^struct (\w+) ", re.MULTILINE)
_CALL = re.compile(r"\b(\w+)\(")


def _split_source(event: dict[str, Any], text: str) -> None:
    """Share the generated source out over its kernels; a function's body goes to those that reach it, equally."""
    facts = _module_of(event["target"]).hashes.get(f"{event['hash']}:{event['block_dim']}")
    if facts is None and _module_of(event["target"]).hashes:
        facts = next(reversed(list(_module_of(event["target"]).hashes.values())))
    if facts is None:
        return
    strip = bool(event["target"].options.get("strip_hash"))
    owners = {(key if strip else mangled): state for state, mangled, key in facts["mangled"]}
    pattern = (
        re.compile(
            r"(?:wp_args_)?(" + "|".join(sorted(map(re.escape, owners), key=len, reverse=True)) + r")(?:_c\w+|$)"
        )
        if owners
        else None
    )
    totals = {state: [0, 0, 0.0] for state in owners.values()}
    bodies: dict[str, tuple[int, set[str]]] = {}
    called: dict[int, set[str]] = {state: set() for state in owners.values()}
    starts = list(_BLOCK.finditer(text))
    for index, start in enumerate(starts):
        body = text[start.start() : starts[index + 1].start() if index + 1 < len(starts) else len(text)]
        name, size = start.group(1) or start.group(2), len(body.encode("utf-8"))
        match = pattern.fullmatch(name) if pattern is not None else None
        if match is not None:
            state = owners[match.group(1)]
            totals[state][0] += size
            totals[state][1] += size if "backward" in name else 0
            called[state].update(_CALL.findall(body))
        elif start.group(1):
            old = bodies.get(name, (0, set()))
            bodies[name] = (old[0] + size, old[1] | set(_CALL.findall(body)))
    _share_bodies(totals, called, bodies)
    event["sources"] = [
        {"kernel": state, "bytes": total, "adjoint_bytes": adjoint, "shared_bytes": round(shared)}
        for state, (total, adjoint, shared) in totals.items()
    ]


def _share_bodies(
    totals: dict[int, list[Any]], called: dict[int, set[str]], bodies: dict[str, tuple[int, set[str]]]
) -> None:
    users: dict[str, list[int]] = {}
    for state, names in called.items():
        seen: set[str] = set()
        pending = [name for name in names if name in bodies]
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            users.setdefault(name, []).append(state)
            pending.extend(other for other in bodies[name][1] if other in bodies)
    for name, states in users.items():
        share = bodies[name][0] / len(states)
        for state in states:
            totals[state][2] += share
            if name.startswith("adj_"):
                totals[state][1] += share


# The native compiler


@_hook("build_cpu")
def _build_cpu_entered(pch_dir: Any) -> Any:
    headers = _headers(pch_dir)
    capture = _StderrCopy.begin()
    return _clock(), time.time_ns(), pch_dir, headers, capture


def _headers(folder: Any) -> dict[str, int]:
    found = {}
    if folder:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.endswith(".pch"):
                        found[entry.path] = entry.stat().st_mtime_ns
        except FileNotFoundError:
            return {}
    return found


@_leaving("build_cpu")
def _build_cpu_left(token: Any, value: Any) -> None:
    _build_cpu_over(token, failed=False)


@_hook("build_cpu")
def _build_cpu_failed(token: Any) -> None:
    _build_cpu_over(token, failed=True)


def _build_cpu_over(token: Any, failed: bool) -> None:
    if token is None:
        return
    begun, wall, folder, before, capture = token
    elapsed = _clock() - begun
    text = capture.end() if capture is not None else ""
    event = _state.local.event
    if event is None:
        return
    event["native_ns"] = (event["native_ns"] or 0) + elapsed
    header = 0.0
    if folder:
        made = [stamp for path, stamp in _headers(folder).items() if before.get(path) != stamp]
        if made:
            header = min(max(0.0, (max(made) - wall) / 1e6), elapsed / 1e6)
    event["header_ms"] = header
    if failed and text:
        event["native_line"] = _native_fault(event, text)


@_hook("build_cuda")
def _build_cuda_entered(output_path: Any) -> Any:
    return _clock(), output_path


@_leaving("build_cuda")
def _build_cuda_left(token: Any, value: Any) -> None:
    _build_cuda_over(token)


@_hook("build_cuda")
def _build_cuda_failed(token: Any) -> None:
    _build_cuda_over(token)


def _build_cuda_over(token: Any) -> None:
    event = _state.local.event
    if token is not None and event is not None:
        event["native_ns"] = (event["native_ns"] or 0) + _clock() - token[0]
        event["header_ms"] = 0.0
        if os.environ.get(TRACE_VARIABLE) and token[1]:
            _take_compiler_trace(event, os.fspath(token[1]), token[0])


def _switch_compiler_trace_on(warp: Any, context: Any) -> None:
    """Have the compiler of CUDA write its own trace: the setting is copied by modules when they are made."""
    try:
        warp.config.compile_time_trace = True
        for module in context.user_modules.values():
            dict.__setitem__(module.options, "compile_time_trace", True)
    except (AttributeError, KeyError, TypeError) as error:
        _trouble("compile_time_trace", error)


def _take_compiler_trace(event: dict[str, Any], path: str, begun: int) -> None:
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
        module=event["module"],
        hash=event["hash"],
        device=event["device"],
        block_dim=event["block_dim"],
        thread=event["thread"],
        size=len(text),
        zlib=base64.b64encode(zlib.compress(text)).decode("ascii"),
    )


_FAULT = re.compile(r"\.(?:cpp|cu):(\d+):\d+: (?:fatal )?error: (.*)")


def _native_fault(event: dict[str, Any], text: str) -> dict[str, Any] | None:
    """Map the compiler's first error line through the generated source to the kernel it belongs to."""
    found = _FAULT.search(text)
    if found is None or event["text"] is None:
        return None
    facts = _module_of(event["target"]).hashes.get(f"{event['hash']}:{event['block_dim']}")
    lines = event["text"].splitlines()[: int(found.group(1))]
    name = ""
    for line in reversed(lines):
        start = _BLOCK.match(line)
        if start is not None and start.group(1):
            name = start.group(1)
            break
    fault: dict[str, Any] = {
        "text": found.group(0)[found.group(0).index(":") + 1 :].strip(),
        "kernel": None,
        "defined": None,
    }
    if facts is None or not name:
        return fault
    places = {kernel.key: (_name_of(kernel), _defined(kernel.func)) for kernel in event["target"].kernels.values()}
    for _, mangled, key in facts["mangled"]:
        if name.startswith(mangled) and key in places:
            fault["kernel"], fault["defined"] = places[key]
            return fault
    users = _users_of_body(event["text"], name, [(mangled, key) for _, mangled, key in facts["mangled"]])
    if len(users) == 1 and users[0] in places:
        fault["kernel"], fault["defined"] = places[users[0]]
    elif users:
        fault["kernel"] = ", ".join(places[key][0] for key in users if key in places) or None
    return fault


def _users_of_body(text: str, name: str, kernels: list[tuple[str, str]]) -> list[str]:
    """Return the keys of the kernels whose generated code reaches a function's body."""
    calls: dict[str, set[str]] = {}
    starts = list(_BLOCK.finditer(text))
    for index, start in enumerate(starts):
        if start.group(1):
            body = text[start.start() : starts[index + 1].start() if index + 1 < len(starts) else len(text)]
            calls.setdefault(start.group(1), set()).update(_CALL.findall(body))
    wanted = {name, name.removeprefix("adj_"), "adj_" + name}
    found = []
    for mangled, key in kernels:
        pending, seen = [block for block in calls if block.startswith(mangled)], set()
        while pending:
            block = pending.pop()
            if block in seen:
                continue
            seen.add(block)
            pending.extend(other for other in calls.get(block, ()) if other in calls)
        if seen & wanted:
            found.append(key)
    return found


class _StderrCopy:
    """Keeps a copy of what the compiler writes to file descriptor 2 and passes it on at once."""

    LIMIT = 1 << 20

    def __init__(self, old: int, reader: int) -> None:
        self.old = old
        self.reader = reader
        self.kept = bytearray()
        self.thread = threading.Thread(target=self._pump, name="warp_nbprobe-stderr", daemon=True)
        self.thread.start()

    @classmethod
    def begin(cls) -> _StderrCopy | None:
        """Return None where another build has the descriptor, or there is none."""
        if not _state.native_capture.acquire(blocking=False):
            return None
        try:
            old = os.dup(2)
            reader, writer = os.pipe()
            os.dup2(writer, 2)
            os.close(writer)
            return cls(old, reader)
        except OSError:
            _state.native_capture.release()
            return None

    def _pump(self) -> None:
        while True:
            chunk = os.read(self.reader, 1 << 16)
            if not chunk:
                return
            if len(self.kept) < self.LIMIT:
                self.kept += chunk
            try:
                os.write(self.old, chunk)
            except OSError:
                continue  # the user's own descriptor is closed; nobody would have read it

    def end(self) -> str:
        os.dup2(self.old, 2)  # closes the pipe's only writing end
        self.thread.join(5.0)
        os.close(self.reader)
        os.close(self.old)
        _state.native_capture.release()
        return self.kept.decode("utf-8", "replace")


# LTO objects


@_hook("build_lto")
def _lto_entered(symbol: Any) -> Any:
    return symbol, _clock(), set(_lto_files())


def _lto_files() -> list[str]:
    find = getattr(
        _state.warp._src.build if hasattr(_state.warp, "_src") else _state.warp.build, "get_lto_cache_dir", None
    )
    if find is None:
        return []
    try:
        folder = find()
        return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith((".lto", ".ltoir"))]
    except OSError:
        return []


@_leaving("build_lto")
def _lto_left(token: Any, value: Any) -> None:
    _lto_over(token)


@_hook("build_lto")
def _lto_failed(token: Any) -> None:
    _lto_over(token)


def _lto_over(token: Any) -> None:
    event = _state.local.event
    if token is None or event is None:
        return
    symbol, begun, before = token
    elapsed = (_clock() - begun) / 1e6
    event["lto_ms"] += elapsed
    now = _lto_files()
    new = [path for path in now if path not in before]
    path = new[0] if new else _lto_file(str(symbol), now)
    operation, adjoint = _lto_asked_by(sys._getframe(1))
    builder = _state.local.builder
    event["lto"].append(
        {
            "op": operation or str(symbol).partition("_")[0],
            "symbol": str(symbol),
            "file": os.path.basename(path) if path else None,
            "bytes": os.path.getsize(path) if path else None,
            "ms": elapsed,
            "made": bool(new),
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
            values = frame.f_locals
            adjoint = any(name in values for name in _FORWARD_MADE)
            del values
        elif adjoint is not None and "lto_dispatch_func" not in frame.f_code.co_name:
            key = getattr(frame.f_locals.get("func"), "key", None)
            return (key if isinstance(key, str) else None), adjoint
        frame = frame.f_back
    return None, adjoint


# Who keeps an old version of a kernel alive


def _holders(module: Any, facts: dict[str, Any]) -> dict[int, list[str]]:
    """Return, for kernels built beside a newer version of their key, what in the user's code still refers to them."""
    by_key: dict[str, list[tuple[int, str]]] = {}
    for state, mangled, key in facts["mangled"]:
        by_key.setdefault(key, []).append((state, mangled))
    several = {key for key, entries in by_key.items() if len(entries) > 1}
    if not several:
        return {}
    hashes = {(key, mangled.rpartition("_")[2]): state for key, entries in by_key.items() for state, mangled in entries}
    live = _live_kernels(module)
    old: dict[int, tuple[Any, int]] = {}
    for kernel in live:
        if kernel.key in several and module.kernels.get(kernel.key) is not kernel and kernel.hash is not None:
            state = hashes.get((kernel.key, kernel.hash.hex()[:8]))
            if state is not None and len(old) < 64:
                old[id(kernel)] = (kernel, state)
    found: dict[int, list[str]] = {state: [] for _, state in old.values()}
    ours = {id(live), id(old)}
    for holder in gc.get_referrers(*(kernel for kernel, _ in old.values())) if old else ():
        if (
            id(holder) in ours
            or isinstance(holder, (types.FrameType, types.MethodType, weakref.ref))
            or type(holder).__module__.startswith("warp")
        ):
            continue
        for kernel, state in old.values():
            found[state].extend(text for text in _names_in(holder, kernel) if text not in found[state])
    return {state: names[:8] for state, names in found.items()}


def _names_in(holder: Any, kernel: Any) -> list[str]:
    """Return how a person would call what, in one object, refers to a kernel."""
    if isinstance(holder, dict):
        return _entries_holding(kernel, holder)
    if isinstance(holder, (list, tuple, set, frozenset)):
        kind = type(holder).__name__
        if isinstance(holder, tuple) and len(holder) == 2 and isinstance(holder[1], int):
            return []  # one of our own pairs
        return [_container(kind, holder)] if any(entry is kernel for entry in holder) else []
    if isinstance(holder, types.CellType):
        return ["a function that captured it"] if holder.cell_contents is kernel else []
    return (
        [f"an object of type {type(holder).__name__}"]
        if any(value is kernel for value in getattr(holder, "__dict__", {}).values())
        else []
    )


def _container(kind: str, holder: Any) -> str:
    for name, value in list(vars(sys.modules["__main__"]).items()):
        if value is holder and not name.startswith("_"):
            return f"{kind} `{name}`"
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
            if not owner.startswith("warp"):
                names.append(f"variable `{name}`")
        elif isinstance(name, str):
            names.append(_container("dict", holder))
    return names


# ---------------------------------------------------------------------------------------------------------------------
# Kernels, modules, options, settings and calls, each with its line


@_hook("Kernel")
def _kernel_made_entered(kernel: Any) -> Any:
    return kernel


@_leaving("Kernel")
def _kernel_made(kernel: Any, value: Any) -> None:
    """Number a kernel and write its first registration."""
    if kernel is None:
        return
    kid, module = _kid(kernel), kernel.module
    if module is None:
        return
    about = _module_of(module)
    unique = _has(module, "defer_reference_scan")
    about.unique = about.unique or unique
    defined = _defined(kernel.func)
    key = (json.dumps(defined), "unique" if unique else module.name, _digest(kernel.adj.source))
    recorder = _state.recorder
    if recorder is not None and kernel.key in _state.kernel_keys:
        recorder.keys.clear()  # a newer definition: the next launches of the older one are looked at again
    _state.kernel_keys.add(kernel.key)
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


@_hook("Kernel")
def _kernel_refused(token: Any) -> None:
    error = sys.exc_info()[1]
    if isinstance(error, (RuntimeError, OSError)):
        _write("refused", t=_clock(), name=None, error=str(error)[:4000], place=_here())


@_leaving("add_overload")
def _overload_left(kernel: Any, value: Any) -> None:
    """Number a new instance of a generic kernel; it is a shallow copy and carries its parent's number until then."""
    if kernel is None or value is None or value.__dict__.get("_nbp_id") != kernel.__dict__.get("_nbp_id"):
        return
    kid = _kid(kernel)
    instance = _kid(value)
    if instance == kid:
        return
    _write(
        "overload",
        t=_clock(),
        kid=instance,
        parent=kid,
        name=_name_of(kernel),
        key=kernel.key,
        module=kernel.module.name,
        types=[_type_text(kind) for kind in value.adj.arg_types.values()],
        place=_here(),
    )


def _overload_entered(kernel: Any) -> Any:
    return kernel


@_leaving("Struct")
def _struct_made(struct: Any, value: Any) -> None:
    if struct is not None:
        place = _here()
        _tell_file(place)
        _state.struct_places[id(struct)] = place
        _state.kept.append(struct)  # so that its id stays its own


@_hook("Struct")
def _struct_entered(struct: Any) -> Any:
    return struct


@_hook("Module")
def _module_made_entered(module: Any) -> Any:
    return module


@_leaving("Module")
def _module_made(module: Any, value: Any) -> None:
    if module is not None:
        _watch_module(module, stock=False)


def _watch_module(module: Any, stock: bool) -> None:
    """Follow a module's options from now on."""
    about = _module_of(module)
    about.stock = stock
    about.created = None if stock else _here()
    now = next(_state.order)
    about.copied = {name: (module.options[name], now) for name in TRACKED_OPTIONS if name in module.options}
    module.options = _Options(module.options, module)
    copied = {name: _option_text(value) for name, (value, _) in about.copied.items()}
    _write("module", t=_clock(), module=module.name, copied=copied, place=about.created, stock=stock)


class _Options(dict):  # type: ignore[type-arg]
    """A module's options, which prints, compares, copies and pickles as the plain dict that it is."""

    __slots__ = ("_module",)

    def __init__(self, options: dict[str, Any], module: Any) -> None:
        super().__init__(options)
        self._module = weakref.ref(module)

    def __reduce__(self) -> Any:
        return dict, (dict(self),)

    def __setitem__(self, name: Any, value: Any) -> None:
        old = self.get(name)
        super().__setitem__(name, value)
        _option_assigned(self._module(), name, old, value)

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        self.update(other)
        return self

    def setdefault(self, name: Any, value: Any = None) -> Any:
        if name not in self:
            self[name] = value
        return self[name]

    def update(self, *others: Any, **named: Any) -> None:
        before = dict(self)
        super().update(*others, **named)
        for name, value in self.items():
            if name not in before or before[name] is not value:
                _option_assigned(self._module(), name, before.get(name), value)
            elif others and isinstance(others[0], dict) and name in others[0]:
                _option_assigned(self._module(), name, before[name], value)


@_hook("options")
def _option_assigned(module: Any, name: Any, old: Any, new: Any) -> None:
    if module is None:
        return
    about = _module_of(module)
    frame: types.FrameType | None = sys._getframe(2)
    through = False
    while frame is not None:
        context_code = frame.f_globals is _state.context.__dict__ and frame.f_code.co_name in _OPTION_CALLS
        if not context_code and _kind_of_code(frame.f_code)[1] != "own":
            break
        through = through or context_code
        frame = frame.f_back
    by_warp = frame is not None and _kind_of_code(frame.f_code)[1] == "warp"
    if not by_warp:
        about.own_options.add(str(name))
    _assigned("option", str(name), old, new, module.name, by_warp, not through and not by_warp, f"option:{id(module)}")


_OPTION_CALLS = ("set_module_options", "wrapper", "_set_strip_hash", "kernel", "compile_aot_module", "load_aot_module")


@_hook("config")
def _config_assigned(name: str, old: Any, new: Any) -> None:
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and _kind_of_code(frame.f_code)[1] == "own":
        frame = frame.f_back
    if frame is not None and frame.f_code.co_name == "__setattr__" and _kind_of_code(frame.f_code)[1] == "warp":
        frame = frame.f_back
    by_warp = frame is not None and _kind_of_code(frame.f_code)[1] == "warp"
    _assigned("config", name, old, new, None, by_warp, False, "config")


def _assigned(
    what: str, name: str, old: Any, new: Any, module: str | None, by_warp: bool, in_place: bool, key: str
) -> None:
    place = _here()
    if not by_warp:
        _state.epoch += 1
        if old != new or what == "option":
            _state.assignments[(key, name)] = {"place": place, "order": next(_state.order), "epoch": _state.epoch}
        if _state.recorder is not None:
            _state.recorder.keys.clear()  # what launches resolve to may have changed
        _tell_file(place)
    _write(
        "assign",
        t=_clock(),
        what=what,
        name=name,
        module=module,
        old=_option_text(old),
        new=_option_text(new),
        by_warp=by_warp,
        in_place=in_place,
        place=place,
        thread=_thread(),
    )


def _calling(name: str, arguments: tuple[str, ...]) -> tuple[Any, Any, Any]:
    """Return the hooks that record a call of one of Warp's functions with its line."""

    @_hook(name)
    def entered(*values: Any) -> Any:
        place = _here()
        _tell_file(place)
        texts = {argument: _call_text(value) for argument, value in zip(arguments, values, strict=False)}
        outer = [call for call in _state.calls if call["thread"] == _thread()]
        call = {
            "name": name,
            "place": place,
            "kernel": None,
            "launch": None,
            "call": name,
            "thread": _thread(),
            "t": _clock(),
            "args": texts,
            "inner": bool(outer),
        }
        _state.calls.append(call)
        return call

    def over(call: Any, ok: bool) -> None:
        if call is None:
            return
        _state.calls[:] = [other for other in _state.calls if other is not call]
        if not call["inner"]:  # load_module calls force_load: one call of the user's
            _write(
                "call",
                t=call["t"],
                t1=_clock(),
                name=name,
                args=call["args"],
                place=call["place"],
                thread=call["thread"],
                ok=ok,
            )

    left = _leaving(name)(lambda token, value: over(token, True))
    failed = _hook(name)(lambda token: over(token, False))
    return entered, left, failed


def _call_text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_call_text(part) for part in value) + "]"
    named = getattr(value, "alias", None) or getattr(value, "name", None)
    return (
        str(named)
        if isinstance(named, str) and not isinstance(value, types.ModuleType)
        else _option_text(getattr(value, "__name__", value))
    )


@_leaving("get_unroll_range")
def _unrolled(token: Any, value: Any) -> None:
    if token is None or value is None or not _state.local.generating:
        return
    adj, loop = token
    event = _state.local.event
    try:
        count = len(value)
    except TypeError:
        return
    code = getattr(adj.func, "__code__", None)
    if code is None or count < 8:
        return
    place = _place_at(code, adj.fun_lineno + loop.lineno - 1)  # both count from the decorator, from 1
    kernel = _state.local.builder[-1][0] if _state.local.builder else None
    seen = (json.dumps(place), count, kernel)
    if seen not in _state.loops_seen:
        _state.loops_seen.add(seen)
        _write(
            "loop",
            t=_clock(),
            module=None if event is None else event["module"],
            kernel=kernel,
            file=place["file"],
            line=place["line"],
            place=place,
            iterations=count,
        )


def _unroll_entered(adj: Any, loop: Any) -> Any:
    return adj, loop


# What Warp prints


@_hook("log")
def _logged(message: Any, level: int) -> None:
    shown = level >= 40 or getattr(_state.warp.config, "log_level", 20) <= level
    if shown:
        _write("log", t=_clock(), text=str(message), shown=True, thread=_thread())


def _printed(*values: Any, **options: Any) -> None:
    """Stand in for ``print`` inside Warp's modules before it had a logger; prints as before and keeps the line."""
    print(*values, **options)
    _printed_line(str(options.get("sep") or " ").join(str(value) for value in values))


@_hook("log")
def _printed_line(text: str) -> None:
    _write("log", t=_clock(), text=text, shown=True, thread=_thread())


# ---------------------------------------------------------------------------------------------------------------------
# Attaching: each hook point is tried on its own, what is missing is said


after_attach: list[Callable[[Any, Any], None]] = []  # what else waits for Warp: the rehearsal
fatal: tuple[type[BaseException], ...] = ()  # errors of those that end the user's import: nothing can be measured


def _attach(warp: Any, begun: int) -> None:
    """Put the hooks into a Warp that has just been imported."""
    started = _clock()
    _state.warp = warp
    _state.warp_folder = os.path.dirname(os.path.abspath(warp.__file__)) + os.sep
    context = sys.modules.get("warp._src.context") or sys.modules.get("warp.context")
    version = str(getattr(getattr(warp, "config", None), "version", getattr(warp, "__version__", "")))
    if context is None or not version:
        _write(
            "warp",
            t=_clock(),
            t0=begun,
            version=version or "unknown",
            path=_state.warp_folder,
            hooks={"all": "no implementation module"},
        )
        return
    _state.context = context
    _state.codes.clear()  # frames seen before now may be Warp's own
    for name, install in _POINTS.items():
        try:
            install(warp, context)
            _state.hooks[name] = "ok"
        except (_Missing, AttributeError, SyntaxError, ValueError, TypeError, OSError) as error:
            _state.hooks[name] = f"{error}" or type(error).__name__
    if _state.hooks.get("_run_codegen") == "ok":
        _state.hooks["codegen"] = "ok"
    _state.spent_ns += _clock() - started
    _write(
        "warp",
        t=_clock(),
        t0=begun,
        version=version,
        path=_state.warp_folder,
        hooks=_state.hooks,
        probe_ns=_clock() - started,
    )
    if os.environ.get(TRACE_VARIABLE):
        _switch_compiler_trace_on(warp, context)
    for follow in after_attach:
        follow(warp, context)


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


def _install_launch(warp: Any, context: Any) -> None:
    recorder = _state.recorder
    if recorder is None:
        raise _Missing("no room for launches")
    defaults = context.launch.__defaults__ or ()
    _state.silent_block_dim = defaults[-1] if defaults and isinstance(defaults[-1], int) and defaults[-1] > 1 else None
    _instrument(
        context.launch,
        recorder.record,
        ("kernel", "dim", "inputs", "outputs", "device", "stream", "adjoint", "record_cmd", "block_dim"),
    )


def _install_hasher(warp: Any, context: Any) -> None:
    function = _own(context.ModuleHasher, "__init__")
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    _instrument(function, _hash_entered_with, names[:3], _hash_left, _hash_failed)


def _install_timer(warp: Any, context: Any) -> None:
    timer = warp.ScopedTimer
    _state.load_codes = {_code_of(_own(context.Module, "load"))}
    _instrument(_own(timer, "__enter__"), _timer_entered, ("self",))
    exiting = _own(timer, "__exit__")
    names = exiting.__code__.co_varnames[:3]
    _instrument(exiting, _timer_exits, names, _timer_left)


def _install_compile(warp: Any, context: Any) -> None:
    name = "_compile" if "_compile" in vars(context.Module) else "compile"
    _instrument(
        _own(context.Module, name), _compile_entered, ("self", "device", "output_arch"), _compile_left, _compile_failed
    )


def _install_codegen(warp: Any, context: Any) -> None:
    _instrument(_own(context.Module, "_run_codegen"), _codegen_entered, ("self",), _codegen_left, _codegen_failed)


def _install_builder_codegen(warp: Any, context: Any) -> None:
    if _state.hooks.get("_run_codegen") == "ok":
        return
    _instrument(
        _own(context.ModuleBuilder, "codegen"),
        lambda builder: _codegen_entered(builder.module),
        ("self",),
        _codegen_left,
        _codegen_failed,
    )


def _install_builder(warp: Any, context: Any) -> None:
    _instrument(_own(context.ModuleBuilder, "__init__"), _builder_entered, ("module",), _builder_left, _builder_failed)


def _install_lto(warp: Any, context: Any) -> None:
    build = _source_module("build")
    if "_build_lto_base" in vars(build):
        _instrument(build._build_lto_base, _lto_entered, ("lto_symbol",), _lto_left, _lto_failed)
        return
    for name in ("build_lto_dot", "build_lto_fft", "build_lto_solver"):
        _instrument(
            _own(build, name),
            functools.partial(_lto_entered, name.removeprefix("build_lto_")),
            (),
            _lto_left,
            _lto_failed,
        )


def _install_overloads(warp: Any, context: Any) -> None:
    name = "_add_normalized_overload" if "_add_normalized_overload" in vars(context.Kernel) else "add_overload"
    _instrument(_own(context.Kernel, name), _overload_entered, ("self",), _overload_left)


def _install_capture(warp: Any, context: Any) -> None:
    _instrument(context.capture_launch, _graph_launched, ("graph",))
    _instrument(context.capture_begin, _capture_began)
    _instrument(context.capture_end, lambda: None, (), _capture_ended, _capture_failed)


def _install_config(warp: Any, context: Any) -> None:
    config = warp.config
    kind = type(config)
    own = vars(kind).get("__setattr__")
    if isinstance(own, types.FunctionType):
        names = own.__code__.co_varnames[:3]
        _instrument_config(own, names)
        return

    def assign(self: Any, name: str, value: Any) -> None:
        old = vars(self).get(name)
        kind.__setattr__(self, name, value)  # type: ignore[call-arg]
        _config_assigned(name, old, value)

    config.__class__ = type(
        kind.__name__, (kind,), {"__setattr__": assign, "__module__": kind.__module__, "__doc__": kind.__doc__}
    )


def _instrument_config(function: Any, names: tuple[str, ...]) -> None:
    def entered(config: Any, name: str, value: Any) -> Any:
        return name, vars(config).get(name), value

    def left(token: Any, value: Any) -> Any:
        _config_assigned(*token)
        return value

    try:
        _instrument(function, entered, names, left)
    except _Missing:
        # zero-argument super() makes the function a closure over its class
        config = _state.warp.config
        kind = type(config)

        def assign(self: Any, name: str, value: Any) -> None:
            old = vars(self).get(name)
            kind.__setattr__(self, name, value)  # type: ignore[call-arg]
            _config_assigned(name, old, value)

        config.__class__ = type(
            kind.__name__, (kind,), {"__setattr__": assign, "__module__": kind.__module__, "__doc__": kind.__doc__}
        )


def _install_modules(warp: Any, context: Any) -> None:
    _instrument(_own(context.Module, "__init__"), _module_made_entered, ("self",), _module_made)
    for module in list(context.user_modules.values()):
        _watch_module(module, stock=True)


def _install_log(warp: Any, context: Any) -> None:
    logger = sys.modules.get("warp._src.logger")
    if logger is None:
        for name in ("context", "utils", "build", "codegen", "types"):
            module = sys.modules.get(f"warp._src.{name}") or sys.modules.get(f"warp.{name}")
            if module is not None and "print" not in vars(module):
                module.__dict__["print"] = _printed
        return
    for name, level in (("log_debug", 10), ("log_info", 20), ("log_warning", 30), ("log_error", 40)):
        _instrument(_own(logger, name), functools.partial(_logged_at, level), ("message",))


def _logged_at(level: int, message: Any) -> None:
    _logged(message, level)


def _install_call(name: str, arguments: tuple[str, ...], where: str = "context") -> Callable[[Any, Any], None]:
    def install(warp: Any, context: Any) -> None:
        function = _own(context if where == "context" else _source_module(where), name)
        code = inspect.unwrap(function).__code__
        known = tuple(
            argument
            for argument in arguments
            if argument in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        )
        entered, left, failed = _calling(name, known)
        _instrument(function, entered, known, left, failed)

    return install


def _plain(owner: Callable[[Any, Any], Any], *args: Any) -> Callable[[Any, Any], None]:
    def install(warp: Any, context: Any) -> None:
        _instrument(owner(warp, context), *args)

    return install


_POINTS: dict[str, Callable[[Any, Any], None]] = {
    "ModuleHasher": _install_hasher,
    "get_references": _plain(
        lambda w, c: _own(_source_module("codegen").Adjoint, "get_references"),
        _references_entered,
        ("adj",),
        _references_left,
    ),
    "timer": _install_timer,
    "compile": _install_compile,
    "_run_codegen": _install_codegen,
    "codegen": _install_builder_codegen,
    "ModuleBuilder": _install_builder,
    "build_kernel": _plain(lambda w, c: _own(c.ModuleBuilder, "build_kernel"), _kernel_entered, ("kernel",)),
    "build_cpu": _plain(
        lambda w, c: _own(_source_module("build"), "build_cpu"),
        _build_cpu_entered,
        ("?pch_dir",),
        _build_cpu_left,
        _build_cpu_failed,
    ),
    "build_cuda": _plain(
        lambda w, c: _own(_source_module("build"), "build_cuda"),
        _build_cuda_entered,
        ("?output_path",),
        _build_cuda_left,
        _build_cuda_failed,
    ),
    "build_lto": _install_lto,
    "replayed errors": _plain(lambda w, c: _own(c, "_raise_recorded_build_error"), _error_replayed, ("build_error",)),
    "launch": _install_launch,
    "launch_tiled": _plain(lambda w, c: c.launch_tiled, _tiled_entered, ("kwargs",), _tiled_left, _tiled_failed),
    "Launch.launch": _plain(lambda w, c: _own(c.Launch, "launch"), _replayed, ("self",)),
    "capture": _install_capture,
    "set_default_device": _plain(
        lambda w, c: _own(c.Runtime, "set_default_device"), lambda runtime: _default_device_set(), ("self",)
    ),
    "Tape.record_launch": _plain(lambda w, c: _own(_source_module("tape").Tape, "record_launch"), _taped, ("kernel",)),
    "Kernel": _plain(
        lambda w, c: _own(c.Kernel, "__init__"), _kernel_made_entered, ("self",), _kernel_made, _kernel_refused
    ),
    "overloads": _install_overloads,
    "Struct": _plain(
        lambda w, c: _own(_source_module("codegen").Struct, "__init__"), _struct_entered, ("self",), _struct_made
    ),
    "modules": _install_modules,
    "config": _install_config,
    "unroll": _plain(
        lambda w, c: _own(_source_module("codegen").Adjoint, "get_unroll_range"),
        _unroll_entered,
        ("adj", "loop"),
        _unrolled,
    ),
    "log": _install_log,
    "force_load": _install_call("force_load", ("device", "modules", "block_dim", "max_workers")),
    "load_module": _install_call("load_module", ("module", "device", "recursive", "block_dim", "max_workers")),
    "compile_aot_module": _install_call("compile_aot_module", ("module", "device", "arch", "module_dir")),
    "load_aot_module": _install_call("load_aot_module", ("module", "device", "arch", "module_dir")),
    "get_suggested_block_size": _install_call("get_suggested_block_size", ("kernel", "device")),
    "clear_kernel_cache": _install_call("clear_kernel_cache", (), "build"),
    "clear_lto_cache": _install_call("clear_lto_cache", (), "build"),
}


@_hook("runtime")
def _tell_runtime() -> None:
    runtime = getattr(_state.context, "runtime", None)
    if runtime is None:
        return
    _state.runtime_told = True
    folder = getattr(_state.warp.config, "kernel_cache_dir", None)
    if folder:
        _state.cache_folders = (os.path.realpath(str(folder)) + os.sep,)
    devices = []
    for device in _state.context.get_devices():
        cuda = bool(device.is_cuda)
        devices.append(
            {
                "alias": device.alias,
                "name": device.name,
                "arch": getattr(device, "arch", None) if cuda else None,
                "is_cuda": cuda,
                "memory_bytes": int(device.total_memory) if cuda else None,
            }
        )
    _write(
        "runtime",
        t=_clock(),
        devices=devices,
        toolkit=_version(getattr(runtime, "toolkit_version", None)),
        driver=_version(getattr(runtime, "driver_version", None)),
        cache_dir=str(getattr(_state.warp.config, "kernel_cache_dir", None)),
        environment={name: value for name, value in os.environ.items() if name.startswith("WARP_CACHE")},
    )


def tell_runtime() -> None:
    """Write the facts of the devices once Warp is initialised."""
    if not _state.runtime_told:
        busy, _state.local.busy = _state.local.busy, False
        try:
            _tell_runtime()
        finally:
            _state.local.busy = busy


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
            spec = None
            for finder in list(sys.meta_path):
                find = getattr(finder, "find_spec", None)
                if finder is not self and find is not None:
                    spec = find(name, path, target)
                    if spec is not None:
                        break
        finally:
            self.looking = False
        if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
            _write("no_warp", t=_clock(), error="No module named 'warp'", missing=True, place=None)
            return spec
        spec.loader = _Loader(spec.loader)
        return spec


class _Loader(importlib.abc.Loader):
    """Lets the real loader import Warp, then attaches."""

    def __init__(self, real: Any) -> None:
        self.real = real

    def create_module(self, spec: Any) -> Any:
        return self.real.create_module(spec)

    def exec_module(self, module: Any) -> None:
        begun = _clock()
        module.__spec__.loader = module.__loader__ = self.real
        try:
            self.real.exec_module(module)
        except BaseException as error:
            _write("no_warp", t=_clock(), error=f"{type(error).__name__}: {error}"[:4000], missing=False, place=None)
            raise
        try:
            _attach(module, begun)
        except fatal:
            raise
        except Exception as error:
            _trouble("attach", error)


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
    _state.spent_ns = spent_ns
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
        wire.close()
        _state.wire = _ForkedWire()
        _state.lock, _state.native_capture = threading.RLock(), threading.Lock()
        _state.local.event = None
        _state.interned, _state.defines, _state.define_counts, _state.rehashes = {}, {}, {}, {}
        _state.files, _state.taped_seen, _state.threads, _state.finished = {}, set(), {}, False
        _state.is_command, _state.spent_ns = False, 0
        for about in list(_state.modules.values()):
            about.hashes = {key: facts for key, facts in about.hashes.items() if facts["loaded"]}
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
        _write(
            "warp",
            t=_clock(),
            t0=_clock(),
            version=str(getattr(_state.warp.config, "version", "")),
            path=_state.warp_folder,
            hooks=_state.hooks,
            probe_ns=0,
        )
        _state.runtime_told = False


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
    cell = int(facts.get("cell", _state.cell_count))
    _state.cell_count = cell + 1
    source = info.raw_cell
    count = int(facts.get("number", shell.execution_count))
    try:
        file = shell.compile.get_code_name(source, source, count)
    except (AttributeError, TypeError):
        file = ""
    if file:
        _state.cells[file] = cell
    _state.cell = cell
    _write(
        "cell_begin",
        t=_clock(),
        cell=cell,
        number=count,
        phase=facts.get("phase", "main"),
        name=facts.get("name"),
        first_line=facts.get("first_line", 1),
        file=file,
        source=source,
        launches=_position(),
        probe_ns=_state.spent_ns,
    )


def _cell_ended(result: Any) -> None:
    t = _clock()
    if _state.cell is None:
        return
    error = None if result is None else (result.error_before_exec or result.error_in_exec)
    _write(
        "cell_end",
        t=t,
        cell=_state.cell,
        ok=error is None,
        ename=None if error is None else type(error).__name__,
        evalue=None if error is None else str(error)[:4000],
        launches=_position(),
        probe_ns=_state.spent_ns,
    )
    tell_runtime_if_any()
    _tell_counts()


def tell_runtime_if_any() -> None:
    """Write the facts of the devices if Warp is initialised by now, also when nothing was launched."""
    if _state.context is not None and getattr(_state.context, "runtime", None) is not None:
        tell_runtime()


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
        for about_module, about in list(_state.modules.items()):
            _rehashed(about_module.name, about, keep=1 if about.unique else 0)
        _tell_counts()
        tell_runtime_if_any()
        count = recorder.position()
        kept = min(count, recorder.room)
        packed = base64.b64encode(zlib.compress(recorder.view[:kept].tobytes(), 6)).decode("ascii")
        _write("order", n=kept, zlib=packed)
        _write("probe", t=_clock(), probe_ns=_state.spent_ns, launch_ns=None if quickly else _launch_cost(recorder))
        _write("footer", t=_clock(), launches=count, probe_ns=_state.spent_ns)
        if recorder.path is not None:
            os.unlink(recorder.path)
    except Exception as error:
        _trouble("finish", error)
    finally:
        wire.close()
        _state.wire = None


def _launch_cost(used: _Recorder) -> float | None:
    """Return the nanoseconds that recording one launch takes here, measured on a recorder of its own."""
    if used.position() == 0:
        return None
    recorder = _Recorder(None, room=4096)

    class _Stub:
        _nbp_id = 0

    stub, best = _Stub(), None

    def launch() -> None:
        recorder.record(stub, 64, (), (), None, None, False, False, None)

    recorder._bind(keys=_AnyKey())
    for _ in range(3):
        recorder.count = itertools.count()
        recorder._bind(count=recorder.count)
        begun = _clock()
        for _ in range(2000):
            launch()
        taken = (_clock() - begun) / 2000
        best = taken if best is None else min(best, taken)
    return best


class _AnyKey(dict):  # type: ignore[type-arg]
    """Knows every launch from its second time on."""

    def __missing__(self, key: Any) -> Any:
        self[key] = known = (1, None)
        return known
