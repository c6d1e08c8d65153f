"""Rules of kind ``wrong`` on wires of a few lines: what raises them, and what is nearest to it and does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.explain.wire_builder import WireBuilder, constant, recording, run
from warp_nbprobe.explain.diagnose import Finding, diagnose


def findings(*wires: WireBuilder, rule: str, **options: Any) -> list[Finding]:
    diagnosis = diagnose(recording(run(*wires), **options))
    return [one for one in diagnosis.findings if one.rule == rule]


def notebook(source: str = "") -> WireBuilder:
    wire = WireBuilder()
    wire.cell(source)
    return wire


def stale(wire: WireBuilder, kernel: int, value: str = "dt", line: int = 2, how: str = "global") -> None:
    wire.add(
        "stale", t=wire.tick(), kid=wire.kid(kernel), name="f", value=value, old="0.5", new="2.0", how=how,
        place=wire.place(line), defined=wire.place(1, cell=0), launch=1,
    )  # fmt: skip


def test_a_stale_value_is_told_with_both_values_and_the_line_that_changed_it() -> None:
    wire = notebook("dt = 0.5")
    f = wire.kernel("f", constants={"dt": constant("0.5")})
    wire.event([f])
    wire.cell("dt = 2.0\nwp.launch(f)")
    stale(wire, f)

    (one,) = findings(wire, rule="stale_value")

    assert one.what.startswith(
        "The launch of kernel `f` at cell 2, line 2 still computes with `dt` = 0.5, although it was changed to 2.0 "
        "(cell 2, line 1)."
    )
    assert (one.cell, one.cell_line, one.cause_cell, one.cause_line) == (2, 2, 2, 1)
    assert one.cost_ms is None
    assert one.snippet is not None
    assert "inputs=[..., dt]" in one.snippet


def test_there_is_one_stale_finding_for_each_kernel_name_and_launch_line() -> None:
    wire = notebook("dt = 2.0")
    f = wire.kernel("f")
    wire.event([f])
    stale(wire, f, line=2)
    stale(wire, f, line=2)
    stale(wire, f, line=3)
    stale(wire, f, value="gravity", line=3)

    assert len(findings(wire, rule="stale_value")) == 3


def test_a_name_that_the_kernel_never_reads_is_not_stale() -> None:
    wire = notebook("dt = 2.0")
    f = wire.kernel("f", hidden=["dt"])
    wire.event([f])
    stale(wire, f)

    assert findings(wire, rule="stale_value") == []


def test_a_mismatch_of_the_hash_is_told_instead_of_a_stale_value() -> None:
    wire = notebook("dt = 2.0")
    f = wire.kernel("f")
    wire.event([f], mismatch=[{"kernel": "f", "name": "dt", "hashed": "0.5", "generated": "2.0"}])
    stale(wire, f)

    assert findings(wire, rule="stale_value") == []
    (one,) = findings(wire, rule="hash_mismatch")
    assert "`dt` (0.5, then 2.0)" in one.what


def test_a_mismatch_of_a_hidden_name_does_not_count() -> None:
    wire = notebook()
    f = wire.kernel("f", hidden=["dt"])
    wire.event([f], mismatch=[{"kernel": "f", "name": "dt", "hashed": "0.5", "generated": "2.0"}])

    assert findings(wire, rule="hash_mismatch") == []


def missed(wire: WireBuilder, module: str, name: str = "enable_backward", how: str = "copied") -> None:
    wire.add(
        "option_missed", t=wire.tick(), module=module, name=name, assigned="False", in_force="True", how=how,
        assignment=wire.place(1), place=wire.place(4), created=wire.place(2),
    )  # fmt: skip


def test_a_missed_option_names_the_modules_missed_and_those_reached() -> None:
    wire = notebook()
    f, g = wire.kernel("f"), wire.kernel("g", module="later")
    wire.event([f], options={"enable_backward": "True"})
    wire.event([g], module="later", options={"enable_backward": "False"})
    missed(wire, "__main__")

    (one,) = findings(wire, rule="option_never_arrived")

    assert one.modules == ("__main__",)
    assert "It reached `later`." in one.what
    assert (one.location, one.cause_location) == ("cell 1, line 4", "cell 1, line 1")


def test_options_missed_by_one_module_are_one_finding() -> None:
    wire = notebook()
    missed(wire, "one")
    missed(wire, "one", name="lineinfo")
    missed(wire, "two")

    assert [one.modules for one in findings(wire, rule="option_never_arrived")] == [("one",), ("two",)]


def test_a_module_that_came_with_warp_cannot_be_missed() -> None:
    wire = notebook()
    wire.add("module", t=wire.tick(), module="warp.utils", stock=True, copied={}, place=None)
    missed(wire, "warp.utils")

    assert findings(wire, rule="option_never_arrived") == []


def test_a_module_with_a_value_of_its_own_is_not_missed() -> None:
    wire = notebook()
    wire.assign("enable_backward", "True", "True", what="option", module="one")
    missed(wire, "one")

    assert findings(wire, rule="option_never_arrived") == []


def test_a_unique_kernel_gets_its_option_in_the_decorator() -> None:
    wire = notebook()
    f = wire.kernel("f", module="f_12345678")
    wire.define(f, unique=True)
    missed(wire, "f_12345678")

    (one,) = findings(wire, rule="option_never_arrived")

    assert one.snippet == '@wp.kernel(module="unique", module_options={"enable_backward": False})'


def failed(wire: WireBuilder, kernel: int, **given: Any) -> None:
    error = {"type": "KeyError", "message": "no such name", "kernel": "bad", "defined": wire.place(3, cell=0)}
    wire.event([kernel], status="error", error=error, trigger={"call": "launch", "kernel": "good"}, **given)


def test_a_failed_build_names_the_kernel_at_fault_and_what_it_took_down() -> None:
    wire = notebook()
    bad = wire.kernel("bad")
    failed(wire, bad, ms=30.0)
    for _ in range(13):
        wire.cell()
        failed(wire, bad, ms=0.0, replayed=True)

    (one,) = findings(wire, rule="build_failed")

    assert "Kernel `bad` (cell 1, line 3) cannot be built: no such name." in one.what
    assert "13 later launches failed (`good`)" in one.what
    assert one.cause_location == "cell 1, line 3"
    assert len(one.events) == 14


def test_an_error_of_which_the_kernel_is_not_known_says_so() -> None:
    wire = notebook()
    wire.event([wire.kernel("f")], status="error", error={"type": "Exception", "message": "error code -1"})

    (one,) = findings(wire, rule="build_failed")

    assert "which kernel is at fault is not known" in one.what


@pytest.mark.parametrize(
    ("path", "raised"),
    [("/data/cache", True), ("/scratch/nbp-00000000/tmp/x", False), ("/scratch/nbp-00000000/cache", False)],
)
def test_a_cache_folder_of_its_own_is_pinned_unless_it_is_private(path: str, raised: bool) -> None:
    wire = notebook()
    wire.assign("kernel_cache_dir", "None", f"'{path}'")

    assert bool(findings(wire, rule="cache_dir_pinned")) is raised


def test_warp_sets_its_folder_itself() -> None:
    wire = notebook()
    wire.assign("kernel_cache_dir", "None", "'/home/.cache/warp'", by_warp=True)

    assert findings(wire, rule="cache_dir_pinned") == []


def test_an_isolated_run_is_not_pinned() -> None:
    wire = notebook()
    wire.assign("kernel_cache_dir", "None", "'/data/cache'")

    assert findings(wire, rule="cache_dir_pinned", isolate=True) == []


def test_a_folder_taken_from_the_environment_is_pinned_too() -> None:
    wire = notebook()
    wire.add("runtime", t=wire.tick(), devices=[], cache_dir="/data/cache/1.19.0")

    assert len(findings(wire, rule="cache_dir_pinned")) == 1


@pytest.mark.parametrize(("version", "raised"), [("1.16.0", True), ("1.17.0", False)])
def test_loads_of_several_threads_are_unsafe_before_warp_1_17(version: str, raised: bool) -> None:
    wire = WireBuilder(version=version)
    wire.cell()
    f, g = wire.kernel("f", module="one"), wire.kernel("g", module="two")
    first = wire.event([f], module="one", thread=1, ms=500.0)
    wire.event([g], module="two", thread=2, t0=first["t0"] + 1000, t1=first["t1"])

    assert bool(findings(wire, rule="concurrent_cpu_load")) is raised


def test_code_without_a_text_is_told_with_what_to_do_instead() -> None:
    wire = notebook()
    wire.add("refused", t=wire.tick(), name="made", error="RuntimeError: no", place=wire.place(3))

    (one,) = findings(wire, rule="source_unavailable")

    assert one.location == "cell 1, line 3"
    assert "importlib" in (one.snippet or "")
