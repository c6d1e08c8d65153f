"""Kernels are defined anew, the same, at every step: the module is hashed each time.

event: __main__ first
rule: rehash
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


def make(n):
    @wp.kernel
    def fill(a: wp.array(dtype=float)):
        for i in range(wp.static(n)):
            a[i] = float(i)

    return fill


for step in range(60):
    kernels = [make(1 + n % 8) for n in range(24)]
    wp.launch(kernels[0], dim=1, inputs=[a], device="cpu")
