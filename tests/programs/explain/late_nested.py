"""Kernels defined in a method, between launches; a second call builds nothing.

event: __main__ first
event: __main__ kernel_added | Kernel `Solver.step.<locals>.relax`
rule: late_kernel
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")


class Solver:
    def step(self):
        @wp.kernel
        def push(a: wp.array(dtype=float)):
            a[wp.tid()] = a[wp.tid()] + 1.0

        wp.launch(push, dim=8, inputs=[a], device="cpu")

        @wp.kernel
        def relax(a: wp.array(dtype=float)):
            a[wp.tid()] = a[wp.tid()] * 0.5

        wp.launch(relax, dim=8, inputs=[a], device="cpu")


solver = Solver()
solver.step()
solver.step()
