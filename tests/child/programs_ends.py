"""Programs that fail, warn, are interrupted, fork, reload, or run cells."""

from __future__ import annotations

ERRORS = """
    import signal, traceback, warnings
    import numpy as np
    from typing import Any
    import warp as wp

    wp.config.use_precompiled_headers = False
    x = wp.zeros(4, dtype=float, device="cpu")

    def shown(call, *args, **kwargs):
        try:
            call(*args, **kwargs)
        except BaseException as error:
            print("".join(traceback.format_exception(error)))
            print(sum(1 for _ in traceback.walk_tb(error.__traceback__)), error.__cause__, error.__context__)
        else:
            print("no error")

    @wp.kernel
    def good(a: wp.array(dtype=float)):
        a[wp.tid()] = 1.0

    shown(wp.launch, good, dim=4, inputs=[x, x])
    shown(wp.launch, good, dim=4, inputs=[x], device="nowhere")
    shown(wp.launch, good, dim=(1, 2, 3, 4, 5), inputs=[x])
    shown(wp.launch, good, dim="four", inputs=[x])
    shown(wp.launch, good, dim=-1, inputs=[x])
    shown(wp.launch, good, dim=4, inputs=5)
    shown(wp.launch, good, dim=4, inputs=[1.0])
    shown(wp.launch, good, dim=4, inputs=[x], stream="no stream")
    shown(wp.launch, good, dim=4, inputs=[x], block_dim="wide")
    shown(wp.launch, good, dim=4, inputs=[x], nothing=1)
    shown(wp.launch, shown, dim=4)
    shown(wp.launch)
    shown(wp.launch_tiled, good, inputs=[x])
    shown(wp.launch_tiled, good, dim=[1, 2, 3, 4], inputs=[x], block_dim=8)
    shown(wp.capture_end, device="cpu")
    shown(wp.force_load, device="nowhere")
    shown(wp.compile_aot_module, "no such module")
    shown(setattr, wp.config, "deterministic", "yes")
    shown(good)
    shown(exec, "@wp.kernel\\ndef from_text(a: wp.array(dtype=float)):\\n    a[0] = 1.0", {"wp": wp})

    @wp.func
    def helper(value: float):
        return nowhere(value)

    @wp.kernel(module="of_bad")
    def bad(a: wp.array(dtype=float)):
        a[wp.tid()] = helper(2.0)

    @wp.kernel(module="of_bad")
    def beside(a: wp.array(dtype=float)):
        a[wp.tid()] = 2.0

    for _ in range(2):
        shown(wp.launch, bad, dim=4, inputs=[x])
        shown(wp.launch, beside, dim=4, inputs=[x])

    @wp.kernel(module="of_bad")
    def bad(a: wp.array(dtype=float)):
        a[wp.tid()] = 3.0

    print(sorted(kernel.key for kernel in beside.module._get_live_kernels()))
    wp.launch(beside, dim=4, inputs=[x])
    wp.launch(bad, dim=4, inputs=[x])
    print(x.numpy())

    @wp.func_native("does not compile;")
    def native(value: float): ...

    @wp.kernel(module="of_native")
    def refused(a: wp.array(dtype=float)):
        native(a[0])

    shown(wp.launch, refused, dim=4, inputs=[x])
    shown(wp.launch, refused, dim=4, inputs=[x])

    @wp.kernel(module="slow")
    def slow(a: wp.array(dtype=float)):
        a[wp.tid()] = 4.0

    def interrupt(*_):
        raise KeyboardInterrupt("now")

    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    shown(wp.launch, slow, dim=4, inputs=[x])
    wp.launch(slow, dim=4, inputs=[x])
    print(x.numpy())
    wp.config.verbose_warnings = True

    @wp.kernel(module="warned")
    def warned(a: wp.array(dtype=float), v: wp.vec3):
        a[wp.tid()] = v[0]

    @wp.kernel(module="warned")
    def generic(a: wp.array(dtype=Any)):
        a[wp.tid()] = a.dtype(1)

    wp.launch(warned, dim=4, inputs=[x, np.float32(1)])
    wp.launch(warned, dim=4, inputs=[x, np.float32(2)])
    wp.compile_aot_module(warned.module, device="cpu", module_dir="aot")
    warnings.warn("my own")
"""

