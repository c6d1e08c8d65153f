"""Runs cells in a child kernel: start, relay, stop, reap."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal

from warp_nbprobe.data.model import Cell, Failure, Run
from warp_nbprobe.data.results import Result
from warp_nbprobe.errors import KernelDidNotStart, UsageError
from warp_nbprobe.run import deaths
from warp_nbprobe.run.checks import run_checks
from warp_nbprobe.run.child import CHILD_FOLDER, Child
from warp_nbprobe.run.client import KernelClient, write_connection
from warp_nbprobe.run.conversation import Answer, Conversation
from warp_nbprobe.run.kernelspecs import KernelCommand, kernel_command
from warp_nbprobe.run.outputs import CAP_BYTES, Outputs, Relay
from warp_nbprobe.run.progress import Phase, Tell, Teller
from warp_nbprobe.run.rehearse import rehearsal_arguments
from warp_nbprobe.run.sandbox import Sandbox
from warp_nbprobe.run.sent import request_metadata, sent_source
from warp_nbprobe.run.stop import Stop, now_s, stoppable
from warp_nbprobe.run.wires import read_wires

_FINISH = {"warp_nbprobe": {"finish": True}}


@dataclass(frozen=True, slots=True)
class ChildSpec:
    """What a child is to be like."""

    kernel: str | None  # a kernelspec's name; None: this Python
    cwd: Path
    env: dict[str, str] = field(default_factory=dict)  # added to the present environment
    push: bytes | None = None  # a cloudpickled dict of variables, set before the first cell
    checks: tuple[str, ...] = ()  # expressions whose values are kept after the last cell
    timeout_s: float = 900.0  # for the user's code of one run, setup included
    start_timeout_s: float = 60.0
    cap_bytes: int = CAP_BYTES


def run_cells(
    cells: Sequence[Cell],
    *,
    sandbox: Sandbox,
    run: Literal["cold", "warm"],
    sample: int,
    spec: ChildSpec,
    relay: Relay | None,
    progress: Tell | None,
) -> Run:
    """Run the cells in a fresh child and return what it recorded; nothing of the child is left then.

    Raises `KernelNotFound` and `UsageError` before anything was started, `KernelDidNotStart`, `NoWarp` and
    `WarpTooOld` with the `Run` as their ``run``. Whatever else goes wrong is the run's `Failure`.
    """
    command = kernel_command(spec.kernel)
    if not spec.cwd.is_dir():
        raise UsageError(f"The working folder {spec.cwd} does not exist.")
    with stoppable() as stop:
        return _KernelRun(cells, sandbox, run, sample, spec, command, stop, relay, progress).go()


class _KernelRun:
    """The state of one run."""

    def __init__(
        self,
        cells: Sequence[Cell],
        sandbox: Sandbox,
        run: Literal["cold", "warm"],
        sample: int,
        spec: ChildSpec,
        command: KernelCommand,
        stop: Stop,
        relay: Relay | None,
        progress: Tell | None,
    ) -> None:
        self.cells = cells
        self.sandbox = sandbox
        self.run = run
        self.sample = sample
        self.spec = spec
        self.command = command
        self.stop = stop
        self.folder = sandbox.run_folder(run)
        self.outputs = Outputs(relay, cap_bytes=spec.cap_bytes)
        self.teller = Teller(progress, self.folder / "wire", run, sample)
        self.start = datetime.now(timezone.utc)
        self.phase: Phase = "starting"
        self.cell: int | None = None  # index of the cell that runs
        self.pid: int | None = None
        self.results: tuple[Result, ...] = ()  # of the checks; their record has ended before them
        self.all_ran = False  # the child died, but not before its last cell had ended
        self.left_with: int | None = None  # the status of sys.exit, or 0 where we ended it when all was done

    def go(self) -> Run:
        """Start the child, run the cells, end it, and read what it wrote."""
        connection_file, connection = write_connection(self.folder, ipc=self.command.launched)
        base = {**os.environ, **self.command.environment, **self.spec.env}
        child = Child(
            self.command.command(connection_file),
            environment=self.sandbox.environment(self.run, base),
            cwd=self.spec.cwd,
            log=self.folder / "log.txt",
        )
        failure: Failure | None = None
        not_started: KernelDidNotStart | None = None
        try:
            client = KernelClient(connection)
            try:
                talk = Conversation(
                    child, client, self.outputs, self.stop,
                    tick=self._tick, by_message=self.command.interrupt == "message",
                )  # fmt: skip
                failure = self._run_in(child, talk)
                talk.close()
            finally:
                client.close()
        except KernelDidNotStart as error:
            not_started = error
            failure = Failure("died", str(error).partition("\n")[0], exit_code=error.exit_code)
        finally:
            child.close()
        return self._result(child, failure, not_started)

    def _run_in(self, child: Child, talk: Conversation) -> Failure | None:
        """Run everything in a started child and see it to its end."""
        description = talk.ready(self.spec.kernel, self.spec.start_timeout_s)
        self.pid = child.pid
        failure: Failure | None
        if description is None:
            child.end()
            failure = deaths.stopped("interrupted", None, None, None, self.spec.timeout_s)
        else:
            if not self.command.launched:
                self._send_probe(talk, description)
            failure = self._run_cells(talk)
            if failure is None and self.spec.checks and not child.ended:
                failure = self._check(talk)
        self.phase = "ending"
        if child.ended or description is None:
            talk.wait_end(now_s())
        else:
            talk.finish(metadata=_FINISH)
            if talk.ended_late and self.left_with is None:
                self.left_with = 0
        if failure is None and not (talk.finished or talk.ended_late or self.results) and child.exit_code != 0:
            self.all_ran = True
            failure = Failure("died", "", cell=self.cell)
        return failure

    def _check(self, talk: Conversation) -> Failure | None:
        """Have the expressions evaluated; whatever becomes of that is a result and no failure."""
        self.results, answer = run_checks(talk, self.spec.checks, self.folder)
        if answer.stopped_by == "interrupted":
            return deaths.stopped("interrupted", None, None, None, self.spec.timeout_s)
        return None

    def _send_probe(self, talk: Conversation, description: dict[str, Any]) -> None:
        """Load the probe into a kernel that our launcher did not start."""
        language = str((description.get("language_info") or {}).get("name"))
        if language != "python":
            raise UsageError(f"The kernel {self.spec.kernel!r} runs {language}; only Python can be measured.")
        launcher = (CHILD_FOLDER / "launcher.py").read_text("utf-8")
        probe = (CHILD_FOLDER / "probe.py").read_text("utf-8")
        arguments = [probe, str(self.folder / "wire"), *rehearsal_arguments(self.spec.env)]
        # One expression in a namespace of its own: no name is left in the user's.
        code = (
            f"(lambda ns: (exec(compile({launcher!r}, '<warp_nbprobe_launcher>', 'exec'), ns), "
            f"ns['join'](*{arguments!r})))({{'__name__': '_warp_nbprobe_joined'}})"
        )
        answer = talk.execute(code, silent=True, expressions={"pid": "__import__('os').getpid()"})
        if answer.reply is None or answer.failed:
            lines = "\n".join(deaths.traceback_of(answer.reply or {}))
            raise KernelDidNotStart(self.spec.kernel, "it cannot be watched by our probe.", lines)
        told = answer.reply.get("user_expressions", {}).get("pid", {}).get("data", {}).get("text/plain", "")
        self.pid = int(told) if str(told).isdigit() else self.pid

    def _run_cells(self, talk: Conversation) -> Failure | None:
        """Push the variables and run the cells one by one, until one ends the run."""
        talk.deadline_s = now_s() + self.spec.timeout_s
        if self.spec.push is not None and (failure := self._push(talk, self.spec.push)) is not None:
            return failure
        for index, cell in enumerate(self.cells):
            self.cell, self.phase = index, cell.phase
            if self.stop:
                return deaths.stopped("interrupted", None, cell, index, self.spec.timeout_s)
            code, first_line = sent_source(cell)
            metadata = request_metadata(cell, index, first_line)
            answer = talk.execute(code, metadata=metadata, show_errors=cell.allow_error)
            failure, ended = self._judge(answer, cell, index)
            if failure is not None or ended:
                return failure
        return None

    def _judge(self, answer: Answer, cell: Cell, index: int) -> tuple[Failure | None, bool]:
        """Return the failure that the answer stands for, and whether the run ends here."""
        if answer.stopped_by is not None:
            timeout_s = self.spec.timeout_s
            return deaths.stopped(answer.stopped_by, answer.reply, cell, index, timeout_s), True
        if answer.reply is None:
            return Failure("died", "", cell=index), True  # the words need the wires, see _result
        if answer.failed:
            if cell.allow_error:
                return None, False
            failure = deaths.raised(answer.reply, cell, index)
            if answer.reply.get("ename") == "SystemExit":
                self.left_with = failure.exit_code if failure is not None else 0
            return failure, True
        return None, answer.leaves

    def _push(self, talk: Conversation, pushed: bytes) -> Failure | None:
        """Set the notebook's variables in the child."""
        path = self.folder / "push.pickle"
        path.write_bytes(pushed)
        code = (
            "(lambda load, shell, path: shell.push(load(open(path, 'rb').read()), interactive=False))("
            f"__import__('pickle').loads, get_ipython(), {str(path)!r})"
        )
        answer = talk.execute(code, silent=True)
        path.unlink()
        if answer.stopped_by is not None:
            return deaths.stopped(answer.stopped_by, None, None, None, self.spec.timeout_s)
        if answer.reply is None:
            return Failure("died", "")
        if answer.failed:
            said = f"{answer.reply.get('ename')}: {answer.reply.get('evalue')}"
            return Failure(
                "raised",
                f"The pushed variables could not be loaded in the child ({said}).",
                str(answer.reply.get("ename")),
                str(answer.reply.get("evalue")),
                deaths.traceback_of(answer.reply),
            )
        return None

    def _result(self, child: Child, failure: Failure | None, not_started: KernelDidNotStart | None) -> Run:
        """Return the run as recorded, or raise what makes it no measurement at all."""
        wires = read_wires(self.folder / "wire", self.pid)
        if failure is not None and failure.reason == "died" and not_started is None:
            crash = deaths.crash_text(self.folder)
            failure = deaths.died(child.exit_code, crash, failure.cell, self.cells, wires, after=self.all_ran)
        exit_code = child.exit_code if self.left_with is None else self.left_with
        lto_artifacts, lto_bytes = self.sandbox.lto()
        result = Run(
            sample=self.sample,
            run=self.run,
            pid=self.pid if self.pid is not None else child.pid,
            start=self.start,
            wires=wires,
            failure=failure,
            exit_code=exit_code,
            lto_artifacts=lto_artifacts,
            lto_bytes=lto_bytes,
            printed=self.outputs.warp_lines,
            results=self.results,
        )
        error = not_started or deaths.refusal(wires, failure, self.command.arguments[0])
        if error is not None:
            error.run = result
            raise error
        return result

    def _tick(self) -> None:
        self.teller.tick(self.phase, self.cell, len(self.cells))
