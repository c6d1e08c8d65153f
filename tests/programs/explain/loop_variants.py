"""A kernel defined in a loop at module level, with another wp.static value each time.

event: __main__ first
event: __main__ kernel_added | float(n) = 1.0 (besides 0.0)
event: __main__ kernel_added | float(n) = 2.0 (besides 1.0)
rule: late_kernel
"""
# %%
import warp as wp
a = wp.ones(8, dtype=float, device="cpu")

ks = []
for n in range(3):
    @wp.kernel
    def k(a: wp.array(dtype=float)):
        a[wp.tid()] = a[wp.tid()] + wp.static(float(n))
    ks.append(k)
    wp.launch(k, dim=8, inputs=[a], device="cpu")
