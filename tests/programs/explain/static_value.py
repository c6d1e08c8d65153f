"""A wp.static value changes and the cell of the kernel is run again.

event: __main__ first
event: __main__ kernel_changed | the wp.static value `size` went from 2 to 4 (cell 3, line 1)
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")
size = 2
# %%
@wp.kernel
def fill(a: wp.array(dtype=float)):
    for i in range(wp.static(size)):
        a[i] = float(i)


wp.launch(fill, dim=1, inputs=[a], device="cpu")
# %%
size = 4
# %%
@wp.kernel
def fill(a: wp.array(dtype=float)):
    for i in range(wp.static(size)):
        a[i] = float(i)


wp.launch(fill, dim=1, inputs=[a], device="cpu")
