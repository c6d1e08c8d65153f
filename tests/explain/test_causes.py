"""Why an event came about, on wires of a few lines."""

from __future__ import annotations

from tests.explain.wire_builder import WireBuilder, constant, recording, run
from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.explain.diagnose import EventCause, explain_events


def causes_of(*runs: Run, kind: str = "cold") -> list[EventCause]:
    found = explain_events(recording(*runs))
    return [found[key] for key in sorted(found) if key[1] == kind]


def one_process() -> WireBuilder:
    wire = WireBuilder()
    wire.cell("import warp as wp")
    return wire


def test_the_first_build_of_a_module_has_no_detail() -> None:
    wire = one_process()
    wire.event([wire.kernel("f")])

    (cause,) = causes_of(run(wire))

    assert cause == EventCause("first", ("first",), None, None)


def test_an_added_kernel_is_named_with_its_line() -> None:
    wire = one_process()
    f = wire.kernel("f")
    wire.event([f])
    wire.cell()
    wire.event([f, wire.kernel("g", line=4)])

    _, second = causes_of(run(wire))

    assert second.causes == ("kernel_added",)
    assert second.detail == "Kernel `g` (cell 2, line 4) was added."
    assert second.place is not None
    assert (second.place.cell, second.place.line) == (1, 4)


def test_the_nearest_earlier_build_is_compared_with_not_the_last() -> None:
    wire = one_process()
    f, g, h = (wire.kernel(name) for name in "fgh")
    wire.event([f])
    wire.event([f], options={"fast_math": "True", "mode": "debug"})
    wire.event([f, g, h], options={"fast_math": "True", "mode": "debug"})
    wire.event([f, g])

    *_, last = causes_of(run(wire))

    assert last.causes == ("kernel_added",)
    assert last.detail == "Kernel `g` (cell 1, line 1) was added."


def test_between_equally_near_builds_the_latest_one_of_the_same_target_counts() -> None:
    wire = one_process()
    f, g = wire.kernel("f"), wire.kernel("g")
    wire.event([f], block_dim=1)
    wire.event([f, g, wire.kernel("h")], block_dim=1)
    wire.event([f, g], block_dim=1)

    *_, last = causes_of(run(wire))

    assert last.causes == ("kernel_removed",)


def test_nothing_but_the_block_dimension() -> None:
    wire = one_process()
    f = wire.kernel("f")
    wire.event([f], block_dim=64)
    wire.event([f], block_dim=128, line=3)

    _, second = causes_of(run(wire))

    assert second.causes == ("block_dim",)
    assert second.detail == "The same kernels were built for block dimension 128; they had been built for 64."
    assert second.place is not None
    assert second.place.line == 3


def test_static_values_that_go_with_the_block_dimension_are_no_cause_of_their_own() -> None:
    wire = one_process()
    kid = 7
    wire.event([wire.kernel("f", kid=kid, statics={"len(t)": constant("64")})], block_dim=64)
    wire.event([wire.kernel("f", kid=kid, statics={"len(t)": constant("128")})], block_dim=128)

    _, second = causes_of(run(wire))

    assert second.causes == ("block_dim",)


def test_another_block_dimension_beside_a_new_kernel_is_no_cause() -> None:
    wire = one_process()
    f = wire.kernel("f")
    wire.event([f], block_dim=64)
    wire.event([f, wire.kernel("g")], block_dim=128)

    _, second = causes_of(run(wire))

    assert second.causes == ("kernel_added",)


def test_nothing_but_the_device() -> None:
    wire = one_process()
    f = wire.kernel("f")
    wire.event([f], device="cpu", block_dim=1)
    wire.event([f], device="cuda:0", block_dim=256)

    _, second = causes_of(run(wire))

    assert second.causes == ("device",)
    assert second.detail == "The same kernels were built for cuda:0; they had been built for cpu."


def test_a_kernel_of_one_name_with_another_source_changed() -> None:
    wire = one_process()
    wire.event([wire.kernel("f", "def f(a): a[0] = 1")])
    wire.cell()
    wire.event([wire.kernel("f", "def f(a): a[0] = 2", line=2)])

    _, second = causes_of(run(wire))

    assert second.causes == ("kernel_changed",)
    assert second.detail == "Kernel `f` changed: its own source (cell 2, line 2)."


def test_a_comment_is_told_from_a_change() -> None:
    wire = one_process()
    wire.event([wire.kernel("f", "def f(a):\n    a[0] = 1")])
    wire.event([wire.kernel("f", "def f(a):\n    # one\n\n    a[0] = 1")])

    _, second = causes_of(run(wire))

    assert second.causes == ("kernel_changed",)
    assert "only comments or blank lines of its own source" in (second.detail or "")


