"""Old versions of a generic kernel live until Python collects them.

event: __main__ first
event: __main__ kernel_kept | an old version that Python has not collected yet
rule: old_versions_kept
"""
# %%
import gc
from typing import Any

import warp as wp

gc.disable()
a = wp.ones(8, dtype=float, device="cpu")


@wp.kernel
def scale(a: wp.array(dtype=Any)):
    a[wp.tid()] = a[wp.tid()] + a[wp.tid()]


wp.launch(scale, dim=8, inputs=[a], device="cpu")
# %%
@wp.kernel
def scale(a: wp.array(dtype=Any)):
    a[wp.tid()] = a[wp.tid()] * a[wp.tid()]


wp.launch(scale, dim=8, inputs=[a], device="cpu")
