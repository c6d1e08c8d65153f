"""wp.config.verify_fp is set after the module was hashed: it waits until something else changes the module.

event: __main__ first
event: __main__ kernel_added, option_changed | Option `verify_fp` went from False to True (cell 2, line 1)
rule: option_never_arrived, late_kernel, late_option
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


wp.launch(first, dim=8, inputs=[a], device="cpu")
# %%
wp.config.verify_fp = True
wp.launch(first, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def second(a: wp.array(dtype=float)):
    a[wp.tid()] = 2.0


wp.launch(second, dim=8, inputs=[a], device="cpu")
