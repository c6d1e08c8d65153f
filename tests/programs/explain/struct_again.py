"""A struct and its kernel are defined again, the same: nothing is built.

event: __main__ first
"""
# %%
import warp as wp
a = wp.ones(8, dtype=float, device="cpu")

@wp.struct
class P:
    x: float
@wp.kernel
def k(p: P, a: wp.array(dtype=float)):
    a[wp.tid()] = p.x
p = P(); p.x = 1.0
wp.launch(k, dim=8, inputs=[p, a], device="cpu")
# %%
@wp.struct
class P:
    x: float
@wp.kernel
def k(p: P, a: wp.array(dtype=float)):
    a[wp.tid()] = p.x
p = P(); p.x = 1.0
wp.launch(k, dim=8, inputs=[p, a], device="cpu")
