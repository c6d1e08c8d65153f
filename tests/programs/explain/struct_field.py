"""A struct inside a struct gets a field: the inner one is named.

event: __main__ first
event: __main__ kernel_changed | the fields of struct `Inner`
"""
# %%
import warp as wp


@wp.struct
class Inner:
    x: float


@wp.struct
class Outer:
    inner: Inner
    scale: float


@wp.kernel
def use(p: Outer, a: wp.array(dtype=float)):
    a[wp.tid()] = p.inner.x * p.scale


a = wp.ones(8, dtype=float, device="cpu")
p = Outer()
p.scale = 2.0
wp.launch(use, dim=8, inputs=[p, a], device="cpu")
# %%
@wp.struct
class Inner:
    x: float
    y: float


@wp.struct
class Outer:
    inner: Inner
    scale: float


@wp.kernel
def use(p: Outer, a: wp.array(dtype=float)):
    a[wp.tid()] = p.inner.x * p.scale


p = Outer()
p.scale = 2.0
wp.launch(use, dim=8, inputs=[p, a], device="cpu")
