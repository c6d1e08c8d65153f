"""A tile product built ahead of time for a GPU: most of the time goes into linking pre-built pieces.

event: __main__ first
also: lto_link, nothing_compiled
"""
# %%
import os

import warp as wp

wp.init()


@wp.kernel
def gemm(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float), z: wp.array2d(dtype=float)):
    i, j = wp.tid()
    a = wp.tile_load(x, shape=(16, 16), offset=(i * 16, 0))
    b = wp.tile_load(y, shape=(16, 16), offset=(0, j * 16))
    c = wp.tile_zeros(shape=(16, 16), dtype=float)
    wp.tile_matmul(a, b, c)
    wp.tile_store(z, c, offset=(i * 16, j * 16))


wp.set_module_options({"block_dim": 64})
_ = wp.compile_aot_module(gemm.module, arch=90, module_dir=os.path.join(os.getcwd(), "aot"))
