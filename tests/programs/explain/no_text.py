"""A kernel made by exec has no text that Warp could read.

rule: source_unavailable
"""
# %%
import warp as wp

space = {"wp": wp}
exec("@wp.kernel\ndef made(a: wp.array(dtype=float)):\n    a[0] = 1.0\n", space)
