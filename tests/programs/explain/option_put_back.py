"""A setting is put back before the next launch.

event: __main__ first
event: scoped first
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


wp.launch(first, dim=8, inputs=[a], device="cpu")
# %%
wp.config.max_unroll = 2


@wp.kernel(module="scoped")
def second(a: wp.array(dtype=float)):
    a[wp.tid()] = 2.0


wp.launch(second, dim=8, inputs=[a], device="cpu")
wp.config.max_unroll = 16
# %%
wp.launch(first, dim=8, inputs=[a], device="cpu")
