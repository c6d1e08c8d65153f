"""Drops that fall and bounce: written cell by cell, as notebooks are, and slower to start than it need be."""

# %%
import sys

import warp as wp

DROPS = 1000
DT = 0.01

height = wp.full(DROPS, 1.0, dtype=float, device="cpu")
speed = wp.zeros(DROPS, dtype=float, device="cpu")


@wp.kernel
def fall(height: wp.array(dtype=float), speed: wp.array(dtype=float), dt: float):
    i = wp.tid()
    speed[i] = speed[i] - 9.81 * dt
    height[i] = height[i] + speed[i] * dt


wp.launch(fall, dim=DROPS, inputs=[height, speed, DT], device="cpu")


# %%
# A kernel that comes after the first launch: the module that holds `fall` is built again, with both.
@wp.kernel
def bounce(height: wp.array(dtype=float), speed: wp.array(dtype=float)):
    i = wp.tid()
    if height[i] < 0.0:
        height[i] = -height[i]
        speed[i] = -0.8 * speed[i]


wp.launch(bounce, dim=DROPS, inputs=[height, speed], device="cpu")

# %%
# An option that comes after the first launch: and once more. (The module is named because Warp before 1.12 does
# not find it by itself in a notebook.)
wp.set_module_options({"fast_math": True}, module=sys.modules[__name__])

for _ in range(100):
    wp.launch(fall, dim=DROPS, inputs=[height, speed, DT], device="cpu")
    wp.launch(bounce, dim=DROPS, inputs=[height, speed], device="cpu")

print(f"After one second the drops are at {height.numpy()[0]:.2f} m.")
