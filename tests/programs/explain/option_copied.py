"""wp.config.enable_backward is set after the module took its copy, and reaches only the module made later.

event: __main__ first
event: later first
rule: option_never_arrived
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


# %%
wp.config.enable_backward = False


@wp.kernel(module="later")
def second(a: wp.array(dtype=float)):
    a[wp.tid()] = 2.0


wp.launch(first, dim=8, inputs=[a], device="cpu")
wp.launch(second, dim=8, inputs=[a], device="cpu")
