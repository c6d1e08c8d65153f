"""What a child puts out reaches the relay complete and in order, as in any notebook."""

from __future__ import annotations

import itertools

import pytest

from tests.run.children import Seen, run_once
from warp_nbprobe.data.model import Cell

pytestmark = pytest.mark.kernel


def test_output_comes_in_order(seen: Seen) -> None:
    run = run_once(
        "from IPython.display import display, clear_output\n"
        "import os, sys\n"
        "print('a')\ndisplay('b')\nprint('c', flush=True)\nprint('d', file=sys.stderr, flush=True)\n"
        "clear_output(wait=True)\nhandle = display('e', display_id='mine')\nhandle.update('f')\n'g'",
        relay=seen,
    )
    assert run.failure is None
    assert [(kind, c.get("text") or c.get("data", {}).get("text/plain")) for kind, c in seen.messages] == [
        ("stream", "a\n"),
        ("display_data", "'b'"),
        ("stream", "c\n"),
        ("stream", "d\n"),
        ("clear_output", None),
        ("display_data", "'e'"),
        ("update_display_data", "'f'"),
        ("execute_result", "'g'"),
    ]
    ids = [c["transient"].get("display_id") for kind, c in seen.messages if kind.endswith("display_data")]
    assert ids == [None, "mine", "mine"]


def test_everything_that_works_in_a_notebook_cell_works(seen: Seen) -> None:
    run = run_once(
        "import asyncio, os\nawait asyncio.sleep(0)\nos.write(1, b'from the file descriptor\\n')\n",
        "!echo from the shell",
        "%%bash\necho from bash",
        "%%time\nprint('timed')",
        "%%capture caught\nprint('not seen')",
        "len(caught.stdout)",
        relay=seen,
    )
    assert run.failure is None
    for text in ("from the file descriptor\n", "from the shell", "from bash\n", "timed\n", "Wall time"):
        assert text in seen.text()
    assert "not seen" not in seen.text()
    assert seen.plain("execute_result")[-1] == "9"


def test_pictures_and_the_text_of_widgets_arrive(seen: Seen) -> None:
    run = run_once(
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nNone",
        "import ipywidgets\nipywidgets.IntSlider(value=3)",
        relay=seen,
    )
    assert run.failure is None
    assert any("image/png" in c.get("data", {}) for _, c in seen.messages)
    assert "IntSlider" in seen.plain("display_data", "execute_result")[-1]
    assert not any("widget-view" in kind for _, c in seen.messages for kind in c.get("data", {}))


def test_help_that_a_cell_asks_for_arrives(seen: Seen) -> None:
    run_once("len?", relay=seen)
    ((kind, payload),) = seen.messages
    assert kind == "page"
    assert "number of items" in payload["data"]["text/plain"]


def test_many_displays_all_arrive(seen: Seen) -> None:
    run = run_once("from IPython.display import display\nfor n in range(20_000): display(n)", relay=seen)
    assert run.failure is None
    assert seen.plain("display_data") == [str(n) for n in range(20_000)]


def test_many_flushed_lines_all_arrive(seen: Seen) -> None:
    run_once("for n in range(20_000): print(n, flush=True)", relay=seen)
    assert seen.text() == "".join(f"{n}\n" for n in range(20_000))


@pytest.mark.parametrize("megabytes", [10, 100])
def test_a_lot_of_text_arrives_whole(seen: Seen, megabytes: int) -> None:
    lines = megabytes * 10_000
    run = run_once(f"for n in range({lines}): print(f'{{n:099d}}')", relay=seen)
    assert run.failure is None
    text = seen.text()
    assert len(text) == lines * 100
    assert all(line == f"{n:099d}" for n, line in enumerate(text.splitlines()))


def test_a_relay_slower_than_the_child_loses_nothing() -> None:
    class Slow(Seen):
        counter = itertools.count()

        def message(self, kind: str, content: dict[str, object]) -> None:
            if next(self.counter) % 100 == 0:
                sum(range(200_000))
            super().message(kind, content)

    slow = Slow()
    run_once("for n in range(5_000): print(n, flush=True)", relay=slow)
    assert slow.text() == "".join(f"{n}\n" for n in range(5_000))


def test_output_past_the_cap_is_cut_with_a_note_and_the_run_goes_on(seen: Seen) -> None:
    run = run_once("for n in range(2_000): print('x' * 999, flush=True)", "1", relay=seen, cap_bytes=500_000)
    assert run.failure is None
    assert len(seen.text()) < 500_000
    assert "the output after the first 0.5 MB is not shown" in seen.text("stderr")


def test_a_silent_run_runs_all_the_same() -> None:
    run = run_once("for n in range(3_000): print(n, flush=True)", relay=None)
    assert run.failure is None


def test_a_thread_that_prints_after_its_cell_is_heard(seen: Seen) -> None:
    run_once(
        "import threading, time\n"
        "thread = threading.Thread(target=lambda: (time.sleep(0.2), print('late')))\nthread.start()",
        "thread.join()",
        relay=seen,
    )
    assert seen.text() == "late\n"


def test_what_the_program_does_at_exit_is_done(tmp_path) -> None:  # type: ignore[no-untyped-def]
    run = run_once(f"import atexit\natexit.register(lambda: open({str(tmp_path / 'left')!r}, 'w').close())")
    assert run.failure is None
    assert (tmp_path / "left").exists()


def test_nothing_of_ours_is_in_the_users_namespace(seen: Seen) -> None:
    run_once("print(sorted(name for name in globals() if not name.startswith('_')))", relay=seen)
    assert seen.text() == "['In', 'Out', 'exit', 'get_ipython', 'open', 'quit']\n"


def test_the_child_looks_like_a_kernel_that_jupyter_started(seen: Seen) -> None:
    run_once(
        "import sys, os\n"
        "print(type(get_ipython()).__name__)\n"
        "print(os.path.basename(sys.argv[0]), sys.argv[1])\n"
        "print([path for path in sys.path if 'warp_nbprobe' in path])\n"
        "print(__name__, sys.modules['__main__'] is sys.modules[__name__])\n"
        "print([name for name in sys.modules if 'nbprobe' in name])\n"
        "import debugpy; print(debugpy.__name__)",
        relay=seen,
    )
    assert seen.text().splitlines() == [
        "ZMQInteractiveShell",
        "ipykernel_launcher.py -f",
        "[]",
        "__main__ True",
        "[]",
        "debugpy",
    ]


def test_cells_have_the_notebooks_numbers(seen: Seen) -> None:
    run = run_once(Cell("'a'", 7), Cell("def f():\n    return 1 / 0\nf()", 12), relay=seen)
    assert seen.messages[0][1]["execution_count"] == 7
    assert run.failure is not None
    assert "In[12]" in "".join(run.failure.traceback).replace("\x1b[39m", "").replace("\x1b[32m", "")


def test_working_folder_and_environment_are_those_asked_for(seen: Seen, tmp_path) -> None:  # type: ignore[no-untyped-def]
    run_once(
        "import os\nprint(os.getcwd(), os.environ['MINE'], sep='\\n')\nimport beside",
        relay=seen,
        cwd=_with_module(tmp_path),
        env={"MINE": "yes"},
    )
    assert seen.text().splitlines() == [str(tmp_path), "yes", "imported"]


def _with_module(folder):  # type: ignore[no-untyped-def]
    (folder / "beside.py").write_text("print('imported')\n")
    return folder
