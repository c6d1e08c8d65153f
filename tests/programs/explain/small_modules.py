"""Six named modules of one kernel each, in one cell.

event: part_0 first
event: part_1 first
event: part_2 first
event: part_3 first
event: part_4 first
event: part_5 first
also: granular_modules
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel(module="part_0")
def k0(a: wp.array(dtype=float)):
    a[wp.tid()] = 0.0


@wp.kernel(module="part_1")
def k1(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


@wp.kernel(module="part_2")
def k2(a: wp.array(dtype=float)):
    a[wp.tid()] = 2.0


@wp.kernel(module="part_3")
def k3(a: wp.array(dtype=float)):
    a[wp.tid()] = 3.0


@wp.kernel(module="part_4")
def k4(a: wp.array(dtype=float)):
    a[wp.tid()] = 4.0


@wp.kernel(module="part_5")
def k5(a: wp.array(dtype=float)):
    a[wp.tid()] = 5.0


for kernel in (k0, k1, k2, k3, k4, k5):
    wp.launch(kernel, dim=8, inputs=[a], device="cpu")
