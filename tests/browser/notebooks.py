"""The few cells that the browser's notebooks are made of."""

LOAD = "%load_ext warp_nbprobe\nimport warp_nbprobe as nb"
SHOW = "base = nb.load('{name}.json.gz')\nnb.show(base)"

REMEMBER = """from warp_nbprobe.front.session import session_of
base, tuned = nb.load('base.json.gz'), nb.load('tuned.json.gz')
session_of(get_ipython()).add(base, 3)
session_of(get_ipython()).add(tuned, 4)"""
"""Puts two measurements made earlier into the session, as if its cells 3 and 4 had made them."""

LIVE = """%%warp_cold -n 1 -o live
import warp as wp

wp.config.use_precompiled_headers = False


def kernel(factor):
    @wp.kernel(module=f"stage_{factor}")
    def scale(x: wp.array(dtype=float)):
        x[wp.tid()] = x[wp.tid()] * float(factor)

    return scale


x = wp.ones(8, dtype=float, device="cpu")
for factor in range(1, 6):
    wp.launch(kernel(factor), dim=8, inputs=[x], device="cpu")
print(f"sum {float(x.numpy().sum()):.0f}")"""
"""Builds five modules one after the other, long enough to be watched."""

STOPPED = """%%warp_cold -n 90 -o stopped
import time

time.sleep(0.2)
print("slept")"""
"""Makes samples until it is stopped."""
