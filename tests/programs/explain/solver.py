"""A solver of Warp's own: clean.

event: _create_tiled_dot_kernels__locals__block_dot_kernel_* first
event: _create_tiled_dot_kernels__locals__block_sum_kernel_* first
event: warp.optim.linear first
event: _dense_mv_kernel_* first
also: hidden_modules
"""
# %%
import warp as wp
a = wp.ones(8, dtype=float, device="cpu")

import warp.optim.linear as lin
import numpy as np
A = wp.array(np.eye(4, dtype=np.float32) * 2.0, dtype=float, device="cpu")
b = wp.ones(4, dtype=float, device="cpu"); x = wp.zeros(4, dtype=float, device="cpu")
lin.cg(A, b, x, maxiter=5)
