"""A build that takes long, and a second run that finds it.

event: __main__ first
also: ship_the_cache
"""
# %%
import warp as wp

a = wp.ones(1024, dtype=float, device="cpu")


@wp.kernel
def product(a: wp.array(dtype=float)):
    total = float(0.0)
    for i in range(16):
        for j in range(10):
            for k in range(2):
                total = total + a[i] * a[j] * wp.sin(a[k])
    a[0] = total


wp.launch(product, dim=1, inputs=[a], device="cpu")
