"""Old versions of a kernel are held by a list.

event: __main__ first
event: __main__ kernel_kept | 2 versions
event: __main__ kernel_kept | 3 versions
rule: old_versions_kept
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")
kept = []


@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 2.0


kept.append(scale)
wp.launch(scale, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 3.0


kept.append(scale)
wp.launch(scale, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 4.0


kept.append(scale)
wp.launch(scale, dim=8, inputs=[a], device="cpu")
