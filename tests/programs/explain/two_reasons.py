"""A kernel and an option come in one cell: both are named.

event: __main__ first
event: __main__ kernel_added, option_changed | Option `fast_math` went from False to True (cell 2, line 6)
rule: late_kernel, late_option
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.exp(a[wp.tid()])


wp.launch(first, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def second(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.log(a[wp.tid()])


wp.set_module_options({"fast_math": True})
wp.launch(second, dim=8, inputs=[a], device="cpu")
