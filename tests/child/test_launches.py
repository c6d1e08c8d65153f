"""Every launch is recorded, however it comes about, with what it was asked for and the line that asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.child.running import launched, line_of, run
from warp_nbprobe.data.records import Signature, Wire

pytestmark = pytest.mark.warp

KINDS = """
    import threading
    import numpy as np
    import warp as wp
    import warp.optim, warp.optim.linear
    from typing import Any
    from warp import launch as early

    wp.config.use_precompiled_headers = False

    @wp.kernel
    def fill(a: wp.array(dtype=float)):
        a[wp.tid()] = 1.0

    @wp.kernel
    def copy(a: wp.array(dtype=Any), b: wp.array2d(dtype=Any)):
        b[wp.tid(), 0] = a[wp.tid()]

    wp.overload(copy, [wp.array(dtype=float), wp.array2d(dtype=float)])
    @wp.kernel
    def nothing():
        pass

    wp.launch(nothing, dim=1)  # the first: Warp is not initialised
    wp.launch(nothing, dim=0)  # no threads
    x = wp.zeros(8, dtype=float, device="cpu", requires_grad=True)
    y = wp.zeros((8, 1), dtype=float, device="cpu")
    cpu = wp.get_device("cpu")
    wp.launch(fill, 8, [x])  # an int
    wp.launch(fill, dim=[2, 4], inputs=[x])  # a list
    wp.launch(fill, dim=(2, 2, 2), inputs=[x], device="cpu")  # a tuple
    wp.launch(fill, dim=np.int64(8), inputs=[x], device=cpu)  # a numpy number
    wp.launch(fill, dim=np.array([4, 2]), inputs=[x])  # a numpy array
    wp.launch(fill, dim=8, inputs=[x], block_dim=64)  # a block_dim that the CPU does not have
    early(fill, dim=7, inputs=[x])  # by an earlier name
    with wp.ScopedDevice("cpu"):
        wp.launch(fill, dim=6, inputs=[x])  # in a scope
    wp.launch(copy, dim=8, inputs=[x], outputs=[y])  # generic
    wp.launch(copy, dim=8, inputs=[x], outputs=[y])  # generic again
    wp.launch_tiled(fill, dim=[8], inputs=[x], block_dim=32)  # tiled
    wp.launch_tiled(fill, dim=8, inputs=[x], block_dim=16)  # tiled, an int
    command = wp.launch(fill, dim=8, inputs=[x], record_cmd=True)  # a command
    for _ in range(3):
        command.launch()  # replayed
    command.set_dim(4)
    command.launch()  # replayed smaller
    with wp.Tape() as tape:
        wp.launch(fill, dim=8, inputs=[x])  # taped
    tape.backward(grads={x: x})  # backward
    wp.launch(fill, dim=8, inputs=[x], adj_inputs=[x], adjoint=True)  # adjoint by hand
    with wp.ScopedCapture(device="cpu") as capture:
        wp.launch(fill, dim=8, inputs=[x])  # captured
        command.launch()  # captured command
    for _ in range(2):
        wp.capture_launch(capture.graph)  # a graph
    for number in range(3):
        wp.launch(fill, dim=8, inputs=[x])  # in a loop
    for number in range(2): wp.launch(fill, dim=8, inputs=[x]); wp.launch(fill, dim=8, inputs=[x])  # twice in a line

    def work():
        for _ in range(5):
            wp.launch(fill, dim=8, inputs=[x])  # in a thread

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
        thread.join()
    list(map(lambda n: wp.launch(fill, dim=n, inputs=[x]), [1, 2]))  # through a lambda
    threading.Thread(target=wp.launch, args=(fill,), kwargs=dict(dim=3, inputs=[x])).start()  # a thread's own target
    wp.optim.Adam([x], lr=0.1).step([x.grad])  # inside Warp
    for bad in (dict(inputs=[x, x]), dict(inputs=[x], device="nowhere"), dict(inputs=[x], block_dim="wide")):
        try:
            wp.launch(fill, dim=5, **bad)  # refused
        except Exception:
            pass
    import _thread, time
    _thread.start_new_thread(wp.launch, (fill, 9, [x]))  # without a frame
    time.sleep(0.5)
