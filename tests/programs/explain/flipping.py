"""Kernels are made anew in a loop and dropped: the module flips between two contents.

event: __main__ first
event: __main__ kernel_changed
event: __main__ reload | `make.<locals>.shift` went back
event: __main__ reload
event: __main__ reload
event: __main__ reload
warm: __main__ reload
warm: __main__ reload
warm: __main__ reload
warm: __main__ reload
rule: reload_thrash
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


def make(offset):
    @wp.kernel
    def shift(a: wp.array(dtype=float)):
        a[wp.tid()] = a[wp.tid()] + offset

    return shift


for step in range(6):
    kernel = make(float(step % 2))
    wp.launch(kernel, dim=8, inputs=[a], device="cpu")
