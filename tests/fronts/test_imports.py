"""What importing and loading the extension costs: nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {"warp", "pandas", "matplotlib", "ipywidgets", "jupyter_client"}

SHELL = """
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
before = set(sys.modules)
shell.run_line_magic("load_ext", "warp_nbprobe")
"""


def modules_after(code: str) -> set[str]:
    script = (
        f"import json, sys\nbefore = set(sys.modules)\n{code}\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


@pytest.mark.parametrize(
    "code", ["import warp_nbprobe", "from warp_nbprobe import UsageError", "import warp_nbprobe.cli"]
)
def test_the_import_loads_nothing_heavy(code: str) -> None:
    assert modules_after(code) & {*HEAVY, "IPython", "numpy", "zmq"} == set()


def test_loading_the_extension_loads_nothing_heavy() -> None:
    assert modules_after(SHELL) & HEAVY == set()


def test_setup_code_and_mistakes_need_nothing_heavy_either() -> None:
    code = SHELL + 'shell.run_cell("%%warp_setup\\nx = 1")\nshell.run_cell("%%warp_cold --wrong\\nx = 1")\n'

    assert modules_after(code) & HEAVY == set()


def test_every_public_name_is_there() -> None:
    script = "import warp_nbprobe as nb; print(all(getattr(nb, name) is not None for name in nb.__all__))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "True"


def test_an_unknown_name_is_an_attribute_error() -> None:
    import warp_nbprobe

    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = warp_nbprobe.nothing_of_that_name
