"""
Replayed commands, names imported early and adjoint launches count as what they are: executions.

mode: py
run 0: __main__ bd=1 compiled kernels=1 | launches=8
run 1: __main__ bd=1 cached kernels=1
"""
import warp as wp
from warp import launch

wp.config.use_precompiled_headers = False


@wp.kernel
def copy(a: wp.array(dtype=float), b: wp.array(dtype=float)):
    i = wp.tid()
    b[i] = b[i] + a[i]


x = wp.ones(8, dtype=float, device="cpu", requires_grad=True)
y = wp.zeros(8, dtype=float, device="cpu", requires_grad=True)
wp.launch(copy, dim=8, inputs=[x, y], device="cpu")
command = wp.launch(copy, dim=8, inputs=[x, y], device="cpu", record_cmd=True)
for _ in range(3):
    command.launch()
launch(copy, dim=8, inputs=[x, y], device="cpu")
assert y.numpy()[0] == 5.0

with wp.Tape() as tape:
    wp.launch(copy, dim=8, inputs=[x, y], device="cpu")
tape.backward(grads={y: wp.ones(8, dtype=float, device="cpu")})
wp.launch(copy, dim=8, inputs=[x, y], device="cpu")
assert x.grad.numpy()[0] == 1.0
