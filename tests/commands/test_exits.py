"""What a command's end says: a status, a signal, a traceback on its standard error."""

from __future__ import annotations

import pytest

from warp_nbprobe.run.exits import last_traceback, left, stopped

PLAIN = """noise
Traceback (most recent call last):
  File "a.py", line 3, in <module>
    f()
ValueError: no
"""

CHAINED = """Traceback (most recent call last):
  File "a.py", line 1, in <module>
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 3, in <module>
    raise package.errors.Bad("first line\\nsecond line")
package.errors.Bad: first line
second line
"""

TWO = f"{PLAIN}\nworker says something\n{CHAINED}"


def test_the_last_traceback_is_found_with_its_name_and_its_text() -> None:
    found = last_traceback(PLAIN)

    assert found is not None
    assert (found.ename, found.evalue) == ("ValueError", "no")
    assert found.lines[0] == "Traceback (most recent call last):"
    assert found.lines[-1] == "ValueError: no"


def test_a_traceback_keeps_those_it_came_from_and_no_other() -> None:
    found = last_traceback(TWO)

    assert found is not None
    assert (found.ename, found.evalue) == ("package.errors.Bad", "first line\nsecond line")
    assert found.lines[2] == "KeyError: 'x'"
    assert "ValueError: no" not in found.lines


@pytest.mark.parametrize("said", ["", "no traceback", "Traceback (most recent call last):", "Traceback:\nx"])
def test_where_there_is_none_none_is_found(said: str) -> None:
    assert last_traceback(said) is None or last_traceback(said).ename  # type: ignore[union-attr]


def test_status_0_is_no_failure_whatever_was_written() -> None:
    assert left(0, PLAIN, None) is None


def test_a_status_comes_with_the_error_that_the_command_showed() -> None:
    failure = left(1, PLAIN, None)

    assert failure is not None
    assert failure.message == "The command left with exit status 1; the last error it showed is ValueError: no."
    assert (failure.reason, failure.exit_code, failure.ename) == ("raised", 1, "ValueError")
    assert failure.traceback[-1] == "ValueError: no"


def test_a_status_alone_is_said_alone() -> None:
    failure = left(3, "bye", None)

    assert failure is not None
    assert failure.message == "The command left with exit status 3."
    assert failure.ename is None


def test_a_shells_word_for_a_signal_is_translated() -> None:
    failure = left(139, "", None)

    assert failure is not None
    assert failure.message == "The command left with exit status 139, as a shell says SIGSEGV."


def test_a_crash_names_the_line_of_the_commands_own_code() -> None:
    crash = (
        "Fatal Python error: Segmentation fault\n\nThread 0x1 (most recent call first):\n"
        '  File "/x/other.py", line 1 in g\n\nCurrent thread 0x2 (most recent call first):\n'
        '  File "/v/lib/python3.11/site-packages/warp/context.py", line 7 in launch\n  File "/x/sim.py", line 12 in f\n'
    )
    failure = left(-11, "", crash)

    assert failure is not None
    assert failure.message == "The command was ended by SIGSEGV in /x/sim.py:12."
    assert (failure.reason, failure.crash) == ("died", crash)


def test_a_killed_command_is_said_to_be_killed() -> None:
    failure = left(-9, "", None)

    assert failure is not None
    assert "SIGKILL" in failure.message


def test_a_command_that_was_stopped_says_where_it_was() -> None:
    said = PLAIN.replace("ValueError: no", "KeyboardInterrupt")

    assert stopped("timeout", 2.0, said, -2).traceback[-1] == "KeyboardInterrupt"
    assert stopped("timeout", 2.0, PLAIN, -2).traceback == ()
    assert stopped("interrupted", 2.0, said, -2).reason == "interrupted"
