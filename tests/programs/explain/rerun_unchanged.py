"""A cell is run again as it is: nothing is built.

event: __main__ first
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")

# %%
@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 2.0


wp.launch(scale, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 2.0


wp.launch(scale, dim=8, inputs=[a], device="cpu")
