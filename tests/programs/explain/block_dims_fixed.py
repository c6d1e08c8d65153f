"""The kernels of block_dims in a module for each block dimension.

event: block1 first
event: block32 first
"""
# %%
import warp as wp

wp.config.enable_cpu_blocks = True
a = wp.ones(64, dtype=float, device="cpu")


@wp.kernel(module="block32")
def wide(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


@wp.kernel(module="block1")
def plain(a: wp.array(dtype=float)):
    a[wp.tid()] = 2.0


wp.launch(plain, dim=64, inputs=[a], device="cpu")
wp.launch(wide, dim=64, inputs=[a], device="cpu", block_dim=32)
