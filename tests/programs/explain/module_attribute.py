"""A constant of an imported module is set from the notebook: no launch sees it.

event: kernels_one first
rule: stale_value
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
kernels_one.GAIN = 9.0
wp.launch(kernels_one.scale, dim=8, inputs=[a], device="cpu")