def test_a_rebound_constant_is_blamed_on_its_last_assignment() -> None:
    wire = WireBuilder()
    wire.cell("dt = 0.1\nfor dt in (0.2, 0.3):\n    pass")
    kid = 5
    wire.event([wire.kernel("f", kid=kid, constants={"dt": constant("0.1")})])
    wire.cell("x = 1\nx, dt = 2, 0.5")
    wire.cell("wp.launch(f)")
    wire.event([wire.kernel("f", kid=kid, constants={"dt": constant("0.5")})], line=1)

    _, second = causes_of(run(wire))

    assert second.detail == "Kernel `f` changed: global `dt` went from 0.1 to 0.5 (cell 2, line 2)."


def test_a_constant_without_any_assignment_is_blamed_on_the_kernel_and_said_to_be() -> None:
    wire = one_process()
    wire.event([wire.kernel("f", kid=5, constants={"dt": constant("0.1")})])
    wire.event([wire.kernel("f", kid=5, constants={"dt": constant("0.5")})])

    _, second = causes_of(run(wire))

    assert second.detail is not None
    assert second.detail.endswith("(cell 1, line 1, where the kernel stands; no assignment was found).")


def test_one_changed_constant_of_many_kernels_is_told_once() -> None:
    wire = one_process()
    names = [f"k{number}" for number in range(7)]
    old = [wire.kernel(name, kid=n + 1, constants={"dt": constant("1.0")}) for n, name in enumerate(names)]
    new = [wire.kernel(name, kid=n + 1, constants={"dt": constant("2.0")}) for n, name in enumerate(names)]
    wire.event(old)
    wire.event(new)

    _, second = causes_of(run(wire))

    assert second.detail is not None
    assert second.detail.startswith(
        "Kernels `k0`, `k1`, `k2`, `k3` and 3 more changed: global `dt` went from 1.0 to 2.0"
    )
    assert second.detail.count("changed") == 1


def test_the_innermost_function_that_changed_is_named() -> None:
    wire = one_process()

    def kernel_over(body: str) -> int:
        inner = wire.function("inner", f"def inner(x): return {body}")
        middle = wire.function("middle", "def middle(x): return inner(x)", functions=[inner])
        outer = wire.function("outer", "def outer(x): return middle(x)", functions=[middle])
        return wire.kernel("f", kid=3, functions=[outer])

    wire.event([kernel_over("x + 1")])
    wire.event([kernel_over("x + 2")])

    _, second = causes_of(run(wire))

    assert second.detail == "Kernel `f` changed: function `inner`, which it calls (cell 1, line 1)."


def test_a_name_that_stands_for_another_function_is_told_as_a_call() -> None:
    wire = one_process()
    wire.event([wire.kernel("f", kid=3, functions=[wire.function("plus")])])
    wire.event([wire.kernel("f", kid=3, functions=[wire.function("minus")])])

    _, second = causes_of(run(wire))

    assert second.causes == ("kernel_changed",)
    assert "it now calls minus instead of plus" in (second.detail or "")


def test_functions_that_call_each_other_end() -> None:
    wire = one_process()
    first = wire.function("even")
    second = wire.function("odd", functions=[first])
    even = next(line for line in wire.lines if line["kind"] == "function" and line["name"] == "even")
    even["overloads"][0]["functions"] = [second]
    wire.event([wire.kernel("f", functions=[second])])

    (cause,) = causes_of(run(wire))

    assert cause.cause == "first"


def test_a_new_version_beside_the_old_one_is_kept() -> None:
    wire = one_process()
    old = wire.kernel("f", "def f(a): a[0] = 1")
    wire.event([old])
    new = wire.kernel("f", "def f(a): a[0] = 2")
    wire.event([old, new], holders={str(old): ["Out[2]"]})

    _, second = causes_of(run(wire))

    assert second.causes == ("kernel_kept",)
    assert "so 2 versions are built: held by Out[2]." in (second.detail or "")


def test_branches_of_a_factory_are_no_versions_of_each_other() -> None:
    wire = one_process()
    one = wire.kernel("make.<locals>.f", "def f(a): a[0] = 1", line=3)
    wire.event([one])
    wire.event([one, wire.kernel("make.<locals>.f", "def f(a): a[0] = 2", line=7)])

    _, second = causes_of(run(wire))

    assert second.causes == ("kernel_added",)


