"""A global that a kernel reads is rebound, and the kernel is launched with its old value.

event: __main__ first
rule: stale_value
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")
gain = 2.0


@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * gain


wp.launch(scale, dim=8, inputs=[a], device="cpu")
# %%
gain = 5.0
wp.launch(scale, dim=8, inputs=[a], device="cpu")
