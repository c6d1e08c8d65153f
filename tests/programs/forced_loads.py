"""
Builds asked for by name and not by a launch.

mode: py
needs: warp 1.18 (before, force_load built for a block dimension of 256 on the CPU)
run 0: one bd=1 compiled kernels=1; two bd=1 compiled kernels=1 | launches=1
run 1: one bd=1 cached kernels=1; two bd=1 cached kernels=1
"""
import warp as wp

wp.config.use_precompiled_headers = False
x = wp.zeros(8, dtype=float, device="cpu")


@wp.kernel(module="one")
def grow(a: wp.array(dtype=float)):
    a[wp.tid()] += 1.0


@wp.kernel(module="two")
def shrink(a: wp.array(dtype=float)):
    a[wp.tid()] *= 0.5


wp.force_load(device="cpu", modules=[grow.module])
wp.load_module(shrink.module, device="cpu")
wp.launch(grow, dim=8, inputs=[x], device="cpu")
