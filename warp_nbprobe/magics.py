"""The magics: they translate what is typed into calls of ``api`` and show what comes back."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.magic import Magics, line_cell_magic, line_magic, magics_class, no_var_expand

from warp_nbprobe.ask.commands import command_request, module_command, refuse_for_command, script_command
from warp_nbprobe.ask.notebooks import read_notebook
from warp_nbprobe.ask.options import COMPARE, LINE, MAGIC_ONLY, MEASURE, SETUP
from warp_nbprobe.ask.request import Request, make_request, refuse_other_trace
from warp_nbprobe.ask.words import Parsed, no_more_words, parse, split_line
from warp_nbprobe.data.model import Cell
from warp_nbprobe.errors import NBProbeError, TooManyBuilds, UsageError
from warp_nbprobe.front import magic_help
from warp_nbprobe.front.completion import magic_completers
from warp_nbprobe.front.displays import Displays
from warp_nbprobe.front.find import find_measurement
from warp_nbprobe.front.hints import name_hint
from warp_nbprobe.front.screen import Screen, screen_for
from warp_nbprobe.front.session import History, are_cell_numbers, cells_by_number, pushed, session_of, setup_for
from warp_nbprobe.relay import own_error

if TYPE_CHECKING:
    from warp_nbprobe.explain.compare import Comparison
    from warp_nbprobe.measurement import Measurement

_COMPLETERS = "complete_command"


@contextmanager
def _told_in_one_line() -> Iterator[None]:
    """Let our own errors through as their message alone, without a traceback through our code."""
    try:
        yield
    except NBProbeError as error:
        told = f"{type(error).__name__}: {error}"
        error._render_traceback_ = lambda: [told]  # type: ignore[attr-defined]
        raise


@magics_class
class NBProbeMagics(Magics):
    """The magics of one notebook session."""

    shell: Any  # IPython types it as possibly missing; here it never is

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.session = session_of(shell)
        self.displays = Displays(shell)

    @no_var_expand
    @line_cell_magic
    def warp_cold(self, line: str, cell: str | None = None) -> Measurement | None:
        with _told_in_one_line():
            if cell is None:
                return self._measure_line(line)
            parsed = parse(split_line(line), MEASURE, what="%%warp_cold")
            no_more_words(parsed, "%%warp_cold", "The code goes on the lines below.")
            main = Cell(cell, self._number(), first_line=2, allow_error=parsed["allow_errors"])
            if not cell.strip():
                raise UsageError("%%warp_cold: the cell is empty; the code goes on the lines below.")
            return self._measure(parsed, (main,), label=f"cell {main.number}")

    @line_cell_magic
    def warp_setup(self, line: str, cell: str | None = None) -> None:
        with _told_in_one_line():
            what = "%warp_setup" if cell is None else "%%warp_setup"
            words = split_line(line)
            name = words[0].text if words and not words[0].text.startswith("-") else "default"
            parsed = parse(words[1:] if words and words[0].text == name else words, SETUP, what=what)
            no_more_words(parsed, what, "One name, then the options.")
            if cell is not None:
                self._keep_setup(name, cell, parsed)
            elif not (parsed["show"] or parsed["clear"]):
                raise UsageError(f"{what}: the code goes on the lines below `%%warp_setup`; or give --show or --clear.")
            if parsed["show"]:
                for kept in self.session.setup(name):
                    print(kept.source)
            if parsed["clear"]:
                self.session.setup(name)
                del self.session.setups[name]

    @line_magic
    def warp_history(self, line: str) -> History:
        with _told_in_one_line():
            no_more_words(parse(split_line(line), (), what="%warp_history"), "%warp_history", "It takes none.")
            return History(self.session.entries)

    @no_var_expand
    @line_magic
    def warp_load(self, line: str) -> Measurement:
        with _told_in_one_line():
            words = split_line(line)
            if len(words) != 1:
                raise UsageError("%warp_load needs the name of one report file.")
            from warp_nbprobe import api

            return api.load(words[0].text)

    @no_var_expand
    @line_magic
    def warp_compare(self, line: str) -> Comparison:
        with _told_in_one_line():
            parsed = parse(split_line(line), COMPARE, what="%warp_compare", mixed=True)
            if len(parsed.rest) != 2:
                raise UsageError("%warp_compare needs two measurements: the baseline, then the candidate.")
            from warp_nbprobe import api

            sides = [self._found(word.text, "%warp_compare") for word in parsed.rest]
            return api.compare(*sides, rtol=parsed["rtol"], atol=parsed["atol"])

    def _found(self, name: str, what: str) -> Measurement:
        return find_measurement(name, self.shell.user_ns, self.session, what=what)

    def _measure_line(self, line: str) -> Measurement | None:
        words = split_line(line)
        parsed = parse(words, LINE, what="%warp_cold")
        if parsed["file"] and Path(parsed["file"]).suffix == ".ipynb":
            return self._measure_notebook(parsed)
        if parsed.dashes or parsed["file"] or parsed["module"]:
            return self._measure_command(parsed)
        rest = parsed.tail(line)
        if not rest:
            raise UsageError("%warp_cold needs a statement, cell numbers (3-5 8), -f FILE, -m MODULE or -- COMMAND.")
        if are_cell_numbers(rest):
            main, notes = cells_by_number(rest, self._inputs(), allow_errors=parsed["allow_errors"])
            return self._measure(parsed, main, label=f"cells {rest}", notes=notes)
        number = self._number()
        return self._measure(parsed, (Cell(rest, number, allow_error=parsed["allow_errors"]),), label=f"cell {number}")

    def _measure_command(self, parsed: Parsed) -> Measurement:
        refuse_for_command(parsed.given, "%warp_cold")
        words = [word.text for word in parsed.rest]
        label = None
        if parsed["module"]:
            label, words = parsed["module"], module_command(parsed["module"], words)
        elif parsed["file"]:
            label, words = Path(parsed["file"]).name, script_command(parsed["file"], words, parsed["cwd"])
        return self._make(command_request(words, self._values(parsed), label=label), parsed)

    def _measure_notebook(self, parsed: Parsed) -> Measurement:
        path = Path(parsed["file"]).expanduser()
        more = parse(parsed.rest, MEASURE, what="%warp_cold -f")
        if more.rest:
            word = more.rest[0].text
            raise UsageError(f"%warp_cold -f: a notebook takes no arguments, but {word!r} follows its name.")
        parsed.values.update({key: more[key] for key in more.given})
        notebook = read_notebook(path, allow_errors=parsed["allow_errors"])
        if parsed["cwd"] is None:
            parsed.values["cwd"] = str(path.parent)
        return self._measure(parsed, notebook.cells, label=path.name, notes=notebook.notes, default_setup=False)

    def _measure(
        self,
        parsed: Parsed,
        main: tuple[Cell, ...],
        *,
        label: str,
        notes: Sequence[str] = (),
        default_setup: bool = True,
    ) -> Measurement:
        """Measure cells."""
        values = self._values(parsed)
        values["push"] = pushed(parsed["push"], self.shell.user_ns)
        asked = parsed["setup"] if parsed["setup"] or default_setup else "none"
        setup = setup_for(self.session, asked, self._inputs())
        return self._make(make_request(setup, main, values, label=label, notes=notes), parsed)

    def _values(self, parsed: Parsed) -> dict[str, Any]:
        """Return the keyword arguments of ``measure`` that the options stand for, but for ``push``."""
        values = {key: value for key, value in parsed.values.items() if key not in MAGIC_ONLY}
        values.update(push=None, label=parsed["label"] or parsed["out"], env=dict(parsed["env"]))
        return values

    def _make(self, request: Request, parsed: Parsed) -> Measurement:
        """Measure, show, bind, and raise what the code raised."""
        from warp_nbprobe import api

        screen = screen_for(self.shell, quiet=request.quiet)
        baseline = self._found(parsed["vs"], "--vs") if parsed["vs"] else None
        if baseline is not None:
            refuse_other_trace(request, baseline.recording.options, parsed["vs"])
        try:
            measurement = api.measure_request(request, screen)
        except (NBProbeError, KeyboardInterrupt) as error:
            found = getattr(error, "measurement", None)
            if found is not None:
                self._bind(found, parsed, raising=True)
                self._show(found, parsed, screen, finished=isinstance(error, TooManyBuilds))
            raise
        self._bind(measurement, parsed, raising=measurement.failed)
        self._show(measurement, parsed, screen, finished=not measurement.failed)
        if baseline is not None:
            screen.compared(api.compare(baseline, measurement))
        if measurement.failed:
            self._raise_own(measurement)
        self.displays.returned(measurement)
        return measurement

    def _show(self, measurement: Measurement, parsed: Parsed, screen: Screen, *, finished: bool) -> None:
        if finished:
            screen.finished(measurement, plot=parsed["plot"])
        else:
            screen.report(measurement)
        if parsed["save"]:
            measurement.save(parsed["save"])

    def _bind(self, measurement: Measurement, parsed: Parsed, *, raising: bool) -> None:
        """Bind ``-o NAME``; where an error is raised no value reaches ``Out``, so ``_`` is bound here."""
        self.session.add(measurement, self._number())
        if parsed["out"]:
            self.shell.push({parsed["out"]: measurement})
        if raising:
            self.shell.displayhook.update_user_ns(measurement)

    def _raise_own(self, measurement: Measurement) -> None:
        failure = measurement.error.run.failure if measurement.error is not None else None
        if failure is None:
            return
        if measurement.error is not None and "command" in measurement.recording.options:
            raise measurement.error from None  # the command's own traceback is on the screen already
        hint = name_hint(failure, self.shell.user_ns, self.shell.history_manager.input_hist_parsed)
        if hint:
            print(hint, file=sys.stderr)
        raise own_error(failure, measurement) from None

    def _keep_setup(self, name: str, source: str, parsed: Parsed) -> None:
        cell = Cell(source, self._number(), first_line=2, phase="setup", name=name)
        self.session.setups[name] = (cell,)
        if parsed["run_here"]:
            self.shell.run_cell(source, store_history=False).raise_error()

    def _number(self) -> int:
        """Return the number of the running cell, the same in all versions of IPython."""
        return int(self.shell.displayhook.prompt_count)

    def _inputs(self) -> Sequence[str]:
        return list(self.shell.history_manager.input_hist_raw)

    warp_cold.__doc__ = magic_help.COLD
    warp_setup.__doc__ = magic_help.SETUP_HELP
    warp_compare.__doc__ = magic_help.COMPARE_HELP
    warp_history.__doc__ = magic_help.HISTORY
    warp_load.__doc__ = magic_help.LOAD


def register(shell: Any) -> None:
    """Register magics, displays and completion with a shell, once."""
    if NBProbeMagics.__name__ in shell.magics_manager.registry:
        return
    magics = NBProbeMagics(shell)
    shell.register_magics(magics)
    magics.displays.install()
    for word, completer in magic_completers(magics.session).items():
        shell.set_hook(_COMPLETERS, completer, str_key=word)


def unregister(shell: Any) -> None:
    """Take away what ``register`` brought."""
    magics = shell.magics_manager.registry.pop(NBProbeMagics.__name__, None)
    if magics is None:
        return
    magics.displays.remove()
    for kind, names in magics.magics.items():
        for name in names:
            shell.magics_manager.magics[kind].pop(name, None)
    for word in magic_completers(magics.session):
        shell.strdispatchers[_COMPLETERS].strs.pop(word, None)
