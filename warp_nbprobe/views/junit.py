"""Outcomes in JUnit's XML, which CI services show beside their tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from warp_nbprobe.views.headline import one_line
from warp_nbprobe.views.rows import rows_of
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.style import visible

_SUITE = "warp_nbprobe"


@dataclass(frozen=True, slots=True)
class Case:
    """One claim; ``failed`` says in a sentence why it does not hold, ``detail`` is what helps to see why."""

    name: str
    failed: str | None = None
    kind: str = "failure"
    detail: str = ""
    time_s: float | None = None


def junit_xml(group: str, cases: Sequence[Case], *, said: str = "") -> str:
    """Return a file with one suite: ``group`` is its name and what its cases belong to, ``said`` its output."""
    failures = sum(case.failed is not None for case in cases)
    total_s = sum(case.time_s or 0.0 for case in cases)
    attributes = f'name={_quoted(group)} tests="{len(cases)}" failures="{failures}" errors="0" time="{total_s:.3f}"'
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuites name="{_SUITE}">',
        f"  <testsuite {attributes}>",
        *(_case(group, case) for case in cases),
        *([f"    <system-out>{_text(said)}</system-out>"] if said else []),
        "  </testsuite>",
        "</testsuites>",
        "",
    ]
    return "\n".join(lines)


def measure_junit(m: Shown, excesses: dict[str, str | None]) -> str:
    """Return what became of a measurement: that each sample ended well, and that each limit was kept.

    ``excesses`` has a limit as a claim (``at most 5 builds``) and how it is exceeded, ``None`` where it is not.
    """
    cases = [*_samples(m), *(Case(name, found, "TooManyBuilds") for name, found in excesses.items())]
    return junit_xml(f"{_SUITE}.{m.label}", cases, said=one_line(m))


def _samples(m: Shown) -> list[Case]:
    rows = rows_of(m.runs.drop(columns=["environment"]))
    error = m.error
    cases = []
    for sample in dict.fromkeys(row["sample"] for row in rows):
        own = [row for row in rows if row["sample"] == sample]
        bad = next((row for row in own if not row["ok"]), None)
        failed = None
        if bad is not None:
            failed = f"The {bad['run']} run failed: {bad['reason'] or 'no reason was recorded'}."
        elif len(own) < 2:
            failed = "It was stopped before its warm run."
        kind, detail = "failure", ""
        if bad is not None and error is not None:
            kind, detail = type(error).__name__, "\n".join([str(error), *getattr(error, "traceback", ())])
            error = None  # it is the first failure's
        time_s = sum((row["wall_ms"] or 0.0) / 1e3 for row in own)
        cases.append(Case(f"sample {sample} runs to its end", failed, kind, detail, time_s))
    return cases


def _case(group: str, case: Case) -> str:
    time = "" if case.time_s is None else f' time="{case.time_s:.3f}"'
    start = f"    <testcase classname={_quoted(group)} name={_quoted(case.name)}{time}"
    if case.failed is None:
        return f"{start}/>"
    failure = f"<failure message={_quoted(case.failed)} type={_quoted(case.kind)}>{_text(case.detail)}</failure>"
    return f"{start}>{failure}</testcase>"


def _quoted(text: str) -> str:
    return quoteattr(visible(text).replace("\n", " "))


def _text(text: str) -> str:
    return escape("\n".join(visible(line) for line in text.split("\n")))
