"""A program that spends its time elsewhere: building is not what takes it. The setup has made the header already.

event: warm_up first
event: __main__ first
also: not_compilation
absent: backward_unused
"""
# %% setup
import time

import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel(module="warm_up")
def warm_up(a: wp.array(dtype=float)):
    a[wp.tid()] = 0.0


wp.launch(warm_up, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


wp.launch(first, dim=8, inputs=[a], device="cpu")
time.sleep(8.0)
