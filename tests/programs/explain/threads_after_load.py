"""The module of threads_same, loaded before the threads start.

event: __main__ first
"""
# %%
import threading

import warp as wp


@wp.kernel
def first(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


wp.load_module(first.module, device="cpu")
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
