"""A rehearsal that cannot be: what the child says of it, and what the host makes of that."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from warp_nbprobe.data.records import parse_wire
from warp_nbprobe.errors import RehearsalError
from warp_nbprobe.run.deaths import refusal
from warp_nbprobe.run.rehearse import child_environment, rehearsal_arguments

_CHILD = Path(__file__).parents[2] / "warp_nbprobe" / "child"


def guest(name: str) -> ModuleType:
    """Return one of the child's files as the launcher loads it."""
    module = ModuleType(f"_warp_nbprobe_{name}")
    exec(compile((_CHILD / f"{name}.py").read_text("utf-8"), f"{name}.py", "exec"), module.__dict__)
    return module


class Probe:
    """What the rehearsal needs of the probe to say that it cannot be."""

    def __init__(self) -> None:
        self.after_attach: list[Any] = []
        self.fatal: tuple[type[BaseException], ...] = ()
        self._own_codes: set[str] = set()
        self.lines: list[dict[str, Any]] = []

    def _clock(self) -> int:
        return 1

    def _write(self, kind: str, **fields: Any) -> None:
        self.lines.append({"kind": kind, **fields})


def test_a_warp_that_cannot_build_without_a_driver_names_the_first_that_can() -> None:
    probe, rehearsal = Probe(), guest("rehearsal")
    rehearsal.install(probe, "sm_90", False, [guest("rehearsal_builds"), guest("rehearsal_answers")])
    old = SimpleNamespace(config=SimpleNamespace(version="1.12.1"))

    with pytest.raises(RuntimeError, match=r"Warp 1\.12\.1 cannot build .* 1\.13 is the first") as error:
        probe.after_attach[0](old, SimpleNamespace())

    assert isinstance(error.value, probe.fatal)
    (line,) = probe.lines
    found = refusal([parse_wire([line])], None, "python")
    assert isinstance(found, RehearsalError)
    assert found.arch == "sm_90"
    assert "1.13 is the first" in str(found)


def test_a_run_without_an_error_of_its_own_is_not_refused() -> None:
    wire = parse_wire([{"kind": "rehearsal", "t": 1, "archs": ["sm_90"]}])

    assert refusal([wire], None, "python") is None


def test_a_child_is_told_what_to_rehearse_and_sees_no_gpu() -> None:
    told = child_environment(("sm_90", "sm_80"), only=True, trace=False, isolate=False)

    assert told["WARP_NBPROBE_REHEARSE"] == "sm_90,sm_80"
    assert told["CUDA_VISIBLE_DEVICES"] == ""
    assert child_environment((), only=False, trace=False, isolate=False) == {}
    texts, archs, only = rehearsal_arguments(told)
    assert (archs, only) == ("sm_90,sm_80", "1")
    assert len(texts) == 3  # type: ignore[arg-type]
    assert rehearsal_arguments({}) == []
