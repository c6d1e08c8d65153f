"""The magics in a real shell: what is asked for, what is shown in which order, what is bound and raised."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell

from tests.fronts.conftest import Measuring, failing, progress
from warp_nbprobe.data.model import Failure
from warp_nbprobe.errors import KernelNotFound, TooManyBuilds, UsageError
from warp_nbprobe.front.screen import Screen
from warp_nbprobe.measurement import Measurement
from warp_nbprobe.relay import own_error

Run = Callable[[InteractiveShell, str], ExecutionResult]

CELL = "import warp as wp\nx = 1\n"


def kinds(shell: InteractiveShell) -> list[str]:
    """Return what is on screen, in order: ``html``, ``widget``, ``png``, with ``(again)`` for updates."""
    seen = []
    for output in shell.display_pub.outputs:
        data = output["data"]
        kind = "widget" if any("widget" in name for name in data) else "png" if "image/png" in data else "html"
        seen.append(f"{kind} (again)" if output["update"] else kind)
    return seen


def test_the_cell_is_measured_with_the_editor_s_lines_and_number(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run
) -> None:
    run_cell(notebook, "1")
    run_cell(notebook, f"%%warp_cold\n{CELL}")

    (cell,) = measuring.request.cells
    assert (cell.source, cell.number, cell.first_line, cell.phase) == (CELL, 2, 2, "main")
    assert measuring.request.label == "cell 2"
    assert measuring.request.samples == 3


def test_options_reach_the_request(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run, tmp_path: Path
) -> None:
    run_cell(notebook, "a = 1; b = 2")
    line = f"-o base -n 5 --timeout 9 --kernel other --cwd {tmp_path} --env A=1 --env B=2 --push a,b --own pkg"
    more = "--allow-errors --keep-scratch --max-builds 4 --fail-on-rebuild"
    run_cell(notebook, f"%%warp_cold {line} {more}\n{CELL}")

    request = measuring.request
    assert (request.label, request.samples, request.timeout_s, request.kernel) == ("base", 5, 9.0, "other")
    assert (request.cwd, request.env, request.pushed) == (tmp_path, {"A": "1", "B": "2"}, ("a", "b"))
    assert (request.own, request.allow_errors, request.keep_scratch) == (("pkg",), True, True)
    assert (request.max_builds, request.fail_on_rebuild) == (4, True)


def test_the_result_is_returned_as_one_line_bound_and_shown_in_full_later(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    result = run_cell(notebook, f"%%warp_cold -o base\n{CELL}")

    assert isinstance(result.result, Measurement)
    assert notebook.user_ns["base"] is result.result
    assert notebook.user_ns["_"] is result.result
    shown = capsys.readouterr().out
    assert shown.startswith("Out[1]: base: ")
    assert shown.count("\n") <= 2

    run_cell(notebook, "base")
    data, _ = notebook.display_formatter.format(result.result)
    assert "<table" in data["text/html"]
    assert len(data["text/plain"].splitlines()) > 5


def test_outputs_come_in_the_order_of_the_interface(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run
) -> None:
    def scene(screen: Screen) -> None:
        screen.progress(progress())
        assert screen.relay is not None
        screen.relay.message("display_data", {"data": {"text/html": "the cell's own"}})
        screen.sample_done(Measurement(measuring_recording))

    from tests.data.wires_by_hand import recording
    from tests.fronts.conftest import pair

    measuring_recording = recording(*pair(1), samples=3)
    measuring.scene = scene
    run_cell(notebook, f"%%warp_cold\n{CELL}")

    # progress, the cell's own, the card; then progress taken away, the card in its place, the explorer
    assert kinds(notebook) == ["html", "html", "html", "html (again)", "html (again)", "widget"]
    outputs = notebook.display_pub.outputs
    assert outputs[1]["data"]["text/html"] == "the cell's own"
    assert outputs[2]["transient"] == outputs[4]["transient"]
    assert outputs[3]["data"] == {"text/html": "", "text/plain": ""}
    assert "text/html" not in outputs[5]["data"]


def test_progress_is_updated_in_place_and_at_most_ten_times_a_second(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("warp_nbprobe.front.screen.time.monotonic", lambda: now[0])

    def scene(screen: Screen) -> None:
        for _ in range(30):
            screen.progress(progress(elapsed_s=now[0]))
            now[0] += 0.01

    measuring.scene = scene
    run_cell(notebook, f"%%warp_cold\n{CELL}")

    assert kinds(notebook)[:4] == ["html", "html (again)", "html (again)", "html (again)"]
    assert len({str(output["transient"]) for output in notebook.display_pub.outputs[:3]}) == 1


@pytest.mark.parametrize("wait", [False, True])
def test_progress_is_shown_again_after_the_cell_cleared_its_output(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run, monkeypatch: pytest.MonkeyPatch, wait: bool
) -> None:
    now = [100.0]
    monkeypatch.setattr("warp_nbprobe.front.screen.time.monotonic", lambda: now[0])
    seen: list[Any] = []

    def scene(screen: Screen) -> None:
        assert screen.relay is not None
        screen.progress(progress())
        screen.relay.message("clear_output", {"wait": wait})
        screen.relay.message("display_data", {"data": {"text/plain": "new"}})
        now[0] += 1
        screen.progress(progress())
        seen.extend(notebook.display_pub.outputs)

    measuring.scene = scene
    run_cell(notebook, f"%%warp_cold\n{CELL}")

    assert seen[-1]["update"] is False
    assert "text/html" in seen[-1]["data"]


def test_nothing_of_ours_is_shown_when_quiet(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    result = run_cell(notebook, f"%%warp_cold -q\n{CELL}")

    assert notebook.display_pub.outputs == []
    assert measuring.request.quiet
    assert isinstance(result.result, Measurement)
    assert capsys.readouterr().out.startswith("Out[1]: cell 1: ")


def test_a_picture_and_a_file_are_made_on_demand(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run, tmp_path: Path
) -> None:
    run_cell(notebook, f"%%warp_cold --plot --save {tmp_path / 'base.json'}\n{CELL}")

    assert kinds(notebook)[-2:] == ["png", "widget"]
    loaded = run_cell(notebook, f"%warp_load {tmp_path / 'base.json'}").result
    assert list(loaded.modules["build"])[:2] == ["app [1/2]", "app [2/2]"]


def test_a_failing_cell_is_bound_and_shown_and_then_raises_as_its_own(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    measuring.runs = failing()
    run_cell(notebook, "points = 3")
    result = run_cell(notebook, f"%%warp_cold -o base\n{CELL}")

    assert type(result.error_in_exec).__name__ == "NameError"
    assert notebook.user_ns["base"].failed
    assert notebook.user_ns["_"] is notebook.user_ns["base"]
    assert kinds(notebook) == ["html"]
    out = capsys.readouterr()
    assert "the child's own traceback" in out.out
    assert "warp_nbprobe/magics.py" not in out.out
    assert "`points` was defined by cell 1 of this notebook" in out.err


def test_an_interrupted_cell_keeps_what_there_is(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run
) -> None:
    stopped = Failure("interrupted", "Stopped.", "KeyboardInterrupt", "", ("Traceback of the child",), cell=0)
    measuring.runs = failing(stopped)
    measuring.error = lambda measurement: own_error(stopped, measurement)
    result = run_cell(notebook, f"%%warp_cold -o base\n{CELL}")

    assert isinstance(result.error_in_exec, KeyboardInterrupt)
    assert isinstance(notebook.user_ns["base"], Measurement)
    assert notebook.user_ns["_"] is notebook.user_ns["base"]
    assert kinds(notebook) == ["html"]


def test_a_limit_is_raised_after_the_whole_report(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    def too_many(measurement: Measurement) -> TooManyBuilds:
        error = TooManyBuilds("Too many.", ["app [1/2]"])
        error.measurement = measurement
        return error

    measuring.error = too_many
    result = run_cell(notebook, f"%%warp_cold -o base --max-builds 1\n{CELL}")

    assert isinstance(result.error_in_exec, TooManyBuilds)
    assert kinds(notebook) == ["html", "widget"]
    assert isinstance(notebook.user_ns["base"], Measurement)
    assert capsys.readouterr().out == "TooManyBuilds: Too many.\n"


def test_our_own_errors_are_one_line(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    result = run_cell(notebook, f"%%warp_cold --sampels 3\n{CELL}")
    assert isinstance(result.error_in_exec, UsageError)
    assert capsys.readouterr().out == "UsageError: %%warp_cold has no option --sampels. Did you mean --samples?\n"

    measuring.error = lambda measurement: KernelNotFound("other", ["python3"])
    run_cell(notebook, f"%%warp_cold --kernel other\n{CELL}")
    assert capsys.readouterr().out.startswith("KernelNotFound: There is no kernel named 'other'.")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("%%warp_cold base\nx = 1", "'base' is no option. The code goes on the lines below."),
        ("%%warp_cold\n\n", "the cell is empty"),
        ("%%warp_cold --push nothing\nx = 1", "this notebook has no variable 'nothing'"),
        ("%%warp_cold --setup nothing\nx = 1", "There is no setup code 'nothing'"),
        ("%warp_cold", "needs a statement, cell numbers (3-5 8), -f FILE, -m MODULE or -- COMMAND"),
        ("%warp_cold 7", "Cell 7 has not been run in this session"),
        ("%warp_cold -f none.py", "There is no file none.py"),
        ("%warp_cold -m", "-m MODULE needs a value"),
        ("%warp_cold --", "There is no command to measure"),
        ("%warp_cold --setup x -- python a.py", "--setup is for code in a kernel, not for a command"),
        ("%warp_cold --kernel x -m a", "--kernel is for code in a kernel, not for a command; name the other"),
        ("%warp_cold -f none.ipynb", "The notebook none.ipynb cannot be read"),
        ("%warp_load", "%warp_load needs the name of one report file"),
        ("%warp_load none.json", "none.json cannot be read as a report"),
        ("%warp_setup", "the code goes on the lines below"),
        ("%warp_setup none --show", "There is no setup code 'none'"),
        ("%%warp_setup a b\nx = 1", "'b' is no option"),
        ("%%warp_setup --runhere\nx = 1", "Did you mean --run-here?"),
        ("%%warp_cold --save base.txt\nx = 1", "a file name that ends in .json or .json.gz"),
    ],
)
def test_each_misuse_is_answered_with_what_to_do(
    notebook: InteractiveShell,
    measuring: Measuring,
    run_cell: Run,
    capsys: pytest.CaptureFixture[str],
    source: str,
    said: str,
) -> None:
    run_cell(notebook, source)

    assert measuring.requests == []
    out = capsys.readouterr().out
    assert said in out
    assert out.count("\n") == 1


def test_setup_code_is_kept_shown_cleared_and_not_run_here(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run_cell(notebook, "%%warp_setup\nvalue = 1\n")
    run_cell(notebook, "%%warp_setup other\nvalue = 2\n")
    assert "value" not in notebook.user_ns

    run_cell(notebook, f"%%warp_cold\n{CELL}")
    run_cell(notebook, f"%%warp_cold --setup other\n{CELL}")
    run_cell(notebook, f"%%warp_cold --setup none\n{CELL}")
    first, second, third = (request.cells for request in measuring.requests)
    assert [(c.source, c.phase, c.name, c.number, c.first_line) for c in first[:-1]] == [
        ("value = 1\n", "setup", "default", 1, 2)
    ]
    assert second[0].source == "value = 2\n"
    assert len(third) == 1

    capsys.readouterr()
    run_cell(notebook, "%warp_setup other --show")
    assert capsys.readouterr().out == "value = 2\n\n"
    run_cell(notebook, "%warp_setup other --clear")
    assert "There is no setup code 'other'" in str(run_cell(notebook, "%warp_setup other --show").error_in_exec)


def test_setup_code_can_be_run_here_as_well(notebook: InteractiveShell, run_cell: Run) -> None:
    run_cell(notebook, "%%warp_setup --run-here\nvalue = 1\n")
    assert notebook.user_ns["value"] == 1

    result = run_cell(notebook, "%%warp_setup --run-here\n1 / 0\n")
    assert isinstance(result.error_in_exec, ZeroDivisionError)


def test_a_statement_is_measured_exactly_as_typed(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run
) -> None:
    run_cell(notebook, """%warp_cold -n 1 f("{x}  y", $z)  # why""")

    (cell,) = measuring.request.cells
    assert cell.source == """f("{x}  y", $z)  # why"""
    assert measuring.request.samples == 1


