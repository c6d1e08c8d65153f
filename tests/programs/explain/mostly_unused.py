"""Most kernels of a module are never launched.

event: __main__ first
also: overbuilt, backward_unused
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def k0(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.sin(a[wp.tid()]) * 0.0


@wp.kernel
def k1(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.sin(a[wp.tid()]) * 1.0


@wp.kernel
def k2(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.sin(a[wp.tid()]) * 2.0


@wp.kernel
def k3(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.sin(a[wp.tid()]) * 3.0


@wp.kernel
def k4(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.sin(a[wp.tid()]) * 4.0


@wp.kernel
def k5(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.sin(a[wp.tid()]) * 5.0


@wp.kernel
def k6(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.sin(a[wp.tid()]) * 6.0


@wp.kernel
def k7(a: wp.array(dtype=float)):
    a[wp.tid()] = wp.sin(a[wp.tid()]) * 7.0


wp.launch(k0, dim=8, inputs=[a], device="cpu")
