"""One kernel cannot be generated: launches of good kernels fail with it until it is mended.

event: __main__ first
event: __main__ error_replayed | kernel `bad` (cell 1, line 6)
event: __main__ kernel_changed | Kernel `bad` changed: its own source (cell 3, line 1)
rule: build_failed
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def bad(a: wp.array(dtype=float)):
    a[wp.tid()] = missing_name(a[wp.tid()])


@wp.kernel
def good(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


wp.launch(good, dim=8, inputs=[a], device="cpu")
# %%
wp.launch(good, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def bad(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] + 1.0


wp.launch(good, dim=8, inputs=[a], device="cpu")
