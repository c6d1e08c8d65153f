"""The variants of closure_variants, all made before the first launch.

event: __main__ first
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


def make(offset):
    @wp.kernel
    def shift(a: wp.array(dtype=float)):
        a[wp.tid()] = a[wp.tid()] + offset

    return shift


kernels = [make(offset) for offset in (1.0, 2.0, 3.0)]
for kernel in kernels:
    wp.launch(kernel, dim=8, inputs=[a], device="cpu")
