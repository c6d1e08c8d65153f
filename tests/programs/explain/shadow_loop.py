"""A global with the name of a kernel's loop variable changes.

event: __main__ first
event: __main__ kernel_changed | global `k`, which a loop variable of the kernel hides, went from 1 to 2 (cell 2, line 1)
rule: shadowed_global
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")
k = 1


@wp.kernel
def add_up(a: wp.array(dtype=float)):
    for k in range(3):
        a[wp.tid()] = a[wp.tid()] + float(k)


wp.launch(add_up, dim=8, inputs=[a], device="cpu")
# %%
k = 2


@wp.kernel
def add_up(a: wp.array(dtype=float)):
    for k in range(3):
        a[wp.tid()] = a[wp.tid()] + float(k)


wp.launch(add_up, dim=8, inputs=[a], device="cpu")
