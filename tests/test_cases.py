"""Whole programs, measured for real: the builds and launches that their headers list are the ones reported.

The programs lie in ``tests/programs``. ``WARP_NBPROBE_CASES`` may name a folder with more of them, whose headers
have the same lines ``mode:`` and ``run N:``. A line ``needs: warp 1.18`` names the oldest Warp that does as listed.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pandas as pd
import pytest

import warp_nbprobe as nb

PROGRAMS = Path(__file__).parent / "programs"
MORE = os.environ.get("WARP_NBPROBE_CASES")
FILES = sorted(PROGRAMS.glob("*.py")) + sorted(Path(MORE).glob("*.py") if MORE else ())

_EVENT = re.compile(r"(\S+) (?:[0-9a-f]{7} )?bd=(\d+) (compiled|cached|error) (?:\d+ms )?kernels=(\d+)")
_UNIQUE = re.compile(r"_(?:[0-9a-f]{8}|\?)$|(?<=^map_func_)[0-9a-f]{16}$")

# What the header of a case outside this repository counts otherwise, as the text of that header says.
LAUNCHES = {"42_launches_that_bypass_wp_launch": 6}

Event = tuple[str, int, str, int]


@dataclass(frozen=True)
class Expected:
    """What one run of a program is expected to do."""

    events: list[Event]
    launches: int | None


def named(module: str) -> str:
    """Return a module's name without the digits that differ between versions."""
    return _UNIQUE.sub("_?", module)


def expected(header: str) -> dict[str, Expected]:
    """Read the lines ``run 0:`` (cold) and ``run 1:`` (warm) of a program's header."""
    found = {}
    for number, text in re.findall(r"^ *run (\d): (.*)$", header, re.MULTILINE):
        events = [
            (named(module), int(block_dim), status, int(kernels))
            for module, block_dim, status, kernels in _EVENT.findall(text)
        ]
        launches = re.search(r"launches=(\d+)", text)
        found["warm" if number == "1" else "cold"] = Expected(events, int(launches[1]) if launches else None)
    return found


def seen(modules: pd.DataFrame, run: str) -> list[Event]:
    rows = modules[modules["run"] == run]
    return [(named(row.module), int(row.block_dim), str(row.status), len(row.kernels)) for row in rows.itertuples()]


def installed_warp() -> tuple[int, int]:
    major, minor, *_ = metadata.version("warp-lang").split(".")
    return int(major), int(minor)


def cells_of(source: str) -> list[str]:
    return re.split(r"(?m)^# %%.*\n", source)[1:]


@pytest.mark.kernel
@pytest.mark.warp
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_program_is_reported_as_its_header_says(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = path.read_text(encoding="utf-8")
    header = source.split('"""')[1]
    monkeypatch.setenv("CORPUS_SCRATCH", str(tmp_path))
    monkeypatch.setenv("CORPUS_RUN", "0")
    needs = re.search(r"^needs: warp (\d+)\.(\d+)", header, re.MULTILINE)
    if needs and installed_warp() < (int(needs[1]), int(needs[2])):
        pytest.skip(f"{needs[0]} or newer")
    notebook = re.search(r"^mode: nb", header, re.MULTILINE) is not None

    measurement = nb.measure(
        cells_of(source) if notebook else source,
        samples=1,
        cwd=tmp_path,
        allow_errors=notebook,
        quiet=True,
    )

    assert measurement.error is None
    runs = expected(header)
    assert runs, "the header lists no run"
    for run, expects in runs.items():
        if expects.events:
            assert sorted(seen(measurement.modules, run)) == sorted(expects.events)
    if runs["cold"].launches is not None:
        launches = LAUNCHES.get(path.stem, runs["cold"].launches)
        assert int(measurement.launch_groups["count"].sum()) == launches
    assert list(measurement.runs["truncated"]) == [False, False]
    assert list(measurement.runs["unknown_lines"]) == [0, 0]


def test_headers_are_read() -> None:
    header = """
    run 0: __main__ 023a2e9 bd=1 compiled 5430ms kernels=1; s1_72019d68 71f28e5 bd=1 error 3ms kernels=2 | launches=2
    run 1: named bd=32 cached kernels=3
    """

    assert expected(header) == {
        "cold": Expected([("__main__", 1, "compiled", 1), ("s1_?", 1, "error", 2)], 2),
        "warm": Expected([("named", 32, "cached", 3)], None),
    }
