"""A factory whose kernels capture a value: each new value is another variant, built with all before it.

event: __main__ first
event: __main__ kernel_added | Another variant of kernel `make.<locals>.shift` (cell 1, line 7) was added with offset = 2.0 (besides 1.0)
event: __main__ kernel_added | offset = 3.0
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


kernels = []
for offset in (1.0, 2.0, 3.0):
    kernels.append(make(offset))
    wp.launch(kernels[-1], dim=8, inputs=[a], device="cpu")
