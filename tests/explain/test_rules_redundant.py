"""Rules of kind ``redundant`` on wires of a few lines; whole programs of these kinds are in test_programs.py."""

from __future__ import annotations

import pytest

from tests.explain.wire_builder import WireBuilder, constant, recording, run
from warp_nbprobe.explain.diagnose import Finding, diagnose


def findings(
    *wires: WireBuilder, rule: str, warm: WireBuilder | None = None, own: tuple[str, ...] = ()
) -> list[Finding]:
    runs = [run(*wires)] + ([run(warm, kind="warm")] if warm is not None else [])
    return [one for one in diagnose(recording(*runs), own=own).findings if one.rule == rule]


def notebook(source: str = "") -> WireBuilder:
    wire = WireBuilder()
    wire.cell(source)
    return wire


LIBRARY = {"file": "/opt/lib/python3.11/site-packages/their_package/kernels.py", "line": 3, "cell": None, "user": False}


def test_a_kernel_added_after_a_failed_build_alone_is_not_late() -> None:
    wire = notebook()
    bad = wire.kernel("bad", "def bad(a): no()")
    wire.event([bad], status="error", error={"type": "E", "message": "no"})
    wire.event([wire.kernel("bad", "def bad(a): pass"), wire.kernel("good")])

    assert findings(wire, rule="late_kernel") == []


def test_a_kernel_added_after_a_load_from_the_cache_is_late() -> None:
    wire = notebook()
    f = wire.kernel("f")
    wire.event([f], status="cached")
    wire.event([f, wire.kernel("g")])

    assert len(findings(wire, rule="late_kernel")) == 1


def test_a_librarys_late_kernel_is_not_the_users() -> None:
    wire = notebook()
    f, g = (wire.kernel(name, defined=LIBRARY, pymodule="their_package.kernels") for name in "fg")
    wire.event([f])
    wire.event([f, g])

    assert findings(wire, rule="late_kernel") == []
    assert len(findings(wire, rule="late_kernel", own=("their_package",))) == 1


def test_an_own_package_is_recognised_by_its_folder_too() -> None:
    wire = notebook()
    f, g = (wire.kernel(name, defined=LIBRARY, pymodule=None) for name in "fg")
    wire.event([f])
    wire.event([f, g])

    assert len(findings(wire, rule="late_kernel", own=("their-package",))) == 1


def test_an_instance_that_went_and_came_back_is_late_too() -> None:
    wire = notebook()
    single = wire.kernel("f", parent=1, args=[["a", "array(float32)"]])
    double = wire.kernel("f", parent=1, args=[["a", "array(float64)"]])
    wire.event([single, double])
    wire.event([single])
    wire.event([single, double], status="cached")

    (one,) = findings(wire, rule="late_overload")

    assert "`f` for (array(float64))" in one.what


def test_the_snippet_of_a_late_overload_has_every_instance_seen() -> None:
    wire = notebook()
    text = "@wp.kernel\ndef f(a: wp.array2d(dtype=Any), s: Any): pass"
    made = []
    for dtype in ("float32", "float64"):
        made.append(wire.kernel("f", text, parent=1, args=[["a", f"array({dtype})"], ["s", dtype]]))
        wire.event(list(made))

    (one,) = findings(wire, rule="late_overload")

    assert one.snippet == (
        "# before the first wp.launch\noverloads = [\n"
        "    wp.overload(f, [wp.array2d(dtype=wp.float32), wp.float32]),\n"
        "    wp.overload(f, [wp.array2d(dtype=wp.float64), wp.float64]),\n]"
    )


def test_options_of_a_library_that_a_library_set_are_not_the_users() -> None:
    wire = notebook()
    f = wire.kernel("f", defined=LIBRARY, module="lib")
    wire.event([f], module="lib")
    wire.assign("fast_math", "False", "True", what="option", module="lib", place=LIBRARY)
    wire.event([f], module="lib", options={"fast_math": "True"})

    assert findings(wire, rule="late_option") == []


def test_options_of_a_library_that_the_user_set_are_the_users() -> None:
    wire = notebook()
    f = wire.kernel("f", defined=LIBRARY, module="lib")
    wire.event([f], module="lib")
    wire.assign("fast_math", "False", "True", what="option", module="lib", line=3)
    wire.event([f], module="lib", options={"fast_math": "True"})

    (one,) = findings(wire, rule="late_option")

    assert one.snippet is not None
    assert 'module=wp.get_module("lib")' in one.snippet


def test_a_hidden_global_beside_another_change_is_no_shadow() -> None:
    wire = notebook()
    kid = 4
    wire.event([wire.kernel("f", kid=kid, hidden=["dt"], constants={"dt": constant("1.0"), "g": constant("9.81")})])
    wire.event([wire.kernel("f", kid=kid, hidden=["dt"], constants={"dt": constant("2.0"), "g": constant("1.62")})])

    assert findings(wire, rule="shadowed_global") == []


def test_a_global_hidden_from_a_function_is_a_shadow() -> None:
    wire = notebook("dt = 1.0\ndt = 2.0")
    kid = 4
    for value in ("1.0", "2.0"):
        helper = wire.function("helper", constants={"dt": constant(value)}, hidden=["dt"], args=[["dt", "float32"]])
        wire.event([wire.kernel("f", kid=kid, functions=[helper])])

    (one,) = findings(wire, rule="shadowed_global")

    assert "`dt`" in one.what
    assert one.cause_location == "cell 1, line 2"


