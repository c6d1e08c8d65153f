"""A helper gets a second overload after it was built: what calls it is built again.

event: __main__ first
event: __main__ kernel_changed | function `double`, which it calls (cell 2, line 1)
"""
# %%
import warp as wp

wp.config.use_precompiled_headers = False
a = wp.ones(8, dtype=float, device="cpu")


@wp.func
def double(x: float):
    return x * 2.0


@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = double(a[wp.tid()])


wp.launch(scale, dim=8, inputs=[a], device="cpu")
# %%
@wp.func
def double(x: int):
    return x + x


wp.launch(scale, dim=8, inputs=[a], device="cpu")
