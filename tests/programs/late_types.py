"""
A generic kernel launched with new types builds the module again, with all its instances.

mode: nb
run 0: __main__ bd=1 compiled kernels=1; __main__ bd=1 compiled kernels=2 | launches=3
run 1: __main__ bd=1 cached kernels=1; __main__ bd=1 cached kernels=2
"""
# %%
from typing import Any

import warp as wp

wp.config.use_precompiled_headers = False


@wp.kernel
def double(a: wp.array(dtype=Any)):
    i = wp.tid()
    a[i] = a[i] + a[i]


x = wp.ones(4, dtype=float, device="cpu")
wp.launch(double, dim=4, inputs=[x], device="cpu")

# %%
n = wp.ones(4, dtype=int, device="cpu")
wp.launch(double, dim=4, inputs=[n], device="cpu")
wp.launch(double, dim=4, inputs=[x], device="cpu")
assert (x.numpy()[0], n.numpy()[0]) == (4.0, 2)
