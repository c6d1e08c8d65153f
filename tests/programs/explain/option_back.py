"""An option is set after the first launch, and set back: one build, and one load from the cache.

event: __main__ first
event: __main__ option_changed | Option `fast_math` went from False to True (cell 2, line 1)
event: __main__ reload | option `fast_math` went back
warm: __main__ reload | option `fast_math` went back
rule: late_option
"""
# %%
import warp as wp

wp.config.use_precompiled_headers = False
a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.exp(a[wp.tid()])


wp.launch(scale, dim=8, inputs=[a], device="cpu")
# %%
wp.set_module_options({"fast_math": True})
wp.launch(scale, dim=8, inputs=[a], device="cpu")
# %%
wp.set_module_options({"fast_math": False})
wp.launch(scale, dim=8, inputs=[a], device="cpu")
