"""A name that the kernel calls stands for another function: stale first, then built with another kernel.

event: __main__ first
event: __main__ kernel_added, kernel_changed | it now calls f2 instead of f1 (cell 2, line 1)
rule: stale_value, late_kernel
"""
# %%
import warp as wp
a = wp.ones(8, dtype=float, device="cpu")

@wp.func
def f1(x: float):
    return x + 1.0
@wp.func
def f2(x: float):
    return x + 2.0
op = f1
@wp.kernel
def k(a: wp.array(dtype=float)):
    a[wp.tid()] = op(a[wp.tid()])
wp.launch(k, dim=8, inputs=[a], device="cpu")
# %%
op = f2
wp.launch(k, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def z(a: wp.array(dtype=float)):
    a[wp.tid()] = 0.0
wp.launch(k, dim=8, inputs=[a], device="cpu")
