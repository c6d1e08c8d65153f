"""Does a rehearsal name what a GPU builds? Needs a GPU: the programs below run on it and rehearsed, and are compared.

For each program: the modules, hashes and block dimensions built, in their order, and the causes. Beside that the facts
of the device, and whether the driver's cache was the run's own. Exit status 1 where a rehearsal named something else.
"""

from __future__ import annotations

import sys

import warp_nbprobe as nb

HEAD = "import warp as wp\nimport numpy as np\n\n"

PROGRAMS = {
    "block dimensions": """
@wp.kernel
def scale(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = a[i] * 2.0

x = wp.ones(4096, dtype=float, device="cuda:0")
for block_dim in (64, 128, None):
    wp.launch(scale, dim=4096, inputs=[x], block_dim=block_dim, device="cuda:0")
""",
    "generic and late kernels": """
from typing import Any

@wp.kernel
def add(a: wp.array(dtype=Any), v: Any):
    i = wp.tid()
    a[i] = a[i] + v

x = wp.zeros(64, dtype=float, device="cuda:0")
wp.launch(add, dim=64, inputs=[x, 1.0], device="cuda:0")
wp.launch(add, dim=64, inputs=[wp.zeros(64, dtype=int, device="cuda:0"), 1], device="cuda:0")

@wp.kernel
def late(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = a[i] - 1.0

wp.launch(late, dim=64, inputs=[x], device="cuda:0")
""",
    "a tape over tiles in a captured graph": """
@wp.kernel
def total(a: wp.array(dtype=float), o: wp.array(dtype=float)):
    i = wp.tid()
    wp.tile_atomic_add(o, wp.tile_sum(wp.tile_load(a, shape=64, offset=i * 64)))

a = wp.ones(256, dtype=float, device="cuda:0", requires_grad=True)
o = wp.zeros(1, dtype=float, device="cuda:0", requires_grad=True)

def step():
    o.zero_()
    tape = wp.Tape()
    with tape:
        wp.launch_tiled(total, dim=[4], inputs=[a], outputs=[o], block_dim=64, device="cuda:0")
    tape.backward(o)
    tape.zero()

step()
with wp.ScopedCapture(device="cuda:0") as capture:
    step()
wp.capture_launch(capture.graph)
assert o.numpy()[0] == 256.0
""",
    "preloads": """
@wp.kernel
def scale(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = a[i] * 2.0

me = wp.get_module("__main__")
wp.force_load("cuda:0", modules=[me], block_dim=128)
wp.force_load("cuda:0", modules=[me])
wp.launch(scale, dim=8, inputs=[wp.ones(8, dtype=float, device="cuda:0")], block_dim=128, device="cuda:0")
""",
}

Built = list[tuple[str, str, int, str]]


def main() -> int:
    """Run every program both ways; return the exit status."""
    arch = _arch()
    if arch is None:
        print("There is no GPU here: nothing to compare a rehearsal with.", file=sys.stderr)
        return 2
    differ = 0
    for name, program in PROGRAMS.items():
        real = nb.measure(HEAD + program, samples=1, quiet=True)
        rehearsed = nb.measure(HEAD + program, samples=1, rehearse=arch, quiet=True)
        for measurement in (real, rehearsed):
            if measurement.error is not None:
                print(f"{name}: {measurement.error}", file=sys.stderr)
        same = _built(real) == _built(rehearsed)
        differ += not same
        print(f"{name}: {'the same' if same else 'NOT THE SAME'} ({len(_built(real))} builds)")
        if not same:
            print(f"    GPU       {_built(real)}\n    rehearsed {_built(rehearsed)}")
        load_ms = real.summary["median"]["load_ms"]
        print(f"    loading on the GPU took {load_ms:.1f} ms, which a rehearsal has not")
    return 1 if differ else 0


def _built(m: nb.Measurement) -> Built:
    """Return module, hash, block dimension and cause of what the cold run built for a GPU."""
    rows = m.modules[
        (m.modules["run"] == "cold") & (m.modules["device"] != "cpu") & (m.modules["status"] == "compiled")
    ]
    return list(zip(rows["module"], rows["hash"], rows["block_dim"], rows["cause"], strict=True))


def _arch() -> str | None:
    """Return the architecture of the first GPU, and print what the report says of it."""
    m = nb.measure("import warp as wp\nwp.init()\nwp.zeros(1)", samples=1, quiet=True)
    about = m.runs["environment"].iloc[0]
    cards = [device for device in about.get("devices") or () if device.get("is_cuda")]
    for card in cards:
        print(f"{card['alias']!s}: {card['name']!s}, sm_{card['arch']}, {(card['memory_bytes'] or 0) >> 30} GiB")
    if cards:
        print(f"driver {about.get('driver')}, toolkit {about.get('toolkit')}")
        print(f"the driver's cache: {about['env'].get('CUDA_CACHE_PATH', 'the user own one: NOT ISOLATED')}")
    return f"sm_{cards[0]['arch']}" if cards else None


if __name__ == "__main__":
    sys.exit(main())
