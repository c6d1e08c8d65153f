"""A timer with the name of an argument: no run finds its cache.

event: __main__ first
warm: __main__ kernel_changed | global `t`, which an argument of the kernel hides
rule: shadowed_global, cache_not_reused
"""
# %%
import time

import warp as wp

t = time.perf_counter()
a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def move(a: wp.array(dtype=float), t: float):
    a[wp.tid()] = a[wp.tid()] + t


wp.launch(move, dim=8, inputs=[a, 0.5], device="cpu")
