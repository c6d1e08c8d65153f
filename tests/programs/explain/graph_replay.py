"""A captured launch and a recorded one: both kernels are used.

event: __main__ first
absent: overbuilt
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def direct(a: wp.array(dtype=float)):
    a[wp.tid()] = a[wp.tid()] + 1.0


@wp.kernel
def recorded(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.sin(a[wp.tid()]) * wp.cos(a[wp.tid()]) + wp.exp(a[wp.tid()]) * wp.sqrt(a[wp.tid()])


wp.launch(direct, dim=8, inputs=[a], device="cpu")
command = wp.launch(recorded, dim=8, inputs=[a], device="cpu", record_cmd=True)
command.launch()
