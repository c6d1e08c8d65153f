"""Odd programs run as they do without the probe, are recorded, and cost no more than they must."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.child.running import launched, run, said

pytestmark = pytest.mark.warp

ODD = """
    import atexit, builtins, enum, json, linecache, sys, threading
    import numpy as np
    import warp as wp

    wp.config.use_precompiled_headers = False

    class Hostile:
        def __repr__(self):
            raise RuntimeError("no text")
        def __eq__(self, other):
            raise RuntimeError("no comparison")
        def __bool__(self):
            raise RuntimeError("no truth")

    class Nasty(Hostile):
        def __getattribute__(self, name):
            raise RuntimeError("asked for " + name)

    class Mode(enum.IntEnum):
        FAST = 1

    hostile, NUMBER, HUGE = Hostile(), np.float32(2.0), 10**30
    tid, launch, Module, module, wp_args, forward = hostile, 2.0, 3.0, [hostile], 4.0, {1: hostile}

    def text_of(value, name="generated"):
        return "@wp.kernel" + chr(10) + "def " + name + "(a: wp.array(dtype=float)):" + chr(10) \\
            + "    a[0] = float(Module) + launch + wp_args + " + value + chr(10)

    def define(value, number, name="generated"):
        text, file = text_of(value, name), "<generated " + str(number) + ">"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), globals())
        return globals()[name]

    @wp.kernel
    def forward_kernel_cpu(a: wp.array(dtype=float), hostile: float, Mode: int):
        a[wp.tid()] = launch + hostile

    @wp.kernel
    def adj_wp_launch(a: wp.array(dtype=float)):
        a[wp.tid()] = float(int(Mode.FAST)) + Module

    x = wp.zeros(4, dtype=float, device="cpu")
    first = define("1.0", 0)
    wp.launch(first, dim=4, inputs=[x])
    wp.launch(forward_kernel_cpu, dim=4, inputs=[x, 1.0, 2])
    wp.launch(adj_wp_launch, dim=4, inputs=[x])
    print(x.numpy())
    launch = np.float64(5.0)
    wp.launch(first, dim=4, inputs=[x])
    launch = Nasty()
    for _ in range(3):
        wp.launch(first, dim=4, inputs=[x])
    del launch
    for _ in range(3):
        wp.launch(first, dim=4, inputs=[x])
    launch = 2.0
    print(x.numpy())

    def deep(number):
        if number:
            return deep(number - 1)
        try:
            deepest()
        except RecursionError:
            pass
        wp.launch(adj_wp_launch, dim=4, inputs=[x])

    def deepest():
        wp.launch(adj_wp_launch, dim=4, inputs=[x])
        deepest()

    deep(200)
    print("deep")

    real = wp.launch
    def mine(*args, **kwargs):
        return real(*args, **kwargs)
    wp.launch = mine
    wp.launch(adj_wp_launch, dim=2, inputs=[x])
    wp.launch = real

    class Quiet:
        def debug(self, message): pass
        def info(self, message): print("logged", message.split(" took")[0])
        def warning(self, message, category=None, stacklevel=1): pass
        def error(self, message): pass
    wp.set_logger(Quiet())
    kept, builtins.print = builtins.print, lambda *args, **kwargs: None
    another = define("2.0", 1, "another")
    json.dumps, kept_dumps = None, json.dumps
    wp.launch(another, dim=4, inputs=[x])
    builtins.print = kept
    json.dumps = kept_dumps
    wp.set_logger(None)
    print(x.numpy())

    stop = threading.Event()
    def stir():
        while not stop.is_set():
            for number in range(100):
                globals()["stirred" + str(number)] = number
            for number in range(100):
                del globals()["stirred" + str(number)]

    def hammer(number):
        for dim in range(1, 60):
            wp.launch(adj_wp_launch, dim=dim % 4 + 1, inputs=[x])

    stirring = threading.Thread(target=stir)
    stirring.start()
    threads = [threading.Thread(target=hammer, args=(number,)) for number in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    stop.set()
    stirring.join()

    sys.setprofile(lambda *args: None)
    sys.settrace(lambda *args: None)
    wp.launch(adj_wp_launch, dim=3, inputs=[x])
    sys.settrace(None)
    sys.setprofile(None)

    class Finally:
        def __del__(self):
            wp.launch(adj_wp_launch, dim=1, inputs=[x])

    Finally()
    atexit.register(wp.launch, adj_wp_launch, 4, [x])
    print("end")
"""

MANY = """
    import gc, linecache, os, resource, sys, time
    import warp as wp

    wp.config.use_precompiled_headers = False
    wp.config.log_level = 30
    x = wp.zeros(4, dtype=float, device="cpu")

    def define(number, name, module=None):
        text = "@wp.kernel(module=module)" + chr(10) + "def " + name + "(a: wp.array(dtype=float)):" + chr(10) \\
            + "    a[0] = " + str(float(number)) + chr(10)
        file = "<generated " + str(number) + ">"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        space = {"wp": wp, "module": module}
        exec(compile(text, file, "exec"), space)
        kernel = space.pop(name)
        space.clear()
        return kernel

    many = [define(number, "kernel" + str(number), "many") for number in range(300)]
    for number in range(1000):
        edited = define(number, "edited", "edited")
    print(len(wp.get_module("edited")._get_live_kernels()), len(wp.get_module("many")._get_live_kernels()))
    wp.launch(edited, dim=4, inputs=[x])
    for number in range(1000):
        same = define(7, "same", "same")
        if number % 100 == 0:
            wp.launch(same, dim=4, inputs=[x])
    print(len(wp.get_module("same")._get_live_kernels()), x.numpy())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(200000):
        wp.launch(edited, dim=1, inputs=[x])
    print("grew", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_an_odd_program_is_the_same_and_recorded(tmp_path: Path) -> None:
    bare = run(tmp_path, ODD, probed=False, cache=tmp_path / "bare")
    ran = run(tmp_path, ODD, cache=tmp_path / "prob")

    assert bare.code == 0, bare.error
    assert said(ran.out.replace("/prob", "/bare")) == said(bare.out)
    assert said(ran.error.replace("/prob", "/bare")) == said(bare.error)
    wire = ran.wire
    assert wire.troubles == ()
    assert not wire.truncated
    made = [signature.kernel for signature in launched(wire)]
    assert made[:3] == ["generated", "forward_kernel_cpu", "adj_wp_launch"]
    assert len([signature for signature in launched(wire) if signature.thread > 0]) == 8 * 59
    assert [(stale.value, stale.new) for stale in wire.stales if stale.name == "generated"][:1] == [
        ("launch", "np.float64(5.0)")
    ]
    assert "generated" not in "".join(line.text for line in wire.log)


def test_many_kernels_and_definitions_cost_little(tmp_path: Path) -> None:
    ran = run(tmp_path, MANY)

    assert ran.code == 0, ran.error
    assert ran.out.splitlines()[:2] == ["1 300", "1 [7. 0. 0. 0.]"]
    wire = ran.wire
    assert wire.troubles == ()
    assert len(wire.order) == 200_011
    assert len([state for state in wire.kernels.values() if state.name == "same"]) == 1
    assert len([state for state in wire.kernels.values() if state.name == "edited"]) == 1
    grew = int(ran.out.split("grew")[1])
    assert grew < 4096  # KiB
    (path,) = (tmp_path / "wire").glob("*.jsonl")
    assert path.stat().st_size < 4_000_000
