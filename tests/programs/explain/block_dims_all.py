"""A kernel that is launched at two block dimensions and has its module for itself: nothing to spare.

event: __main__ first
event: __main__ block_dim
"""
# %%
import warp as wp

wp.config.enable_cpu_blocks = True
a = wp.ones(64, dtype=float, device="cpu")


@wp.kernel
def wide(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


for block_dim in (16, 32):
    wp.launch(wide, dim=64, inputs=[a], device="cpu", block_dim=block_dim)
