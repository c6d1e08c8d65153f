"""The host's end of a kernel's sockets: plain zmq with Jupyter Client's `Session` for the messages.

The blocking client is not used: inside a running event loop it reads in a helper thread, which after an
interrupt reads on and swallows the next message.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import zmq
from jupyter_client.session import Session

Channel = Literal["shell", "control", "iopub"]

_CHANNELS: Final[dict[Channel, int]] = {"shell": zmq.DEALER, "control": zmq.DEALER, "iopub": zmq.SUB}
_LONGEST_SOCKET_PATH = 100  # the system's limit is 107 bytes on Linux, 103 on macOS
_PORTS = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")


@dataclass(frozen=True, slots=True)
class Message:
    """One message from the kernel: ``size`` in bytes; of the kind ``unreadable`` when it is damaged."""

    kind: str
    parent: str | None
    content: dict[str, Any]
    size: int


def write_connection(folder: Path, *, ipc: bool) -> tuple[Path, dict[str, Any]]:
    """Write the file that tells a kernel where to listen; return it and what it says.

    Unix sockets are used if ``ipc`` allows and the folder's name is short enough: they start faster and
    nobody else can connect to them.
    """
    sockets = folder / "k"
    connection: dict[str, Any] = {"key": secrets.token_hex(16), "signature_scheme": "hmac-sha256"}
    if ipc and zmq.has("ipc") and len(os.fsencode(f"{sockets}-5")) <= _LONGEST_SOCKET_PATH:
        connection |= {"transport": "ipc", "ip": str(sockets)}
        connection |= {name: number for number, name in enumerate(_PORTS, start=1)}
    else:
        connection |= {"transport": "tcp", "ip": "127.0.0.1"}
        connection |= dict(zip(_PORTS, _free_ports(len(_PORTS)), strict=True))
    path = folder / "connection.json"
    path.touch(mode=0o600)
    path.write_text(json.dumps(connection))
    return path, connection


class KernelClient:
    """Sends requests to a kernel and receives what it says. Nothing is dropped for being too much."""

    def __init__(self, connection: dict[str, Any]) -> None:
        self._session = Session(key=connection["key"].encode(), username="warp_nbprobe")
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sockets: dict[Channel, zmq.Socket[bytes]] = {}
        self._poller = zmq.Poller()
        for channel, kind in _CHANNELS.items():
            made = self._context.socket(kind)
            made.linger = 0
            made.setsockopt(zmq.RECONNECT_IVL, 10)  # the kernel's end appears a little later
            if kind == zmq.SUB:
                made.setsockopt(zmq.RCVHWM, 0)
                made.setsockopt(zmq.SUBSCRIBE, b"")
            made.connect(_address(connection, channel))
            self._sockets[channel] = made
            self._poller.register(made, zmq.POLLIN)

    def watch(self, fd: int) -> None:
        """Have `wait` return as well when ``fd`` becomes readable."""
        self._poller.register(fd, zmq.POLLIN)

    def unwatch(self, fd: int) -> None:
        """Take back `watch`."""
        self._poller.unregister(fd)

    def wait(self, timeout_s: float) -> bool:
        """Wait until there is something to receive, or news; whether there is."""
        return bool(self._poller.poll(max(0, int(timeout_s * 1000))))

    def send(self, channel: Channel, kind: str, content: dict[str, Any],
             metadata: dict[str, Any] | None = None) -> str:  # fmt: skip
        """Send a request; return the id that its answers will name as their parent."""
        message = self._session.msg(kind, content, metadata=metadata)
        self._session.send(self._sockets[channel], message)
        return str(message["header"]["msg_id"])

    def receive(self, channel: Channel, *, skim: bool = False) -> Message | None:
        """Return the next message that has arrived, or ``None``.

        With ``skim`` only a ``status`` has its content: what is not going to be shown need not be decoded.
        """
        try:
            frames = self._sockets[channel].recv_multipart(zmq.NOBLOCK)
        except zmq.Again:
            return None
        size = sum(len(frame) for frame in frames)
        try:
            _, parts = self._session.feed_identities(frames)
            message = self._session.deserialize(parts, content=not skim)
            if skim:
                wanted = message["msg_type"] == "status"
                message["content"] = self._session.unpack(message["content"]) if wanted else {}
        except (ValueError, TypeError, KeyError) as error:
            return Message("unreadable", None, {"error": str(error)}, size)
        parent = message["parent_header"].get("msg_id")
        return Message(message["msg_type"], parent, message["content"], size)

    def close(self) -> None:
        """Close all sockets; what was not sent yet is dropped."""
        self._context.destroy(linger=0)


def _address(connection: dict[str, Any], channel: Channel) -> str:
    port = connection[f"{channel}_port"]
    if connection["transport"] == "ipc":
        return f"ipc://{connection['ip']}-{port}"
    return f"tcp://{connection['ip']}:{port}"


def _free_ports(count: int) -> list[int]:
    """Return ports that were free a moment ago; all are held until all are found, so that they differ."""
    held = [socket.socket() for _ in range(count)]
    try:
        for each in held:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in held]
    finally:
        for each in held:
            each.close()
