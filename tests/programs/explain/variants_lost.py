"""Variants that nothing holds are gone when another kernel comes.

event: __main__ first
event: __main__ kernel_added, kernel_removed | `make.<locals>.shift` of the earlier build
rule: late_kernel
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


def make(offset):
    @wp.kernel
    def shift(a: wp.array(dtype=float)):
        a[wp.tid()] = a[wp.tid()] + offset

    return shift


pair = [make(1.0), make(2.0)]
for kernel in pair:
    wp.launch(kernel, dim=8, inputs=[a], device="cpu")
# %%
del pair, kernel


@wp.kernel
def other(a: wp.array(dtype=float)):
    a[wp.tid()] = 3.0


wp.launch(other, dim=8, inputs=[a], device="cpu")
