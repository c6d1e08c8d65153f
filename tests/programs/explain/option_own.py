"""The module has its own value of the option that wp.config is given later: that is no miss.

event: __main__ first
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.exp(a[wp.tid()])


wp.set_module_options({"enable_backward": True})
# %%
wp.config.enable_backward = False
wp.launch(first, dim=8, inputs=[a], device="cpu")