PROCESSES = """
    import importlib, multiprocessing, os, subprocess, sys
    import warp as wp
    from warp import launch as early

    wp.config.use_precompiled_headers = False
    wp.config.quiet = True

    with open("of_mine.py", "w") as file:
        file.write("import warp as wp" + chr(10) + "@wp.kernel" + chr(10)
                   + "def mine(a: wp.array(dtype=float)):" + chr(10) + "    a[wp.tid()] = 5.0" + chr(10))
    import of_mine

    @wp.kernel
    def add(a: wp.array(dtype=float)):
        a[wp.tid()] = a[wp.tid()] + 1.0

    def work(number):
        x = wp.zeros(4, dtype=float, device="cpu")
        for _ in range(number):
            early(add, dim=4, inputs=[x], device="cpu")
        return x.numpy().tolist()

    def print_work(number):
        print(number, work(number), flush=True)
        if number == 3:
            os._exit(7)

    if __name__ == "__main__":
        print(work(2))
        importlib.reload(wp)
        print(wp.launch is early, work(2), type(wp.get_module_options()).__name__)
        x = wp.zeros(4, dtype=float, device="cpu")
        wp.launch(of_mine.mine, dim=4, inputs=[x])
        first = of_mine.mine
        importlib.reload(of_mine)
        wp.launch(of_mine.mine, dim=4, inputs=[x])
        print(x.numpy(), first is of_mine.mine, len(first.module._get_live_kernels()), of_mine.mine.module.name)
        fork = multiprocessing.get_context("fork")
        for number in (1, 3):
            process = fork.Process(target=print_work, args=(number,))
            process.start()
            process.join()
            print(process.exitcode)
        with fork.Pool(1) as pool:
            print(pool.map(work, [1, 2]))
        if os.fork() == 0:
            print(work(4), flush=True)
            raise SystemExit(3)
        print(os.waitstatus_to_exitcode(os.wait()[1]))
        spawn = multiprocessing.get_context("spawn").Process(target=print_work, args=(2,))
        spawn.start()
        spawn.join()
        print(spawn.exitcode, subprocess.run([sys.executable, "-c", "import warp"], capture_output=True).returncode)
        wp.launch(add, dim=4, inputs=[x])
        print(x.numpy(), [finder for finder in sys.meta_path if "warp" in str(finder)][1:])
        print(importlib.util.find_spec("warp").loader is wp.__loader__, type(wp.__spec__.loader).__name__)
"""

CELLS = """
    import __main__, sys
    from IPython.core.interactiveshell import InteractiveShell
    from ipykernel.compiler import XCachingCompiler

    probe = sys.__dict__.pop("nbp_probe", None)
    InteractiveShell.compiler_class = XCachingCompiler
    shell = InteractiveShell.instance(user_module=__main__, colors="NoColor")
    shell.history_manager.enabled = False
    request = {}
    if probe is not None:
        probe.attach_ipython(shell, lambda: request)
        shell.showtraceback_before = shell.showtraceback
    cells = [
        "import warp as wp; wp.config.use_precompiled_headers = False; x = wp.zeros(4, dtype=float, device='cpu')",
        "N = 2.0\\n@wp.kernel\\ndef good(a: wp.array(dtype=float)):\\n    a[wp.tid()] = N",
        "wp.launch(good, dim=4, inputs=[x])\\nx.numpy()",
        "@wp.kernel\\ndef bad(a: wp.array(dtype=float)):\\n    a[0] = nowhere\\nwp.launch(bad, dim=4, inputs=[x])",
        "@wp.kernel\\ndef bad(a: wp.array(dtype=float)):\\n    a[wp.tid()] = 3.0",
        "N = 3.0\\nwp.launch(bad, dim=4, inputs=[x])\\nx.numpy()",
        "get_ipython().run_cell('wp.launch(good, dim=4, inputs=[x])'); x.numpy()",
        "%time wp.launch(good, dim=4, inputs=[x])",
        "wp.launch(good, dim=4, inputs=[x, x])",
        "print(sorted(name for name in globals() if not name.startswith('_')))",
    ]
    for number, cell in enumerate(cells):
        request["warp_nbprobe"] = {"cell": number, "number": number + 1}
        shell.run_cell(cell, store_history=True)
    del number, cell
"""
