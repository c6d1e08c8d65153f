"""Talks with one child kernel: asks, passes its output on, and notices when it ends or has to."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from warp_nbprobe.errors import KernelDidNotStart
from warp_nbprobe.run import stop as stopping
from warp_nbprobe.run.child import Child
from warp_nbprobe.run.client import KernelClient, Message
from warp_nbprobe.run.outputs import Outputs
from warp_nbprobe.run.stop import Ladder, Stop, now_s

_POLL_S: Final = 0.05
_ASK_AGAIN_S: Final = 0.1
_QUIET_S: Final = 2.0
"""How long the channel for output may be silent after a reply before its ``idle`` is given up."""
_BATCH: Final = 200
_END_S: Final = 2.0
"""How long a child may take to end by itself when all is done; it may have threads that never end."""

StoppedBy = Literal["timeout", "interrupted"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a request: its reply, or ``None`` where the child ended before it gave one."""

    reply: dict[str, Any] | None
    stopped_by: StoppedBy | None = None

    @property
    def failed(self) -> bool:
        """Whether the code raised."""
        return self.reply is not None and self.reply.get("status") != "ok"

    @property
    def leaves(self) -> bool:
        """Whether the code called ``exit()``: the kernel ends by itself after its reply."""
        payloads = (self.reply or {}).get("payload") or ()
        return any(each.get("source") == "ask_exit" for each in payloads)


