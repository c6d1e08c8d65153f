"""Programs that look at what they got: values, options, signatures, tapes, what is still alive."""

from __future__ import annotations

VALUES = """
    import copy, hashlib, inspect, json, pickle, threading
    from typing import Any
    import numpy as np
    import warp as wp

    print(type(wp.config).__name__, wp.config.__class__ is type(wp.config), wp.launch, wp.launch.__name__)
    print(inspect.signature(wp.launch), wp.launch.__defaults__, wp.launch.__kwdefaults__, wp.launch.__closure__)
    for function in (wp.launch, wp.launch_tiled, wp.force_load, wp.Tape.record_launch, wp.ScopedTimer.__exit__):
        code = function.__code__
        print(function.__qualname__, function.__module__, function.__doc__ == inspect.getdoc(function),
              code.co_firstlineno, code.co_filename.rpartition("/")[2], code.co_argcount, code.co_flags,
              getattr(code, "co_qualname", None), hashlib.sha1(inspect.getsource(function).encode()).hexdigest())
        hash(code), code == code
    print(sorted(vars(wp)) == sorted(set(dir(wp)) & set(vars(wp))), [name for name in vars(wp) if "nbp" in name])

    RATE = 2.0

    @wp.struct
    class Pair:
        first: float
        both: wp.vec3

    @wp.func
    def more(x: float):
        return x * RATE

    @wp.func
    def more(x: int):
        return x + 2

    @wp.kernel
    def fill(a: wp.array(dtype=float), pair: Pair):
        i = wp.tid()
        a[i] = more(pair.first) + float(more(i)) + pair.both[0]

    @wp.kernel
    def double(a: wp.array(dtype=Any), b: wp.array(dtype=Any)):
        i = wp.tid()
        b[i] = a[i] * a.dtype(2)

    wp.set_module_options({"fast_math": True})
    options = wp.get_module_options()
    plain = {**options}
    print(options == plain, repr(options) == repr(plain), str(options) == str(plain), list(options) == list(plain))
    print(type(options).__name__, type(options), options.__class__ is dict, isinstance(options, dict), len(options))
    for copied in (copy.copy(options), copy.deepcopy(options), pickle.loads(pickle.dumps(options)), options.copy()):
        print(type(copied) is dict, copied == plain, copied["fast_math"])
    print(json.dumps(options, default=str) == json.dumps(plain, default=str), options | {"a": 1} == plain | {"a": 1})
    options["max_unroll"] = 4
    options.update({"lineinfo": False}, fuse_fp=True)
    options |= {"mode": "release"}
    print(options.setdefault("mode", "debug"), options.setdefault("new", 1), options.pop("new"), options["mode"])
    for wrong in (5, "ab", [1]):
        try:
            options.update(wrong)
        except (TypeError, ValueError) as error:
            print(type(error).__name__, error)
    print(len(more.user_overloads), sorted(more.user_overloads), more.user_templates)

    def values(*arrays):
        print([np.round(array.numpy(), 4).tolist() for array in arrays])

    pair = Pair()
    pair.first, pair.both = 3.0, wp.vec3(1.0, 2.0, 3.0)
    print(pair, repr(pair), pickle.dumps(pair.numpy_value()) if hasattr(pair, "numpy_value") else "", Pair.vars.keys())
    x = wp.zeros(4, dtype=float, device="cpu", requires_grad=True)
    y = wp.zeros(4, dtype=float, device="cpu", requires_grad=True)
    print(wp.launch(fill, dim=4, inputs=[x, pair]), wp.launch(kernel=fill, dim=(4,), inputs=[x], outputs=[pair]))
    values(x)
    with wp.Tape() as tape:
        with wp.ScopedTimer("scope", print=False):
            wp.launch(fill, 4, [x, pair])
            wp.launch(double, [4], [x], [y])
    for launch in tape.launches:
        if not isinstance(launch, (list, tuple)) or len(launch) < 7:
            continue
        print(launch[0].key, launch[1], launch[2], launch[6], launch[7])
    print(tape.scopes)
    tape.backward(grads={y: wp.ones(4, dtype=float, device="cpu")})
    values(x, y, x.grad, y.grad)
    for kind in (wp.int32, wp.float64, wp.vec2):
        a, b = wp.zeros(2, dtype=kind, device="cpu"), wp.zeros(2, dtype=kind, device="cpu")
        if kind is not wp.vec2:
            wp.launch(double, dim=2, inputs=[a, b])
    print(len(double.overloads), sorted(double.overloads), fill.module.name, sorted(fill.module.kernels))

    command = wp.launch(fill, dim=4, inputs=[x, pair], record_cmd=True)
    print(type(command), command.launch(), command.set_dim(2), command.launch(), command.bounds.size)
    wp.launch_tiled(fill, dim=[4], inputs=[x, pair], block_dim=32)
    values(x)
    with wp.ScopedCapture(device="cpu") as capture:
        wp.launch(fill, dim=4, inputs=[x, pair])
    x.zero_()
    print(wp.capture_launch(capture.graph))
    mapped = wp.map(lambda v: v * 2.0, x)
    values(x, mapped, wp.map(wp.sin, x))
    values(wp.utils.array_scan(wp.array([1, 2, 3], dtype=int, device="cpu"), wp.zeros(3, dtype=int, device="cpu")) or x)

    def work(number):
        for _ in range(3):
            wp.launch(fill, dim=4, inputs=[x, pair])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    values(x)

    def make(scale):
        @wp.kernel
        def scaled(a: wp.array(dtype=float)):
            a[wp.tid()] = wp.static(scale) * RATE
        return scaled

    for each in [make(1.0), make(2.0)]:
        wp.launch(each, dim=4, inputs=[x])
        values(x)
        print(each.key, each.module.name, each.hash.hex()[:6], sorted(k.key for k in each.module._get_live_kernels()))
    del each
    print(sorted(k.key for k in fill.module._get_live_kernels()))

    @wp.kernel(module="unique")
    def alone(a: wp.array(dtype=float)):
        a[wp.tid()] = RATE

    print(alone.module.name, alone.module.options["block_dim"])
    wp.load_module(alone.module, device="cpu", block_dim=1)
    wp.force_load(device="cpu", modules=[fill.module], block_dim=1)
    wp.launch(alone, dim=4, inputs=[x])
    values(x)
    fill.module.options["enable_backward"] = False
    wp.config.max_unroll = 8
    wp.config.verify_fp = True
    wp.config.verify_fp = False
    wp.launch(fill, dim=4, inputs=[x, pair])
    print(wp.get_module_options()["enable_backward"], wp.config.max_unroll)
    print([name for name in globals() if "probe" in name or "nbp" in name])
"""

