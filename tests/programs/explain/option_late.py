"""wp.set_module_options after the first launch.

event: __main__ first
event: __main__ option_changed | Option `max_unroll` went from 16 to 4 (cell 2, line 1)
rule: late_option
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def first(a: wp.array(dtype=float)):
    for i in range(3):
        a[wp.tid()] = a[wp.tid()] + float(i)


wp.launch(first, dim=8, inputs=[a], device="cpu")
# %%
wp.set_module_options({"max_unroll": 4})
wp.launch(first, dim=8, inputs=[a], device="cpu")
