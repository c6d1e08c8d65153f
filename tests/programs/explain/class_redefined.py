"""A class with a kernel is defined anew; the older class waits for Python's collector.

event: __main__ first
event: __main__ kernel_kept | held by an older class `Sim` that Python has not collected yet
rule: old_versions_kept
"""
# %%
import warp as wp
a = wp.ones(8, dtype=float, device="cpu")

class Sim:
    @wp.kernel
    def step(a: wp.array(dtype=float)):
        a[wp.tid()] = a[wp.tid()] + 1.0
    def run(self):
        wp.launch(self.step, dim=8, inputs=[a], device="cpu")
Sim().run()
# %%
class Sim:
    @wp.kernel
    def step(a: wp.array(dtype=float)):
        a[wp.tid()] = a[wp.tid()] + 2.0
    def run(self):
        wp.launch(self.step, dim=8, inputs=[a], device="cpu")
Sim().run()
