"""The global of stale_global as an argument.

event: __main__ first
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")
gain = 2.0


@wp.kernel
def scale(a: wp.array(dtype=float), factor: float):
    a[wp.tid()] = a[wp.tid()] * factor


wp.launch(scale, dim=8, inputs=[a, gain], device="cpu")
# %%
gain = 5.0
wp.launch(scale, dim=8, inputs=[a, gain], device="cpu")
