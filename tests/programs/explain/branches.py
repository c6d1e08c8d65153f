"""A factory with a kernel of one name in each of its branches: both are needed, neither is an old version.

event: __main__ first
"""
# %%
import warp as wp
a = wp.ones(8, dtype=float, device="cpu")

def make(kind):
    if kind == "a":
        @wp.kernel
        def k(a: wp.array(dtype=float)):
            a[wp.tid()] = 1.0
    else:
        @wp.kernel
        def k(a: wp.array(dtype=float)):
            a[wp.tid()] = 2.0
    return k
ka, kb = make("a"), make("b")
wp.launch(ka, dim=8, inputs=[a], device="cpu")
wp.launch(kb, dim=8, inputs=[a], device="cpu")
