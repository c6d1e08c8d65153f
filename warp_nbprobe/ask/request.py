"""What is to be measured, checked: every complaint about an argument of ``measure`` is made here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warp_nbprobe.ask.architectures import architectures
from warp_nbprobe.data.model import Cell
from warp_nbprobe.errors import UsageError

Code = str | Sequence[str]
"""Code as text, or as a list of cells."""


@dataclass(frozen=True, slots=True)
class Request:
    """One measurement that can be made as it stands."""

    cells: tuple[Cell, ...]  # setup first
    label: str
    samples: int
    timeout_s: float
    kernel: str | None
    cwd: Path
    env: Mapping[str, str]  # added to the present environment
    push: bytes | None
    pushed: tuple[str, ...]
    own: tuple[str, ...]
    allow_errors: bool
    keep_scratch: bool
    max_builds: int | None
    fail_on_rebuild: bool
    quiet: bool
    check: tuple[str, ...] = ()
    rtol: float = 0.0
    atol: float = 0.0
    notes: tuple[str, ...] = ()
    command: tuple[str, ...] | None = None  # what is run in place of cells
    rehearse: tuple[str, ...] = ()  # CUDA architectures to build for without a GPU: sm_90
    rehearse_only: bool = False
    trace: bool = False
    isolate: bool = False  # cache folders that the code itself sets are sent to the private one

    def recorded(self) -> dict[str, Any]:
        """Return the options as the report keeps them: the values of pushed names and of ``env`` stay out."""
        return {
            "samples": self.samples,
            "timeout": self.timeout_s,
            "kernel": self.kernel,
            "cwd": str(self.cwd),
            "env": sorted(self.env),
            "push": list(self.pushed),
            "check": list(self.check),
            "rtol": self.rtol,
            "atol": self.atol,
            "own": list(self.own),
            "rehearse": list(self.rehearse),
            "rehearse_only": self.rehearse_only,
            "trace": self.trace,
            "isolate": self.isolate,
            "allow_errors": self.allow_errors,
            "keep_scratch": self.keep_scratch,
            "max_builds": self.max_builds,
            "fail_on_rebuild": self.fail_on_rebuild,
            "quiet": self.quiet,
            **({} if self.command is None else {"command": list(self.command)}),
        }


def main_cells(code: Code, *, allow_errors: bool = False) -> tuple[Cell, ...]:
    """Return the cells of ``code``, numbered from 1; blank ones are left out and keep their number.

    Raises:
        UsageError: ``code`` is no text and no list of texts, or there is nothing in it to run.
    """
    texts = _texts(code, "code")
    cells = tuple(
        Cell(text, number, allow_error=allow_errors) for number, text in enumerate(texts, start=1) if text.strip()
    )
    if not cells:
        raise UsageError("code is empty: there is nothing to measure.")
    return cells


def setup_cells(code: Code | None, name: str = "default") -> tuple[Cell, ...]:
    """Return the cells of setup code; none for None or blank text."""
    texts = () if code is None else _texts(code, "setup")
    return tuple(
        Cell(text, number, phase="setup", name=name) for number, text in enumerate(texts, start=1) if text.strip()
    )


def _texts(code: Code, argument: str) -> tuple[str, ...]:
    if isinstance(code, str):
        return (code,)
    if isinstance(code, Iterable):
        texts = tuple(code)
        if all(isinstance(text, str) for text in texts):
            return texts
    raise UsageError(f"{argument} must be text or a list of texts (one per cell), not {_kind(code)}.")


def make_request(
    setup: tuple[Cell, ...], main: tuple[Cell, ...], values: Mapping[str, Any], *, label: str, notes: Sequence[str] = ()
) -> Request:
    """Check the arguments of ``measure`` and return what is to be done.

    Args:
        setup: Cells that run before the measured ones.
        main: The measured cells.
        values: The keyword arguments of ``measure``.
        label: The label when the caller gives none.
        notes: Sentences for the report, such as which cells were left out.

    Raises:
        UsageError: An argument that cannot be used, named, with what to do.
    """
    archs = architectures(values["rehearse"])
    if values["rehearse_only"] and not archs:
        raise UsageError("rehearse_only needs an architecture to build for: rehearse='sm_90'.")
    push = _mapping(values["push"], "push")
    return Request(
        cells=(*setup, *main),
        label=_label(values["label"], label),
        samples=_at_least(values["samples"], "samples", 1),
        timeout_s=_timeout(values["timeout"]),
        kernel=_optional_text(values["kernel"], "kernel"),
        cwd=_folder(values["cwd"]),
        env=_environment(values["env"]),
        push=_pickled(push) if push else None,
        pushed=tuple(push),
        own=_packages(values["own"]),
        allow_errors=bool(values["allow_errors"]),
        keep_scratch=bool(values["keep_scratch"]),
        max_builds=None if values["max_builds"] is None else _at_least(values["max_builds"], "max_builds", 0),
        fail_on_rebuild=bool(values["fail_on_rebuild"]),
        quiet=bool(values["quiet"]),
        check=_expressions(values["check"]),
        rtol=_tolerance(values["rtol"], "rtol"),
        atol=_tolerance(values["atol"], "atol"),
        notes=tuple(notes),
        rehearse=archs,
        rehearse_only=bool(values["rehearse_only"]),
        trace=bool(values["trace"]),
        isolate=bool(values["isolate"]),
    )


def refuse_other_trace(request: Request, baseline: Mapping[str, Any], name: str) -> None:
    """Raise `UsageError` where the compiler's trace would be on in one of two measurements that are to be compared.

    The setting is a part of every hash, so that nothing of the two would be alike.
    """
    if request.trace == bool(baseline.get("trace")):
        return
    instead = f"measure {name} again with --trace" if request.trace else f"give --trace, as for {name}"
    raise UsageError(f"--trace changes every hash, so it is on in both measurements or in none: {instead}.")


def _label(label: object, default: str) -> str:
    return _optional_text(label, "label") or default


def _at_least(value: object, argument: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{argument} must be a whole number of at least {least}, not {value!r}.")
    return value


def _timeout(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0 or not math.isfinite(value):
        raise UsageError(f"timeout must be a number of seconds above 0, not {value!r}.")
    return float(value)


def _expressions(value: object) -> tuple[str, ...]:
    """Return the expressions to check; says which one is none before anything is measured."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UsageError(f"check must be a list of expressions, not {_kind(value)}; write check=[...].")
    expressions = tuple(value)
    for expression in expressions:
        if not isinstance(expression, str):
            raise UsageError(f"check must be a list of expressions as text, not {_kind(expression)}.")
        try:
            compile(expression.strip(), "<check>", "eval")
        except (SyntaxError, ValueError) as error:
            reason = error.msg if isinstance(error, SyntaxError) else error
            raise UsageError(f"check: {expression!r} is no expression ({reason}).") from None
    return expressions


