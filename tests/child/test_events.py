"""Every build and load is an event, whatever asked for it, with all of its parts and the kernel at fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.child.running import Ran, events, line_of, run
from warp_nbprobe.data.records import Event, Wire

pytestmark = pytest.mark.warp

PARTS = ("codegen_ms", "lto_ms", "native_ms", "header_ms", "load_ms")

ASKED = """
    import os
    import warp as wp

    wp.config.use_precompiled_headers = False

    @wp.func
    def twice(v: float):
        return v * 2.0

    @wp.kernel
    def launched(a: wp.array(dtype=float)):
        a[wp.tid()] = twice(1.0)

    @wp.kernel(module="loaded")
    def loaded(a: wp.array(dtype=float)):
        a[wp.tid()] = 2.0

    @wp.kernel(module="stripped", enable_backward=False)
    def stripped(a: wp.array(dtype=float)):
        a[wp.tid()] = 3.0

    @wp.kernel(module="forced")
    def forced(a: wp.array(dtype=float)):
        for i in range(12):
            a[i] = 4.0

    @wp.kernel(module="captured")
    def captured(a: wp.array(dtype=float)):
        a[wp.tid()] = 5.0

    wp.set_module_options({"strip_hash": True}, module=wp.get_module("stripped"))
    x = wp.zeros(16, dtype=float, device="cpu")
    wp.launch(launched, dim=16, inputs=[x])  # launch
    wp.load_module(loaded.module, device="cpu", block_dim=1)  # load_module
    wp.load_module(loaded.module, device="cpu", block_dim=1)  # nothing new
    wp.force_load(device="cpu", modules=[forced.module], block_dim=1, max_workers=2)  # force_load
    wp.launch(stripped, dim=16, inputs=[x])  # strip_hash
    wp.capture_begin(device="cpu")
    wp.launch(captured, dim=16, inputs=[x])  # captured
    wp.capture_end(device="cpu")
    wp.get_suggested_block_size(launched, "cpu")
    wp.clear_kernel_cache()  # cleared
"""

AHEAD = """
    import warp as wp

    wp.config.use_precompiled_headers = False

    @wp.kernel
    def tiny(a: wp.array(dtype=float)):
        a[wp.tid()] = 1.0

    wp.compile_aot_module(tiny.module, device="cpu", module_dir="aot")  # cpu
    wp.compile_aot_module(tiny.module, arch=90, module_dir="aot")  # sm_90
    wp.compile_aot_module(tiny.module, arch=90, module_dir="aot")  # again

    @wp.func_native("does not compile;")
    def native(value: float): ...

    @wp.kernel(module="refused")
    def refused(a: wp.array(dtype=float)):
        native(a[0])

    try:
        wp.compile_aot_module(refused.module, arch=90, module_dir="aot")
    except Exception as error:
        print(type(error).__name__)
"""

FAILING = """
    import warp as wp

    wp.config.use_precompiled_headers = False
    x = wp.zeros(4, dtype=float, device="cpu")

    @wp.func
    def helper(value: float):
        return nowhere(value)

    @wp.kernel(module="one")
    def good(a: wp.array(dtype=float)):
        a[wp.tid()] = 1.0

    @wp.kernel(module="one")
    def bad(a: wp.array(dtype=float)):
        a[wp.tid()] = helper(2.0)

    @wp.func_native("does not compile;")
    def native(value: float): ...

    @wp.kernel(module="two")
    def fine(a: wp.array(dtype=float)):
        a[wp.tid()] = 2.0

    @wp.kernel(module="two")
    def refused(a: wp.array(dtype=float)):
        native(a[0])

    count = 3

    @wp.kernel(module="three")
    def unhashed(a: wp.array(dtype=float)):
        for i in range(count):
            a[i] = wp.static(1.0 / (i - 1)) + nowhere(i)

    for kernel in (good, good, bad, fine, fine, unhashed):
        try:
            wp.launch(kernel, dim=4, inputs=[x])
        except Exception as error:
            print(type(error).__name__)
"""

HEADER = """
    import warp as wp

    @wp.kernel
    def first(a: wp.array(dtype=float)):
        a[wp.tid()] = 1.0

    @wp.kernel(module="other")
    def second(a: wp.array(dtype=float)):
        a[wp.tid()] = 1.0

    x = wp.zeros(4, dtype=float, device="cpu")
    wp.launch(first, dim=4, inputs=[x])
    wp.launch(second, dim=4, inputs=[x])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("asked")


