"""
A kernel that cannot be built takes its module down; once it is put right the notebook goes on.

mode: nb
needs: warp 1.19 (before, a corrected cell did not recover)
run 0: __main__ bd=1 compiled kernels=1; __main__ bd=1 error kernels=2; __main__ bd=1 error kernels=2; __main__ bd=1 compiled kernels=2 | launches=5
"""
# %%
import warp as wp

wp.config.use_precompiled_headers = False
x = wp.zeros(8, dtype=float, device="cpu")


@wp.kernel
def good(a: wp.array(dtype=float)):
    a[wp.tid()] += 1.0


wp.launch(good, dim=8, inputs=[x], device="cpu")


# %%
@wp.kernel
def bad(a: wp.array(dtype=float)):
    a[wp.tid()] = nothing_of_that_name(a[wp.tid()])


wp.launch(bad, dim=8, inputs=[x], device="cpu")
# %%
wp.launch(good, dim=8, inputs=[x], device="cpu")


# %%
@wp.kernel
def bad(a: wp.array(dtype=float)):
    a[wp.tid()] *= 2.0


wp.launch(good, dim=8, inputs=[x], device="cpu")
# %%
wp.launch(bad, dim=8, inputs=[x], device="cpu")
assert x.numpy()[0] == 4.0
