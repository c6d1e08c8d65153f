"""wp.config.cache_kernels is off: every run builds.

event: __main__ first
warm: __main__ cache_miss | wp.config.cache_kernels was set to False at cell 1, line 2
rule: cache_not_reused
"""
# %%
import warp as wp
wp.config.cache_kernels = False
a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


wp.launch(first, dim=8, inputs=[a], device="cpu")
