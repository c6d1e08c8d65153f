"""A file is imported and run as a program: the same kernels under two names.

event: kernels_one first
event: __mp_main__ first
rule: duplicate_builds
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
pathlib.Path("kernels_one.py").write_text(TEXT + 'wp.launch(scale, dim=8, inputs=[wp.ones(8, dtype=float, device="cpu")], device="cpu")')
import runpy

import kernels_one

_ = runpy.run_path("kernels_one.py", run_name="__mp_main__")
