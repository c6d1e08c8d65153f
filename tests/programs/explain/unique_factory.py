"""Variants of a factory that each have a module of their own: nothing is built twice.

event: make__locals__shift_* first
event: make__locals__shift_* first
absent: unique_modules
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


def make(offset):
    @wp.kernel(module="unique")
    def shift(a: wp.array(dtype=float)):
        a[wp.tid()] = a[wp.tid()] + offset

    return shift


for offset in (1.0, 2.0, 1.0):
    wp.launch(make(offset), dim=8, inputs=[a], device="cpu")
