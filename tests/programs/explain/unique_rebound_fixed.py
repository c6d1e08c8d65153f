"""The constant of unique_rebound, set before the decorator.

event: fill_* first
"""
# %%
import warp as wp

wp.config.enable_cpu_blocks = True

a = wp.ones(256, dtype=float, device="cpu")
value = 2.0


@wp.kernel(module="unique")
def fill(a: wp.array(dtype=float)):
    a[wp.tid()] = value


wp.launch(fill, dim=256, inputs=[a], device="cpu", block_dim=256)
