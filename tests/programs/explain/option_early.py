"""Options set before the first launch, of the program's module and of a named one.

event: __main__ first
event: other first
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.exp(a[wp.tid()])


@wp.kernel(module="other")
def second(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.log(a[wp.tid()])


wp.set_module_options({"fast_math": True})
wp.set_module_options({"fast_math": True}, module=wp.get_module("other"))
# %%
wp.launch(first, dim=8, inputs=[a], device="cpu")
wp.launch(second, dim=8, inputs=[a], device="cpu")
