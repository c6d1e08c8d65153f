"""What a rehearsal builds, when, and at which block dimension; loaded beside ``rehearsal.py`` and under its rules.

Where a run on a GPU would load a module, the module is built for the architecture at the block dimension that was asked
for, by Warp's own ahead-of-time path, into the run's private cache. Then the CPU loads its own build and runs, or with
``only`` an executable that does nothing stands in.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

DEFAULT_BLOCK_DIM = 256  # of a CUDA launch that asks for none


class _Local(threading.local):
    def __init__(self) -> None:
        self.asked = DEFAULT_BLOCK_DIM  # of the launch under way (Warps that resolve block dimensions themselves)
        self.builds_for_cpu = False  # the rehearsed build is made: what fails now is the CPU's own


class _Own:
    """What this part knows beside the state of the rehearsal."""

    put: Callable[..., None]
    asked: Any = None  # the class of block dimensions that remember
    not_run: Any = None  # the class of executables that do nothing
    local = _Local()


_own = _Own()
state: Any = None


def install(rehearsal: Any, put: Callable[..., None]) -> None:
    """Put the hooks into a Warp that has just been imported."""
    global state
    state, _own.put = rehearsal, put
    context = state.context
    _own.asked = _asked_class(context)
    _install_block_dims(context)
    _install_loads(context)


# ---------------------------------------------------------------------------------------------------------------------
# Block dimensions: the CPU runs at 1, and what was asked for stays with it


def _asked_class(context: Any) -> Any:
    resolved: Any = getattr(context, "_ResolvedBlockDim", int)

    class Asked(resolved):  # type: ignore[misc]
        """1, as the CPU runs it, with the block dimension that a GPU would have had."""

        asked: int
        tiled = False  # the last dimension of the launch is the block dimension

    if resolved is not int:  # Tape.backward wraps what it recorded, and the wrapping must not lose it
        resolved.__new__ = lambda cls, value=0: value if type(value) is Asked else int.__new__(cls, value)
    return Asked


def asked(block_dim: int) -> Any:
    """Return the block dimension that the CPU gets for a launch that asked for ``block_dim``."""
    value = int.__new__(_own.asked, 1)
    value.asked = block_dim
    return value


def _install_block_dims(context: Any) -> None:
    if hasattr(context, "_resolve_launch_block_dim"):
        _own.put(context._resolve_launch_block_dim, _resolve, ("device", "block_dim"))
        return
    # Before 1.18 a launch sets 1 for a CPU in its own body: what it was asked for is noted in front of that, and put
    # into what a tape recorded behind it.
    tape = sys.modules["warp._src.tape"].Tape
    _own.put(context.launch, _note_launch, ("device", "stream", "block_dim"))
    state.probe._instrument(vars(tape)["record_launch"], *_remembering(vars(tape)["record_launch"]))


def _note_launch(device: Any, stream: Any, block_dim: Any) -> Any:
    tiled = state.probe._state.local.tiled
    if type(block_dim) is _own.asked:
        _own.local.asked = block_dim.asked
    elif tiled and sys._getframe(2).f_code is state.context.launch_tiled.__code__:
        _own.local.asked = tiled[-1] or DEFAULT_BLOCK_DIM
    else:
        _own.local.asked = DEFAULT_BLOCK_DIM if block_dim is None or block_dim <= 0 else int(block_dim)
    return NotImplemented


def _remembering(function: Any) -> tuple[Any, ...]:
    before = state.probe._instrumented[function][0]  # the probe's own hook stays

    def entered(tape: Any, kernel: Any, device: Any) -> Any:
        before(kernel)
        return tape if state.is_rehearsed(device) else None

    def left(tape: Any, value: Any) -> Any:
        if tape is not None:
            tape.launches[-1][6] = asked(_own.local.asked)
        return value

    return entered, ("self", "kernel", "device"), left


def _resolve(device: Any, block_dim: Any) -> Any:
    if type(block_dim) is _own.asked:
        return block_dim  # of a recorded launch
    if device is not state.device:
        return NotImplemented
    caller = sys._getframe(2)
    if caller.f_code.co_name == "_load_block_dims" and caller.f_locals.get("block_dim") is None:
        return 1  # force_load names no block dimension: see _wanted
    value = asked(DEFAULT_BLOCK_DIM if block_dim is None or block_dim <= 0 else int(block_dim))
    value.tiled = caller.f_code is state.context.launch_tiled.__code__
    return value


# ---------------------------------------------------------------------------------------------------------------------
# Loads: where a GPU would load, the module is built


def _install_loads(context: Any) -> None:
    probe, load, compile_ = state.probe, vars(context.Module)["load"], vars(context.Module)["_compile"]
    _own.not_run = _not_run_class(context)
    probe._instrument(
        load, _load_entered, ("self",), None, _load_failed, _load, ("self", "device", "block_dim", "?binary_path")
    )
    probe._state.load_codes.add(load.__code__)
    _own.put(compile_, _compile, ("self", "device", "output_dir", "output_name", "use_ptx", "?options"))
    _own.put(vars(context.Module)["unload"], _unload, ("self",))
    _own.put(
        getattr(context, "_get_module_artifact_path", None),
        _artifact,
        ("?module", "?device", "?module_dir", "?use_ptx"),
    )
    _own.put(context.get_suggested_block_size, _suggested_block_size, ("kernel", "device"))


def _load(module: Any, device: Any, block_dim: Any, binary_path: Any) -> Any:
    if not state.is_rehearsed(device):
        return _stand_in(module, device, block_dim) if state.only else NotImplemented
    if binary_path:
        state.refuse("load_aot_module", "what it loads is a program for a GPU.")
    _own.local.builds_for_cpu = False
    from_launch = type(block_dim) is _own.asked
    if not from_launch and sys._getframe(2).f_code in (
        state.context.launch.__code__,
        state.context.Launch.__init__.__code__,
    ):
        block_dim, from_launch = asked(_own.local.asked), True
    for wanted in [block_dim.asked] if from_launch else _wanted(module, block_dim):
        for arch in state.archs:
            build(module, arch, wanted)
    if not from_launch:
        return None  # a preload: the CPU builds for itself when it has to run something
    if state.only:
        return _stand_in(module, state.device, 1)
    _own.local.builds_for_cpu = True
    return NotImplemented


def _wanted(module: Any, block_dim: Any) -> list[int]:
    """Return the block dimensions that a preload means: those the module has on the device, or its own."""
    if block_dim not in (None, 1):
        return [int(block_dim)]
    known = sorted({dim for _, dim in module.__dict__.get("_nbp_rehearsed", ())})
    return known or [int(module.options["block_dim"])]


def build(module: Any, arch: int, block_dim: int) -> None:
    """Build a module for an architecture, as its load on a GPU would, unless that was done; raises what Warp raises."""
    built = module.__dict__.setdefault("_nbp_rehearsed", {})
    strip = bool(module.options.get("strip_hash"))
    if strip and (arch, block_dim) in built:
        return
    with _Variant(module, block_dim):
        digest = module.get_module_hash(block_dim)
        if built.get((arch, block_dim)) == digest:
            return
        event = state.probe._Event(module, f"sm_{arch}", block_dim, digest.hex())
        event.rehearsed = True
        failures, key = getattr(module, "failed_builds", None), ("rehearsed", arch, block_dim)
        known = failures.get(key) if isinstance(failures, dict) else None
        if known is not None:
            event.compiled, event.replayed = False, True
            _over(event, known)
            raise known
        state.probe._state.local.event = event
        try:
            made = _make(module, arch, block_dim)
        except BaseException as error:
            _over(event, error)
            if isinstance(failures, dict) and isinstance(error, Exception):
                failures[key] = error
            raise
        built[arch, block_dim] = digest
        _over(event, None, "compiled" if made else "cached")


def _make(module: Any, arch: int, block_dim: int) -> bool:
    """Compile, as far as the cache does not have it; return whether it had to be."""
    config = state.warp.config
    preferred = module.options.get("cuda_output") or getattr(config, "cuda_output", None)
    ptx = preferred == "ptx"
    if ptx:  # made for the oldest architecture in use, as Warp does it for a device
        arch = min(arch, config.ptx_target_arch or state.context.runtime.default_ptx_arch)
    variant = {"block_dim": block_dim} if "block_dim" in _arguments(module.resolve_options) else {}
    options = module.resolve_options(config, **variant)
    return bool(module._compile(None, None, output_arch=arch, use_ptx=ptx, options=options))


def _over(event: Any, error: BaseException | None, status: str = "error") -> None:
    """Write the event of a rehearsed build."""
    probe = state.probe

    def write() -> None:
        event.t1 = event.t1 or probe._clock()
        event.ms = (event.t1 - event.t0) / 1e6
        if error is not None:
            event.error = probe._error_facts(type(error), error, event)
        probe._end(event, status)

    if probe._state.local.event is event:
        probe._state.local.event = event.outer
    probe._hook("rehearsed build")(write)()


class _Variant:
    """Before 1.16 a module's option says what it is built at, and a load sets it."""

    def __init__(self, module: Any, block_dim: int) -> None:
        self.module, self.block_dim = module, block_dim
        self.needed = "block_dim" not in _arguments(module.resolve_options)
        self.before = module.options["block_dim"]

    def __enter__(self) -> None:
        if self.needed:
            dict.__setitem__(self.module.options, "block_dim", self.block_dim)

    def __exit__(self, *error: object) -> None:
        if self.needed:
            dict.__setitem__(self.module.options, "block_dim", self.before)


