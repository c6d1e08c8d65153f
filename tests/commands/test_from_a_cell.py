"""Programs that a measured cell starts: recorded like the cell itself, over the same caches."""

from __future__ import annotations

import sys

import pytest

import warp_nbprobe as nb
from tests.commands.commands import PROGRAMS, builds
from tests.run.children import run_once

pytestmark = [pytest.mark.warp, pytest.mark.kernel]

_CELLS = {
    "a shell line": f"!{sys.executable} one.py",
    "subprocess": "import subprocess, sys; print(subprocess.check_output([sys.executable, 'one.py'], text=True))",
    "a cell magic": f"%%bash\n{sys.executable} one.py",
    "a run in between": f"import os; os.system('true'); get_ipython().system('{sys.executable} one.py')",
}


@pytest.mark.parametrize("how", _CELLS)
def test_a_program_that_a_cell_starts_has_a_wire_of_its_own(how: str) -> None:
    run = run_once(_CELLS[how], cwd=PROGRAMS)

    assert run.failure is None
    kernel, program = run.wires
    assert kernel.pid == run.pid
    assert kernel.warp is None
    assert builds(program) == [("kernels", "compiled")]
    assert not any(wire.truncated or wire.troubles for wire in run.wires)


def test_workers_that_a_cell_forks_have_wires_of_their_own() -> None:
    run = run_once(
        "import multiprocessing as mp\nfrom kernels import total\ntotal(1)",
        "pool = mp.get_context('fork').Pool(1)\nprint(pool.map(total, [4, 5]))\npool.close()\npool.join()",
        cwd=PROGRAMS,
    )

    assert run.failure is None
    kernel, worker = run.wires
    assert builds(kernel) == [("kernels", "compiled")]
    assert (len(kernel.order), len(worker.order)) == (1, 2)
    assert worker.header is not None
    assert worker.header.cell == 1
    assert not worker.truncated


def test_what_a_cell_s_programs_build_counts_as_the_cell_s() -> None:
    measurement = nb.measure(
        f"from kernels import total\n!{sys.executable} one.py\ntotal(2)", samples=1, cwd=PROGRAMS, quiet=True
    )

    assert measurement.error is None
    cold = measurement.modules[measurement.modules["run"] == "cold"]
    assert list(cold["status"]) == ["compiled", "cached"]
    assert cold["pid"].nunique() == 2
    assert list(cold["location"]) == ["kernels.py:15", "kernels.py:15"]
    assert measurement.summary.loc["identities", "median"] == 1
    assert measurement.summary.loc["launches", "median"] == 2
    assert set(measurement.modules.loc[measurement.modules["run"] == "warm", "status"]) == {"cached"}


def test_a_program_of_the_setup_code_is_setup() -> None:
    measurement = nb.measure("1", setup=f"!{sys.executable} one.py", samples=1, cwd=PROGRAMS, quiet=True)

    assert set(measurement.modules["phase"]) == {"setup"}
    assert set(measurement.launches["phase"]) == {"setup"}
    assert measurement.summary.loc["compiled", "median"] == 0


def test_the_kernel_itself_does_not_see_the_hook() -> None:
    run = run_once(
        "import sys, os\n"
        "assert not any('nbp-' in entry for entry in sys.path), sys.path\n"
        "assert 'sitecustomize' not in sys.modules or 'nbp-' not in sys.modules['sitecustomize'].__file__\n"
        "assert [type(each).__name__ for each in sys.meta_path].count('_Waiting') == 0\n"
        "assert os.environ['PYTHONPATH'].count('nbp-') == 1"
    )

    assert run.failure is None
