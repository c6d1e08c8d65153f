"""Runs a command as the child: start, pass its output on, stop, reap; the same for it as kernel.py for cells."""

from __future__ import annotations

import codecs
import os
import selectors
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Final, Literal

from warp_nbprobe.data.model import Failure, Run
from warp_nbprobe.errors import UsageError
from warp_nbprobe.run import deaths, exits
from warp_nbprobe.run.child import Child
from warp_nbprobe.run.client import Message
from warp_nbprobe.run.hook import leading_assignments, python_path, site_folder, with_hook
from warp_nbprobe.run.outputs import CAP_BYTES, Outputs, Relay
from warp_nbprobe.run.progress import Tell, Teller
from warp_nbprobe.run.sandbox import Sandbox
from warp_nbprobe.run.stop import Ladder, Stop, now_s, stoppable
from warp_nbprobe.run.wires import read_wires

_POLL_S: Final = 0.05
_CHUNK: Final = 65536
_TAIL: Final = 65536
_LAST_WORDS_S: Final = 1.0
"""How long after its end a command's output may be still on its way."""

_PATH: Final = "PYTHONPATH"


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """What to run, and how."""

    arguments: tuple[str, ...]  # may begin with NAME=VALUE words, as for a shell
    cwd: Path
    env: dict[str, str] = field(default_factory=dict)  # added to the present environment
    timeout_s: float = 900.0
    cap_bytes: int = CAP_BYTES


def run_command(
    spec: CommandSpec,
    *,
    sandbox: Sandbox,
    run: Literal["cold", "warm"],
    sample: int,
    relay: Relay | None,
    progress: Tell | None,
) -> Run:
    """Run the command once and return what it recorded; nothing that it started is left then.

    Raises `UsageError` for a command that cannot be started, `NoWarp` and `WarpTooOld` with the `Run` as their
    ``run``. Whatever else goes wrong is the run's `Failure`.
    """
    with stoppable() as stop:
        return _CommandRun(spec, sandbox, run, sample, relay, progress, stop).go()


