"""A kernel built in the setup; the measured cell adds another one.

event: __main__ first
event: __main__ kernel_added
rule: late_kernel
"""
# %% setup
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


wp.launch(first, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def second(a: wp.array(dtype=float)):
    a[wp.tid()] = 2.0


wp.launch(second, dim=8, inputs=[a], device="cpu")
