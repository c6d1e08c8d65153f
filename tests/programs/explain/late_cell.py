"""Two kernels of two cells, each launched before the next one is defined.

event: __main__ first
event: __main__ kernel_added | Kernel `second` (cell 2, line 1) was added
rule: late_kernel
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] + 1.0


wp.launch(first, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def second(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 2.0


wp.launch(second, dim=8, inputs=[a], device="cpu")
