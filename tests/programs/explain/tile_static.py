"""A wp.static value that depends on the block dimension differs with it: that is the block dimension alone.

event: __main__ first
event: __main__ block_dim
"""
# %%
import warp as wp

wp.config.enable_cpu_blocks = True
a = wp.ones(64, dtype=float, device="cpu")
out = wp.zeros(4, dtype=float, device="cpu")


@wp.kernel
def add_up(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    x = a[wp.tid()] * 2.0
    t = wp.tile(x)
    s = wp.tile_sum(t)
    out[0] = float(wp.static(len(t)))
    wp.tile_atomic_add(out, s)


for block_dim in (16, 32):
    wp.launch(add_up, dim=64, inputs=[a, out], device="cpu", block_dim=block_dim)
