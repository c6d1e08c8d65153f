"""A global that is assigned the same value again.

event: __main__ first
"""
# %%
import warp as wp
a = wp.ones(8, dtype=float, device="cpu")

dt = 0.5
@wp.kernel
def f(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] + dt
wp.launch(f, dim=8, inputs=[a], device="cpu")
# %%
dt = 0.5
wp.launch(f, dim=8, inputs=[a], device="cpu")
# %%
dt = 1.0 - 0.5
wp.launch(f, dim=8, inputs=[a], device="cpu")
