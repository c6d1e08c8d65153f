"""Help and completion: everything that can be typed is told of."""

from __future__ import annotations

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from warp_nbprobe.ask.options import LINE, MEASURE, SETUP
from warp_nbprobe.front.completion import options_after
from warp_nbprobe.front.session import Session


def test_help_has_every_option_and_examples(terminal: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    terminal.run_cell("%%warp_cold?")

    told = capsys.readouterr().out
    for option in LINE:
        assert option.shown in told
    assert "Examples" in told
    assert "%%warp_cold -o base" in told


@pytest.mark.parametrize("name", ["warp_cold", "warp_setup", "warp_history", "warp_load"])
def test_every_magic_explains_itself(terminal: InteractiveShell, name: str) -> None:
    told = terminal.find_line_magic(name).__doc__
    assert told is not None
    assert len(told.splitlines()[0]) > 20


def test_options_complete() -> None:
    assert options_after("%%warp_cold --sa", MEASURE, Session()) == ["--samples", "--save"]
    assert options_after("%%warp_cold -o base --fail", MEASURE, Session()) == ["--fail-on-rebuild"]
    assert "--run-here" in options_after("%%warp_setup ", SETUP, Session())


def test_setup_names_complete() -> None:
    session = Session(setups={"particles": (), "data": ()})

    assert options_after("%%warp_cold --setup ", MEASURE, session) == ["data", "none", "particles"]
    assert options_after("%%warp_cold --setup pa", MEASURE, session) == ["particles"]


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("%%warp_cold --samp", "--samples"),
        ("%warp_cold -o base --keep", "--keep-scratch"),
        ("%%warp_setup --run", "--run-here"),
    ],
)
def test_the_shell_completes_them_with_tab(terminal: InteractiveShell, line: str, completed: str) -> None:
    with provisionalcompleter():
        matches = [match.text for match in terminal.Completer.completions(line, len(line))]

    assert completed in matches
