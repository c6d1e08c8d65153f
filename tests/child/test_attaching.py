"""The probe waits for Warp, whatever is imported when, and says what a Warp lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.child.running import launched, run

MANY = [
    "ModuleHasher", "get_references", "timer", "compile", "_run_codegen", "ModuleBuilder", "build_kernel", "build_cpu",
    "launch", "launch_tiled", "Launch.launch", "capture", "Tape.record_launch", "Kernel", "refused", "overloads",
    "Struct", "modules", "config", "unroll", "log", "force_load",
]  # fmt: skip

# Takes one function away from the probe at a time: it finds another in its place.
WITHOUT = """
def lacking(name):
    original = probe._POINTS[name]
    def install():
        raise probe._Missing("it was taken away")
    probe._POINTS[name] = install
lacking({name!r})
"""

SMALL = """
    import warp as wp
    from typing import Any

    wp.config.use_precompiled_headers = False
    wp.set_module_options({"fuse_fp": False})

    @wp.struct
    class Pair:
        first: float

    @wp.func
    def more(v: float):
        return v + 1.0

    @wp.kernel
    def fill(a: wp.array(dtype=float), pair: Pair):
        a[wp.tid()] = more(pair.first)

    @wp.kernel
    def double(a: wp.array(dtype=Any)):
        a[wp.tid()] = a[wp.tid()] * a.dtype(2)

    x = wp.zeros(4, dtype=float, device="cpu", requires_grad=True)
    wp.overload(double, [wp.array(dtype=float)])
    with wp.Tape() as tape:
        wp.launch(fill, dim=4, inputs=[x, Pair()])
        wp.launch(double, dim=4, inputs=[x])
    wp.launch_tiled(fill, dim=[2], inputs=[x, Pair()], block_dim=8)
    command = wp.launch(fill, dim=4, inputs=[x, Pair()], record_cmd=True)
    command.launch()
    with wp.ScopedCapture(device="cpu") as capture:
        wp.launch(fill, dim=4, inputs=[x, Pair()])
    wp.capture_launch(capture.graph)
    wp.force_load(device="cpu", modules=[fill.module], block_dim=1)
    print(x.numpy())
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    ran = run(folder, SMALL)
    assert ran.code == 0, ran.error
    return folder


@pytest.mark.warp
@pytest.mark.parametrize("name", MANY)
def test_without_one_hook_the_program_runs_and_the_rest_is_recorded(whole: Path, name: str) -> None:
    ran = run(whole, SMALL, before=WITHOUT.format(name=name))

    assert ran.code == 0, ran.error
    assert ran.out.endswith("[1. 1. 1. 1.]\n")
    wire = ran.wire
    assert wire.warp is not None
    assert wire.troubles == ()
    missing = {point for point, state in wire.warp.hooks.items() if state != "ok"}
    assert missing == {name}
    if name != "launch":
        assert len(wire.order) >= 4 - (name in ("launch_tiled", "Launch.launch", "capture"))
    if name != "timer":
        (event,) = wire.events
        assert event.status == "cached"
        assert (event.hash_ms is None) == (name == "ModuleHasher")


@pytest.mark.warp
def test_a_build_without_hooks_has_reasons_for_what_is_missing(tmp_path: Path) -> None:
    lacking = "".join(WITHOUT.format(name=name) for name in ("_run_codegen", "codegen", "build_cpu", "ModuleHasher"))
    ran = run(tmp_path, SMALL, before=lacking)

    assert ran.code == 0, ran.error
    (event,) = ran.wire.events
    assert (event.codegen_ms, event.native_ms, event.header_ms, event.hash_ms) == (None, None, None, None)
    assert set(event.why) == {"codegen_ms", "native_ms", "header_ms", "hash_ms"}
    assert event.load_ms is not None


@pytest.mark.warp
def test_a_function_of_warp_that_is_gone_or_no_longer_its_own_is_said(whole: Path) -> None:
    before = """
real = probe._attach
def attach(warp, begun):
    import warp._src.context as context
    del context._raise_recorded_build_error
    context.capture_begin = len
    original = context.force_load
    def replaced(*args, **kwargs):
        return original(*args, **kwargs)
    context.force_load = replaced
    real(warp, begun)
probe._attach = attach
"""
    ran = run(whole, "import warp", before=before)

    assert ran.code == 0, ran.error
    assert ran.wire.warp is not None
    hooks = ran.wire.warp.hooks
    assert hooks["replayed errors"] == "no _raise_recorded_build_error"
    assert hooks["capture"] == "it is not a Python function"
    assert hooks["force_load"] == "it is a closure"
    assert hooks["launch"] == "ok"


