"""A preload for a block dimension that no launch uses.

event: __main__ first
event: __main__ block_dim | block dimension 32; they had been built for 64
rule: unused_build
"""
# %%
import warp as wp

wp.config.enable_cpu_blocks = True
a = wp.ones(64, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


# %%
wp.force_load(device="cpu", modules=[first.module], block_dim=64)
wp.launch(first, dim=64, inputs=[a], device="cpu", block_dim=32)
