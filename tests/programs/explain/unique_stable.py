"""Kernels at module level that were given a module each.

event: one_* first
event: two_* first
event: three_* first
also: unique_modules
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel(module="unique")
def one(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


@wp.kernel(module="unique")
def two(a: wp.array(dtype=float)):
    a[wp.tid()] = 2.0


@wp.kernel(module="unique")
def three(a: wp.array(dtype=float)):
    a[wp.tid()] = 3.0


for kernel in (one, two, three):
    wp.launch(kernel, dim=8, inputs=[a], device="cpu")
