"""A sparse product with two value types: what the library builds is not the user's.

event: _bsr_accumulate_triplet_values_* first
event: make_bsr_mv_kernel__locals__bsr_mv_kernel_* first
event: _bsr_accumulate_triplet_values_* overload_added | array3d(float64)
event: make_bsr_mv_kernel__locals__bsr_mv_kernel_* overload_added | alpha: float64
also: hidden_modules
"""
# %%
import warp as wp
import warp.sparse as sparse

rows = wp.array([0, 1, 2], dtype=int, device="cpu")
for dtype in (wp.float32, wp.float64):
    values = wp.array([1.0, 2.0, 3.0], dtype=dtype, device="cpu")
    m = sparse.bsr_from_triplets(3, 3, rows, rows, values)
    y = sparse.bsr_mv(m, wp.ones(3, dtype=dtype, device="cpu"))