def test_cells_are_measured_by_their_numbers_each_as_its_own(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run
) -> None:
    for source in ("a = 1", "b = 2", "c = 3"):
        run_cell(notebook, source)
    run_cell(notebook, "%warp_cold 1-2 3")

    assert [(cell.number, cell.source) for cell in measuring.request.cells] == [
        (1, "a = 1"),
        (2, "b = 2"),
        (3, "c = 3"),
    ]
    assert measuring.request.label == "cells 1-2 3"


def test_a_notebook_file_is_measured_in_its_own_folder(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run, tmp_path: Path
) -> None:
    cells = [{"cell_type": "code", "source": source, "metadata": {}} for source in ("%pip install x", "a = 1")]
    path = tmp_path / "model.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    run_cell(notebook, "%%warp_setup\nvalue = 1\n")
    result = run_cell(notebook, f"%warp_cold -f {path}")

    assert [(cell.number, cell.source) for cell in measuring.request.cells] == [(2, "a = 1")]
    assert (measuring.request.cwd, measuring.request.label) == (tmp_path, "model.ipynb")
    assert result.result.notes == ("cell 1 was left out: it only installs packages",)


def test_the_history_lists_what_was_measured(notebook: InteractiveShell, measuring: Measuring, run_cell: Run) -> None:
    run_cell(notebook, f"%%warp_cold -o base\n{CELL}")
    run_cell(notebook, f"%%warp_cold --label tuned\n{CELL}")
    history = run_cell(notebook, "%warp_history").result

    assert list(history["label"]) == ["base", "tuned"]
    assert list(history["cell"]) == [1, 2]
    assert "build" in history["headline"][0]


