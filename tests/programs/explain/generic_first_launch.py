"""A generic kernel is launched for the first time after another kernel of its module had been built.

event: __main__ first
event: __main__ overload_added | Kernel `twice` was used with new types (a: array(float32))
rule: late_overload
"""
# %%
from typing import Any

import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def twice(a: wp.array(dtype=Any)):
    a[wp.tid()] = a[wp.tid()] + a[wp.tid()]


@wp.kernel
def zero(a: wp.array(dtype=float)):
    a[wp.tid()] = 0.0


# %%
wp.launch(zero, dim=8, inputs=[a], device="cpu")
wp.launch(twice, dim=8, inputs=[a], device="cpu")
