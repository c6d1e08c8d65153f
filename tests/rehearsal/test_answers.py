"""What a program hears that asks for a GPU: answers, assumptions, and one clear error for the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rehearsal.rehearse import rehearse

pytestmark = pytest.mark.warp


def test_streams_and_events_keep_the_order_of_the_program(tmp_path: Path) -> None:
    found = rehearse(
        """
        @wp.kernel
        def more(a: wp.array(dtype=float)):
            i = wp.tid()
            a[i] = a[i] + 1.0

        x = wp.zeros(4, device="cuda:0")
        first, second = wp.Stream("cuda:0"), wp.Stream("cuda:0", priority=-1)
        begun, ended = (wp.Event("cuda:0", enable_timing=True) for _ in range(2))
        first.record_event(begun)
        with wp.ScopedStream(first):
            wp.launch(more, dim=4, inputs=[x])
            wp.record_event(ended)
        second.wait_event(ended)
        second.wait_stream(first)
        wp.launch(more, dim=4, inputs=[x], stream=second)
        wp.synchronize_stream(first)
        wp.synchronize_event(ended)
        wp.synchronize_device("cuda:0")
        wp.synchronize()
        assert (x.numpy() == 2.0).all() and ended.is_complete and second.priority == -1
        assert wp.get_event_elapsed_time(begun, ended) >= 0.0
        assert wp.get_mempool_used_mem_current("cuda:0") == 0
        assert wp.get_device("cuda:0").free_memory == 0 and wp.get_device("cuda:0").total_memory > 0
        with wp.ScopedMempool("cuda:0", True):
            pass
        """,
        tmp_path,
    )

    assert found.code == 0, found.complained
    assert [one.name for one in found.wire.assumed] == [
        "get_event_elapsed_time",
        "get_mempool_used_mem_current",
        "device.free_memory",
        "device.total_memory",
    ]
    assert all(one.place is not None and one.place.user for one in found.wire.assumed)


def test_what_has_no_truthful_answer_is_refused_with_its_line(tmp_path: Path) -> None:
    found = rehearse(
        """
        x = wp.zeros(4, device="cuda:0")
        calls = {
            "array.ptr": lambda: x.ptr,
            "__cuda_array_interface__": lambda: x.__cuda_array_interface__,
            "array.ipc_handle": lambda: x.ipc_handle(),
            "__dlpack__": lambda: x.__dlpack__(),
            "wp.to_torch": lambda: wp.to_torch(x),
            "wp.to_dlpack": lambda: wp.to_dlpack(x),
            "array(ptr=...)": lambda: wp.array(ptr=4096, shape=(3,), dtype=float, device="cuda:0"),
            "Event": lambda: wp.Event("cuda:0", interprocess=True),
            "set_peer_access_enabled": lambda: wp.set_peer_access_enabled("cuda:0", "cuda:0", True),
            "Stream(cuda_stream=...)": lambda: wp.Stream("cuda:0", cuda_stream=4096),
            "Stream.cuda_stream": lambda: wp.Stream("cuda:0").cuda_stream,
            "wp.map_cuda_device": lambda: wp.map_cuda_device("other"),
        }
        for name, call in calls.items():
            try:
                call()
            except RuntimeError as error:
                line = call.__code__.co_firstlineno
                assert str(error).startswith(f"{name} in line {line} of "), (name, line, str(error))
                assert "A rehearsal has no GPU" in str(error)
            else:
                raise AssertionError(name)
        assert wp.zeros(4, device="cpu").ptr > 0
        """,
        tmp_path,
    )

    assert found.code == 0, found.complained


_FOR_A_GPU_ALONE = """
    @wp.func_native("a[0] = 1.0f; __syncthreads();")
    def native(a: wp.array(dtype=float)): ...

    @wp.kernel
    def only_cuda(a: wp.array(dtype=float)):
        i = wp.tid()
        native(a)

    x = wp.zeros(4, device="cuda:0")
    wp.launch(only_cuda, dim=4, inputs=[x])
    assert (x.numpy() == 0.0).all()
    """


def test_a_module_that_the_cpu_cannot_build_is_rehearsed_and_the_way_on_named(tmp_path: Path) -> None:
    found = rehearse(_FOR_A_GPU_ALONE, tmp_path)

    assert found.code == 1
    assert "--rehearse-only" in found.complained
    assert found.built == [("__main__", 256, "compiled")]


def test_without_execution_everything_is_built_and_recorded_and_arrays_keep_their_values(tmp_path: Path) -> None:
    found = rehearse(
        _FOR_A_GPU_ALONE
        + """
    @wp.kernel
    def square(a: wp.array(dtype=float), o: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(o, 0, a[i] * a[i])

    y = wp.ones(4, device="cuda:0", requires_grad=True)
    o = wp.zeros(1, device="cuda:0", requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=4, inputs=[y, o], block_dim=64)
    tape.backward(o)
    with wp.ScopedCapture("cuda:0") as capture:
        wp.launch(square, dim=4, inputs=[y, o], block_dim=64)
    wp.capture_launch(capture.graph)
    again = wp.ones(1, dtype=int, device="cuda:0")
    wp.capture_while(again, lambda: wp.launch(square, dim=4, inputs=[y, o], block_dim=64))
    assert o.numpy()[0] == 0.0 and (y.grad.numpy() == 0.0).all()
    """,
        tmp_path,
        only=True,
    )

    assert found.code == 0, found.complained
    assert found.built == [("__main__", 256, "compiled"), ("__main__", 64, "compiled")]
    assert found.cpu == []
    assert len(found.wire.order) == 5
    assert all(line.only for line in found.wire.rehearsals)


def test_an_architecture_that_the_compiler_does_not_know_ends_the_program(tmp_path: Path) -> None:
    found = rehearse("wp.init()", tmp_path, archs="sm_70")

    assert found.code == 1
    assert "cannot build for sm_70; its compiler knows sm_75" in found.complained
    assert [bool(line.error) for line in found.wire.rehearsals] == [True]


def test_the_compilers_own_trace_is_kept_with_the_build(tmp_path: Path) -> None:
    from warp_nbprobe.data.compiler_trace import compiler_steps

    found = rehearse(
        """
        @wp.kernel
        def more(a: wp.array(dtype=float)):
            i = wp.tid()
            a[i] = a[i] + 1.0

        wp.launch(more, dim=4, inputs=[wp.zeros(4, device="cuda:0")])
        """,
        tmp_path,
        only=True,
        trace=True,
    )

    assert found.code == 0, found.complained
    (line,) = found.wire.compiler_traces
    assert (line.module, line.device, line.block_dim) == ("__main__", "sm_90", 256)
    assert len(compiler_steps(line)) > 10
    assert (found.gpu[0].options or {})["compile_time_trace"] == "True"