def _tolerance(value: object, argument: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise UsageError(f"{argument} must be a number of at least 0, not {value!r}.")
    return float(value)


def _optional_text(value: object, argument: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{argument} must be text, not {_kind(value)}.")
    return value


def _folder(value: object) -> Path:
    try:
        folder = Path.cwd() if value is None else Path(value).expanduser()  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(f"cwd must be a folder, not {_kind(value)}.") from None
    if not folder.is_dir():
        raise UsageError(f"cwd: there is no folder {folder}.")
    return folder.absolute()


def _environment(value: object) -> dict[str, str]:
    found = _mapping(value, "env")
    for name, text in found.items():
        if not isinstance(text, str):
            raise UsageError(f"env[{name!r}] must be text, not {_kind(text)}; write {name!r}: {str(text)!r}.")
    return found


def _mapping(value: object, argument: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise UsageError(f"{argument} must be a dict with names as keys, not {_kind(value)}.")
    return dict(value)


def _packages(value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UsageError(f"own must be a list of package names, not {_kind(value)}; write own=[...].")
    packages = tuple(value)
    if not all(isinstance(package, str) for package in packages):
        raise UsageError("own must be a list of package names.")
    return packages


def _pickled(push: dict[str, Any]) -> bytes:
    """Return the pushed variables as cloudpickle writes them; says which one it was that could not be."""
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps(push))
    except Exception as error:  # noqa: BLE001 - a variable's own __reduce__ may raise anything
        culprit = next((name for name, value in push.items() if not _pickles(value)), None)
        if culprit is None:
            raise UsageError(f"push: these variables cannot be sent together ({error}).") from None
        raise UsageError(f"push: {_unsendable(culprit, push[culprit], error)}") from None


def _pickles(value: object) -> bool:
    import cloudpickle

    try:
        cloudpickle.dumps(value)
    except Exception:  # noqa: BLE001 - as above
        return False
    return True


def _unsendable(name: str, value: object, error: Exception) -> str:
    if type(value).__module__.partition(".")[0] == "warp":
        return (
            f"`{name}` is a Warp object, which lives in this process alone. "
            f"Make it in the setup code, or push `{name}.numpy()`."
        )
    return f"`{name}` cannot be sent to another process ({error}). Make it in the setup code instead."


def _kind(value: object) -> str:
    return f"{type(value).__name__} {value!r:.60}"
