"""The kernels of late_cell, defined before the first launch.

event: __main__ first
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] + 1.0


# %%
@wp.kernel
def second(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 2.0


# %%
wp.launch(first, dim=8, inputs=[a], device="cpu")
wp.launch(second, dim=8, inputs=[a], device="cpu")
