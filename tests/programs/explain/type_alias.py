"""The type that a kernel's annotations name is another one when the cell is run again.

event: __main__ first
event: __main__ kernel_changed | its arguments went from a: array(float32) to a: array(float64)
"""
# %%
import warp as wp

wp.config.use_precompiled_headers = False
real = wp.float32


@wp.kernel
def scale(a: wp.array(dtype=real)):
    a[wp.tid()] = a[wp.tid()] * real(2.0)


wp.launch(scale, dim=8, inputs=[wp.ones(8, dtype=real, device="cpu")], device="cpu")
# %%
real = wp.float64


@wp.kernel
def scale(a: wp.array(dtype=real)):
    a[wp.tid()] = a[wp.tid()] * real(2.0)


wp.launch(scale, dim=8, inputs=[wp.ones(8, dtype=real, device="cpu")], device="cpu")
