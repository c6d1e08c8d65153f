"""A preload of what is launched.

event: __main__ first
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


# %%
wp.force_load(device="cpu", modules=[first.module])
wp.launch(first, dim=8, inputs=[a], device="cpu")
