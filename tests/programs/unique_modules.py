"""
Kernels with a module of their own, beside one that has a named module.

mode: py
needs: warp 1.10 (before, module= took no name)
run 0: first_? bd=1 compiled kernels=1; second_? bd=1 compiled kernels=1; named bd=1 compiled kernels=1 | launches=3
run 1: first_? bd=1 cached kernels=1; second_? bd=1 cached kernels=1; named bd=1 cached kernels=1
"""
import warp as wp

wp.config.use_precompiled_headers = False
x = wp.zeros(8, dtype=float, device="cpu")


@wp.kernel(module="unique")
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


@wp.kernel(module="unique")
def second(a: wp.array(dtype=float)):
    a[wp.tid()] = 2.0


@wp.kernel(module="named")
def third(a: wp.array(dtype=float)):
    a[wp.tid()] = 3.0


for kernel in (first, second, third):
    wp.launch(kernel, dim=8, inputs=[x], device="cpu")
