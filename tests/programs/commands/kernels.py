"""One kernel in a module of its own, as programs with workers should have it."""

import warp as wp

wp.config.use_precompiled_headers = False


@wp.kernel
def fill(x: wp.array(dtype=float), value: float):
    x[wp.tid()] = value


def total(n: int) -> float:
    x = wp.zeros(n, dtype=float, device="cpu")
    wp.launch(fill, dim=n, inputs=[x, 2.0], device="cpu")
    return float(x.numpy().sum())
