"""A generic function used with new types changes no hash; only the kernel that came does.

event: __main__ first
event: __main__ kernel_added | Kernel `use_double` (cell 2, line 1) was added
rule: late_kernel
"""
# %%
from typing import Any

import warp as wp

a = wp.ones(8, dtype=float, device="cpu")
b = wp.ones(8, dtype=wp.float64, device="cpu")


@wp.func
def twice(x: Any):
    return x + x


@wp.kernel
def use_single(a: wp.array(dtype=float)):
    a[wp.tid()] = twice(a[wp.tid()])


wp.launch(use_single, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def use_double(b: wp.array(dtype=wp.float64)):
    b[wp.tid()] = twice(b[wp.tid()])


wp.launch(use_double, dim=8, inputs=[b], device="cpu")
