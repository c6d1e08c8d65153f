"""Records the wires beside this file anew: ``python tests/wire/record.py [NAME ...]`` (needs Warp, takes a minute).

A case is a folder with ``cold`` and ``warm``, each with one wire per process, the main process first. What names this
machine is replaced.
"""

from __future__ import annotations

import base64
import json
import shutil
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

_START = "import warp as wp\nwp.config.use_precompiled_headers = False\n"
_KERNEL = "@wp.kernel\ndef {name}(x: wp.array(dtype={type})):\n    i = wp.tid()\n    x[i] = x[i] * x.dtype(scale)\n"

CASES: dict[str, tuple[str, list[str]]] = {
    # A helper kernel built in the setup; then a late kernel, a generic kernel with two types, a rebound global.
    "notebook": (
        _START + "scale = 2.0\n" + _KERNEL.format(name="helper", type="float") + "a = wp.ones(8, device='cpu')\n"
        "wp.launch(helper, 8, [a])\n",
        [
            "b = wp.ones(8, dtype=wp.float64, device='cpu')\n"
            "from typing import Any\n" + _KERNEL.format(name="general", type="Any") + "wp.launch(general, 8, [a])\n",
            _KERNEL.format(name="late", type="float") + "for _ in range(3):\n    wp.launch(late, 8, [a])\n",
            "wp.launch(general, 8, [b])\n",
            "scale = 3.0\n" + _KERNEL.format(name="late", type="float") + "wp.launch(late, 8, [a], block_dim=64)\n",
        ],
    ),
    # Two modules built by two threads at once, with the precompiled header, and one built by a forked process.
    "threads": (
        "",
        [
            "import os, threading\nimport warp as wp\nscale = 2.0\na = wp.ones(8, device='cpu')\n",
            "".join(
                f"@wp.kernel(module='{name}')\n" + _KERNEL.format(name=name, type="float").partition("\n")[2]
                for name in ("left", "right", "child")
            )
            + "pair = [threading.Thread(target=wp.launch, args=(k, 8, [a])) for k in (left, right)]\n"
            "[t.start() for t in pair]\n[t.join() for t in pair]\n",
            "if (pid := os.fork()) == 0:\n    wp.launch(child, 8, [a])\n    os._exit(0)\n_ = os.waitpid(pid, 0)\n",
        ],
    ),
    # The process dies after a build and five launches.
    "crash": (
        "",
        [
            _START + "import ctypes\nscale = 2.0\na = wp.ones(8, device='cpu')\n",
            _KERNEL.format(name="step", type="float") + "for _ in range(5):\n    wp.launch(step, 8, [a])\n"
            "ctypes.string_at(0)\n",
        ],
    ),
    # A kernel that cannot be built; the launch after it raises as well.
    "broken": (
        "",
        [
            _START + "a = wp.ones(8, device='cpu')\n"
            "@wp.kernel\ndef bad(x: wp.array(dtype=float)):\n    x[0] = no_such_function(x[0])\n"
            "@wp.kernel\ndef good(x: wp.array(dtype=float)):\n    x[0] = 1.0\n",
            "try:\n    wp.launch(bad, 8, [a])\nexcept Exception as error:\n    print(type(error).__name__)\n",
            "wp.launch(good, 8, [a])\n",
        ],
    ),
}


def record(name: str) -> None:
    """Measure one case and write its wires."""
    import warp_nbprobe as nb

    setup, cells = CASES[name]
    with tempfile.TemporaryDirectory() as work:
        measured = nb.measure(cells, samples=1, setup=setup or None, cwd=work, quiet=True)
    shutil.rmtree(HERE / name, ignore_errors=True)
    for run in measured.recording.runs:
        folder = HERE / name / run.run
        folder.mkdir(parents=True)
        for number, wire in enumerate(run.wires):
            lines: list[Any] = list(wire.raw)
            if wire.footer is not None:
                packed = base64.b64encode(zlib.compress(wire.order.tobytes())).decode()
                lines.insert(len(lines) - 1, {"kind": "order", "n": len(wire.order), "zlib": packed})
            elif len(wire.order):
                (folder / f"launches-{number}.bin").write_bytes(wire.order.tobytes() + bytes(64))
            text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
            (folder / f"wire-{number}.jsonl").write_text(_without_this_machine(text, wire, work))


def _without_this_machine(text: str, wire: Any, work: str) -> str:
    header = wire.header
    cache = next(path for path in (header.env.get("WARP_CACHE_PATH"),) if path)
    private = cache.partition("/cache")[0]
    for old, new in (
        (work, "/home/user/work"),
        (private, "/tmp/nbp-00000000"),
        (sys.prefix, "/opt/venv"),
        (str(HERE.parents[1]), "/opt/source"),
        (f'"host":"{header.machine["host"]}"', '"host":"box"'),
    ):
        text = text.replace(old, new)
    return text


if __name__ == "__main__":
    for name in sys.argv[1:] or CASES:
        record(name)
