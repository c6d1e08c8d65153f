"""docs/rules.md explains every rule, and each has a program with its wires that raises it, or a test by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.explain.program_wires import NAMES, WIRES, expected, recorded
from warp_nbprobe.explain.diagnose import diagnose
from warp_nbprobe.explain.rules import RULES

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"
SECTIONS = dict(re.findall(r"(?ms)^### `(\w+)`\n(.*?)(?=^##|\Z)", PAGE.read_text(encoding="utf-8")))
BY_HAND = {"concurrent_cpu_load", "serial_builds"}  # need an old Warp, a GPU


def test_the_page_has_a_section_for_every_rule_and_no_other() -> None:
    assert list(SECTIONS) != []
    assert set(SECTIONS) == {rule.name for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_section_says_what_it_means_with_an_example_and_what_to_do(rule: object) -> None:
    section = SECTIONS[rule.name]  # type: ignore[attr-defined]

    assert "```python\n" in section
    assert "**What to do.**" in section
    assert "CS-" not in section


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_recordings_that_a_section_names_raise_its_rule(rule: object) -> None:
    name = rule.name  # type: ignore[attr-defined]
    if name in BY_HAND:
        assert "Written by hand" in SECTIONS[name]
        return
    raised, _, clean = SECTIONS[name].partition("Recorded: ")[2].partition("clean:")
    positive, negative = re.findall(r"`(\w+)`", raised), re.findall(r"`(\w+)`", clean)

    assert positive
    for program in positive:
        assert name in {finding.rule for finding in diagnose(recorded(program)).findings}, program
    for program in negative:
        assert name not in {finding.rule for finding in diagnose(recorded(program)).findings}, program


@pytest.mark.parametrize("name", NAMES)
def test_every_program_has_its_wires(name: str) -> None:
    assert sorted(folder.name for folder in (WIRES / name).iterdir()) == ["cold", "warm"]
    assert expected(name).events or expected(name).rules or expected(name).also
