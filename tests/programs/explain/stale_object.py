"""A line launches the object of an older definition.

event: __main__ first
event: __main__ kernel_kept | 2 versions are built: held by variable `old`
rule: stale_value, old_versions_kept
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 2.0


old = scale
wp.launch(scale, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 3.0


wp.launch(scale, dim=8, inputs=[a], device="cpu")
wp.launch(old, dim=8, inputs=[a], device="cpu")
