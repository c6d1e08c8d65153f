"""The program chooses a cache folder of its own outside the private one.

event: __main__ first
rule: cache_dir_pinned
"""
# %%
import os

import warp as wp

wp.config.kernel_cache_dir = os.path.join(os.getcwd(), "cache")
a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


wp.launch(first, dim=8, inputs=[a], device="cpu")
