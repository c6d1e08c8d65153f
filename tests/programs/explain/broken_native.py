"""A native snippet that the compiler refuses.

event: __main__ first
rule: build_failed
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.func_native(snippet="this is not C;")
def native(x: float): ...


@wp.kernel
def good(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


@wp.kernel
def bad(a: wp.array(dtype=float)):
    native(a[wp.tid()])


wp.launch(good, dim=8, inputs=[a], device="cpu")
