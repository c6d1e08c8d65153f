"""Only a comment in a function that the kernel calls changes.

event: __main__ first
event: __main__ kernel_changed | only comments or blank lines of function `half`, which it calls
rule: text_only_edit
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.func
def half(x: float):
    return x * 0.5


@wp.kernel
def use(a: wp.array(dtype=float)):
    a[wp.tid()] = half(a[wp.tid()])


wp.launch(use, dim=8, inputs=[a], device="cpu")
# %%
@wp.func
def half(x: float):
    # one half

    return x * 0.5


wp.launch(use, dim=8, inputs=[a], device="cpu")
