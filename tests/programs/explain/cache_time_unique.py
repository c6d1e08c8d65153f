"""A constant that differs from run to run, in a kernel with a module of its own: its name differs too.

event: fill_* first
warm: fill_* first
rule: cache_not_reused
"""
# %%
import time

import warp as wp

seed = int(time.time() * 1000) % 1000003
a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel(module="unique")
def fill(a: wp.array(dtype=float)):
    a[wp.tid()] = float(seed)


wp.launch(fill, dim=8, inputs=[a], device="cpu")
