"""An option put straight into module.options of a module that was built.

event: __main__ first
rule: option_never_arrived
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.exp(a[wp.tid()])


wp.launch(first, dim=8, inputs=[a], device="cpu")
# %%
first.module.options["fast_math"] = True
wp.launch(first, dim=8, inputs=[a], device="cpu")
