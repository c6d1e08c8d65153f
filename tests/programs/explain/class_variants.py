"""A class makes a kernel of its own for each of its objects, between launches.

event: simulations first
event: simulations kernel_added | Another variant of kernel `Simulation.__init__.<locals>.step` (cell 1, line 9) was added with n = 2
rule: late_kernel
"""
# %%
import warp as wp

wp.config.use_precompiled_headers = False
a = wp.ones(8, dtype=float, device="cpu")


class Simulation:
    def __init__(self, n):
        @wp.kernel(module="simulations")
        def step(a: wp.array(dtype=float)):
            a[wp.tid()] = a[wp.tid()] * wp.static(float(n))

        self.step = step

    def run(self):
        wp.launch(self.step, dim=8, inputs=[a], device="cpu")


# %%
first = Simulation(1)
first.run()
second = Simulation(2)
second.run()
first.run()
