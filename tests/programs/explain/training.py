"""A training loop with a tape and an optimiser: clean.

event: __main__ first
event: warp.optim.adam first
absent: backward_unused, large_module
"""
# %%
import numpy as np
import warp as wp
import warp.optim


@wp.kernel
def loss_of(w: wp.array(dtype=float), x: wp.array(dtype=float), y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = w[0] * x[i] + w[1] - y[i]
    wp.atomic_add(loss, 0, d * d)


xs = np.linspace(-1.0, 1.0, 16).astype(np.float32)
x = wp.array(xs, device="cpu")
y = wp.array(3.0 * xs + 1.0, dtype=float, device="cpu")
w = wp.zeros(2, dtype=float, device="cpu", requires_grad=True)
loss = wp.zeros(1, dtype=float, device="cpu", requires_grad=True)
optimiser = warp.optim.Adam([w], lr=0.1)
# %%
for epoch in range(5):
    tape = wp.Tape()
    loss.zero_()
    with tape:
        wp.launch(loss_of, dim=16, inputs=[w, x, y, loss], device="cpu")
    tape.backward(loss)
    optimiser.step([w.grad])
    tape.zero()
