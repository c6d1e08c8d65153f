"""A lambda of wp.map captures the loop's variable: one hidden module, built for each value.

event: map_func_* first
event: map_func_* kernel_changed | global `c` went from 1.0 to 2.0 (cell 1, line 7)
event: map_func_* kernel_changed | global `c` went from 2.0 to 3.0 (cell 1, line 7)
also: hidden_modules
"""
# %%
import warp as wp

wp.config.use_precompiled_headers = False
a = wp.ones(8, dtype=float, device="cpu")


for c in (1.0, 2.0, 3.0):
    b = wp.map(lambda v: v * c, a)
