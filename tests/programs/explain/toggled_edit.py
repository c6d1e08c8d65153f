"""An edit is made and taken back: one reload, nothing to mend.

event: __main__ first
event: __main__ kernel_changed | its own source
event: __main__ reload
warm: __main__ reload
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 2.0


wp.launch(scale, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 3.0


wp.launch(scale, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] * 2.0


wp.launch(scale, dim=8, inputs=[a], device="cpu")
