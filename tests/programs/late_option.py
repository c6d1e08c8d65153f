"""
An option set after the first launch builds the same kernels again.

mode: nb
needs: warp 1.12 (before, set_module_options did not find the module in a notebook)
run 0: __main__ bd=1 compiled kernels=1; __main__ bd=1 compiled kernels=1 | launches=2
run 1: __main__ bd=1 cached kernels=1; __main__ bd=1 cached kernels=1
"""
# %%
import warp as wp

wp.config.use_precompiled_headers = False
x = wp.zeros(8, dtype=float, device="cpu")


@wp.kernel
def grow(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.exp(a[wp.tid()])


wp.launch(grow, dim=8, inputs=[x], device="cpu")

# %%
wp.set_module_options({"fast_math": True})
wp.launch(grow, dim=8, inputs=[x], device="cpu")
assert grow.module.options["fast_math"] is True
