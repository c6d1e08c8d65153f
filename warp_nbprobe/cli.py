"""The command ``warp-nbprobe``: translates words into calls of ``api`` and prints what comes back.

Exit status: 0; 1 when the measured code failed or a limit was exceeded; 2 for a misuse; 130 when it was stopped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warp_nbprobe.ask.options import MEASURE, Option, options_help, suggestion
from warp_nbprobe.ask.words import Parsed, Word, parse
from warp_nbprobe.errors import NBProbeError, ReportError, UsageError

if TYPE_CHECKING:
    from warp_nbprobe.measurement import Measurement

_HTML = Option("html", ("--html",), "write the report as a page of its own", str, "FILE")
_SAMPLES = next(option for option in MEASURE if option.key == "samples")
_DEMO_PAGE = "warp_nbprobe-demo.html"


@dataclass(frozen=True, slots=True)
class _Command:
    """One command: what it is called with, what it says it does, what does it."""

    words: str
    help: str
    options: tuple[Option, ...]
    run: Callable[[Parsed], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with ``arguments``, those of the process by default; return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] in ("-h", "--help", "help"):
        print(_overview())
        return 0 if words else 2
    name, *rest = words
    try:
        if name not in _COMMANDS:
            raise UsageError(f"There is no command {name!r}.{suggestion(name, _COMMANDS)}")
        if "-h" in rest or "--help" in rest:
            print(_help(name))
            return 0
        command = _COMMANDS[name]
        parsed = parse([Word(word, 0) for word in rest], command.options, what=f"warp-nbprobe {name}", mixed=True)
        return command.run(parsed)
    except NBProbeError as error:
        print(f"warp-nbprobe: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError | ReportError) else 1
    except KeyboardInterrupt:
        print("warp-nbprobe: stopped; nothing of it is left running.", file=sys.stderr)
        return 130


def _demo(parsed: Parsed) -> int:
    from warp_nbprobe import api
    from warp_nbprobe.demo import demo_request
    from warp_nbprobe.front.screen import TerminalScreen
    from warp_nbprobe.relay import StreamRelay

    _no_words(parsed, "demo")
    screen = TerminalScreen(StreamRelay())
    measurement = api.measure_request(demo_request(parsed["samples"]), screen)
    screen.finished(measurement, plot=False)
    _write_page(measurement, parsed["html"] or _DEMO_PAGE)
    return 1 if measurement.failed else 0


def _show(parsed: Parsed) -> int:
    from warp_nbprobe import api
    from warp_nbprobe.views.text import report_text

    if len(parsed.rest) != 1:
        raise UsageError("warp-nbprobe show needs the name of one report file.")
    measurement = api.load(parsed.rest[0].text)
    print(report_text(measurement))
    if parsed["html"]:
        _write_page(measurement, parsed["html"])
    return 0


def _write_page(measurement: Measurement, name: str) -> None:
    page = Path(name)
    try:
        measurement.to_html(page)
    except OSError as error:
        raise UsageError(f"The page {page} cannot be written: {error.strerror or error}.") from None
    print(f"\nThe report as a page: {page.resolve()}")


def _no_words(parsed: Parsed, name: str) -> None:
    if parsed.rest:
        raise UsageError(f"warp-nbprobe {name}: {parsed.rest[0].text!r} is not expected.")


_COMMANDS = {
    "demo": _Command(
        "[options]", "measure the bundled example and write its report as a page", (_SAMPLES, _HTML), _demo
    ),
    "show": _Command("FILE [options]", "print a saved report", (_HTML,), _show),
}


def _overview() -> str:
    rows = [f"    warp-nbprobe {name} {command.words:16} {command.help}" for name, command in _COMMANDS.items()]
    return "\n".join(
        [
            "Measures what NVIDIA Warp compiles when code starts cold.",
            "",
            *rows,
            "",
            "`warp-nbprobe COMMAND --help` lists its options.",
        ]
    )


def _help(name: str) -> str:
    command = _COMMANDS[name]
    return f"warp-nbprobe {name} {command.words}: {command.help}\n\n{options_help(command.options)}"
