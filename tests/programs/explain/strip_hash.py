"""With strip_hash an edited kernel is never built again.

event: __main__ first
rule: stale_value
"""
# %%
import warp as wp
a = wp.ones(8, dtype=float, device="cpu")

@wp.kernel
def k(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0
wp.set_module_options({"strip_hash": True})
wp.launch(k, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def k(a: wp.array(dtype=float)):
    a[wp.tid()] = 2.0
wp.launch(k, dim=8, inputs=[a], device="cpu")
print(a.numpy()[0])
