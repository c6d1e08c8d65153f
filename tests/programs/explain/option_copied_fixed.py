"""wp.config.enable_backward is set before any kernel.

event: __main__ first
event: later first
absent: backward_unused
"""
# %%
import warp as wp

wp.config.enable_backward = False
a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


@wp.kernel(module="later")
def second(a: wp.array(dtype=float)):
    a[wp.tid()] = 2.0


# %%
wp.launch(first, dim=8, inputs=[a], device="cpu")
wp.launch(second, dim=8, inputs=[a], device="cpu")
