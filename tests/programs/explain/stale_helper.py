"""A kernel with a module of its own keeps the helper that it was built with.

event: use_* first
rule: stale_value
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.func
def helper(x: float):
    return x + 1.0


@wp.kernel(module="unique")
def use(a: wp.array(dtype=float)):
    a[wp.tid()] = helper(a[wp.tid()])


wp.launch(use, dim=8, inputs=[a], device="cpu")
# %%
@wp.func
def helper(x: float):
    return x + 100.0


wp.launch(use, dim=8, inputs=[a], device="cpu")
