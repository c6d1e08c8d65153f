"""What text and HTML say of a comparison in the same words: verdict, figures, launches, results, builds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

from warp_nbprobe.data.model import Cell
from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.explain.launch_sides import Launch
from warp_nbprobe.views.rows import Row, rows_of
from warp_nbprobe.views.shown import Shown
from warp_nbprobe.views.units import count_text, dim_text, figure_text, hash_text, plural, time_text

MOST_REASONS: Final = 12
MOST_KINDS: Final = 8
MOST_KERNELS: Final = 20
_LONGEST_HEAD = 18

TINTS: Final = {
    "improved": "good",
    "regressed": "wrong",
    "invalid": "wrong",
    "not comparable": "redundant",
    "unverified": "redundant",
    "not enough evidence": "note",
    "inconclusive": "note",
}
"""The colour of each verdict; its word always stands beside it."""

MARKS: Final = {
    "invalid": "✗",
    "regressed": "✗",
    "improved": "✓",
    "not comparable": "≠",
    "unverified": "?",
    "not enough evidence": "?",
    "inconclusive": "≈",
}
"""The mark of each verdict, before its word."""

MAIN_FIGURES: Final = (
    "build_ms",
    "header_ms",
    "compile_elapsed_ms",
    "cold_wall_ms",
    "warm_wall_ms",
    "warm_module_ms",
    "avoidable_ms",
    "identities",
    "errors",
    "lto_artifacts",
    "launches",
)


def sides(c: Comparison) -> tuple[Shown, Shown]:
    """Return both measurements as views read them."""
    return cast(Shown, c.baseline), cast(Shown, c.candidate)


def labels(c: Comparison) -> tuple[str, str]:
    """Return what the sides are called, told apart where they are called the same."""
    ours, theirs = c.baseline.label or "baseline", c.candidate.label or "candidate"
    return (f"{ours} (baseline)", f"{theirs} (candidate)") if ours == theirs else (ours, theirs)


def heads(c: Comparison) -> tuple[str, str]:
    """Return the sides' names as headings: their labels, unless these are long."""
    found = labels(c)
    return found if max(map(len, found)) <= _LONGEST_HEAD else ("baseline", "candidate")


def title(c: Comparison) -> str:
    """Return what is compared."""
    ours, theirs = labels(c)
    return f"{theirs} against {ours}"


def verdict_line(c: Comparison) -> str:
    """Return the verdict with its reason, in one line."""
    return f"{c.verdict}: {c.reasons[0]}"


def more_reasons(c: Comparison) -> list[str]:
    """Return the other reasons, the last line saying how many are left out."""
    rest = list(c.reasons[1:])
    left = len(rest) - MOST_REASONS
    return rest if left <= 0 else [*rest[:MOST_REASONS], f"And {left} more in .reasons."]


def figure_rows(c: Comparison) -> tuple[list[Row], list[Row]]:
    """Return the figures that matter first, then the others; each row with its metric's name."""
    rows = [{"metric": str(name), **row} for name, row in zip(c.figures.index, rows_of(c.figures), strict=True)]
    first = [c.work.metric if name == "build_ms" else name for name in MAIN_FIGURES]
    by_name = {row["metric"]: row for row in rows}
    return [by_name[name] for name in first], [row for row in rows if row["metric"] not in first]


def moved_text(row: Row) -> str:
    """Return whether a figure moved, in words."""
    if row["moved"] == "inside":
        return "inside the noise" if row["delta"] else "the same"
    return str(row["moved"]) if row["moved"] else "not judged"


def delta_text(row: Row) -> str:
    """Return by how much a figure moved, with its sign."""
    if row["delta"] is None:
        return ""
    sign = "+" if row["delta"] > 0 else "−" if row["delta"] < 0 else "±"
    return f"{sign}{figure_text(abs(row['delta']), row['unit'])}"


def band_text(row: Row) -> str:
    """Return the band, nothing where there is none."""
    return "" if row["band"] is None else f"± {figure_text(row['band'], row['unit'])}"


def samples_text(row: Row) -> str:
    """Return of how many samples both figures are."""
    return f"{row['n_baseline']} / {row['n_candidate']}"


