"""A constant that differs from run to run is built into a kernel.

event: __main__ first
warm: __main__ kernel_changed | global `seed` went from
rule: cache_not_reused
"""
# %%
import time

import warp as wp

seed = int(time.time() * 1000) % 1000003
a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def fill(a: wp.array(dtype=float)):
    a[wp.tid()] = float(seed)


wp.launch(fill, dim=8, inputs=[a], device="cpu")
