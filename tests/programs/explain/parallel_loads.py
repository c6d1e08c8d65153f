"""Modules loaded for the CPU by workers, each with a header of its own.

event: part_0 first
event: part_1 first
also: parallel_load_costs_more
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


wp.force_load(device="cpu", modules=[k0.module, k1.module], max_workers=2)
wp.launch(k0, dim=8, inputs=[a], device="cpu")
wp.launch(k1, dim=8, inputs=[a], device="cpu")
