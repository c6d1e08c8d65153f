"""How long it takes to explain and diagnose a recording with 2,000 builds of modules with 300 kernels each.

``python benchmarks/explain.py [BUILDS] [KERNELS] [MODULES]``: a program in which kernel after kernel is edited.
Processor time is counted, so that a busy machine matters less. The limit is 2 s for the causes of all events, and 2 s
for the diagnosis, which finds the causes as well.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timezone
from hashlib import sha256
from typing import Any

from warp_nbprobe.data.model import Recording, Run
from warp_nbprobe.data.records import parse_wire
from warp_nbprobe.explain.diagnose import diagnose, explain_events

LIMIT_S = 2.0


def lines(builds: int, kernels: int, modules: int) -> Iterator[dict[str, Any]]:
    """Yield a wire in which each build differs from the one before it in edited kernels, sometimes in an option."""
    yield {"kind": "header", "wire": 1, "pid": 1, "t": 0, "time": 1.7e9, "machine": {"cores": 2}}
    yield {"kind": "warp", "t": 1, "version": "1.19.0", "hooks": {}}
    known: dict[str, list[int]] = {}
    number = 0
    for build in range(builds):
        module = f"app.part{build % modules}"
        first = module not in known
        states = known.setdefault(module, [])
        edited = range(kernels) if first else sorted({build * 7 % kernels, build * 31 % kernels})
        for position in edited:
            number += 2
            yield {
                "kind": "source",
                "id": number,
                "text": f"def k{position}(a): a[0] = {build}",
                "tree": f"{position} {build}",
            }
            yield kernel(number + 1, number, module, position, build)
            if first:
                states.append(number + 1)
            else:
                states[position] = number + 1
        number += 2
        options = {"mode": "release", "enable_backward": "True", "max_unroll": str(16 - build // 500)}
        digest = sha256(f"{module} {build}".encode()).hexdigest()
        t = 1000 * (build + 1)
        yield {
            "kind": "inputs", "id": number + 1, "t": t, "module": module, "block_dim": 1, "hash": digest,
            "kernels": list(states), "options": options, "ms": 0.1,
        }  # fmt: skip
        yield event(t, module, digest, number + 1, build, states)
    yield {"kind": "footer", "t": 10**9, "launches": 0, "probe_ns": 0}


def event(t: int, module: str, digest: str, inputs: int, build: int, states: list[int]) -> dict[str, Any]:
    parts = {"native_ms": 90.0, "codegen_ms": 5.0, "header_ms": 0.0, "lto_ms": 0.0, "load_ms": 1.0}
    return {
        "kind": "event", "t0": t, "t1": t + 900, "ms": 100.0, "module": module, "hash": digest, "device": "cpu",
        "block_dim": 1, "status": "compiled", "inputs": inputs, **parts,
        "kernels": [f"k{n}" for n in range(len(states))],
        "source_bytes": 1000 * len(states), "trigger": {"call": "launch"},
        "place": {"file": "app.py", "line": build + 1, "cell": None, "user": True},
        "sources": [{"kernel": state, "bytes": 900, "adjoint_bytes": 400, "shared_bytes": 100} for state in states],
    }  # fmt: skip


def kernel(number: int, source: int, module: str, position: int, build: int) -> dict[str, Any]:
    constants = {f"c{n}": {"text": str(n), "bytes": f"{n:08x}", "from": "global"} for n in range(position % 4)}
    return {
        "kind": "kernel", "id": number, "kid": number, "name": f"k{position}", "key": f"k{position}", "module": module,
        "hash": sha256(f"{module} {position} {build}".encode()).hexdigest(), "source": source, "constants": constants,
        "args": [["a", "array(float32)"]],
        "defined": {"file": "app.py", "line": position + 1, "cell": None, "user": True},
    }  # fmt: skip


def made(builds: int, kernels: int, modules: int = 10) -> Recording:
    """Return the recording."""
    wire = parse_wire((json.dumps(line) for line in lines(builds, kernels, modules)), strict=True)
    now = datetime.now(timezone.utc)
    run = Run(1, "cold", 1, now, (wire,), None, 0, 0, 0)
    return Recording("benchmark", (), 1, (run,), {}, now, "0.1.0")


def main() -> int:
    """Measure both; the exit status says whether the limit was kept."""
    builds, kernels, modules = (*map(int, sys.argv[1:]), *(2000, 300, 10)[len(sys.argv) - 1 :])
    recording = made(builds, kernels, modules)
    begun = time.process_time()
    causes = explain_events(recording)
    explained = time.process_time() - begun
    begun = time.process_time()
    diagnosis = diagnose(recording)
    diagnosed = time.process_time() - begun
    unknown = sum(cause.cause == "unknown" for cause in causes.values())
    print(
        f"{builds} builds of {kernels} kernels: causes in {explained:.2f} s ({unknown} unknown), limit {LIMIT_S:.0f} s"
    )
    print(f"{builds} builds of {kernels} kernels in {modules} modules, limit {LIMIT_S:.0f} s")
    print(f"causes   {explained:.2f} s ({unknown} unknown)")
    print(f"findings {diagnosed:.2f} s ({len(diagnosis.findings)} of them)")
    return int(max(explained, diagnosed) > LIMIT_S)


if __name__ == "__main__":
    sys.exit(main())
