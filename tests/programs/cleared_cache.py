"""
A program that clears the cache at its start compiles on every run.

mode: py
run 0: __main__ bd=1 compiled kernels=1 | launches=1
run 1: __main__ bd=1 compiled kernels=1
"""
import warp as wp

wp.config.use_precompiled_headers = False
wp.clear_kernel_cache()
x = wp.zeros(8, dtype=float, device="cpu")


@wp.kernel
def grow(a: wp.array(dtype=float)):
    a[wp.tid()] += 1.0


wp.launch(grow, dim=8, inputs=[x], device="cpu")