def _arguments(method: Any) -> tuple[str, ...]:
    code: types.CodeType = method.__func__.__code__
    return code.co_varnames[: code.co_argcount]


def _load_entered(module: Any) -> Any:
    return str(module.name)


def _load_failed(name: Any) -> None:
    """Say what it means that the CPU cannot build what the architecture can."""
    error = sys.exc_info()[1]
    if not _own.local.builds_for_cpu or not isinstance(error, Exception) or isinstance(error, state.error):
        return
    _own.local.builds_for_cpu = False
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    raise state.error(
        f"The module {name} was built for {state.name}, but it cannot be built for the CPU, which has to run it here: "
        f"{first} With --rehearse-only (rehearse_only=True) it is built and not run."
    ) from error


def _unload(module: Any) -> Any:
    module.__dict__.pop("_nbp_rehearsed", None)
    return NotImplemented


def _compile(module: Any, device: Any, folder: Any, name: Any, use_ptx: Any, options: Any) -> Any:
    """Build ahead of time for the architectures where a program asks for its device; a load's own compile passes."""
    if device is not state.device or sys._getframe(2).f_code in state.probe._state.load_codes:
        return NotImplemented
    outer = state.probe._state.local.event
    if outer is not None and outer.aot:  # what the probe began for this call; the calls below have their own
        outer.aot = False
        state.probe._state.local.event = outer.outer
    rest = {} if options is None else {"options": options}
    made = [module._compile(None, folder, name, arch, use_ptx, **rest) for arch in state.archs]
    return any(made)


