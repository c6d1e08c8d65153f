"""The kernel of generic_types with its types registered before the first launch.

event: __main__ first
"""
# %%
from typing import Any

import warp as wp


@wp.kernel
def blend(a: wp.array2d(dtype=Any), s: Any, n: Any):
    i, j = wp.tid()
    a[i, j] = a[i, j] * s + a.dtype(n)


pairs = ((wp.float32, wp.int32), (wp.float64, wp.int32), (wp.float64, wp.int64))
overloads = [wp.overload(blend, [wp.array2d(dtype=real), real, whole]) for real, whole in pairs]
# %%
for real, whole in pairs:
    a = wp.ones((2, 2), dtype=real, device="cpu")
    wp.launch(blend, dim=(2, 2), inputs=[a, real(2), whole(1)], device="cpu")
