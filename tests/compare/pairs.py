"""Measurements made by hand for comparing: how long work and wait took in each sample, what was built and launched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.data.wires_by_hand import FAILED, MS, Line, cached, cell, event, header, order, run, signature, warp
from tests.data.wires_by_hand import recording as recording_of
from warp_nbprobe.data.model import Cell, Recording, Run
from warp_nbprobe.data.records import Wire, parse_wire
from warp_nbprobe.data.results import Result
from warp_nbprobe.measurement import Measurement

H1, H2, H3 = "ab" * 32, "cd" * 32, "ef" * 32

WARM_MS = 50.0
RUNTIME: Line = {
    "kind": "runtime",
    "t": 3 * MS,
    "devices": [{"alias": "cpu", "name": "x86_64", "arch": "x86_64", "is_cuda": False, "memory_bytes": 1}],
    "toolkit": "12.8",
    "driver": None,
    "cache_dir": "/tmp/nbp-1/cache",
}


@dataclass(frozen=True)
class Made:
    """A measurement to be. ``work`` and ``wait`` are milliseconds per sample; a wait of None: the warm run compiles."""

    work: Sequence[float] = (300.0, 301.0, 302.0)
    wait: Sequence[float | None] = (400.0, 401.0, 402.0)
    hashes: Sequence[str] = (H1,)  # of one module, built one after the other; the first takes all the time
    module: str = "app"
    launches: Sequence[Mapping[str, Any]] = ({}, {}, {"dim": [16]})  # in order, as fields of signatures
    threads: Mapping[int, Sequence[Mapping[str, Any]]] = field(default_factory=dict)  # of threads beside the main one
    launches_of: Mapping[int, Sequence[Mapping[str, Any]]] = field(default_factory=dict)  # of single samples instead
    hashes_of: Mapping[int, Sequence[str]] = field(default_factory=dict)
    header_ms: float | None = 0.0
    errors: Sequence[str] = ()  # modules whose build fails
    failed: int = 0  # samples that fail, after the good ones
    lto: int | None = 0
    machine: Mapping[str, Any] = field(default_factory=dict)
    runtime: Mapping[str, Any] | None = field(default_factory=dict)
    python: str = "3.11.7"
    version: str = "1.19.0"
    device: str = "cpu"
    block_dim: int | None = 1
    rehearsed: bool = False
    setup: str = ""
    setup_hash: str = H3
    options: Mapping[str, Any] = field(default_factory=dict)
    results: Sequence[Result] = ()
    results_of: Mapping[int, Sequence[Result]] = field(default_factory=dict)
    label: str = "base"
    source: str = "pass"

    def but(self, **given: Any) -> Made:
        return replace(self, **given)

    def recording(self) -> Recording:
        runs: list[Run] = []
        for sample, (work, wait) in enumerate(zip(self.work, self.wait, strict=True), start=1):
            runs += [self._cold(sample, work, wait), self._warm(sample, wait)]
        for sample in range(len(self.work) + 1, len(self.work) + 1 + self.failed):
            runs.append(replace(self._cold(sample, 1.0, 1.0), failure=FAILED, exit_code=1))
        cells = (Cell(self.source, 1),)
        if self.setup:
            cells = (Cell(self.setup, 1, phase="setup", name="default"), *cells)
        found = recording_of(*runs, cells=cells, options=dict(self.options))
        return replace(found, label=self.label)

    def measurement(self) -> Measurement:
        return Measurement(self.recording())

    def _cold(self, sample: int, work: float, wait: float | None) -> Run:
        lines: list[Line | list[Line]] = list(self._start())
        if self.setup:
            lines.append(event("setup", 4, 20, hash=self.setup_hash))
        order_of, signatures = self._launched(sample)
        end = 100.0 + WARM_MS + (wait if wait is not None else 500.0)
        lines.append(cell(1, 100, end, launches=(0, len(order_of)), ordinal=1))
        hashes = self.hashes_of.get(sample, self.hashes)
        for at, digest in enumerate(hashes):
            ms = work - 10.0 * (len(hashes) - 1) if at == 0 else 10.0
            ms += (self.header_ms or 0.0) if at == 0 else 0.0
            header_ms = None if self.header_ms is None else self.header_ms if at == 0 else 0.0
            lines.append(self._event(digest, 101 + 500 * at, ms, header_ms=header_ms))
        for module in self.errors:
            lines.append(event(module, 105, 3, status="error", hash="9" * 64))
        return self._run("cold", sample, [*lines, *signatures, order(order_of)])

    def _warm(self, sample: int, wait: float | None) -> Run:
        lines: list[Line | list[Line]] = list(self._start())
        lines.append(cell(1, 100, 100 + WARM_MS, ordinal=1))
        for at, digest in enumerate(self.hashes):
            if wait is None and at == 0:
                lines.append(self._event(digest, 101, 40.0))
            else:
                lines.append(cached(self.module, 101 + at, hash=digest, device=self.device))
        for module in self.errors:
            lines.append(event(module, 145, 3, status="error", hash="9" * 64))
        return self._run("warm", sample, lines)

    def _start(self) -> list[Line | list[Line]]:
        lines: list[Line | list[Line]] = [warp(self.version)]
        if self.runtime is not None:
            lines.append({**RUNTIME, **self.runtime})
        if self.setup:
            lines.append(cell(1, 3, 90, phase="setup", name="default", ordinal=0))
        return lines

    def _event(self, digest: str, at: float, ms: float, **given: Any) -> Line:
        return event(
            self.module,
            at,
            ms,
            hash=digest,
            device=self.device,
            block_dim=self.block_dim,
            rehearsed=self.rehearsed,
            **given,
        )

    def _launched(self, sample: int) -> tuple[list[int], list[Line]]:
        known: dict[str, int] = {}
        ids: list[int] = []
        signatures: list[Line] = []
        streams = {0: self.launches_of.get(sample, self.launches), **self.threads}
        for thread, launches in streams.items():
            for given in launches:
                fields = {"device": self.device, "block_dim": self.block_dim, **given, "thread": thread}
                key = repr(sorted(fields.items(), key=repr))
                if key not in known:
                    known[key] = len(known) + 1
                    signatures.append(signature(known[key], **fields))
                ids.append(known[key])
        return ids, signatures

    def _run(self, word: Any, sample: int, lines: Sequence[Line | list[Line]]) -> Run:
        made = run(word, (), sample=sample, lto_artifacts=self.lto, lto_bytes=self.lto)
        results = tuple(self.results_of.get(sample, self.results))
        return replace(made, wires=(self._wire(lines),), results=results)

    def _wire(self, lines: Sequence[Line | list[Line]]) -> Wire:
        first = header(python=self.python)
        first["machine"] = {**first["machine"], **self.machine}
        flat: list[Line] = [first]
        for line in lines:
            flat += line if isinstance(line, list) else [line]
        launches = next((line["n"] for line in flat if line["kind"] == "order"), 0)
        footer = {"kind": "footer", "t": 10_000 * MS, "launches": launches, "probe_ns": 0}
        return parse_wire([*flat, footer], strict=True)


BASE = Made()
"""Three samples: 300 ms of work, 400 ms of waiting, one build, three launches."""

LESS = (200.0, 201.0, 202.0)
MORE = (400.0, 401.0, 402.0)
