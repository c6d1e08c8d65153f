"""The cache is cleared between two loads of one content in one process, with the module unloaded in between.

event: __main__ first
event: __main__ cache_miss | wp.clear_kernel_cache() was called before it at cell 2, line 1
warm: __main__ cache_miss
rule: duplicate_builds, cache_not_reused
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


wp.launch(first, dim=8, inputs=[a], device="cpu")
# %%
wp.clear_kernel_cache()
first.module.unload()
wp.launch(first, dim=8, inputs=[a], device="cpu")
