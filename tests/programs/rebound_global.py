"""
A global that a kernel reads is frozen at the first build; the new value arrives with the next build of the module.

mode: nb
run 0: __main__ bd=1 compiled kernels=1; __main__ bd=1 compiled kernels=2 | launches=3
run 1: __main__ bd=1 cached kernels=1; __main__ bd=1 cached kernels=2
"""
# %%
import warp as wp

wp.config.use_precompiled_headers = False
rate = 0.5
x = wp.zeros(1, dtype=float, device="cpu")


@wp.kernel
def set_rate(a: wp.array(dtype=float)):
    a[wp.tid()] = rate


wp.launch(set_rate, dim=1, inputs=[x], device="cpu")
# %%
rate = 2.0
wp.launch(set_rate, dim=1, inputs=[x], device="cpu")
assert x.numpy()[0] == 0.5


# %%
@wp.kernel
def unrelated(a: wp.array(dtype=float)):
    a[wp.tid()] = 0.0


wp.launch(set_rate, dim=1, inputs=[x], device="cpu")
assert x.numpy()[0] == 2.0
