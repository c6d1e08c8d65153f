"""What a rehearsal says to a program that asks a GPU for streams, events, memory, graphs and other processes' memory.

Loaded beside ``rehearsal.py`` and under its rules. The CPU runs everything in program order, which is one of the orders
that streams allow: creating, recording, waiting and synchronising do nothing. Questions that only inform are answered
and written on the wire as assumed. What has no truthful answer raises one error that names the call and its line.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

_Put = Callable[..., None]

_NO_SHARING = "it shares memory of a GPU with another process or device."
_NO_POINTER = "it hands over an address in the memory of a GPU."
_NO_PROGRAM = "it needs a program or a graph that is loaded on a GPU."
_NO_MEMORY = "the memory that it gives out would be that of a GPU."
_NO_OTHER = "it shares memory of a GPU with another library."


def install(state: Any, put: _Put) -> None:
    """Put all answers into a Warp that has just been imported."""
    context = state.context
    _install_streams(state, put, context)
    _install_memory(state, put, context)
    _install_graphs(state, put, context)
    _install_refusals(state, put, context)


def _install_streams(state: Any, put: _Put, context: Any) -> None:
    """Make streams and events of the device plain objects that order nothing."""
    stream, event, device = context.Stream, context.Event, context.Device

    def make_stream(new: Any, of: Any, priority: Any, more: Any) -> Any:
        if not state.is_rehearsed(of):
            return NotImplemented
        if more and more.get("cuda_stream"):
            state.refuse("Stream(cuda_stream=...)", "it wraps a stream that another library has on a GPU.")
        new.device, new.cuda_stream, new.owner = state.device, None, False
        new.__dict__.update(_cached_event=None, _is_blocking=True, _nbp_priority=max(-1, min(int(priority or 0), 0)))
        return None

    def make_event(new: Any, of: Any, cuda_event: Any, timing: Any, shared: Any) -> Any:
        if not state.is_rehearsed(of):
            return NotImplemented
        if cuda_event is not None or shared:
            state.refuse("Event", _NO_SHARING)
        new.device, new.enable_timing, new.cuda_event, new.owner = state.device, bool(timing), None, False
        return None

    def current(of: Any) -> Any:
        if of is not state.device:
            return NotImplemented
        if of._stream is None:
            of._stream = stream(of)
        return of._stream

    def set_current(of: Any, new: Any) -> Any:
        if of is not state.device:
            return NotImplemented
        of._stream = new
        return None

    put(vars(stream)["__init__"], make_stream, ("self", "device", "?priority", "?kwargs"))
    put(vars(event)["__init__"], make_event, ("self", "?device", "?cuda_event", "?enable_timing", "?interprocess"))
    put(vars(device)["stream"].fget, current, ("self",))
    put(vars(device)["set_stream"], set_current, ("self", "stream"))
    put(vars(device)["has_stream"].fget, lambda of: True if of is state.device else NotImplemented, ("self",))
    _install_order(state, put, context)


def _install_order(state: Any, put: _Put, context: Any) -> None:
    """Answer what a program does with streams and events: everything is done at once, in order."""
    stream, event = context.Stream, context.Event

    def record(on: Any, what: Any) -> Any:
        if not _of_device(state, on):
            return NotImplemented
        what = event(on.device) if what is None else what
        what.__dict__["_nbp_time"] = time.perf_counter()
        return what

    def elapsed(first: Any, second: Any) -> Any:
        if not _of_device(state, first):
            return NotImplemented
        begun, ended = (one.__dict__.get("_nbp_time") for one in (first, second))
        state.assume("get_event_elapsed_time", "the time that the CPU took")
        return 0.0 if begun is None or ended is None else (ended - begun) * 1e3

    def no_activity() -> Any:
        state.assume("timing_end", "no activity of a GPU")
        return NotImplemented

    def ours(value: Any) -> Callable[[Any], Any]:
        def answer(one: Any) -> Any:
            return (value(one) if callable(value) else value) if _of_device(state, one) else NotImplemented

        return answer

    put(vars(stream)["record_event"], record, ("self", "event"))
    for name in ("wait_event", "wait_stream"):
        put(vars(stream)[name], ours(None), ("self",))
    properties = (
        (stream, "is_complete", True),
        (event, "is_complete", True),
        (stream, "is_blocking", True),
        (stream, "is_capturing", lambda one: bool(one.device.is_capturing)),
        (stream, "priority", lambda one: one._nbp_priority),
    )
    for owner, name, value in properties:
        if name in vars(owner):
            put(vars(owner)[name].fget, ours(value), ("self",))
    put(sys.modules["warp._src.utils"].timing_end, no_activity)
    put(context.get_event_elapsed_time, elapsed, ("start_event", "end_event"))
    put(context.synchronize_event, ours(None), ("event",))
    put(
        context.synchronize_stream,
        lambda one: None if _of_device(state, one) or state.is_rehearsed(one) else NotImplemented,
        ("stream_or_device",),
    )


def _of_device(state: Any, value: Any) -> bool:
    """Tell whether a stream, event, array or graph is of the device that is not there."""
    return state.device is not None and getattr(value, "device", None) is state.device


def _install_memory(state: Any, put: _Put, context: Any) -> None:
    """Answer questions about memory pools, take what only steers them, and have pinned memory be memory."""
    pinned = vars(context.CpuPinnedAllocator)
    plain = context.CpuDefaultAllocator
    put(pinned["allocate"], lambda one, size: plain.allocate(one, size), ("self", "size_in_bytes"))
    put(pinned["deallocate"], lambda one, at, size: plain.deallocate(one, at, size), ("self", "ptr", "size_in_bytes"))

    def answer(name: str, value: Any) -> Callable[[Any], Any]:
        return lambda device: state.assume(name, value) if state.is_rehearsed(device) else NotImplemented

    for name in ("get_mempool_release_threshold", "get_mempool_used_mem_current", "get_mempool_used_mem_high"):
        if hasattr(context, name):
            put(getattr(context, name), answer(name, 0), ("device",))
    put(
        context.set_mempool_release_threshold,
        lambda device: None if state.is_rehearsed(device) else NotImplemented,
        ("device",),
    )

    def enable(device: Any, on: Any) -> Any:
        if not state.is_rehearsed(device):
            return NotImplemented
        state.device.is_mempool_enabled = bool(on)
        return None

    put(context.set_mempool_enabled, enable, ("device", "enable"))
    for name in ("is_peer_access_supported", "is_peer_access_enabled"):
        if hasattr(context, name):
            put(getattr(context, name), _between(state, partial(state.assume, name, False)), _PAIR)
    for name in ("is_mempool_access_supported", "is_mempool_access_enabled"):
        if hasattr(context, name):
            put(getattr(context, name), _between(state, partial(state.assume, name, False)), _PAIR)
    for name in ("set_peer_access_enabled", "set_mempool_access_enabled"):
        if hasattr(context, name):
            put(getattr(context, name), _between(state, partial(state.refuse, name, _NO_SHARING)), _PAIR)


_PAIR = ("target_device", "peer_device")


def _between(state: Any, answer: Callable[[], Any]) -> Callable[[Any, Any], Any]:
    def asked(target: Any, peer: Any) -> Any:
        return answer() if state.is_rehearsed(target) or state.is_rehearsed(peer) else NotImplemented

    return asked


def _install_graphs(state: Any, put: _Put, context: Any) -> None:
    """Let the CPU capture and replay; say it where it cannot."""
    probe = state.probe
    put(
        getattr(context, "is_conditional_graph_supported", None),
        lambda: NotImplemented if state.asked_by_warp() else state.assume("is_conditional_graph_supported", True),
    )
    if state.only:  # a condition that no kernel sets would never end a loop

        def once(body: Any, stream: Any, more: Any) -> Any:
            if probe._is_capturing(state.device):
                return NotImplemented
            if callable(body):
                body(**(more or {}))
            else:
                context.capture_launch(body, stream)
            return None

        put(context.capture_launch, lambda: None)
        put(getattr(context, "capture_while", None), once, ("?while_body", "?stream", "?kwargs"))
    for name in ("capture_launch", "capture_end", "capture_begin"):
        function = getattr(context, name)
        enter, arguments, leave, fail = probe._instrumented.get(function, (None, (), None, None))
        probe._instrument(function, enter, arguments, leave, _failing(state, name, fail))


def _failing(state: Any, name: str, before: Any) -> Callable[[Any], None]:
    def failed(token: Any) -> None:
        if before is not None:
            before(token)
        error = sys.exc_info()[1]
        said = str(error)
        if isinstance(error, RuntimeError) and ("CPU" in said or "APIC" in said):
            state.refuse(name, f"the CPU, which captures and replays graphs here, cannot do this one ({said}).")

    return failed


def _install_refusals(state: Any, put: _Put, context: Any) -> None:
    """Raise one clear error for what only a GPU can do."""
    warp = state.warp

    def refusing(call: str, why: str) -> Callable[..., Any]:
        def answer(*values: Any) -> Any:
            ours = any(_of_device(state, value) or state.is_rehearsed(value) for value in values)
            return state.refuse(call, why) if ours and not state.asked_by_warp() else NotImplemented

        return answer

    def refusing_all() -> Any:
        return state.refuse("wp.set_cuda_allocator", _NO_MEMORY)

    def pointer_given(pointer: Any, device: Any) -> Any:
        if pointer and state.is_rehearsed(device) and not state.asked_by_warp():
            state.refuse("array(ptr=...)", "it takes an address in the memory of a GPU.")
        return NotImplemented

    array = warp.array
    put(vars(array)["__cuda_array_interface__"].fget, refusing("__cuda_array_interface__", _NO_POINTER), ("self",))
    put(vars(array)["__dlpack__"], refusing("__dlpack__", _NO_OTHER), ("self",))
    put(vars(array)["ipc_handle"], refusing("array.ipc_handle", _NO_SHARING), ("self",))
    put(vars(context.RegisteredGLBuffer)["__init__"], refusing("RegisteredGLBuffer", _NO_OTHER), ("?device",))
    put(vars(context.Event)["ipc_handle"], refusing("Event.ipc_handle", _NO_SHARING), ("self",))
    if "__cuda_stream__" in vars(context.Stream):
        put(vars(context.Stream)["__cuda_stream__"], refusing("__cuda_stream__", _NO_OTHER), ("self",))
    for name, argument in _OF_ARRAYS.items():
        function = getattr(warp, name, None)
        if function is not None:
            put(function, refusing(f"wp.{name}", _NO_OTHER), (argument,))
    for name, (argument, why) in _OF_DEVICES.items():
        function = getattr(context, name, None) or getattr(warp, name, None)
        if function is not None:
            put(function, refusing(f"wp.{name}", why), (argument,))
    for name in ("map_cuda_device", "unmap_cuda_device"):
        put(getattr(context, name), partial(state.refuse, f"wp.{name}", _NO_OTHER))
    put(context.set_cuda_allocator, lambda one: NotImplemented if one is None else refusing_all(), ("allocator",))
    put(vars(array)["__init__"], pointer_given, ("?ptr", "?device"))
    _guard(state, array, "ptr", "array.ptr")
    _guard(state, context.Stream, "cuda_stream", "Stream.cuda_stream")
    _guard(state, context.Event, "cuda_event", "Event.cuda_event")


_OF_ARRAYS = {"to_torch": "a", "to_jax": "warp_array", "to_paddle": "a", "to_dlpack": "wp_array"}
_OF_DEVICES = {
    "device_to_torch": ("warp_device", _NO_OTHER),
    "device_to_jax": ("warp_device", _NO_OTHER),
    "device_to_paddle": ("warp_device", _NO_OTHER),
    "stream_to_torch": ("stream_or_device", _NO_OTHER),
    "from_ipc_handle": ("device", _NO_SHARING),
    "event_from_ipc_handle": ("device", _NO_SHARING),
    "set_device_allocator": ("device", _NO_MEMORY),
    "get_cuda_kernel_properties": ("device", _NO_PROGRAM),
    "get_cuda_max_cluster_dim": ("device", _NO_PROGRAM),
    "capture_load": ("device", _NO_PROGRAM),
    "capture_save": ("graph", _NO_PROGRAM),
    "capture_debug_dot_print": ("graph", _NO_PROGRAM),
}


def _guard(state: Any, owner: Any, name: str, call: str) -> None:
    """Refuse an attribute of the rehearsed device to code outside Warp, which would take it for a GPU's address."""

    def read(self: Any) -> Any:
        ours = state.device is not None and self.__dict__.get("device") is state.device
        if ours and not state.asked_by_warp(2):
            state.refuse(call, _NO_POINTER)
        try:
            return self.__dict__[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}") from None

    def assign(self: Any, value: Any) -> None:
        self.__dict__[name] = value

    setattr(owner, name, property(read, assign))
