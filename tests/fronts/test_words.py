"""Reading option words: what is accepted, and the one line that answers what is not."""

from __future__ import annotations

import pytest

from warp_nbprobe.ask.options import LINE, MEASURE
from warp_nbprobe.ask.words import no_more_words, parse, split_line
from warp_nbprobe.errors import UsageError


def read(line: str, options=MEASURE, what: str = "%%warp_cold"):
    return parse(split_line(line), options, what=what)


def test_options_that_are_not_given_have_their_defaults() -> None:
    parsed = read("")

    assert parsed["samples"] == 3
    assert parsed["timeout"] == 900.0
    assert parsed["push"] == []
    assert parsed["quiet"] is False
    assert parsed.given == frozenset()


@pytest.mark.parametrize("line", ["-n 5", "-n5", "--samples 5", "--samples=5"])
def test_a_value_may_follow_in_every_usual_way(line: str) -> None:
    assert read(line)["samples"] == 5


def test_quotes_hold_a_value_together() -> None:
    parsed = read("""--label "two words" --env 'A=b c' --env D="e f" """)

    assert parsed["label"] == "two words"
    assert parsed["env"] == [("A", "b c"), ("D", "e f")]


def test_a_value_may_hold_an_equals_sign_and_be_empty() -> None:
    assert read("--env A=b=c")["env"] == [("A", "b=c")]
    assert read("--label=")["label"] == ""


def test_repeated_and_listed_names_are_collected() -> None:
    assert read("--push a,b --push c")["push"] == ["a", "b", "c"]


def test_what_follows_the_options_is_left_exactly_as_it_stands() -> None:
    line = """-n 1  f("a  b", 'it''s', x - 1)  # don't touch"""

    assert read(line, LINE).tail(line) == """f("a  b", 'it''s', x - 1)  # don't touch"""


def test_a_negative_number_begins_a_statement() -> None:
    line = "-1 + x"

    assert read(line, LINE).tail(line) == line


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--sampels 3", "%%warp_cold has no option --sampels. Did you mean --samples?"),
        ("--fail-on-rebuilds", "%%warp_cold has no option --fail-on-rebuilds. Did you mean --fail-on-rebuild?"),
        ("--zzz", "%%warp_cold has no option --zzz."),
        ("-n", "%%warp_cold: -n, --samples N needs a value after it."),
        ("-n three", "%%warp_cold: -n, --samples N needs a whole number, not 'three'."),
        ("--timeout soon", "%%warp_cold: --timeout S needs a number of seconds, not 'soon'."),
        ("-o 2x", "%%warp_cold: -o, --out NAME needs a Python name, not '2x'."),
        ("--env A", "%%warp_cold: --env K=V needs NAME=VALUE, not 'A'."),
        ("-q=1", "%%warp_cold: --quiet takes no value, but was given '1'."),
    ],
)
def test_a_wrong_option_gets_one_line_with_the_nearest_right_one(line: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        read(line)

    assert str(error.value) == said


def test_words_on_the_line_of_a_cell_are_refused() -> None:
    with pytest.raises(UsageError, match=r"'base' is no option\. The code goes below\."):
        no_more_words(read("base"), "%%warp_cold", "The code goes below.")
