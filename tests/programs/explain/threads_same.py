"""Two threads launch kernels of one module at once.

event: __main__ first
event: __main__ cache_miss | thread 1 was building the same at that time
rule: duplicate_builds
"""
# %%
import threading

import warp as wp


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


wp.init()
barrier = threading.Barrier(2)


def work():
    a = wp.zeros(8, dtype=float, device="cpu")
    barrier.wait()
    wp.launch(first, dim=8, inputs=[a], device="cpu")


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