def workload_lines(c: Comparison) -> Iterator[str]:
    """Yield what there is to say of the launches, one sentence each."""
    found = c.workload
    ours, theirs = found.totals
    if found.outcome == "unknown" or not any(found.recorded):
        yield "No launches to compare: the workload is neither equal nor changed."
    elif found.outcome == "device":
        yield f"The same {plural(theirs, 'launch', 'launches')}, on other devices."
    elif found.outcome == "same":
        how = "of the same kinds" if found.by_set else "in the same order, per thread and process"
        counts = f"{count_text(ours)} and {plural(theirs, 'launch', 'launches')}"
        yield f"{counts if ours != theirs else plural(ours, 'launch', 'launches')} {how}: the workload is the same."
    else:
        yield f"{plural(ours, 'launch', 'launches')} before, {count_text(theirs)} now: the workload changed."
    parting = found.parting
    if parting is not None:
        before = launch_text(parting.baseline) if parting.baseline else "nothing more"
        now = launch_text(parting.candidate) if parting.candidate else "nothing more"
        differs = f" (other {', '.join(parting.fields)})" if parting.fields else ""
        yield f"They part at launch {count_text(parting.position)} of {parting.thread}{differs}: {before}; then {now}."
    for side, launches in zip(("baseline", "candidate"), found.only, strict=True):
        for launch in launches[:MOST_KINDS]:
            yield f"Only the {side} has {launch_text(launch)}."
        if len(launches) > MOST_KINDS:
            yield f"And {plural(len(launches) - MOST_KINDS, 'more kind')} of the {side}."


def launch_text(launch: Launch) -> str:
    """Return one launch in words."""
    row: dict[str, Any] = launch.row
    said = [launch.kernel or "a kernel", f"dim {dim_text(row['dim'])}" if row["dim"] else "", str(row["device"] or "")]
    if row["block_dim"] is not None:
        said.append(f"block_dim {row['block_dim']}")
    elif row["requested_block_dim"] is not None:
        said.append(f"block_dim {row['requested_block_dim']} asked for")
    if row["adjoint"]:
        said.append("adjoint")
    if row["kind"] not in (None, "launch"):
        said.append(row["kind"])
    where = f" at {row['location']}" if row["location"] else ""
    return ", ".join(part for part in said if part) + where


def result_text(row: Row) -> str:
    """Return how far apart a checked value is, and where."""
    said = []
    if row["largest_abs"] is not None:
        at = f" at {row['at']}" if row["at"] else ""
        said.append(f"largest difference {row['largest_abs']:.3g} ({row['largest_rel']:.2g} relative){at}")
        said.append(f"{row['baseline']} before, {row['candidate']} now")
    elif row["baseline"] is not None:
        said.append(f"{row['baseline']} before, {row['candidate']} now")
    if row["spread"] is not None:
        said.append(f"the baseline's own samples differ by up to {row['spread']:.3g}")
    if row["detail"]:
        said.append(row["detail"])
    return "; ".join(said)


def build_rows(c: Comparison) -> list[Row]:
    """Return the builds: first what differs, then what is the same."""
    rows = rows_of(c.identities)
    return [row for row in rows if row["change"] != "same"] + [row for row in rows if row["change"] == "same"]


def target_text(row: Row, side: str) -> str:
    """Return hash, device and block dimension of one side's build."""
    if row[side] is None:
        return ""
    block = row[f"{side}_block_dim"]
    return f"{hash_text(row[f'{side}_hash'])} {row[f'{side}_device'] or ''}{f' · {block}' if block is not None else ''}"


def took_text(row: Row, side: str) -> str:
    """Return how long one side's build took."""
    return "" if row[side] is None else time_text(row[f"{side}_ms"])


def why_text(row: Row) -> str:
    """Return why a build is on one side alone, or why its content changed."""
    said = [row["detail"] or ""]
    if row["baseline_bytes"] is not None and row["candidate_bytes"] is not None:
        said.append(
            f"Generated source {count_text(row['baseline_bytes'])} to {count_text(row['candidate_bytes'])} bytes."
        )
    if None not in (row["baseline_lto"], row["candidate_lto"]) and row["baseline_lto"] != row["candidate_lto"]:
        said.append(f"LTO objects made: {row['baseline_lto']} before, {row['candidate_lto']} now.")
    return " ".join(part for part in said if part)


def phase_text(row: Row) -> str:
    """Return in which run a build was made."""
    return {"setup": "setup", "cold": "cold", "warm": "warm: built again"}[row["phase"]]


def cells_text(cells: tuple[Cell, ...]) -> list[str]:
    """Return the lines of all cells, each under its name where there are several.

    Not its number: measured again, a cell has another.
    """
    lines: list[str] = []
    for at, cell in enumerate(cells, start=1):
        name = f"setup {cell.name or 'default'}" if cell.phase == "setup" else cell.name or f"cell {at}"
        lines += [f"# --- {name}"] if len(cells) > 1 else []
        lines += cell.source.rstrip("\n").split("\n")
    return lines


def figure_texts(row: Row) -> tuple[str, ...]:
    """Return one figure's words in the order of the columns: both sides, change, band, samples, moved."""
    sides = (figure_text(row[side], row["unit"]) for side in ("baseline", "candidate"))
    return (*sides, delta_text(row), band_text(row), samples_text(row), moved_text(row))