def test_a_specialisation_of_one_source_is_added_with_its_captured_value() -> None:
    wire = one_process()
    text = "def f(a): a[0] = n"
    given = [{"captured": {"n": n}, "constants": {"n": constant(n, origin="closure")}} for n in ("1", "2")]
    first, second = (wire.kernel("make.<locals>.f", text, **each) for each in given)
    wire.event([first])
    wire.event([first, second])

    _, cause = causes_of(run(wire))

    assert cause.causes == ("kernel_added",)
    assert "was added with n = 2 (besides 1)" in (cause.detail or "")


def test_new_types_of_a_generic_kernel_that_was_there() -> None:
    wire = one_process()
    single = wire.kernel("f", parent=1, args=[["a", "array(float32)"]])
    double = wire.kernel("f", parent=1, args=[["a", "array(float64)"]])
    wire.event([single])
    wire.event([single, double])

    _, second = causes_of(run(wire))

    assert second.causes == ("overload_added",)
    assert "Kernel `f` was used with new types (a: array(float64))" in (second.detail or "")


def test_a_generic_kernel_defined_after_the_build_is_an_added_kernel() -> None:
    wire = one_process()
    g = wire.kernel("g")
    wire.event([g])
    instance = wire.kernel("f", parent=1)
    wire.define(instance)
    wire.event([g, instance])

    _, second = causes_of(run(wire))

    assert second.causes == ("kernel_added",)


def test_a_generic_kernel_defined_before_the_build_gets_an_overload() -> None:
    wire = one_process()
    g, instance = wire.kernel("g"), wire.kernel("f", parent=1)
    wire.define(instance)
    wire.event([g])
    wire.event([g, instance])

    _, second = causes_of(run(wire))

    assert second.causes == ("overload_added",)


def test_several_causes_stand_in_the_order_of_the_table() -> None:
    wire = one_process()
    f, gone = wire.kernel("f"), wire.kernel("gone")
    wire.event([f, gone])
    wire.assign("fast_math", "False", "True", what="option", module="__main__", line=6)
    wire.event([f, wire.kernel("g")], options={"fast_math": "True"})

    _, second = causes_of(run(wire))

    assert second.causes == ("kernel_added", "kernel_removed", "option_changed")
    assert second.cause == "kernel_added"
    assert "Option `fast_math` went from None to True (cell 1, line 6)." in (second.detail or "")


def test_the_last_assignment_of_an_option_is_blamed_and_not_warps_own() -> None:
    wire = one_process()
    f = wire.kernel("f")
    wire.event([f])
    wire.assign("mode", "release", "debug", line=2)
    wire.assign("mode", "debug", "release", line=3)
    wire.assign("mode", "release", "debug", line=4)
    wire.event([f], options={"mode": "debug"})
    wire.assign("mode", "debug", "release", line=8)

    _, second = causes_of(run(wire))

    assert second.place is not None
    assert second.place.line == 4


def test_the_same_again_is_a_miss_with_its_reason() -> None:
    wire = one_process()
    f = wire.kernel("f")
    wire.event([f])
    wire.add("call", t=wire.tick(), name="clear_kernel_cache", place=wire.place(5))
    wire.event([f])

    _, second = causes_of(run(wire))

    assert second.causes == ("cache_miss",)
    assert "wp.clear_kernel_cache() was called before it at cell 1, line 5." in (second.detail or "")
    assert second.place is not None
    assert second.place.line == 5


def test_a_load_of_what_the_process_had_already_is_a_reload() -> None:
    wire = one_process()
    one, two = wire.kernel("f", "def f(a): a[0] = 1"), wire.kernel("f", "def f(a): a[0] = 2")
    wire.event([one])
    wire.event([two])
    wire.event([one], status="cached")

    *_, last = causes_of(run(wire))

    assert last.causes == ("reload",)
    assert "`f` went back to what it had been" in (last.detail or "")


def test_what_another_process_built_is_new_to_this_one() -> None:
    main, other = one_process(), WireBuilder(pid=200, now=500 * 1_000_000)
    main.event([main.kernel("f")])
    other.event([other.kernel("f", defined=main.place(1))], status="cached", line=None)

    first, second = causes_of(run(main, other))

    assert (first.cause, second.cause) == ("first", "first")


def test_another_process_that_compiles_the_same_missed_the_cache() -> None:
    main, other = one_process(), WireBuilder(pid=200, now=50 * 1_000_000)
    main.event([main.kernel("f")], ms=400.0)
    other.event([other.kernel("f", defined=main.place(1))], line=None)

    _, second = causes_of(run(main, other))

    assert second.causes == ("cache_miss",)
    assert "process 100 was building the same at that time" in (second.detail or "")