def test_the_history_is_a_list_and_below_it_what_compares_two(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run
) -> None:
    notebook.run_line_magic("reload_ext", "warp_nbprobe")  # displays are chosen by what the shell is when they load
    run_cell(notebook, f"%%warp_cold -o base\n{CELL}")
    notebook.display_pub.outputs.clear()
    run_cell(notebook, "%warp_history")

    first, second = notebook.display_pub.outputs
    assert "Measurements of this session" in first["data"]["text/html"]
    assert "application/vnd.jupyter.widget-view+json" not in first["data"]
    assert "application/vnd.jupyter.widget-view+json" in second["data"]
    assert "text/html" not in second["data"]


def test_a_terminal_gets_the_history_as_text(
    terminal: InteractiveShell, measuring: Measuring, run_cell: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run_cell(terminal, f"%%warp_cold -o base\n{CELL}")
    capsys.readouterr()
    run_cell(terminal, "%warp_history")

    assert "base" in capsys.readouterr().out


def test_a_terminal_gets_text_alone(
    terminal: InteractiveShell, measuring: Measuring, run_cell: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run_cell(terminal, f"%%warp_cold -o base\n{CELL}")

    out = capsys.readouterr().out
    assert "base" in out
    assert "<" not in out
    assert "Out[1]: base: " in out


def test_variables_are_left_alone_but_for_the_one_named(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run
) -> None:
    run_cell(notebook, "mine = 1")
    before = {name for name in notebook.user_ns if not name.startswith("_")}
    run_cell(notebook, f"%%warp_cold -o base\n{CELL}")

    assert {name for name in notebook.user_ns if not name.startswith("_")} - before == {"base"}


def test_loading_twice_keeps_the_session_and_unloading_takes_all_away(
    notebook: InteractiveShell, measuring: Measuring, run_cell: Run
) -> None:
    run_cell(notebook, "%%warp_setup\nvalue = 1\n")
    notebook.run_line_magic("reload_ext", "warp_nbprobe")
    run_cell(notebook, f"%%warp_cold -o base\n{CELL}")
    assert len(measuring.request.cells) == 2

    notebook.run_line_magic("unload_ext", "warp_nbprobe")
    assert notebook.find_cell_magic("warp_cold") is None
    data, _ = notebook.display_formatter.format(notebook.user_ns["base"])
    assert "text/html" not in data
