"""A comparison for CI: which checks fail, as JUnit's XML, and as Markdown for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.views.compare_text import compare_line, compare_text
from warp_nbprobe.views.compare_words import (
    build_rows,
    figure_rows,
    figure_texts,
    heads,
    more_reasons,
    result_text,
    target_text,
    title,
    why_text,
    workload_lines,
)
from warp_nbprobe.views.junit import Case, junit_xml
from warp_nbprobe.views.markdown import text
from warp_nbprobe.views.rows import Row, rows_of
from warp_nbprobe.views.units import count_text, plural

MORE_BUILT = "more-built"
_MARKS = {"improved": "✅", "regressed": "❌", "invalid": "❌"}
_MOST_BUILDS = 40


def failed_checks(c: Comparison, fail_on: Collection[str]) -> list[str]:
    """Return why the comparison fails, one sentence for each of ``fail_on`` that holds; verdicts with hyphens."""
    return [case.failed for case in _cases(c, fail_on) if case.failed is not None]


def compare_junit(c: Comparison, fail_on: Collection[str]) -> str:
    """Return each check as a test case."""
    return junit_xml(f"warp_nbprobe.compare.{title(c)}", list(_cases(c, fail_on)), said=compare_line(c))


def _cases(c: Comparison, fail_on: Collection[str]) -> Iterator[Case]:
    word = c.verdict.replace(" ", "-")
    for wanted in fail_on:
        if wanted == MORE_BUILT:
            failed = f"More is built than in the baseline: {'; '.join(c.more_built)}." if c.more_built else None
            yield Case("nothing more is built", failed, MORE_BUILT)
        else:
            failed = f"The verdict is {c.verdict}. {c.reasons[0]}" if word == wanted else None
            yield Case(f"the verdict is not {wanted}", failed, wanted, compare_text(c) if failed else "")


def compare_markdown(c: Comparison) -> str:
    """Return the comparison in Markdown: the verdict on top, what it rests on below it, builds folded."""
    blocks = [
        f"### Warp cold start: {text(title(c))}",
        f"{_MARKS.get(c.verdict, '➖')} **{c.verdict}**: {text(c.reasons[0])}",
        "\n".join(f"- {text(reason)}" for reason in more_reasons(c)),
        _figures(c),
        "\n".join(f"- {text(line)}" for line in workload_lines(c)),
        "\n".join(f"- {text(_result(row))}" for row in rows_of(c.results)),
        _launches(c),
        _builds(c),
        _folded("Not checked", "\n".join(f"- {text(line)}" for line in c.not_checked)),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _result(row: Row) -> str:
    said = result_text(row)
    return f"`{row['check']}{row['part']}`: {row['outcome']}{f'; {said}' if said else ''}"


def _figures(c: Comparison) -> str:
    first, rest = figure_rows(c)
    rows = [row for row in first if row["baseline"] is not None or row["candidate"] is not None]
    rows += [row for row in rest if row["moved"] in ("down", "up")]
    body = [
        (
            f"`{row['metric']}`",
            *figure_texts(row),
        )
        for row in rows
    ]
    ours, theirs = heads(c)
    return _table(("figure", text(ours), text(theirs), "change", "band", "samples", "moved"), body)


def _launches(c: Comparison) -> str:
    body = [
        (text(row["kernel"]), count_text(row["baseline"]), count_text(row["candidate"])) for row in rows_of(c.launches)
    ]
    ours, theirs = heads(c)
    return _table(("kernel", text(ours), text(theirs)), body) if body else ""


def _builds(c: Comparison) -> str:
    rows = [row for row in build_rows(c) if row["change"] != "same"]
    body = [
        (
            row["change"],
            text(row["candidate"] or row["baseline"]),
            text(target_text(row, "baseline")),
            text(target_text(row, "candidate")),
            text(why_text(row)),
        )
        for row in rows[:_MOST_BUILDS]
    ]
    if not body:
        return ""
    ours, theirs = heads(c)
    found = _table(("", "build", text(ours), text(theirs), "why"), body)
    left = len(rows) - len(body)
    differ = "differs" if len(rows) == 1 else "differ"
    return _folded(f"{plural(len(rows), 'build')} that {differ}", found + (f"\n\nand {left} more" if left else ""))


def _table(heads: tuple[str, ...], body: Sequence[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *body]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>" if body else ""
