"""The options of measuring, spelled once: the magic, the functions and the command all read this table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any


def whole_number(text: str) -> int:
    """Read a whole number; raises ValueError with what was expected."""
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"a whole number, not {text!r}") from None


def seconds(text: str) -> float:
    """Read a number of seconds, with or without a trailing ``s``."""
    try:
        return float(text.removesuffix("s"))
    except ValueError:
        raise ValueError(f"a number of seconds, not {text!r}") from None


def number(text: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"a number, not {text!r}") from None


def name(text: str) -> str:
    """Read a name that Python could bind."""
    if not text.isidentifier():
        raise ValueError(f"a Python name, not {text!r}")
    return text


def words(text: str) -> tuple[str, ...]:
    """Read words divided by commas."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def names(text: str) -> tuple[str, ...]:
    """Read names divided by commas."""
    return tuple(name(word) for word in words(text))


def as_it_is(text: str) -> tuple[str, ...]:
    """Read the whole text as one item."""
    return (text,)


def report_file(text: str) -> str:
    """Read the name of a report file to write."""
    if not text.endswith((".json", ".json.gz")):
        raise ValueError(f"a file name that ends in .json or .json.gz, not {text!r}")
    return text


def assignment(text: str) -> tuple[tuple[str, str], ...]:
    """Read ``NAME=VALUE``."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ValueError(f"NAME=VALUE, not {text!r}")
    return ((key, value),)


@dataclass(frozen=True, slots=True)
class Option:
    """One option. ``read`` turns its text into a value; without ``read`` it is a switch."""

    key: str  # the keyword of nb.measure, where it has one
    flags: tuple[str, ...]
    help: str
    read: Callable[[str], Any] | None = None
    metavar: str = ""
    default: Any = None
    repeat: bool = False  # may be given several times: `read` returns items, the value is the list of all
    ends: bool = False  # what follows its value is no option of ours

    @property
    def shown(self) -> str:
        """The option as help and messages write it: ``-n, --samples N``."""
        return " ".join(part for part in (", ".join(self.flags), self.metavar) if part)


MEASURE: tuple[Option, ...] = (
    Option("out", ("-o", "--out"), "also bind the result to NAME", name, "NAME"),
    Option(
        "samples",
        ("-n", "--samples"),
        "cold and warm pairs to run; the panel is useful after the first",
        whole_number,
        "N",
        3,
    ),
    Option("label", ("--label",), "name of this measurement in compare views", str, "TEXT"),
    Option("vs", ("--vs",), "compare with an earlier measurement when done: a variable, a label, a file", str, "NAME"),
    Option(
        "setup",
        ("--setup",),
        "setup code: the name of a %%warp_setup cell, In[] numbers of cells already run (1-3), or none",
        str,
        "NAME",
    ),
    Option(
        "push",
        ("--push",),
        "send these notebook variables to the child, before the setup code",
        names,
        "A,B",
        repeat=True,
    ),
    Option(
        "check",
        ("--check",),
        "keep the value of EXPR after the cell, so that a comparison can say whether results moved; again for more",
        as_it_is,
        "EXPR",
        (),
        repeat=True,
    ),
    Option("rtol", ("--rtol",), "relative tolerance of checked values", number, "X", 0.0),
    Option("atol", ("--atol",), "absolute tolerance of checked values", number, "X", 0.0),
    Option("timeout", ("--timeout",), "limit for one run, in seconds", seconds, "S", 900.0),
    Option(
        "kernel",
        ("--kernel",),
        "kernelspec of the child: another environment, another Warp version",
        str,
        "NAME",
    ),
    Option("cwd", ("--cwd",), "folder that the child works in", str, "DIR"),
    Option("env", ("--env",), "an environment variable for the child, again for more", assignment, "K=V", repeat=True),
    Option(
        "rehearse",
        ("--rehearse",),
        "build for a CUDA architecture without a GPU (sm_90; several with commas), and run on the CPU",
        str,
        "ARCH",
    ),
    Option(
        "rehearse_only",
        ("--rehearse-only",),
        "build for it without running anything",
        default=False,
    ),
    Option(
        "own",
        ("--own",),
        "count an installed package as your own code when findings are raised",
        words,
        "PACKAGE",
        (),
        repeat=True,
    ),
    Option(
        "isolate",
        ("--isolate",),
        "redirect a cache folder that the code itself sets",
        default=False,
    ),
    Option(
        "keep_scratch",
        ("--keep-scratch",),
        "keep the private folder and say where it is",
        default=False,
    ),
    Option(
        "allow_errors",
        ("--allow-errors",),
        "for several cells: go on after a cell that raises",
        default=False,
    ),
    Option("trace", ("--trace",), "collect the trace of the CUDA compiler, for to_trace", default=False),
    Option(
        "max_builds",
        ("--max-builds",),
        "raise TooManyBuilds after the report when the cold run compiles more than N identities",
        whole_number,
        "N",
    ),
    Option(
        "fail_on_rebuild",
        ("--fail-on-rebuild",),
        "raise TooManyBuilds when it compiles a module twice for one device and block_dim",
        default=False,
    ),
    Option("plot", ("--plot",), "also display the timeline as a picture of its own", default=False),
    Option(
        "quiet",
        ("-q", "--quiet"),
        "less on screen: neither progress, nor the cell's own output, nor the panels",
        default=False,
    ),
    Option("save", ("--save",), "write the report to FILE (.json or .json.gz)", report_file, "FILE"),
)
"""In the order a person needs them."""

MAGIC_ONLY = ("out", "vs", "plot", "save")
"""Keys that are no argument of ``nb.measure``: in Python the result is a value that has these as methods."""

FILE = Option("file", ("-f", "--file"), "measure a notebook cell by cell, or a script", str, "FILE", ends=True)
MODULE = Option("module", ("-m",), "measure a module, as `python -m` runs it", str, "MODULE", ends=True)
LINE: tuple[Option, ...] = (FILE, MODULE, *MEASURE)
"""Options of the line form ``%warp_cold``."""

NOT_FOR_COMMANDS = ("setup", "push", "check", "rtol", "atol", "kernel", "allow_errors")
"""Keys of what needs a kernel; a command names its own Python and runs in no cell."""

COMMAND: tuple[Option, ...] = tuple(
    option for option in MEASURE if option.key not in (*NOT_FOR_COMMANDS, "out", "vs", "plot")
)
"""Options of ``warp-nbprobe measure``."""

FAIL_ON = (
    "invalid",
    "not-comparable",
    "unverified",
    "not-enough-evidence",
    "regressed",
    "inconclusive",
    "improved",
    "more-built",
)
"""What ``--fail-on`` may name: verdicts, and the check that holds on any machine."""


def fail_on(text: str) -> tuple[str, ...]:
    """Read verdicts and checks divided by commas."""
    found = words(text)
    for word in found:
        if word not in FAIL_ON:
            raise ValueError(f"words of {', '.join(FAIL_ON)}, not {word!r}")
    return found


COMPARE: tuple[Option, ...] = (
    Option("rtol", ("--rtol",), "relative tolerance of checked values, in place of the measurements' own", number, "X"),
    Option("atol", ("--atol",), "absolute tolerance of checked values, likewise", number, "X"),
)
"""Options of ``%warp_compare``, and with others of ``warp-nbprobe compare``."""

SETUP: tuple[Option, ...] = (
    Option("run_here", ("--run-here",), "also run the code in this notebook's own kernel", default=False),
    Option("show", ("--show",), "print the setup code stored under NAME", default=False),
    Option("clear", ("--clear",), "forget the setup code stored under NAME", default=False),
)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that a person most likely meant, or None."""
    found = get_close_matches(word, list(known), n=1, cutoff=0.5)
    return found[0] if found else None


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `` Did you mean --x?``, or nothing when no known word is near."""
    found = nearest(word, known)
    return f" Did you mean {found}?" if found else ""


def defaults(options: Sequence[Option]) -> dict[str, Any]:
    """Return the values of options of which none was given."""
    return {option.key: [] if option.repeat else option.default for option in options}


def defaults_of_measure() -> dict[str, Any]:
    """Return the keyword arguments of ``nb.measure`` at their defaults."""
    return {option.key: option.default for option in MEASURE if option.key not in MAGIC_ONLY}


def options_help(options: Sequence[Option]) -> str:
    """Return one line per option, aligned, with its default where it has one worth saying."""
    width = max(len(option.shown) for option in options)
    lines = []
    for option in options:
        default = f" (default {option.default})" if option.read and option.default not in (None, ()) else ""
        lines.append(f"    {option.shown:{width}}  {option.help}{default}")
    return "\n".join(lines)
