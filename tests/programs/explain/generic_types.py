"""A generic kernel with several generic arguments meets new types one after the other.

event: __main__ first
event: __main__ overload_added | Kernel `blend` was used with new types (a: array2d(float64), s: float64, n: int32)
event: __main__ overload_added | n: int64
rule: late_overload
"""
# %%
from typing import Any

import warp as wp


@wp.kernel
def blend(a: wp.array2d(dtype=Any), s: Any, n: Any):
    i, j = wp.tid()
    a[i, j] = a[i, j] * s + a.dtype(n)


# %%
for real, whole in ((wp.float32, wp.int32), (wp.float64, wp.int32), (wp.float64, wp.int64)):
    a = wp.ones((2, 2), dtype=real, device="cpu")
    wp.launch(blend, dim=(2, 2), inputs=[a, real(2), whole(1)], device="cpu")