def test_builds_under_two_module_names_are_duplicates() -> None:
    wire = notebook()
    for module in ("__main__", "__mp_main__"):
        wire.event([wire.kernel("f", module=module)], module=module)

    (one,) = findings(wire, rule="duplicate_builds")

    assert one.modules == ("__main__", "__mp_main__")
    assert "import it from the program" in one.fix


def test_builds_of_two_processes_are_duplicates() -> None:
    main, other = notebook(), WireBuilder(pid=200, now=60 * 1_000_000)
    main.event([main.kernel("f")])
    other.event([other.kernel("f", defined=main.place(1))], line=None)

    (one,) = findings(main, other, rule="duplicate_builds")

    assert "2 processes built it (100 and 200)" in one.what


def test_a_build_for_launches_of_another_process_is_used() -> None:
    main, other = notebook(), WireBuilder(pid=200, now=900 * 1_000_000)
    main.event([main.kernel("f")], call="force_load")
    f = other.kernel("f", defined=main.place(1))
    other.event([f], status="cached", line=None)
    other.launch(f, place=None)

    assert findings(main, other, rule="unused_build") == []


def test_a_kernel_that_is_only_captured_or_recorded_is_used() -> None:
    wire = notebook()
    f, g = wire.kernel("f"), wire.kernel("g", module="other")
    wire.event([f], call="force_load")
    wire.event([g], module="other", call="force_load")
    wire.launch(f, times=0)
    wire.launch(g)

    assert findings(wire, rule="unused_build") == []


def test_a_run_without_launches_has_no_unused_builds() -> None:
    wire = notebook()
    wire.event([wire.kernel("f")], call="force_load")

    assert findings(wire, rule="unused_build") == []


def test_builds_ahead_of_time_are_never_unused() -> None:
    wire = notebook()
    wire.event([wire.kernel("f")], call="compile_aot_module", aot=True)
    wire.launch(wire.kernel("g", module="other"))

    assert findings(wire, rule="unused_build") == []


def test_what_a_library_loads_for_itself_is_not_the_users() -> None:
    wire = notebook()
    f = wire.kernel("f", defined=LIBRARY, module="lib")
    wire.event([f], module="lib", call="load_module", place=LIBRARY)
    wire.launch(wire.kernel("g"))

    assert findings(wire, rule="unused_build") == []


def reloads(wire: WireBuilder, lines: list[int], contents: int = 2) -> None:
    states = [wire.kernel("f", f"def f(a): a[0] = {number}", line=1) for number in range(contents)]
    for state in states:
        wire.event([state])
    for position, line in enumerate(lines):
        wire.event([states[position % contents]], status="cached", line=line, load_ms=40.0)


def test_a_module_that_flips_is_loaded_again_and_again() -> None:
    wire = notebook()
    reloads(wire, [5, 5, 5])

    (one,) = findings(wire, rule="reload_thrash")

    assert one.cost_ms == 120.0
    assert diagnose(recording(run(wire))).avoidable_ms == {1: 0.0}


@pytest.mark.parametrize("lines", [[5, 5], [5, 6, 7]])
def test_few_reloads_or_reloads_of_different_lines_are_no_thrashing(lines: list[int]) -> None:
    wire = notebook()
    reloads(wire, lines)

    assert findings(wire, rule="reload_thrash") == []


def test_reloads_of_several_cells_are_no_thrashing() -> None:
    wire = notebook()
    reloads(wire, [5, 5])
    wire.cell()
    reloads(wire, [5, 5], contents=1)

    assert findings(wire, rule="reload_thrash") == []


@pytest.mark.parametrize(("count", "ms", "raised"), [(20, 50.0, True), (19, 900.0, False), (900, 49.0, False)])
def test_hashing_for_nothing_counts_from_twenty_times_and_fifty_ms_on(count: int, ms: float, raised: bool) -> None:
    wire = notebook()
    wire.event([wire.kernel("make.<locals>.f")])
    wire.add("rehash", t=wire.tick(), module="__main__", count=count, ms=ms, place=wire.place(4))

    assert bool(findings(wire, rule="rehash")) is raised


def test_a_cache_that_is_not_reused_costs_what_the_warm_run_compiles() -> None:
    cold, warm = notebook(), notebook()
    cold.event([cold.kernel("f")], ms=300.0)
    warm.assign("cache_kernels", "True", "False")
    warm.event([warm.kernel("f")], ms=280.0)

    (one,) = findings(cold, rule="cache_not_reused", warm=warm)

    assert one.cost_ms == 280.0
    assert one.share is None
    assert "wp.config.cache_kernels was set to False at cell 1, line 1" in one.what


def test_a_generic_version_that_was_not_collected_yet_is_no_miss_of_the_cache() -> None:
    cold, warm = notebook(), notebook()
    for wire, versions in ((cold, 1), (warm, 2)):
        states = [wire.kernel("f", f"def f(a): a[0] = {n}", parent=10 - n, kid=20 - n) for n in range(versions)]
        wire.event(states)

    assert findings(cold, rule="cache_not_reused", warm=warm) == []
