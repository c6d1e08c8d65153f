"""
Options, overloads, results and tapes are what they are without a recorder.

mode: py
needs: warp 1.12 (before, set_module_options did not find the module in a notebook)
run 0: __main__ bd=1 compiled kernels=1 | launches=2
run 1: __main__ bd=1 cached kernels=1
"""
import warp as wp

wp.config.use_precompiled_headers = False


@wp.func
def more(x: float):
    return x + 1.0


@wp.func
def more(x: int):
    return x + 2


wp.set_module_options({"fast_math": True})


@wp.kernel
def fill(a: wp.array(dtype=float)):
    a[wp.tid()] = more(1.0) + float(more(1))


x = wp.zeros(4, dtype=float, device="cpu", requires_grad=True)
with wp.Tape() as tape:
    wp.launch(fill, dim=4, inputs=[x], device="cpu")
tape.backward(grads={x: wp.ones(4, dtype=float, device="cpu")})

assert wp.get_module_options()["fast_math"] is True
assert fill.module.name == "__main__"
assert len(more.user_overloads) == 2
assert x.numpy().tolist() == [5.0] * 4
assert wp.launch.__module__.startswith("warp"), wp.launch.__module__
assert not [name for name in globals() if "probe" in name]
