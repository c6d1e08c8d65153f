"""Cells are followed as the notebook has them, and a place is a line of the cell that was run."""

from __future__ import annotations

import pytest

from tests.child.running import launched, run
from warp_nbprobe.data.records import Wire

pytestmark = pytest.mark.warp

CELLS = [
    "import warp as wp\nwp.config.use_precompiled_headers = False\nx = wp.zeros(4, dtype=float, device='cpu')",
    "@wp.kernel\ndef fill(a: wp.array(dtype=float)):\n    a[wp.tid()] = 1.0",
    "\nwp.launch(fill, dim=4, inputs=[x])",
    "\nwp.launch(fill, dim=4, inputs=[x])",
    "# a comment\nget_ipython().run_cell('wp.launch(fill, dim=2, inputs=[x])')",
    "# a comment\n%time y = wp.launch(fill, dim=3, inputs=[x])",
    "%%time\nwp.launch(fill, dim=1, inputs=[x])",
    "def here():\n    wp.launch(fill, dim=4, inputs=[x])",
    "here()\n1 / 0",
    "\n%%capture\n\nwp.launch(fill, dim=4, inputs=[x])",
    "get_ipython().run_cell('wp.' + 'launch(fill, dim=4, inputs=[x])')",
    "this is no Python",
]

PROGRAM = """
    import __main__, sys
    from IPython.core.interactiveshell import InteractiveShell
    from ipykernel.compiler import XCachingCompiler

    probe = sys.nbp_probe
    InteractiveShell.compiler_class = XCachingCompiler
    shell = InteractiveShell.instance(user_module=__main__, colors="NoColor")
    shell.history_manager.enabled = False
    request = {}
    probe.attach_ipython(shell, lambda: request)
    shell.run_cell("silent = 1", silent=True)
    for ordinal, cell in enumerate(CELLS):
        request["warp_nbprobe"] = {"cell": ordinal, "number": ordinal + 5, "first_line": 2, "phase": "main"}
        shell.run_cell(cell, store_history=True)
"""


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Wire:
    program = PROGRAM.replace("CELLS", repr(CELLS))
    ran = run(tmp_path_factory.mktemp("cells"), program, before="import sys; sys.nbp_probe = probe")
    assert ran.code == 0, ran.error
    assert ran.wire.troubles == ()
    return ran.wire


def test_each_cell_begins_and_ends_once(wire: Wire) -> None:
    begun = [begin for begin, _ in wire.cells]
    ended = [end for _, end in wire.cells]

    assert [begin.cell for begin in begun] == list(range(len(CELLS)))
    assert [begin.source for begin in begun] == CELLS
    assert [(begin.number, begin.first_line) for begin in begun] == [(5 + cell, 2) for cell in range(len(CELLS))]
    names = [end.ename if end is not None else "no end" for end in ended]
    assert {cell: name for cell, name in enumerate(names) if name} == {8: "ZeroDivisionError", 11: "SyntaxError"}


def test_cells_say_how_many_launches_there_were(wire: Wire) -> None:
    counts = [(begin.launches, end.launches if end is not None else None) for begin, end in wire.cells]

    assert counts == [(0, 0), (0, 0), (0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 5), (5, 6), (6, 7), (7, 8), (8, 8)]


def test_the_probes_time_only_grows(wire: Wire) -> None:
    times = [moment.probe_ns for pair in wire.cells for moment in pair if moment is not None]

    assert times == sorted(times, key=lambda ns: ns or 0)
    for begin, end in wire.cells:
        assert end is not None
        assert (end.probe_ns or 0) - (begin.probe_ns or 0) <= end.t - begin.t


@pytest.mark.parametrize(
    ("position", "cell", "line"),
    [(0, 2, 2), (1, 3, 2), (2, 4, 2), (3, 5, 2), (4, 6, 2), (5, 7, 2), (6, 9, 4), (7, 10, 1)],
    ids=[
        "cell",
        "same text again",
        "text run by a cell",
        "%time",
        "%%time",
        "function of an earlier cell",
        "%%capture",
        "text of no cell",
    ],
)
def test_a_launch_has_the_line_of_its_cell(wire: Wire, position: int, cell: int, line: int) -> None:
    place = launched(wire)[position].place

    assert place is not None
    assert (place.cell, place.line, place.user) == (cell, line, True)


def test_a_kernel_is_defined_in_its_cell(wire: Wire) -> None:
    (define,) = wire.defines

    assert define.defined is not None
    assert (define.defined.cell, define.defined.line) == (1, 1)
