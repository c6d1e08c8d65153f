"""The program makes a new temporary cache folder in each run.

event: __main__ first
warm: __main__ cache_miss | wp.config.kernel_cache_dir was set to another folder at cell 1, line 5
rule: cache_not_reused
"""
# %%
import tempfile

import warp as wp

wp.config.kernel_cache_dir = tempfile.mkdtemp()
a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


wp.launch(first, dim=8, inputs=[a], device="cpu")
