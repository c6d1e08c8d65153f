"""A module is built ahead of time, twice.

event: __main__ first
event: __main__ aot_skipped | built ahead of time before
also: nothing_compiled
"""
# %%
import os

import warp as wp

wp.init()


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


wp.set_module_options({"block_dim": 64})
for _ in range(2):
    wp.compile_aot_module(first.module, arch=90, module_dir=os.path.join(os.getcwd(), "aot"))