@pytest.fixture(scope="module")
def cold(folder: Path) -> Ran:
    return run(folder, ASKED.replace("wp.clear_kernel_cache()", "print()"))


@pytest.fixture(scope="module")
def warm(folder: Path, cold: Ran) -> Ran:
    assert cold.code == 0, cold.error
    return run(folder, ASKED)


def by_module(wire: Wire) -> dict[str, Event]:
    return {event.module: event for event in wire.events}


def at(program: str, event: Event, comment: str) -> bool:
    return event.place is not None and event.place.line == line_of(program, f"  # {comment}")


def test_each_way_to_build_is_an_event_with_its_call(cold: Ran) -> None:
    assert cold.wire.troubles == ()
    assert events(cold.wire) == [
        ("compiled", "launch", ("launched",)),
        ("compiled", "load_module", ("loaded",)),
        ("compiled", "force_load", ("forced",)),
        ("compiled", "launch", ("stripped",)),
        ("compiled", "launch", ("captured",)),
    ]
    comments = ("launch", "load_module", "force_load", "strip_hash", "captured")
    assert all(at(ASKED, event, comment) for event, comment in zip(cold.wire.events, comments, strict=True))


def test_an_event_has_all_parts_and_they_are_no_more_than_the_whole(cold: Ran) -> None:
    for event in cold.wire.events:
        parts = [getattr(event, name) for name in PARTS]
        assert None not in parts
        assert event.why == {}
        assert event.ms is not None
        assert event.codegen_ms is not None
        assert event.native_ms is not None
        assert event.hash_ms is not None
        assert event.codegen_ms > 0
        assert event.native_ms > 0
        assert event.hash_ms > 0
        assert sum(part for part in parts if part) - (event.header_ms or 0) <= event.ms


def test_an_event_names_what_was_built(cold: Ran) -> None:
    event = by_module(cold.wire)["__main__"]
    inputs = cold.wire.inputs[event.inputs]  # type: ignore[index]
    (kernel,) = [cold.wire.kernels[state] for state in inputs.kernels]
    (function,) = [cold.wire.functions[known] for known in kernel.functions]

    assert (kernel.name, function.name, event.device, event.block_dim) == ("launched", "twice", "cpu", 1)
    assert cold.wire.sources[kernel.source].text.startswith("@wp.kernel")  # type: ignore[index]
    assert (event.hash, event.options) == (inputs.hash, inputs.options)
    assert event.options is not None
    assert event.options["enable_backward"] == "True"
    assert event.cache_path is not None
    assert event.cache_path.endswith(".o")
    assert event.launch == 0
    (source,) = event.sources
    assert source["kernel"] == kernel.id
    assert 0 < source["adjoint_bytes"] < source["bytes"] + source["shared_bytes"] < (event.source_bytes or 0)


def test_a_kernel_without_backward_has_no_adjoint_source(cold: Ran) -> None:
    (source,) = by_module(cold.wire)["stripped"].sources

    assert source["adjoint_bytes"] == 0


def test_a_module_that_strips_its_hash_has_none(cold: Ran, warm: Ran) -> None:
    for ran in (cold, warm):
        event = by_module(ran.wire)["stripped"]
        assert (event.hash, event.strip_hash, event.kernels) == (None, True, ("stripped",))


def test_a_second_process_finds_everything_in_the_cache(warm: Ran) -> None:
    assert [event.status for event in warm.wire.events] == ["cached"] * 5
    for event in warm.wire.events:
        assert (event.codegen_ms, event.native_ms, event.header_ms, event.source_bytes) == (0, 0, 0, 0)
        assert event.load_ms is not None
        assert 0 < event.load_ms <= (event.ms or 0)


def test_calls_are_recorded_with_their_arguments_and_line(warm: Ran) -> None:
    calls = [(call.name, call.args.get("modules", call.args.get("module")), call.ok) for call in warm.wire.calls]

    assert calls == [
        ("load_module", "loaded", True),
        ("load_module", "loaded", True),
        ("force_load", "[forced]", True),
        ("get_suggested_block_size", None, True),
        ("clear_kernel_cache", None, True),
    ]
    assert warm.wire.calls[-1].place is not None
    assert warm.wire.calls[-1].place.line == line_of(ASKED, "  # cleared")


def test_a_loop_that_is_written_out_is_recorded_with_its_line(cold: Ran) -> None:
    (loop,) = cold.wire.loops

    assert (loop.kernel, loop.iterations, loop.line) == ("forced", 12, line_of(ASKED, "range(12)"))


