"""A cell is edited and run again: one build more, and it had to be.

event: __main__ first
event: __main__ kernel_changed | `scale` changed: its own source (cell 3, line 1)
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
    a[wp.tid()] = a[wp.tid()] * 3.0


wp.launch(scale, dim=8, inputs=[a], device="cpu")
