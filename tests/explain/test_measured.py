"""Programs of the kinds that change a build, measured for real: the answers are those that their headers list."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.program_wires import PROGRAMS, expected
from tests.explain.test_programs import check_events, check_findings
from tests.wire.explain.record import measure

KINDS = (
    "rerun_edited",  # redefinition in a re-run cell
    "late_nested",  # nested functions
    "closure_variants",  # kernels made in loops and factories, closures
    "function_chain",  # functions three deep
    "struct_field",  # structs
    "static_value",  # wp.static
    "generic_types",  # generics with several generic arguments
    "unique_factory",  # module="unique"
    "option_early",  # named modules
    "module_reload",  # importlib.reload
    "same_names",  # two modules with the same kernel names
    "two_reasons",  # two reasons at once
    "broken_kernel",  # a kernel that cannot be built
    "training",  # a clean program with a tape and an optimiser
)


@pytest.mark.warp
@pytest.mark.kernel
@pytest.mark.parametrize("name", KINDS)
def test_a_measured_program_gets_the_answers_of_its_header(name: str, tmp_path: Path) -> None:
    measured = measure(PROGRAMS / f"{name}.py", tmp_path)

    check_events(measured.recording, expected(name))
    check_findings(measured.diagnosis, expected(name))