OTHERS = """
    import sys
    import numpy as np
    import warp as wp
    import warp.optim, warp.optim.linear, warp.sparse

    wp.config.quiet = True
    n = 8
    rows = np.arange(n)
    a = warp.sparse.bsr_from_triplets(n, n, wp.array(rows, dtype=int, device="cpu"),
        wp.array(rows, dtype=int, device="cpu"), wp.array(np.full(n, 2.0, dtype=np.float32), dtype=float, device="cpu"))
    b = wp.full(n, 4.0, dtype=float, device="cpu")
    x = wp.zeros(n, dtype=float, device="cpu")
    result = warp.optim.linear.cg(a, b, x, maxiter=4, use_cuda_graph=False)
    print([float(np.max(np.asarray(part))) if part is not None else None for part in result][:1], x.numpy())
    p = wp.full(n, 1.0, dtype=float, device="cpu", requires_grad=True)
    adam = warp.optim.Adam([p], lr=0.1)
    for _ in range(3):
        adam.step([wp.ones(n, dtype=float, device="cpu")])
    print(np.round(p.numpy(), 5))
    print(sorted(name for name, module in wp._src.context.user_modules.items() if module.execs))
"""

LIVES = """
    import gc, linecache, sys, weakref
    from typing import Any
    import warp as wp

    wp.config.use_precompiled_headers = False
    gc.disable()

    def define(text, file, **names):
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        space = {"wp": wp, "Any": Any, "__name__": "of_text", **names}
        exec(compile(text, file, "exec"), space)
        return space

    TEXT = chr(10).join([
        "@wp.struct", "class Pair:", "    first: float", "@wp.func", "def more(v: float):", "    return v * RATE",
        "@wp.kernel", "def fill(a: wp.array(dtype=float), p: Pair):", "    a[wp.tid()] = more(p.first)",
        "@wp.kernel", "def double(a: wp.array(dtype=Any)):", "    a[wp.tid()] = a[wp.tid()] * a.dtype(2)",
        "@wp.kernel(module='of_bad')", "def bad(a: wp.array(dtype=float)):", "    a[wp.tid()] = nowhere", ""])
    space = define(TEXT, "<one>", RATE=2.0)
    fill, double, bad, Pair = space["fill"], space["double"], space.pop("bad"), space["Pair"]
    bad_module = bad.module
    watched = {}

    def watch(**things):
        watched.update({name: weakref.ref(thing) for name, thing in things.items()})

    def shown(when):
        print(when, {name: thing() is not None for name, thing in watched.items()})

    x = wp.zeros(4, dtype=float, device="cpu")
    y = wp.zeros(4, dtype=float, device="cpu", requires_grad=True)
    watch(x=x, y=y, bad=bad)
    try:
        wp.launch(bad, dim=4, inputs=[x])
    except Exception as error:
        kept = error
    del bad
    bad_module.kernels.pop("bad")
    shown("after an error")
    wp.launch(fill, dim=4, inputs=[x, Pair()])
    space["RATE"] = 3.0
    wp.launch(fill, dim=4, inputs=[x, Pair()])
    wp.launch(double, dim=4, inputs=[x])
    wp.launch_tiled(fill, dim=[1], inputs=[x, Pair()], block_dim=4)
    command = wp.launch(fill, dim=4, inputs=[x, Pair()], record_cmd=True)
    command.launch()
    with wp.Tape() as tape:
        wp.launch(fill, dim=4, inputs=[y, Pair()])
    tape.backward(grads={y: x})
    watch(command=command, tape=tape, fill=fill, double=double, Pair=Pair, more=space["more"])
    del command, tape
    shown("used")
    del x, y
    shown("no arrays")
    module = fill.module
    for name in ("fill", "double"):
        module.kernels.pop(name)
    del fill, double, Pair
    space.clear()
    shown("no names")
    print(len(module._get_live_kernels()), sys.getrefcount(module), kept is not None)
    kept = None
    shown("no error")
    module.unload()
    module.functions.clear()
    module.structs.clear()
    shown("unloaded")
    gc.collect()
    shown("collected")
"""
