"""Nested loops of fixed bounds make much source.

event: __main__ first
also: unroll
"""
# %%
import warp as wp

a = wp.ones(256, dtype=float, device="cpu")


@wp.kernel
def product(a: wp.array(dtype=float)):
    total = float(0.0)
    for i in range(16):
        for j in range(16):
            total = total + a[i] * a[j]
    a[0] = total


wp.launch(product, dim=1, inputs=[a], device="cpu")
