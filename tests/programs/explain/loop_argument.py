"""The everyday loop whose variable has an argument's name.

event: __main__ first
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def step(a: wp.array(dtype=float), dt: float):
    a[wp.tid()] = a[wp.tid()] + dt


for dt in (0.1, 0.2, 0.3):
    wp.launch(step, dim=8, inputs=[a, dt], device="cpu")