@pytest.mark.warp
def test_names_imported_before_and_after_are_the_same_function(whole: Path) -> None:
    program = """
        import importlib, sys
        from warp import launch as first
        import warp as wp
        from warp._src.context import launch as inner
        importlib.reload(wp)
        from warp import launch as second

        wp.config.use_precompiled_headers = False

        @wp.kernel
        def fill(a: wp.array(dtype=float)):
            a[wp.tid()] = 1.0

        x = wp.zeros(4, dtype=float, device="cpu")
        for launch in (first, inner, second, wp.launch):
            launch(fill, dim=4, inputs=[x])
        print(first is inner is second is wp.launch)
    """
    ran = run(whole, program)

    assert ran.code == 0, ran.error
    assert ran.out.endswith("True\n")
    assert len(launched(ran.wire)) == 4
    assert not [module for module in ran.wire.modules if module.module == "__main__" and module.stock]


@pytest.mark.warp
def test_a_warp_that_was_there_before_is_watched_from_then_on(whole: Path) -> None:
    ran = run(whole, SMALL, before="import warp; warp.init(); warp.ScopedTimer('x', print=False)")

    assert ran.code == 0, ran.error
    assert ran.wire.warp is not None
    assert set(ran.wire.warp.hooks.values()) == {"ok"}
    assert len(ran.wire.order) == 5
    assert len(ran.wire.events) == 1


@pytest.mark.warp
def test_a_warp_that_is_imported_anew_is_watched_anew(whole: Path) -> None:
    program = """
        import sys
        import warp
        for name in [name for name in sys.modules if name == "warp" or name.startswith("warp.")]:
            del sys.modules[name]
        import warp as wp

        wp.config.use_precompiled_headers = False

        @wp.kernel
        def fill(a: wp.array(dtype=float)):
            a[wp.tid()] = 1.0

        x = wp.zeros(4, dtype=float, device="cpu")
        wp.launch(fill, dim=4, inputs=[x])
        print(wp is warp)
    """
    ran = run(whole, program)

    assert ran.code == 0, ran.error
    assert ran.out.endswith("False\n")
    assert len(launched(ran.wire)) == 1
    assert len(ran.wire.events) == 1


def test_without_warp_the_line_that_wanted_it_is_said(tmp_path: Path) -> None:
    program = """
        import importlib.util, os, sys
        sys.path[:] = [entry for entry in sys.path if not os.path.isdir(os.path.join(entry, "warp"))]
        print(importlib.util.find_spec("warp"))
        try:
            import warp
        except ModuleNotFoundError as error:
            print(error)
    """
    ran = run(tmp_path, program)

    assert ran.out == "None\nNo module named 'warp'\n"
    assert ran.wire.no_warp is not None
    assert ran.wire.no_warp.missing
    assert ran.wire.no_warp.place is not None
    assert ran.wire.no_warp.place.line == 6
    assert ran.wire.warp is None


@pytest.mark.parametrize(
    ("text", "out", "error"),
    [
        ("raise OSError('no library')", "no library\n", "OSError: no library"),
        ("launch = len", "<built-in function len>\n", None),
        ("import sys; context = sys", "1\n", None),
    ],
    ids=["failing", "foreign", "foreign with a context"],
)
def test_a_foreign_warp_is_left_alone(tmp_path: Path, text: str, out: str, error: str | None) -> None:
    (tmp_path / "warp.py").write_text(text, encoding="utf-8")
    program = """
        try:
            import warp
        except OSError as error:
            print(error)
        else:
            print(getattr(warp, "launch", 1))
    """
    ran = run(tmp_path, program)

    assert (ran.out, ran.code) == (out, 0)
    assert ran.wire.troubles == ()
    if error is not None:
        assert ran.wire.no_warp is not None
        assert (ran.wire.no_warp.error, ran.wire.no_warp.missing) == (error, False)
    else:
        assert ran.wire.warp is not None
        assert ran.wire.warp.hooks == {"all": "no implementation module"}
