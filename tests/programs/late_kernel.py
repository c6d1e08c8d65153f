"""
A kernel defined in a later cell builds the module again, with both kernels.

mode: nb
run 0: __main__ bd=1 compiled kernels=1; __main__ bd=1 compiled kernels=2 | launches=2
run 1: __main__ bd=1 cached kernels=1; __main__ bd=1 cached kernels=2
"""
# %%
import warp as wp

wp.config.use_precompiled_headers = False
x = wp.zeros(8, dtype=float, device="cpu")


@wp.kernel
def grow(a: wp.array(dtype=float)):
    a[wp.tid()] += 1.0


wp.launch(grow, dim=8, inputs=[x], device="cpu")


# %%
@wp.kernel
def shrink(a: wp.array(dtype=float)):
    a[wp.tid()] *= 0.5


wp.launch(shrink, dim=8, inputs=[x], device="cpu")
assert x.numpy().tolist() == [0.5] * 8