class _CommandRun:
    """The state of one run."""

    def __init__(
        self,
        spec: CommandSpec,
        sandbox: Sandbox,
        run: Literal["cold", "warm"],
        sample: int,
        relay: Relay | None,
        progress: Tell | None,
        stop: Stop,
    ) -> None:
        self.spec = spec
        self.sandbox = sandbox
        self.run = run
        self.sample = sample
        self.stop = stop
        self.folder = sandbox.run_folder(run)
        self.outputs = Outputs(relay, cap_bytes=spec.cap_bytes)
        self.said = ""  # the end of its standard error
        self.teller = Teller(progress, self.folder / "wire", run, sample)
        self.start = datetime.now(timezone.utc)
        self.started_s = now_s()
        self.stopped_by: Literal["timeout", "interrupted"] | None = None

    def go(self) -> Run:
        """Start the command, listen until it has ended, and read what its processes wrote."""
        arguments, environment = self._command()
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        try:
            (self.folder / "stdout").write_text(_identity(out_end), encoding="ascii")
            try:
                child = Child(
                    arguments,
                    environment=environment,
                    cwd=self.spec.cwd,
                    log=self.folder / "log.txt",
                    streams=(out_end, err_end),
                )
            finally:
                os.close(out_end)
                os.close(err_end)
            try:
                self._listen(child, out, err)
            finally:
                child.close()
        finally:
            os.close(out)
            os.close(err)
        if child.failed is not None:
            raise UsageError(f"The command {arguments[0]} cannot be started: {child.failed}.")
        return self._result(child)

    def _command(self) -> tuple[list[str], dict[str, str]]:
        """Return the command and its environment, the hook in front of every path."""
        assigned, arguments = leading_assignments(self.spec.arguments)
        environment = self.sandbox.environment(self.run, {**os.environ, **self.spec.env, **assigned})
        check_command(arguments, self.spec.cwd, environment)
        site = site_folder(self.folder)
        environment[_PATH] = python_path(site, environment.get(_PATH))
        return with_hook(arguments, site), environment

    def _listen(self, child: Child, out: int, err: int) -> None:
        """Pass output on until the command has ended and all of it has come; on the way, stop it if it has to be."""
        ladder: Ladder | None = None
        streams = {out: _Stream("stdout"), err: _Stream("stderr")}
        ended_s: float | None = None
        with selectors.DefaultSelector() as selector:
            for each in (*streams, child.fileno()):
                selector.register(each, selectors.EVENT_READ)
            while ended_s is None or (streams and now_s() - ended_s < _LAST_WORDS_S):
                for key, _ in selector.select(_POLL_S):
                    if key.fd in streams:
                        if not self._read(key.fd, streams[key.fd]):
                            selector.unregister(key.fd)
                            del streams[key.fd]
                    else:
                        child.read_status()
                if child.gone and ended_s is None:  # the supervisor too: nothing more is written
                    ended_s = now_s()
                    selector.unregister(child.fileno())
                if ladder is None and not child.ended and self._has_to_stop():
                    ladder = Ladder(now_s())
                if ladder is not None:
                    self._take_step(child, ladder)
                self.teller.tick()

    def _read(self, descriptor: int, stream: _Stream) -> bool:
        """Take in what a stream has; whether there may be more."""
        data = os.read(descriptor, _CHUNK)
        text = stream.decoder.decode(data, final=not data)
        if text:
            self.outputs.take(Message("stream", None, {"name": stream.name, "text": text}, len(data)))
            if stream.name == "stderr":
                self.said = (self.said + text)[-_TAIL:]
        return bool(data)

    def _has_to_stop(self) -> bool:
        if self.stop:
            self.stopped_by = "interrupted"
        elif now_s() - self.started_s > self.spec.timeout_s:
            self.stopped_by = "timeout"
        return self.stopped_by is not None

    def _take_step(self, child: Child, ladder: Ladder) -> None:
        step = ladder.step(now_s(), hurry=self.stop.presses > 1)
        if step == "interrupt":
            child.interrupt()
        elif step == "kill":
            child.end()

    def _result(self, child: Child) -> Run:
        """Return the run as recorded, or raise what makes it no measurement at all."""
        wires = read_wires(self.folder / "wire", child.pid)
        failure = self._failure(child)
        lto_artifacts, lto_bytes = self.sandbox.lto()
        result = Run(
            sample=self.sample,
            run=self.run,
            pid=child.pid,
            start=self.start,
            wires=wires,
            failure=failure,
            exit_code=child.exit_code,
            lto_artifacts=lto_artifacts,
            lto_bytes=lto_bytes,
            printed=self.outputs.warp_lines,
        )
        for wire in wires:
            error = deaths.refusal((wire,), failure, "python")
            if error is not None:
                error.run = result
                raise error
        return result

    def _failure(self, child: Child) -> Failure | None:
        if self.stopped_by is not None:
            return exits.stopped(self.stopped_by, self.spec.timeout_s, self.said, child.exit_code)
        return exits.left(child.exit_code, self.said, deaths.crash_text(self.folder))


class _Stream:
    """One of the two streams; a character may come in two pieces."""

    def __init__(self, name: Literal["stdout", "stderr"]) -> None:
        self.name = name
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")


def check_command(arguments: Sequence[str], cwd: Path, environment: dict[str, str]) -> None:
    """Raise `UsageError` for a command that is not there; says where was looked."""
    if not arguments:
        raise UsageError("There is no command to measure, only what to set for it.")
    if not cwd.is_dir():
        raise UsageError(f"The working folder {cwd} does not exist.")
    name = arguments[0]
    if os.sep in name:
        path = cwd / name
        if not path.exists():
            raise UsageError(f"The command {name!r} does not exist in {cwd}.")
        if not os.access(path, os.X_OK) or path.is_dir():
            raise UsageError(
                f"The command {name!r} is not a program that can be run; for a script write `python {name}`."
            )
    elif shutil.which(name, path=environment.get("PATH", os.defpath)) is None:
        raise UsageError(f"The command {name!r} was not found on PATH.")


def _identity(descriptor: int) -> str:
    """Return what tells this file from all others."""
    own = os.fstat(descriptor)
    return f"{own.st_dev}:{own.st_ino}"
