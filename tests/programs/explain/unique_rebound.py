"""A constant is rebound between the decorator and the first launch of a kernel with a module of its own.

event: fill_* first
rule: hash_mismatch
"""
# %%
import warp as wp

wp.config.enable_cpu_blocks = True

a = wp.ones(256, dtype=float, device="cpu")
value = 1.0


@wp.kernel(module="unique")
def fill(a: wp.array(dtype=float)):
    a[wp.tid()] = value


value = 2.0
wp.launch(fill, dim=256, inputs=[a], device="cpu", block_dim=256)
