"""Warp is imported and nothing is launched.

also: nothing_compiled
"""
# %%
import warp as wp

a = wp.ones(8, dtype=float, device="cpu")
