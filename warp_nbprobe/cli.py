"""The command ``warp-nbprobe``: translates words into calls of ``api`` and prints what comes back.

Exit status: 0; 1 when the measured code failed or a limit was exceeded; 2 for a misuse; 130 when it was stopped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warp_nbprobe import __version__
from warp_nbprobe.ask.options import COMMAND, COMPARE, MEASURE, Option, fail_on, options_help, suggestion
from warp_nbprobe.ask.words import Parsed, Word, parse
from warp_nbprobe.errors import NBProbeError, RehearsalError, ReportError, TooManyBuilds, UsageError

if TYPE_CHECKING:
    from warp_nbprobe.ask.request import Request
    from warp_nbprobe.front.screen import Screen
    from warp_nbprobe.measurement import Measurement

_HTML = Option("html", ("--html",), "write the report as a page of its own", str, "FILE")
_TRACE = Option("trace_file", ("--trace",), "write a trace that Perfetto opens (.json or .json.gz)", str, "FILE")
_MARKDOWN = Option("md", ("--md",), "print Markdown, for a comment on a pull request", default=False)
_JUNIT = Option("junit", ("--junit",), "write what failed, and which limit was exceeded, as JUnit's XML", str, "FILE")
_FAIL_ON = Option(
    "fail_on",
    ("--fail-on",),
    "leave with status 1 for these verdicts (spaces as hyphens), or more-built",
    fail_on,
    "A,B",
    ("invalid", "regressed"),
)
_SAMPLES = next(option for option in MEASURE if option.key == "samples")
_DEMO_PAGE = "warp_nbprobe-demo.html"


@dataclass(frozen=True, slots=True)
class _Command:
    """One command: what it is called with, what it says it does, what does it."""

    words: str
    help: str
    options: tuple[Option, ...]
    run: Callable[[Parsed], int]
    mixed: bool = True  # options may stand after other words


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with ``arguments``, those of the process by default; return the exit status."""
    try:
        status = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        # Who read the output has gone (`| head`). The interpreter's own flush at its end must find somewhere to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _run(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(_overview())
        return 0 if words else 2
    if words[0] in ("-V", "--version"):
        print(f"warp_nbprobe {__version__}")
        return 0
    name, *rest = words
    try:
        if name not in _COMMANDS:
            raise UsageError(f"There is no command {name!r}.{suggestion(name, _COMMANDS)}")
        own = rest[: rest.index("--")] if "--" in rest else rest
        if "-h" in own or "--help" in own:
            print(_help(name))
            return 0
        command = _COMMANDS[name]
        given = [Word(word, 0) for word in rest]
        return command.run(parse(given, command.options, what=f"warp-nbprobe {name}", mixed=command.mixed))
    except NBProbeError as error:
        print(f"warp-nbprobe: {error}", file=sys.stderr)
        if isinstance(error, RehearsalError) and error.run is None:  # no such architecture: nothing was started
            return 2
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
    print(f"\nThe report as a page: {_written(parsed['html'] or _DEMO_PAGE, measurement.to_html)}")
    return 1 if measurement.failed else 0


def _measure(parsed: Parsed) -> int:
    from warp_nbprobe import api
    from warp_nbprobe.ask.commands import command_request
    from warp_nbprobe.front.screen import NoScreen, TerminalScreen
    from warp_nbprobe.relay import StreamRelay

    if not parsed.rest:
        raise UsageError("warp-nbprobe measure needs a command after its options: `-- python sim.py`.")
    values = {key: value for key, value in parsed.values.items() if key not in ("save", "junit", "html")}
    request = command_request([word.text for word in parsed.rest], {**values, "env": dict(parsed["env"])})
    screen = NoScreen() if request.quiet else TerminalScreen(StreamRelay())
    excess: NBProbeError | None = None
    try:
        measurement = api.measure_request(request, screen)
    except TooManyBuilds as error:
        measurement, excess = error.measurement, error
    except (NBProbeError, KeyboardInterrupt) as error:
        if getattr(error, "measurement", None) is not None:
            _keep(error.measurement, request, parsed, screen)  # type: ignore[union-attr]
        raise
    _keep(measurement, request, parsed, screen)
    if excess is not None:
        print(f"warp-nbprobe: {excess}", file=sys.stderr)
    return 1 if excess is not None or measurement.error is not None else 0


