"""A vector that a kernel reads is rebound.

event: __main__ first
rule: stale_value
"""
# %%
import warp as wp
a = wp.ones(8, dtype=float, device="cpu")

G = wp.vec3(0.0, -9.81, 0.0)
v = wp.zeros(4, dtype=wp.vec3, device="cpu")
@wp.kernel
def f(v: wp.array(dtype=wp.vec3)):
    v[wp.tid()] = v[wp.tid()] + G
wp.launch(f, dim=4, inputs=[v], device="cpu")
# %%
G = wp.vec3(0.0, -1.62, 0.0)
wp.launch(f, dim=4, inputs=[v], device="cpu")
