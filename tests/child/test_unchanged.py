"""The user's program is what it is without the probe: whatever it prints, returns, raises or looks at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.child import programs_ends, programs_values
from tests.child.running import Ran, run, said

pytestmark = pytest.mark.warp


def both(folder: Path, program: str, *args: str, **options: object) -> tuple[Ran, Ran]:
    """Run a program without the probe and with it, each with an empty cache."""
    bare = run(folder, program, *args, probed=False, cache=folder / "bare", **options)  # type: ignore[arg-type]
    before = "import sys; sys.nbp_probe = probe"  # for a program that runs cells
    probed = run(folder, program, *args, cache=folder / "prob", before=before, **options)  # type: ignore[arg-type]
    return bare, probed


def assert_same(bare: Ran, probed: Ran) -> None:
    assert said(probed.out.replace("/prob", "/bare")) == said(bare.out)
    assert said(probed.error.replace("/prob", "/bare")) == said(bare.error)
    assert probed.code == bare.code
    for wire in probed.wires:
        assert wire.troubles == ()


PROGRAMS = {
    "values": programs_values.VALUES,
    "libraries of Warp": programs_values.OTHERS,
    "lives": programs_values.LIVES,
    "errors": programs_ends.ERRORS,
    "processes": programs_ends.PROCESSES,
    "cells": programs_ends.CELLS,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_is_the_same(tmp_path: Path, program: str) -> None:
    bare, probed = both(tmp_path, program)

    assert bare.code == 0, bare.error
    assert_same(bare, probed)