def test_another_process_with_another_content_is_not_compared_with_this_one() -> None:
    main, other = one_process(), WireBuilder(pid=200, now=900 * 1_000_000)
    main.event([main.kernel("f", "def f(a): a[0] = 1")])
    other.event([other.kernel("f", "def f(a): a[0] = 2", defined=main.place(1))], line=None)

    _, second = causes_of(run(main, other))

    assert second.causes == ("first",)


def test_a_failed_build_counts_as_an_earlier_one() -> None:
    wire = one_process()
    good = wire.kernel("good")
    wire.event([good, wire.kernel("bad", "def bad(a): no()")], status="error", error={"type": "E", "message": "no"})
    wire.event([good, wire.kernel("bad", "def bad(a): pass")])

    _, second = causes_of(run(wire))

    assert second.causes == ("kernel_changed",)


def test_an_error_raised_again_is_a_replay() -> None:
    wire = one_process()
    bad = wire.kernel("bad", line=3)
    error = {"type": "E", "message": "no", "kernel": "bad", "defined": wire.place(3)}
    wire.event([bad], status="error", error=error)
    wire.event([bad], status="error", replayed=True, error=error)

    _, second = causes_of(run(wire))

    assert second.causes == ("error_replayed",)
    assert "kernel `bad` (cell 1, line 3) had failed before" in (second.detail or "")


def test_a_second_build_ahead_of_time_is_skipped() -> None:
    wire = one_process()
    f = wire.kernel("f")
    for status in ("compiled", "cached"):
        wire.event([f], status=status, aot=True, device="sm_90", call="compile_aot_module")

    _, second = causes_of(run(wire))

    assert second.causes == ("aot_skipped",)


def _pair(cold: WireBuilder, warm: WireBuilder) -> Recording:
    return recording(run(cold), run(warm, kind="warm"))


def test_what_a_warm_run_compiles_is_explained_against_the_cold_run() -> None:
    cold, warm = one_process(), one_process()
    cold.event([cold.kernel("f", constants={"t": constant("1.0")})])
    warm.event([warm.kernel("f", constants={"t": constant("2.0")})])

    causes = explain_events(_pair(cold, warm))

    assert causes[1, "warm", 0].causes == ("kernel_changed",)
    assert "global `t` went from 1.0 to 2.0" in (causes[1, "warm", 0].detail or "")


def test_every_first_load_of_a_warm_run_is_first() -> None:
    cold, warm = one_process(), one_process()
    for wire, status in ((cold, "compiled"), (warm, "cached")):
        f = wire.kernel("f")
        wire.event([f], status=status)
        wire.event([f, wire.kernel("g")], status=status)

    causes = explain_events(_pair(cold, warm))

    assert [causes[1, "warm", seq].cause for seq in (0, 1)] == ["first", "first"]


def test_an_error_of_a_warm_run_is_explained_within_it() -> None:
    cold, warm = one_process(), one_process()
    cold.event([cold.kernel("f")])
    warm.event([warm.kernel("bad")], status="error", error={"type": "E", "message": "no"})

    causes = explain_events(_pair(cold, warm))

    assert causes[1, "warm", 0].cause == "first"


def test_builds_of_which_only_the_hash_is_known_are_not_explained() -> None:
    wire = one_process()
    for found in ("aaaaaaa", "bbbbbbb"):
        wire.event(hash=found, inputs=None, source="log")

    _, second = causes_of(run(wire))

    assert second.causes == ("unknown",)
    assert "hash aaaaaaa before, bbbbbbb now" in (second.detail or "")


def test_one_hash_for_another_block_dimension_needs_no_inputs() -> None:
    wire = one_process()
    for block_dim in (64, 128):
        wire.event(hash="aaaaaaa", inputs=None, block_dim=block_dim, source="log")

    _, second = causes_of(run(wire))

    assert second.causes == ("block_dim",)


def test_a_hash_that_differs_over_equal_inputs_is_unknown() -> None:
    wire = one_process()
    f = wire.kernel("f")
    wire.event([f])
    wire.event([f], hash="0" * 64)

    _, second = causes_of(run(wire))

    assert second.causes == ("unknown",)


def test_samples_are_explained_apart() -> None:
    wires = [one_process(), one_process()]
    for wire in wires:
        wire.event([wire.kernel("f")])

    causes = explain_events(recording(run(wires[0]), run(wires[1], sample=2)))

    assert {key: cause.cause for key, cause in causes.items()} == {(1, "cold", 0): "first", (2, "cold", 0): "first"}
