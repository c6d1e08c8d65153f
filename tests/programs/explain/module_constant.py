"""A constant in a reloaded file changes: the line of the file is named.

event: kernels_one first
event: kernels_one kernel_changed | global `GAIN` went from 2.0 to 7.0 (kernels_one.py:4)
"""
# %%
import importlib
import pathlib
import sys

import warp as wp

sys.path.insert(0, ".")
sys.dont_write_bytecode = True
a = wp.ones(8, dtype=float, device="cpu")
TEXT = """
import warp as wp

GAIN = 2.0

@wp.func
def helper(x: float):
    return x + 1.0

@wp.kernel
def scale(a: wp.array(dtype=float)):
    a[wp.tid()] = helper(a[wp.tid()]) * GAIN
"""
pathlib.Path("kernels_one.py").write_text(TEXT)
import kernels_one

wp.launch(kernels_one.scale, dim=8, inputs=[a], device="cpu")
# %%
pathlib.Path("kernels_one.py").write_text(TEXT.replace("GAIN = 2.0", "GAIN = 7.0"))
importlib.reload(kernels_one)
wp.launch(kernels_one.scale, dim=8, inputs=[a], device="cpu")
