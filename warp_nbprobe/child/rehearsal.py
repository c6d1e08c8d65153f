"""Rehearses a CUDA cold start on a machine without a GPU, beside the probe and under its guest rules.

One device ``cuda:0`` of the asked architecture is added, backed by the CPU. Code outside Warp hears from every question
that it is a CUDA device; Warp's own code hears that it is a CPU device and runs everything there, in order. Nothing is
loaded on a device and no device pointer is made. Facts of a device that nobody can know here are assumed, and written
on the wire.

The probe does the rewriting of Warp's functions; here hooks also answer in a function's place. What is built, and when,
is in ``rehearsal_builds.py``; what Warp is asked of streams, memory and the like in ``rehearsal_answers.py``.
"""

from __future__ import annotations

import copy
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

FIRST_WARP = (1, 13)  # builds at any block dimension without a driver, and captures graphs on the CPU


CAPTURING = ("_run_capturable_loop", "_run_solver_loop")  # of Warp's own: they capture a graph when they see a GPU


class Card(NamedTuple):
    """A typical card of an architecture, by NVIDIA's data sheets and the CUDA programming guide."""

    name: str
    sm_count: int
    threads: int  # of one multiprocessor, at most
    shared_bytes: int  # of a block, at most
    memory_gib: int


CARDS = {
    75: Card("Tesla T4", 40, 1024, 65536, 16),
    80: Card("A100", 108, 2048, 166912, 80),
    86: Card("A10", 72, 1536, 101376, 24),
    87: Card("Jetson Orin", 16, 1536, 166912, 64),
    88: Card("Orin class", 16, 1536, 166912, 64),
    89: Card("L40S", 142, 1536, 101376, 48),
    90: Card("H100", 132, 2048, 232448, 80),
    100: Card("B200", 148, 2048, 232448, 180),
    103: Card("B300", 148, 2048, 232448, 288),
    107: Card("Rubin", 160, 2048, 232448, 288),
    110: Card("Jetson Thor", 20, 1536, 232448, 128),
    120: Card("RTX PRO 6000 Blackwell", 188, 1536, 101376, 96),
    121: Card("GB10", 48, 1536, 101376, 128),
}


class RehearsalError(RuntimeError):
    """What cannot be rehearsed; the text says what, where and why."""

    __module__ = "builtins"  # the name alone is what a traceback should show


class State:
    """All that a rehearsal knows in this process."""

    def __init__(self) -> None:
        self.probe: Any = None
        self.warp: Any = None
        self.context: Any = None
        self.archs: list[int] = []
        self.only = False
        self.device: Any = None
        self.error = RehearsalError
        self.told: set[str] = set()
        self.missing: list[str] = []

    @property
    def name(self) -> str:
        """The architectures as the user names them."""
        return ", ".join(f"sm_{arch}" for arch in self.archs)

    @property
    def card(self) -> Card:
        """A card of the first architecture, or of the nearest older one that is known."""
        return CARDS[max((arch for arch in CARDS if arch <= self.archs[0]), default=min(CARDS))]

    def is_rehearsed(self, device: Any) -> bool:
        """Tell whether a device, its name, or ``None`` for the default one, is the device that is not there."""
        runtime = self.context.runtime
        if device is self.device:
            return device is not None
        if runtime is None or self.device is None or not (device is None or isinstance(device, str)):
            return False
        try:
            return runtime.get_device(device) is self.device
        except (ValueError, RuntimeError):
            return False  # Warp says so itself

    def asked_by_warp(self, depth: int = 3) -> bool:
        """Tell whether Warp itself, or the probe, asks the question that is being answered."""
        name = str(sys._getframe(depth).f_globals.get("__name__", ""))
        if name.startswith(("warp.examples.", "warp.tests.")):
            return False
        return name.partition(".")[0] == "warp" or name.startswith("_warp_nbprobe")

    def assume(self, name: str, value: Any) -> Any:
        """Return an answer that nobody can know without a GPU, and write it once with the line that asked."""
        if name not in self.told:
            self.told.add(name)
            probe = self.probe
            probe._write("assumed", t=probe._clock(), name=name, value=str(value), place=probe._place(sys._getframe(1)))
        return value

    def refuse(self, call: str, why: str) -> Any:
        """Raise the error for a call that has no truthful answer here."""
        place = self.probe._place(sys._getframe(1))
        where = "" if place is None else f" in line {place['line']}"
        if place is not None and place["cell"] is None:
            where += f" of {place['file']}"
        raise RehearsalError(
            f"{call}{where} cannot be rehearsed: {why} A rehearsal has no GPU. Leave the call out where there is none, "
            "or measure this code on a machine with a GPU."
        )


