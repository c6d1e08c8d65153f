"""The sentence at the top of every view: only what is known, in the words of the interface."""

from __future__ import annotations

from warp_nbprobe.views.rows import Row, events, figure, findings, good_samples, median, rehearsed
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.units import plural, sentence, time_text

_THROWS_AWAY = (
    "late_kernel",
    "late_option",
    "late_overload",
    "shadowed_global",
    "text_only_edit",
    "unused_build",
    "duplicate_builds",
)
"""Rules whose every event stands for one whole build that need not have been."""


def headline(m: Shown) -> str:
    """Return one line: what was built, what it cost, what could be spared, what was waited for."""
    said = [_failed(m)] if m.failed else [_built(m), _wrong(m), _waited(m)]
    if (archs := rehearsed(m)) is not None:
        said.insert(0, f"Rehearsed for {archs}:")
    if not m.failed and m.failed_samples:
        tried = good_samples(m) + m.failed_samples
        said.append(f"{m.failed_samples} of {plural(tried, 'sample')} failed.")
    if m.interrupted:
        said.append(f"Interrupted: {good_samples(m)} of {plural(m.samples, 'sample')} finished.")
    return " ".join(part for part in said if part)


def one_line(m: Shown) -> str:
    """Return the headline with the measurement's name before it."""
    return f"{m.label}: {headline(m)}" if m.label else headline(m)


def is_clean(m: Shown) -> bool:
    """Return whether "no redundant builds" may be said.

    Never of a run that failed or built nothing: there was nothing to be redundant, or it was not seen to its end.
    """
    looked = not (m.checked.empty and m.findings.empty)
    if m.failed or not looked or not median(m, "compiled"):
        return False
    return not any(row["kind"] in ("wrong", "redundant") for row in findings(m))


def failed_reason(m: Shown) -> str:
    """Return why no sample is good, as one sentence."""
    said = getattr(m.error, "what", None) or str(m.error or "")
    first = said.strip().splitlines()
    return sentence(first[0]) if first else "The measured code did not finish."


def wait_unknown(m: Shown) -> str:
    """Return why the wait is missing, without a full stop."""
    return (figure(m, "compile_elapsed_ms").reason or "no warm run to compare with").strip().rstrip(".")


def _failed(m: Shown) -> str:
    if m.interrupted and m.error is None:
        return "Stopped before a sample was finished: no figures."
    rows = events(m, "cold")
    builds = sum(row["status"] == "compiled" for row in rows)
    return f"Failed. {failed_reason(m)} Until then: {plural(builds, 'build')}. A failed run gives no figures."


def _built(m: Shown) -> str:
    compiled = median(m, "compiled")
    if compiled is None:
        return "What was compiled could not be seen."
    if compiled == 0:
        return _nothing(m)
    work, header = figure(m, "build_ms"), figure(m, "header_ms")
    said = plural(compiled, "build")
    if work.median is not None:
        said += f", {time_text(work.median)}"
        if header.median:
            said += f" (and {time_text(header.median)} for the one-off precompiled header)"
    else:
        said += f", {time_text(median(m, 'cold_module_ms'))}"
        if header.median is None:
            said += " (a precompiled header, if one was made, included)"
    return f"{said}{_spared(m)}."


def _nothing(m: Shown) -> str:
    cached = median(m, "cached") or 0
    rows = events(m, "cold")
    errors = sum(row["status"] == "error" for row in rows)
    setup = sum(row["status"] == "compiled" and row["phase"] == "setup" for row in rows)
    if errors:
        return f"Nothing was compiled: {plural(errors, 'build')} failed."
    if setup:
        return f"Nothing was compiled, but for {plural(setup, 'build')} in the setup code."
    if cached:
        return f"Nothing was compiled: {plural(cached, 'module')} came from a cache."
    return "Nothing was compiled: no Warp module was built or loaded."


def _spared(m: Shown) -> str:
    """Return the clause on redundant work; empty when nothing has looked for it."""
    if m.checked.empty and m.findings.empty:
        return ""
    redundant = [row for row in findings(m) if row["kind"] == "redundant"]
    spared = median(m, "avoidable_ms")
    if spared:
        thrown = len({name for row in redundant if row["rule"] in _THROWS_AWAY for name in row["events"] or ()})
        were = "was" if thrown == 1 else "were"
        builds = f"{plural(thrown, 'build')} {were} thrown away: " if thrown else ""
        return f"; {builds}{time_text(spared)} could be spared"
    if redundant:
        return f"; {plural(len(redundant), 'finding')} of redundant work"
    return "; no redundant builds"


def _wrong(m: Shown) -> str:
    wrong: list[Row] = [row for row in findings(m) if row["kind"] == "wrong"]
    if not wrong:
        return ""
    if len(wrong) == 1:
        return "1 finding says that the program does not do what its text says."
    return f"{len(wrong)} findings say that the program does not do what its text says."


def _waited(m: Shown) -> str:
    if not median(m, "compiled"):
        return ""
    waited = figure(m, "compile_elapsed_ms")
    if waited.median is None:
        return f"How long that made the code wait is not known: {wait_unknown(m)}."
    if rehearsed(m) is not None:
        return f"Making them took {time_text(waited.median)} from first to last; loading them on a device comes on top."
    if waited.median <= 0:
        return "Waited no longer than on the warm run."
    return f"Waited {time_text(waited.median)} longer than on the warm run."