def _artifact(module: Any, device: Any, folder: Any, use_ptx: Any) -> Any:
    if device is not state.device or module is None:
        return NotImplemented
    return state.context._get_module_artifact_path(module, None, state.archs[0], folder, use_ptx)


def _suggested_block_size(kernel: Any, device: Any) -> Any:
    """Answer as the occupancy of a kernel with few registers would; the module is loaded for the question."""
    context = state.context
    context.init()
    if not isinstance(kernel, context.Kernel) or kernel.is_generic or not state.is_rehearsed(device):
        return NotImplemented
    for arch in state.archs:
        build(kernel.module, arch, int(kernel.module.options["block_dim"]))
    card = state.card
    size = 1024 if card.threads % 1024 == 0 else card.threads // 2
    return state.assume("get_suggested_block_size", (size, card.sm_count * (card.threads // size)))


# Without running anything


def _not_run_class(context: Any) -> Any:
    address = ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p).value or 0
    nothing = ctypes.CFUNCTYPE(None)(address)  # does nothing, whatever it is called with

    class NotRun(context.ModuleExec):  # type: ignore[misc]
        """An executable whose kernels do nothing, so that launches, tapes and graphs go their way."""

        def get_kernel_hooks(self, kernel: Any) -> Any:
            return context.KernelHooks(nothing, nothing)

    return NotRun


def _stand_in(module: Any, device: Any, block_dim: Any) -> Any:
    """Return an executable for a module that is not to be run."""
    device = state.context.runtime.get_device(device)
    return _own.not_run(None, module.get_module_hash(1), device, {}, 1)
