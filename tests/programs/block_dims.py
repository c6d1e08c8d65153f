"""
A module is built once for each block dimension, with all its kernels.

mode: nb
needs: warp 1.18 (enable_cpu_blocks)
run 0: __main__ bd=1 compiled kernels=2; __main__ bd=32 compiled kernels=2 | launches=2
run 1: __main__ bd=1 cached kernels=2; __main__ bd=32 cached kernels=2
"""
# %%
import warp as wp

wp.config.use_precompiled_headers = False
wp.config.enable_cpu_blocks = True
x = wp.zeros(64, dtype=float, device="cpu")


@wp.kernel
def grow(a: wp.array(dtype=float)):
    a[wp.tid()] += 1.0


@wp.kernel
def clear(a: wp.array(dtype=float)):
    a[wp.tid()] = 0.0


# %%
wp.launch(clear, dim=64, inputs=[x], device="cpu")
wp.launch(grow, dim=64, inputs=[x], device="cpu", block_dim=32)
assert x.numpy().sum() == 64.0
