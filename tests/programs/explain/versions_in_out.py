"""The old version is an output of the notebook.

event: __main__ first
event: __main__ kernel_kept | Out[1]
rule: old_versions_kept
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 2.0


wp.launch(scale, dim=8, inputs=[a], device="cpu")
scale
# %%
@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 3.0


wp.launch(scale, dim=8, inputs=[a], device="cpu")