def _keep(measurement: Measurement, request: Request, parsed: Parsed, screen: Screen) -> None:
    """Show a measurement and write the files asked for; the last line says it in one."""
    from warp_nbprobe.limits import excesses
    from warp_nbprobe.views.headline import one_line
    from warp_nbprobe.views.junit import measure_junit

    screen.report(measurement)
    if parsed["save"]:
        _written(parsed["save"], measurement.save)
    if parsed["html"]:
        _written(parsed["html"], measurement.to_html)
    if parsed["junit"]:
        found = {name: None if error is None else str(error) for name, error in excesses(measurement, request).items()}
        text = measure_junit(measurement, found)
        _written(parsed["junit"], lambda path: Path(path).write_text(text, encoding="utf-8"))
    print(f"warp-nbprobe: {one_line(measurement)}")


def _compare(parsed: Parsed) -> int:
    from warp_nbprobe import api
    from warp_nbprobe.views.compare_html import compare_page
    from warp_nbprobe.views.compare_outcome import compare_junit, compare_markdown, failed_checks
    from warp_nbprobe.views.compare_text import compare_line, compare_text

    if len(parsed.rest) != 2:
        raise UsageError("warp-nbprobe compare needs two report files: the baseline, then the candidate.")
    baseline, candidate = (word.text for word in parsed.rest)
    comparison = api.compare(baseline, candidate, rtol=parsed["rtol"], atol=parsed["atol"])
    print(compare_markdown(comparison) if parsed["md"] else compare_text(comparison))
    if parsed["junit"]:
        _written_text(parsed["junit"], compare_junit(comparison, parsed["fail_on"]))
    if parsed["html"]:
        _written_text(parsed["html"], compare_page(comparison))
    failed = failed_checks(comparison, parsed["fail_on"])
    if not parsed["md"]:
        print(f"\nwarp-nbprobe: {compare_line(comparison)}")
    for said in failed:
        print(f"warp-nbprobe: {said}", file=sys.stderr)
    return 1 if failed else 0


def _show(parsed: Parsed) -> int:
    from warp_nbprobe import api
    from warp_nbprobe.views.markdown import report_markdown
    from warp_nbprobe.views.text import report_text

    if len(parsed.rest) != 1:
        raise UsageError("warp-nbprobe show needs the name of one report file.")
    measurement = api.load(parsed.rest[0].text)
    print(report_markdown(measurement) if parsed["md"] else report_text(measurement))
    said = sys.stderr if parsed["md"] else sys.stdout
    if parsed["html"]:
        print(f"\nThe report as a page: {_written(parsed['html'], measurement.to_html)}", file=said)
    if parsed["trace_file"]:
        print(f"\nThe trace: {_written(parsed['trace_file'], measurement.to_trace)}", file=said)
    return 0


def _written(name: str, write: Callable[[str], object]) -> Path:
    """Write a file and return where it is.

    Raises:
        UsageError: It cannot be written.
    """
    path = Path(name).expanduser()
    try:
        write(str(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from None
    return path.resolve()


def _written_text(name: str, text: str) -> Path:
    return _written(name, lambda path: Path(path).write_text(text, encoding="utf-8"))


def _no_words(parsed: Parsed, name: str) -> None:
    if parsed.rest:
        raise UsageError(f"warp-nbprobe {name}: {parsed.rest[0].text!r} is not expected.")


_COMMANDS = {
    "demo": _Command(
        "[options]", "measure the bundled example and write its report as a page", (_SAMPLES, _HTML), _demo
    ),
    "measure": _Command(
        "[options] -- COMMAND",
        "measure a command with all its processes",
        (*COMMAND, _JUNIT, _HTML),
        _measure,
        mixed=False,
    ),
    "compare": _Command(
        "A B [options]",
        "compare two saved reports",
        (_FAIL_ON, *COMPARE, _JUNIT, _HTML, _MARKDOWN),
        _compare,
    ),
    "show": _Command("FILE [options]", "print a saved report", (_HTML, _TRACE, _MARKDOWN), _show),
}


def _overview() -> str:
    rows = [f"    warp-nbprobe {name:7} {command.words:20} {command.help}" for name, command in _COMMANDS.items()]
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