class Conversation:
    """One kernel's side of a run, from its start to its end."""

    def __init__(self, child: Child, client: KernelClient, outputs: Outputs, stop: Stop, *,
                 tick: Callable[[], None], by_message: bool = False) -> None:  # fmt: skip
        self.deadline_s: float | None = None  # by when the user's code has to be done
        self.stopped_at_s: float | None = None
        self.finished = False  # it has confirmed that its records are complete
        self.ended_late = False  # all was done, but the child did not end by itself
        self._child = child
        self._client = client
        self._outputs = outputs
        self._stop = stop
        self._tick = tick
        self._by_message = by_message
        self._replies: dict[str | None, Message] = {}
        self._heard: set[str | None] = set()  # requests that the channel for output named
        self._idle: set[str | None] = set()
        self._last_heard_s = now_s()
        self._show_errors = False
        self._watching = True
        client.watch(child.fileno())

    def ready(self, kernel: str | None, timeout_s: float) -> dict[str, Any] | None:
        """Wait until the kernel answers on both channels; return its own description.

        ``None`` means that the user wants to stop. Raises `KernelDidNotStart`. Waiting for silence, as Jupyter's
        client does, would cost 200 ms: here a request is repeated until the channel for output names one.
        """
        give_up_s = now_s() + timeout_s
        asked: dict[str, float] = {}
        while True:
            if self._stop:
                return None
            now = now_s()
            if not asked or now - max(asked.values()) >= _ASK_AGAIN_S:
                asked[self._client.send("shell", "kernel_info_request", {})] = now
            self._turn()
            for each in asked:
                if each in self._heard and each in self._replies:
                    return self._replies[each].content
            if self._child.ended:
                reason = self._child.failed or f"it ended with exit code {self._child.exit_code}."
                raise KernelDidNotStart(kernel, reason, self._child.log_text(), self._child.exit_code)
            if now > give_up_s:
                reason = f"it did not answer within {timeout_s:g} s."
                raise KernelDidNotStart(kernel, reason, self._child.log_text())

    def execute(self, code: str, *, metadata: dict[str, Any] | None = None, silent: bool = False,
                expressions: dict[str, str] | None = None, show_errors: bool = False) -> Answer:  # fmt: skip
        """Run code in the child and return when all that it put out has been passed on."""
        self._show_errors = show_errors
        return self._await(self._send_code(code, metadata, silent=silent, expressions=expressions))

    def finish(self, *, metadata: dict[str, Any], limit_s: float = _END_S) -> None:
        """Let the child finish its records and end by itself; after ``limit_s`` it is ended."""
        give_up_s = now_s() + limit_s
        if self.stopped_at_s is not None:
            give_up_s = min(give_up_s, self.stopped_at_s + stopping.LIMIT_S)
        if not self._child.ended:
            last = self._send_code("", metadata, silent=True)
            while not (last in self._replies or self._child.ended or now_s() > give_up_s):
                self._turn()
            self.finished = last in self._replies
        self._client.send("control", "shutdown_request", {"restart": False})
        self.ended_late = self.wait_end(give_up_s)

    def wait_end(self, give_up_s: float) -> bool:
        """Wait for the child's end until then, and then end it; whether it had to be ended.

        What it still puts out is passed on.
        """
        told = False
        while not self._child.ended:
            if not told and (now_s() > give_up_s or self._stop.presses > 1):
                self._child.end()
                told = True
            self._turn()
        self._drain()
        return told

    def close(self) -> None:
        """Take the child out of what is waited for."""
        if self._watching:
            self._watching = False
            self._client.unwatch(self._child.fileno())

    def _send_code(self, code: str, metadata: dict[str, Any] | None, *, silent: bool,
                   expressions: dict[str, str] | None = None) -> str:  # fmt: skip
        content = {
            "code": code,
            "silent": silent,
            "store_history": not silent,
            "user_expressions": expressions or {},
            "allow_stdin": False,
            "stop_on_error": False,  # else the kernel drops what is sent shortly after an error
        }
        return self._client.send("shell", "execute_request", content, metadata)

    def _await(self, request: str) -> Answer:
        """Wait for the reply and the end of output; on the way, stop the child if the user or the time says so."""
        ladder: Ladder | None = None
        stopped_by: StoppedBy | None = None
        while request not in self._replies:
            self._turn()
            if self._child.ended:
                self._drain()
                break
            if ladder is None and (stopped_by := self._reason_to_stop()) is not None:
                self.stopped_at_s = now_s()
                ladder = Ladder(self.stopped_at_s)
            if ladder is not None:
                self._take_step(ladder)
        else:
            self._await_idle(request)
        reply = self._replies.pop(request, None)
        return Answer(reply.content if reply is not None else None, stopped_by)

    def _reason_to_stop(self) -> StoppedBy | None:
        if self._stop:
            return "interrupted"
        if self.deadline_s is not None and now_s() > self.deadline_s:
            return "timeout"
        return None

    def _take_step(self, ladder: Ladder) -> None:
        step = ladder.step(now_s(), hurry=self._stop.presses > 1)
        if step == "interrupt" and self._by_message:
            self._client.send("control", "interrupt_request", {})
        elif step == "interrupt":
            self._child.interrupt()
        elif step == "wake":
            self._client.send("shell", "kernel_info_request", {})
        elif step == "kill":
            self._child.end()

    def _await_idle(self, request: str) -> None:
        """Wait until the child has said that its output is complete, or says nothing more."""
        self._last_heard_s = now_s()
        while request not in self._idle and now_s() - self._last_heard_s < _QUIET_S and not self._too_late():
            if self._child.ended:
                self._drain()
                return
            self._turn()

    def _drain(self) -> None:
        """Take in what an ended child had already sent; of one that was stopped no more than time allows."""
        while self._client.wait(_POLL_S):
            if not self._receive():
                return
            if self._too_late():
                self._outputs.note("what the run had still put out when it was stopped is not shown.")
                return

    def _too_late(self) -> bool:
        """Whether the run was stopped so long ago that the user must not wait any longer."""
        return self.stopped_at_s is not None and now_s() - self.stopped_at_s > stopping.LIMIT_S

    def _turn(self) -> None:
        """Wait a moment for messages and news, and take them in."""
        self._client.wait(_POLL_S)
        self._receive()
        self._child.read_status()
        if self._child.ended:
            self.close()  # else the closed pipe would end every wait at once
        self._tick()

    def _receive(self) -> bool:
        """Take in what has arrived, up to a batch; whether there was anything."""
        got = False
        for _ in range(_BATCH):
            message = self._client.receive("iopub", skim=self._outputs.cut)
            if message is None:
                break
            got = True
            self._last_heard_s = now_s()
            self._take_output(message)
        while (message := self._client.receive("shell")) is not None:
            got = True
            self._take_reply(message)
        while self._client.receive("control") is not None:  # its answers say nothing that is not seen anyway
            got = True
        return got

    def _take_output(self, message: Message) -> None:
        self._heard.add(message.parent)
        if message.kind == "status":
            if message.content.get("execution_state") == "idle":
                self._idle.add(message.parent)
            return
        self._outputs.take(message, show_errors=self._show_errors)

    def _take_reply(self, message: Message) -> None:
        self._replies[message.parent] = message
        for payload in message.content.get("payload") or ():
            with contextlib.suppress(AttributeError):  # not a dict: not a payload
                if payload.get("source") == "page":
                    self._outputs.page(payload)