state = State()


def install(probe: Any, archs: str, only: bool, parts: Sequence[types.ModuleType]) -> None:
    """Wait with the probe for Warp, then rehearse for the architectures of a list such as ``sm_90,sm_80``.

    ``parts`` are the modules of the other two files.
    """
    state.probe, state.only = probe, only
    state.archs = [int(arch.strip().removeprefix("sm_")) for arch in archs.split(",")]
    for function in (install, *(part.install for part in parts)):
        probe._own_codes.add(function.__code__.co_filename)
    probe.fatal += (RehearsalError,)
    probe.after_attach.append(lambda warp, context: _attach(warp, context, parts))


def _attach(warp: Any, context: Any, parts: Sequence[types.ModuleType]) -> None:
    state.warp, state.context = warp, context
    version = tuple(int(part) for part in str(warp.config.version).split(".")[:2])
    if version < FIRST_WARP:
        first = ".".join(map(str, FIRST_WARP))
        _fail(f"Warp {warp.config.version} cannot build what a launch asks for without a driver; {first} is the first.")
    _install_device(context)
    for part in parts:
        part.install(state, put)


def _fail(reason: str) -> None:
    if reason not in state.told:
        state.told.add(reason)
        _tell(error=reason)
    raise RehearsalError(f"A rehearsal for {state.name} is not possible here: {reason}")


def _tell(**fields: Any) -> None:
    probe = state.probe
    archs = [f"sm_{arch}" for arch in state.archs]
    probe._write("rehearsal", t=probe._clock(), archs=archs, only=state.only, missing=state.missing, **fields)


def put(function: Any, answer: Callable[..., Any], asks: tuple[str, ...] = ()) -> None:
    """Let ``answer`` speak for a function of Warp, if this Warp has it; one that cannot be answered for is noted."""
    if function is None:
        return
    try:
        state.probe._instrument(function, answer=answer, asks=asks)
    except (state.probe._Missing, AttributeError, SyntaxError, ValueError, OSError) as error:
        state.missing.append(f"{getattr(function, '__qualname__', function)}: {error}")


# ---------------------------------------------------------------------------------------------------------------------
# The device that is not there


def _install_device(context: Any) -> None:
    """Put one CUDA device beside the CPU, and let every question from outside Warp hear of it."""
    force_load = context.force_load

    def ready() -> Any:
        if state.device is None and context.runtime is not None:
            _make_device(context)
        return state.device

    def initialized(token: Any, value: Any) -> Any:
        ready()
        return value

    _install_device_facts(context.Device)
    state.probe._instrument(context.init, lambda: None, (), initialized)
    if context.runtime is not None:
        ready()

    def outside(value: Callable[[], Any]) -> Callable[..., Any]:
        def answer() -> Any:
            if state.asked_by_warp():
                return NotImplemented
            context.init()
            return value()

        return answer

    def devices() -> Any:
        asks_all = sys._getframe(2).f_code is force_load.__code__  # of every device there is
        if state.asked_by_warp() and not asks_all:
            return NotImplemented
        context.init()
        return [context.runtime.cpu_device, state.device]

    put(context.is_cuda_available, outside(lambda: True))
    put(context.get_cuda_device_count, outside(lambda: 1))
    put(context.get_cuda_devices, outside(lambda: [state.device]))
    put(context.get_preferred_device, outside(ready))
    put(context.is_cuda_driver_initialized, outside(lambda: True))
    put(context.get_devices, devices)
    put(vars(context.Runtime)["get_current_cuda_device"], lambda: ready() or NotImplemented)
    put(context.get_cuda_device, _cuda_device, ("ordinal",))
    put(
        getattr(context, "is_device_available", None),
        lambda d: True if d is state.device else NotImplemented,
        ("device",),
    )


