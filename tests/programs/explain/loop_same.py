"""A kernel defined in a loop at module level, each time the same: one build.

event: __main__ first
"""
# %%
import warp as wp
a = wp.ones(8, dtype=float, device="cpu")

for n in range(4):
    @wp.kernel
    def k(a: wp.array(dtype=float)):
        a[wp.tid()] = a[wp.tid()] + 1.0
    wp.launch(k, dim=8, inputs=[a], device="cpu")
