"""Two processes build the same at once, each for itself: with one cache the second finds the first one's build.

event: kernels_one first
also: backward_unused
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
pathlib.Path("worker.py").write_text("""
import warp as wp
import kernels_one
wp.launch(kernels_one.scale, dim=8, inputs=[wp.ones(8, dtype=float, device="cpu")], device="cpu")
""")
import subprocess

for _ in range(2):
    subprocess.run([sys.executable, "worker.py"], check=True)