def _install_device_facts(kind: Any) -> None:
    """Let the device be a CUDA device to code outside Warp, and a device of its own to all."""

    def is_kind(cuda: bool) -> Callable[..., Any]:
        def answer(device: Any) -> Any:
            if device is not state.device:
                return NotImplemented
            captures = sys._getframe(2).f_code.co_name in CAPTURING
            return NotImplemented if state.asked_by_warp() and not captures else cuda

        return answer

    put(kind.is_cuda.fget, is_kind(True), ("self",))
    put(kind.is_cpu.fget, is_kind(False), ("self",))
    kind.ordinal = property(_ordinal, lambda device, value: device.__dict__.__setitem__("ordinal", value))
    put(kind.__eq__, _equal, ("self", "other"))
    put(kind.__str__, _device_text, ("self",))
    memory = ("total_memory", "free_memory")
    for name, value in zip(memory, (lambda: state.card.memory_gib << 30, lambda: 0), strict=True):
        put(vars(kind)[name].fget, _fact(f"device.{name}", value), ("self",))


def _fact(name: str, value: Callable[[], Any]) -> Callable[..., Any]:
    def answer(device: Any) -> Any:
        return state.assume(name, value()) if device is state.device else NotImplemented

    return answer


def _ordinal(device: Any) -> Any:
    """Return 0 to code outside Warp; Warp itself must neither take it for a GPU nor for the CPU, in its caches."""
    return 0 if device is state.device and not state.asked_by_warp(2) else device.__dict__["ordinal"]


def _cuda_device(ordinal: Any) -> Any:
    state.context.init()
    if ordinal not in (None, 0):
        raise IndexError(f"a rehearsal has one CUDA device, cuda:0; asked for number {ordinal}")
    return state.device


def _equal(device: Any, other: Any) -> Any:
    """Keep the two devices apart, so that a copy between them is a copy."""
    if device is state.device and isinstance(other, str):
        return other in ("cuda", "cuda:0")
    if state.device is not None and (device is state.device or other is state.device):
        return device is other
    return NotImplemented


def _device_text(device: Any) -> Any:
    """Name the CPU in the line that Warp prints of the CPU's own load."""
    if device is state.device and sys._getframe(2).f_code in state.probe._state.load_codes:
        return device._nbp_runs_on
    return NotImplemented


def _make_device(context: Any) -> None:
    runtime = context.runtime
    known = sorted(runtime.nvrtc_supported_archs)
    unknown = [arch for arch in state.archs if arch not in known]
    if unknown:
        there = ", ".join(f"sm_{arch}" for arch in known) or "none"
        _fail(f"Warp {state.warp.config.version} cannot build for sm_{unknown[0]}; its compiler knows {there}.")
    arch, cpu, card = state.archs[0], runtime.cpu_device, state.card
    device = copy.copy(cpu)
    facts = {
        "name": f"NVIDIA {card.name} (rehearsed)",
        "arch": arch,
        "sm_count": card.sm_count,
        "max_shared_memory_per_block": card.shared_bytes,
        "is_mempool_supported": True,
        "is_mempool_enabled": True,
        "is_cubin_supported": True,
        "is_uva": True,
    }
    device.__dict__.update(facts, alias="cuda:0", ordinal=-2, captures={}, _nbp_runs_on=cpu.alias)
    device.context_guard = context.ContextGuard(device)
    for name in ("default_allocator", "pinned_allocator"):
        if hasattr(cpu, name):
            setattr(device, name, type(getattr(cpu, name))(device))
    state.device = device
    runtime.device_map["cuda:0"] = runtime.default_device = device
    _tell(card={**facts, "alias": "cuda:0", "output": "cubin", "memory_bytes": card.memory_gib << 30})