"""


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Wire:
    ran = run(tmp_path_factory.mktemp("kinds"), KINDS)
    assert ran.code == 0, ran.error
    return ran.wire


def at(wire: Wire, comment: str) -> list[Signature]:
    """Return the launches made from the line that ends in a comment."""
    line = line_of(KINDS, f"  # {comment}")
    return [made for made in launched(wire) if made.place is not None and made.place.line == line]


def only(wire: Wire, comment: str) -> Signature:
    (made,) = at(wire, comment)
    return made


def test_nothing_went_wrong_and_all_was_seen(wire: Wire) -> None:
    assert wire.troubles == ()
    assert wire.warp is not None
    assert set(wire.warp.hooks.values()) == {"ok"}
    assert wire.footer is not None
    assert wire.footer.launches == len(wire.order)


def test_the_first_launch_of_a_process_is_recorded_too(wire: Wire) -> None:
    assert only(wire, "the first: Warp is not initialised").dim == (1,)


@pytest.mark.parametrize(
    ("comment", "dim"),
    [
        ("an int", (8,)),
        ("a list", (2, 4)),
        ("a tuple", (2, 2, 2)),
        ("a numpy number", (8,)),
        ("a numpy array", (4, 2)),
        ("by an earlier name", (7,)),
        ("in a scope", (6,)),
    ],
)
def test_dimensions_are_what_was_asked_for(wire: Wire, comment: str, dim: tuple[int, ...]) -> None:
    made = only(wire, comment)

    assert (made.kind_of, made.kernel, made.dim, made.device, made.adjoint) == ("launch", "fill", dim, "cpu", False)
    assert made.dtypes == ("array(float32)",)
    assert made.place is not None
    assert made.place.user


def test_a_block_dimension_is_recorded_as_requested_and_as_resolved(wire: Wire) -> None:
    made = only(wire, "a block_dim that the CPU does not have")

    assert (made.requested_block_dim, made.block_dim) == (64, 1)
    assert only(wire, "an int").requested_block_dim is None


def test_a_generic_kernel_has_the_types_of_its_arguments(wire: Wire) -> None:
    first, again = only(wire, "generic"), only(wire, "generic again")

    assert first.dtypes == again.dtypes == ("array(float32)", "array2d(float32)")
    (instance,) = [state for state in wire.kernels.values() if state.name == "copy"]
    assert (instance.parent, tuple(kind for _, kind in instance.args)) == (first.kid, first.dtypes)


def test_a_tiled_launch_has_its_own_kind_and_no_lane_dimension(wire: Wire) -> None:
    listed, number = only(wire, "tiled"), only(wire, "tiled, an int")

    assert [(made.kind_of, made.dim, made.requested_block_dim, made.block_dim) for made in (listed, number)] == [
        ("tiled", (8,), 32, 1),
        ("tiled", (8,), 16, 1),
    ]


def test_a_recorded_command_is_no_launch_until_it_is_replayed(wire: Wire) -> None:
    assert at(wire, "a command") == []
    assert [made.kind_of for made in at(wire, "replayed")] == ["replay"] * 3
    assert only(wire, "replayed smaller").dim == (4,)
    asked = line_of(KINDS, "  # a command")
    assert [made for made in wire.signatures.values() if made.place and made.place.line == asked]


def test_backward_launches_belong_to_the_line_that_goes_backward(wire: Wire) -> None:
    assert only(wire, "taped").adjoint is False
    assert (only(wire, "backward").adjoint, only(wire, "backward").kernel) == (True, "fill")
    assert only(wire, "adjoint by hand").adjoint is True
    assert [taped.kernel for taped in wire.taped] == ["fill"]


def test_a_captured_launch_is_none_and_each_replay_of_the_graph_is_one(wire: Wire) -> None:
    assert at(wire, "captured") == at(wire, "captured command") == []
    graphs = at(wire, "a graph")
    assert [(made.kind_of, made.kernel, made.dim) for made in graphs] == [("graph", None, None)] * 2


def test_a_loop_has_one_signature(wire: Wire) -> None:
    assert len({made.id for made in at(wire, "in a loop")}) == 1
    assert len(at(wire, "in a loop")) == 3
    assert len({made.id for made in at(wire, "twice in a line")}) == 1
    assert len(at(wire, "twice in a line")) == 4


def test_threads_are_told_apart(wire: Wire) -> None:
    made = at(wire, "in a thread")

    assert len(made) == 10
    assert 0 not in {each.thread for each in made}
    assert only(wire, "an int").thread == 0


def test_launches_without_a_frame_of_the_users_are_recorded(wire: Wire) -> None:
    assert [made.dim for made in at(wire, "through a lambda")] == [(1,), (2,)]
    (by_thread,) = [made for made in launched(wire) if made.dim == (3,)]
    assert by_thread.place is not None
    assert not by_thread.place.user
    (frameless,) = [made for made in launched(wire) if made.dim == (9,)]
    assert frameless.place is None


def test_launches_inside_warp_belong_to_the_line_that_called_it(wire: Wire) -> None:
    (made,) = at(wire, "inside Warp")

    assert (made.kernel, made.module) == ("adam_step_kernel_float", "warp.optim.adam")


@pytest.mark.parametrize("comment", ["no threads", "refused"])
def test_a_call_that_launches_nothing_is_no_launch(wire: Wire, comment: str) -> None:
    assert at(wire, comment) == []


def test_what_a_solver_replays_inside_warp_is_recorded(tmp_path: Path) -> None:
    program = """
        import numpy as np
        import warp as wp
        import warp.optim.linear, warp.sparse

        n = 4
        rows = wp.array(np.arange(n), dtype=int, device="cpu")
        values = wp.array(np.full(n, 2.0, dtype=np.float32), dtype=float, device="cpu")
        a = warp.sparse.bsr_from_triplets(n, n, rows, rows, values)
        b, x = wp.full(n, 4.0, dtype=float, device="cpu"), wp.zeros(n, dtype=float, device="cpu")
        wp.optim.linear.cg(a, b, x, maxiter=12, tol=0.0, atol=0.0, check_every=0, use_cuda_graph=False)  # solve
        print(x.numpy())
    """
    ran = run(tmp_path, program)

    assert ran.code == 0, ran.error
    line = line_of(program, "  # solve")
    replayed = [made for made in launched(ran.wire) if made.kind_of == "replay"]
    assert len(replayed) > 12
    assert {made.place.line for made in replayed if made.place is not None} == {line}
