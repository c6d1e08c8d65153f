"""Code that never imports Warp.

also: nothing_compiled
"""
# %%
print(sum(range(10)))
