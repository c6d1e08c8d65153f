"""Two modules with kernels of the same name; one of them is edited.

event: kernels_one first
event: kernels_two first
event: kernels_two kernel_changed | its own source (kernels_two.py:
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
pathlib.Path("kernels_two.py").write_text(TEXT.replace("+ 1.0", "- 1.0"))
import kernels_one
import kernels_two

wp.launch(kernels_one.scale, dim=8, inputs=[a], device="cpu")
wp.launch(kernels_two.scale, dim=8, inputs=[a], device="cpu")
# %%
pathlib.Path("kernels_two.py").write_text(TEXT.replace("+ 1.0", "- 1.0").replace("* GAIN", "/ GAIN"))
importlib.reload(kernels_two)
wp.launch(kernels_two.scale, dim=8, inputs=[a], device="cpu")
