"""Has a child evaluate the expressions to check, after the user's code and after the last line of its record."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from warp_nbprobe.data.results import Result, read_results
from warp_nbprobe.run.child import CHILD_FOLDER
from warp_nbprobe.run.conversation import Answer

_FINISH = {"warp_nbprobe": {"finish": True}}


class _Talk(Protocol):
    def execute(self, code: str, *, metadata: dict[str, Any] | None = None, silent: bool = False) -> Answer: ...


def check_code(expressions: Sequence[str], path: Path) -> str:
    """Return code that evaluates the expressions in the user's namespace and leaves no name in it."""
    text = (CHILD_FOLDER / "check.py").read_text("utf-8")
    return (
        f"(lambda ns: (exec(compile({text!r}, '<warp_nbprobe_check>', 'exec'), ns), "
        f"ns['write_results']({list(expressions)!r}, "
        f"__import__('IPython.core.getipython', fromlist=['x']).get_ipython().user_ns, {str(path)!r})))"
        f"({{'__name__': '_warp_nbprobe_check'}})"
    )


def run_checks(talk: _Talk, expressions: Sequence[str], folder: Path) -> tuple[tuple[Result, ...], Answer]:
    """Return what each expression gave, and what became of asking. What went wrong is each result's ``error``.

    The probe finishes its record first, so that what an expression builds or launches is in no figure.
    """
    path = folder / "results.json"
    answer = talk.execute(check_code(expressions, path), metadata=_FINISH, silent=True)
    try:
        return read_results(path), answer
    except (OSError, ValueError) as error:
        reason = _reason(answer, error)
        return tuple(Result(expression, error=reason) for expression in expressions), answer


def _reason(answer: Answer, error: Exception) -> str:
    if answer.stopped_by == "timeout":
        return "checking took longer than was left of the time-out"
    if answer.stopped_by == "interrupted":
        return "checking was stopped"
    if answer.reply is None:
        return "the child ended while it was checked"
    if answer.failed:
        return f"checking failed in the child ({answer.reply.get('ename')}: {answer.reply.get('evalue')})"
    return f"what the child wrote of it cannot be read ({error})"
