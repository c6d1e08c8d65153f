"""
Kernels made in a loop by a factory: each new one builds the module again, with all before it.

mode: py
run 0: __main__ bd=1 compiled kernels=1; __main__ bd=1 compiled kernels=2; __main__ bd=1 compiled kernels=3 | launches=3
run 1: __main__ bd=1 cached kernels=1; __main__ bd=1 cached kernels=2; __main__ bd=1 cached kernels=3
"""
import warp as wp

wp.config.use_precompiled_headers = False


def make(power: int):
    @wp.kernel
    def raise_to(a: wp.array(dtype=float)):
        i = wp.tid()
        result = float(1.0)
        for _ in range(wp.static(power)):
            result = result * a[i]
        a[i] = result

    return raise_to


x = wp.full(4, 2.0, dtype=float, device="cpu")
kept = []
for power in (1, 2, 3):
    kept.append(make(power))
    wp.launch(kept[-1], dim=4, inputs=[x], device="cpu")
assert x.numpy()[0] == 2.0**6