def test_what_warp_prints_is_kept(cold: Ran) -> None:
    printed = [line.text for line in cold.wire.log if line.text.startswith("Module ")]

    assert printed == [line for line in cold.out.splitlines() if line.startswith("Module ")]
    assert len(printed) == 5


def test_a_build_in_a_worker_belongs_to_the_call_that_asked_for_it(cold: Ran) -> None:
    event = by_module(cold.wire)["forced"]

    assert event.trigger == {"call": "force_load", "kernel": None}
    assert at(ASKED, event, "force_load")


@pytest.fixture(scope="module")
def ahead(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return run(tmp_path_factory.mktemp("ahead"), AHEAD)


def test_builds_ahead_of_time_are_events_that_load_nothing(ahead: Ran) -> None:
    assert ahead.wire.troubles == ()
    found = [(event.device, event.status, event.aot, event.load_ms) for event in ahead.wire.events]
    assert found == [
        ("cpu", "compiled", True, 0.0),
        ("sm_90", "compiled", True, 0.0),
        ("sm_90", "cached", True, 0.0),
        ("sm_90", "error", True, 0.0),
    ]
    assert [event.trigger["call"] for event in ahead.wire.events] == ["compile_aot_module"] * 4
    for event, comment in zip(ahead.wire.events, ("cpu", "sm_90", "again"), strict=False):
        assert at(AHEAD, event, comment)
        assert event.kernels == ("tiny",)
        assert event.inputs is not None


def test_the_compiler_of_cuda_names_the_line_at_fault(ahead: Ran) -> None:
    error = ahead.wire.events[-1].error

    assert error is not None
    assert error["kernel"] == "refused"
    assert "does" in error["native_line"]


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Wire:
    ran = run(tmp_path_factory.mktemp("failing"), FAILING)
    assert ran.code == 0, ran.error
    assert ran.wire.troubles == ()
    return ran.wire


def test_a_failure_names_the_kernel_that_code_generation_was_in(failing: Wire) -> None:
    event, again, other = [event for event in failing.events if event.module == "one"]

    assert (event.status, event.replayed, event.trigger["kernel"]) == ("error", False, "good")
    assert event.error is not None
    assert (event.error["kernel"], event.error["type"]) == ("bad", "WarpCodegenKeyError")
    assert event.error["defined"].line == line_of(FAILING, "def bad") - 1
    for replay in (again, other):
        assert (replay.status, replay.replayed) == ("error", True)
        assert replay.error is not None
        assert (replay.error["kernel"], replay.error["message"]) == ("bad", event.error["message"])


def test_a_native_failure_names_the_kernel_whose_code_does_not_compile(failing: Wire) -> None:
    event, again = [event for event in failing.events if event.module == "two"]

    assert event.trigger["kernel"] == "fine"
    assert event.error is not None
    assert event.error["kernel"] == "refused"
    assert "use of undeclared identifier 'does'" in event.error["native_line"]
    assert again.replayed
    assert again.error is not None
    assert again.error["native_line"] == event.error["native_line"]


def test_a_module_that_cannot_be_hashed_fails_as_well(failing: Wire) -> None:
    (event,) = [event for event in failing.events if event.module == "three"]

    assert (event.status, event.hash) == ("error", None)
    assert "ms" in event.why
    assert event.error is not None
    assert event.error["kernel"] == "unhashed"


def test_the_header_is_in_the_first_build_alone(tmp_path: Path) -> None:
    first, second = run(tmp_path, HEADER).wire.events

    assert first.header_ms is not None
    assert first.native_ms is not None
    assert 0 < first.header_ms < first.native_ms
    assert second.header_ms == 0.0


def test_an_interrupted_build_is_an_error_and_the_next_one_is_whole(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        import signal
        import warp as wp

        wp.config.use_precompiled_headers = False

        @wp.kernel
        def slow(a: wp.array(dtype=float)):
            a[wp.tid()] = 1.0

        def interrupt(*_):
            raise KeyboardInterrupt

        x = wp.zeros(4, dtype=float, device="cpu")
        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        try:
            wp.launch(slow, dim=4, inputs=[x])
        except KeyboardInterrupt:
            print("interrupted")
        wp.launch(slow, dim=4, inputs=[x])
        """,
    )

    assert "interrupted" in ran.out
    stopped, whole = ran.wire.events
    assert (stopped.status, whole.status) == ("error", "compiled")
    assert stopped.error is not None
    assert stopped.error["type"] == "KeyboardInterrupt"
    assert whole.native_ms is not None
    assert whole.native_ms > 0
