"""One kernel needs two block dimensions, the other one only.

event: __main__ first
event: __main__ block_dim | block dimension 32; they had been built for 1
rule: block_dim_spread
"""
# %%
import warp as wp

wp.config.enable_cpu_blocks = True
a = wp.ones(64, dtype=float, device="cpu")


@wp.kernel
def wide(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


@wp.kernel
def plain(a: wp.array(dtype=float)):
    a[wp.tid()] = 2.0


wp.launch(plain, dim=64, inputs=[a], device="cpu")
wp.launch(wide, dim=64, inputs=[a], device="cpu", block_dim=32)
