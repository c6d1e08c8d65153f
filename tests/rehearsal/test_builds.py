"""What a rehearsal builds, when, and at which block dimension; every program runs to its end with right results."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rehearsal.rehearse import rehearse

pytestmark = pytest.mark.warp


def test_generic_and_late_kernels_are_built_where_a_gpu_would_build_them(tmp_path: Path) -> None:
    found = rehearse(
        """
        from typing import Any

        @wp.kernel
        def add(a: wp.array(dtype=Any), v: Any):
            i = wp.tid()
            a[i] = a[i] + v

        x = wp.zeros(4, dtype=float, device="cuda:0")
        wp.launch(add, dim=4, inputs=[x, 1.0])
        y = wp.zeros(4, dtype=int, device="cuda:0")
        wp.launch(add, dim=4, inputs=[y, 1])

        @wp.kernel
        def late(a: wp.array(dtype=float)):
            i = wp.tid()
            a[i] = a[i] * 3.0

        wp.launch(late, dim=4, inputs=[x])
        assert (x.numpy() == 3.0).all() and (y.numpy() == 1).all()
        """,
        tmp_path,
    )

    assert found.code == 0, found.complained
    assert [event.kernels for event in found.gpu] == [("add",), ("add", "add"), ("add", "add", "late")]
    assert found.built == [("__main__", 256, "compiled")] * 3
    assert all(event.rehearsed and event.device == "sm_90" for event in found.gpu)
    assert all(event.codegen_ms and event.native_ms and event.load_ms is None for event in found.gpu)
    assert {(each.device, each.block_dim) for each in found.wire.signatures.values()} == {("cuda:0", 256)}


def test_a_tiled_launch_and_its_adjoint_share_one_build(tmp_path: Path) -> None:
    found = rehearse(
        """
        @wp.kernel
        def total(a: wp.array(dtype=float), o: wp.array(dtype=float)):
            i = wp.tid()
            wp.tile_atomic_add(o, wp.tile_sum(wp.tile_load(a, shape=16, offset=i * 16)))

        a = wp.ones(64, dtype=float, device="cuda:0", requires_grad=True)
        o = wp.zeros(1, dtype=float, device="cuda:0", requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch_tiled(total, dim=[4], inputs=[a], outputs=[o], block_dim=64)
        tape.backward(o)
        assert o.numpy()[0] == 64.0 and (a.grad.numpy() == 1.0).all()
        """,
        tmp_path,
    )

    assert found.code == 0, found.complained
    assert found.built == [("__main__", 64, "compiled")]
    told = [(each.kind_of, each.dim, each.block_dim, each.adjoint) for each in found.wire.signatures.values()]
    assert told == [("tiled", (4,), 64, False), ("launch", (4, 64), 64, True)]


def test_an_optimiser_in_a_captured_graph_reaches_its_minimum(tmp_path: Path) -> None:
    found = rehearse(
        """
        import warp.optim

        @wp.kernel
        def loss(p: wp.array(dtype=float), l: wp.array(dtype=float)):
            i = wp.tid()
            wp.atomic_add(l, 0, (p[i] - 3.0) * (p[i] - 3.0))

        device = wp.get_preferred_device()
        assert device.is_cuda and not device.is_cpu and wp.is_cuda_available()
        p = wp.zeros(8, dtype=float, device=device, requires_grad=True)
        l = wp.zeros(1, dtype=float, device=device, requires_grad=True)
        opt = warp.optim.SGD([p], lr=0.25)

        def step():
            l.zero_()
            tape = wp.Tape()
            with tape:
                wp.launch(loss, dim=8, inputs=[p, l], device=device)
            tape.backward(l)
            opt.step([p.grad])
            tape.zero()

        with wp.ScopedCapture(device) as capture:
            step()
        before = p.numpy()
        for _ in range(20):
            wp.capture_launch(capture.graph)
        assert (before == 0.0).all() and (abs(p.numpy() - 3.0) < 1e-3).all(), (before, p.numpy())
        """,
        tmp_path,
    )

    assert found.code == 0, found.complained
    assert found.built == [("__main__", 256, "compiled"), ("warp.optim.sgd", 256, "compiled")]
    assert "graph" in {each.kind_of for each in found.wire.signatures.values()}


def test_a_solver_that_captures_a_loop_on_a_gpu_does_so_and_ends(tmp_path: Path) -> None:
    found = rehearse(
        """
        from warp.optim.linear import cg
        import numpy as np

        a = wp.array(np.diag([1.0, 2.0, 4.0]), dtype=float, device="cuda:0")
        b = wp.array([1.0, 2.0, 4.0], dtype=float, device="cuda:0")
        for every in (0, 2):
            x = wp.zeros(3, dtype=float, device="cuda:0")
            cg(a, b, x, tol=1e-5, maxiter=100000, check_every=every)
            assert (abs(x.numpy() - 1.0) < 1e-3).all(), x.numpy()
        """,
        tmp_path,
    )

    assert found.code == 0, found.complained
    assert all(event.rehearsed and event.status == "compiled" for event in found.gpu)
    assert "graph" in {each.kind_of for each in found.wire.signatures.values()}


def test_a_module_used_on_both_devices_is_built_for_both(tmp_path: Path) -> None:
    found = rehearse(
        """
        @wp.kernel
        def more(a: wp.array(dtype=float)):
            i = wp.tid()
            a[i] = a[i] + 1.0

        x, y = wp.zeros(4, device="cuda:0"), wp.zeros(4, device="cpu")
        for array in (y, x):
            wp.launch(more, dim=4, inputs=[array], device=array.device)
        host = x.to("cpu")
        wp.launch(more, dim=4, inputs=[x])
        assert (host.numpy() == 1.0).all() and (x.numpy() == 2.0).all() and (y.numpy() == 1.0).all()
        assert x.device.is_cuda and y.device.is_cpu and x.device != y.device
        assert wp.get_devices() == [y.device, x.device] and wp.get_cuda_device_count() == 1
        assert x.device.arch == 90 and x.device.sm_count > 0 and x.device.ordinal == 0
        assert wp.zeros(2, device="cpu", pinned=True).pinned
        """,
        tmp_path,
    )

    assert found.code == 0, found.complained
    assert found.built == [("__main__", 256, "compiled")]
    assert [(event.block_dim, event.status) for event in found.cpu] == [(1, "compiled")]
    assert [each.device for each in found.wire.signatures.values()] == ["cpu", "cuda:0", "cuda:0"]


def test_a_preload_builds_what_it_names_and_nothing_for_the_cpu(tmp_path: Path) -> None:
    found = rehearse(
        """
        @wp.kernel
        def more(a: wp.array(dtype=float)):
            i = wp.tid()
            a[i] = a[i] + 1.0

        me = wp.get_module("__main__")
        wp.force_load("cuda:0", modules=[me])
        wp.force_load("cuda:0", modules=[me], block_dim=128)
        wp.load_module("__main__", device="cuda:0")
        size, blocks = wp.get_suggested_block_size(more)
        assert size % 32 == 0 and blocks > 0
        x = wp.zeros(4, device="cuda:0")
        command = wp.launch(more, dim=4, inputs=[x], block_dim=96, record_cmd=True)
        command.launch()
        command.launch()
        assert (x.numpy() == 2.0).all()
        wp.force_load()
        """,
        tmp_path,
    )

    assert found.code == 0, found.complained
    mine = [event for event in found.gpu if event.module == "__main__"]
    assert [(event.block_dim, event.trigger["call"]) for event in mine] == [
        (256, "force_load"),
        (128, "force_load"),
        (96, "launch"),
    ]
    assert "get_suggested_block_size" in [one.name for one in found.wire.assumed]


def test_several_architectures_are_built_beside_each_other(tmp_path: Path) -> None:
    found = rehearse(
        """
        @wp.kernel
        def more(a: wp.array(dtype=float)):
            i = wp.tid()
            a[i] = a[i] + 1.0

        wp.launch(more, dim=4, inputs=[wp.zeros(4, device="cuda")], device="cuda")
        """,
        tmp_path,
        archs="sm_75,sm_120",
        only=True,
    )

    assert found.code == 0, found.complained
    assert [(event.device, event.status) for event in found.gpu] == [("sm_75", "compiled"), ("sm_120", "compiled")]
    assert len({event.hash for event in found.gpu}) == 1


def test_the_warp_example_that_asks_for_cuda_tiles_runs(tmp_path: Path) -> None:
    from importlib.util import find_spec

    spec = find_spec("warp")
    assert spec is not None
    assert spec.origin is not None
    example = Path(spec.origin).parent / "examples" / "tile" / "example_tile_fft.py"

    found = rehearse(example, tmp_path, arguments=["--headless"])

    assert found.code == 0, found.complained
    assert found.built == [("__main__", 8, "compiled")]
    told = [(one["op"], one["adjoint"], one["made"]) for one in found.gpu[0].lto or ()]
    assert told == [("tile_fft", False, True), ("tile_ifft", False, True)]
