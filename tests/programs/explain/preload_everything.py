"""wp.force_load without a list builds what nothing launches.

event: warp.utils first
event: warp._src.coloring first
event: warp.math first
event: __main__ first
rule: unused_build
also: hidden_modules
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


# %%
wp.force_load(device="cpu")
wp.launch(first, dim=8, inputs=[a], device="cpu")
