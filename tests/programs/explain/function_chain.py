"""The innermost of three functions is edited; the kernel and the two between stay as they are.

event: __main__ first
event: __main__ kernel_changed | Kernel `use` changed: function `inner`, which it calls (cell 2, line 1)
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.func
def inner(x: float):
    return x + 1.0


@wp.func
def middle(x: float):
    return inner(x) * 2.0


@wp.func
def outer(x: float):
    return middle(x) - 1.0


@wp.kernel
def use(a: wp.array(dtype=float)):
    a[wp.tid()] = outer(a[wp.tid()])


wp.launch(use, dim=8, inputs=[a], device="cpu")
# %%
@wp.func
def inner(x: float):
    return x + 5.0


wp.launch(use, dim=8, inputs=[a], device="cpu")
