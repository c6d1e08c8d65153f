"""What the README promises is there: its cell, its commands, its links, its picture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import warp_nbprobe as nb
from warp_nbprobe.cli import main

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_opens_with_a_sentence_a_picture_and_a_cell() -> None:
    parts = [part for part in README.split("\n\n") if part.strip()]

    assert parts[0].startswith("# ")
    assert parts[1].startswith("**")
    assert parts[2].startswith("![")
    assert "%load_ext warp_nbprobe" in parts[3]
    assert parts[4].startswith("```python\n%%warp_cold")


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)

    assert links
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


def test_its_commands_exist(capsys: pytest.CaptureFixture[str]) -> None:
    commands = set(re.findall(r"^(?:warp-nbprobe|python -m warp_nbprobe) (\w+)", README, re.MULTILINE))

    assert "demo" in commands
    for command in commands:
        assert main([command, "--help"]) == 0


@pytest.mark.kernel
@pytest.mark.warp
def test_its_cell_gives_the_report_it_shows() -> None:
    blocks: list[str] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    cell = next(block for block in blocks if block.startswith("%%warp_cold"))

    measurement = nb.measure(cell.partition("\n")[2], samples=1, quiet=True)

    assert list(measurement.modules.query("run == 'cold'")["status"]) == ["compiled", "compiled"]
    assert "late_kernel" in set(measurement.findings["rule"])
    assert measurement.modules["cause"][1] == "kernel_added"
