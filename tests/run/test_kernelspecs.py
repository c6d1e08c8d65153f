"""Which kernels our launcher starts, and which are told of and how."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from warp_nbprobe.errors import KernelNotFound, UsageError
from warp_nbprobe.run.kernelspecs import kernel_command, launcher_arguments


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Install kernelspecs for one test."""
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))

    def install(name: str, argv: list[str], **spec: Any) -> Path:
        folder = tmp_path / "kernels" / name
        folder.mkdir(parents=True)
        spec = {"argv": argv, "display_name": name, "language": "python", **spec}
        (folder / "kernel.json").write_text(json.dumps(spec))
        return folder

    return install


@pytest.mark.parametrize(
    "argv",
    [
        ["/env/bin/python", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        ["/env/bin/python3.12", "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        ["/env/bin/python3", "-m", "ipykernel", "-f", "{connection_file}", "--matplotlib=inline"],
    ],
)
def test_an_ipykernel_is_started_by_our_launcher_with_its_own_python_and_options(argv: list[str]) -> None:
    made = launcher_arguments(argv)
    assert made is not None
    at = argv.index("-m")
    assert made[:at] == argv[:at]
    assert Path(made[at]).name == "launcher.py"
    assert made[at + 1 :] == argv[at + 2 :]


@pytest.mark.parametrize(
    "argv",
    [
        ["conda", "run", "-n", "env", "python", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        ["/env/bin/python", "-m", "nb_conda_kernels.runner", "env", "python", "-m", "ipykernel_launcher"],
        ["/opt/start-kernel.sh", "{connection_file}"],
        ["/env/bin/python", "wrapper.py", "{connection_file}"],
        [],
    ],
)
def test_any_other_command_is_started_as_it_is(argv: list[str]) -> None:
    assert launcher_arguments(argv) is None


def test_a_bare_python_is_this_one_as_jupyter_reads_it() -> None:
    made = launcher_arguments(["python3", "-m", "ipykernel_launcher", "-f", "{connection_file}"])
    assert made is not None
    assert made[0] == sys.executable


def test_without_a_name_the_child_is_this_python() -> None:
    command = kernel_command(None)
    assert command.launched
    assert command.command(Path("/run/c.json"))[0] == sys.executable
    assert command.command(Path("/run/c.json"))[-1] == "/run/c.json"


def test_an_unknown_name_is_answered_with_the_known_ones(installed) -> None:  # type: ignore[no-untyped-def]
    installed("other-env", ["python"])
    with pytest.raises(KernelNotFound) as caught:
        kernel_command("oter-env")
    assert caught.value.name == "oter-env"
    assert "other-env" in caught.value.known
    assert "other-env" in str(caught.value)


def test_a_name_that_no_kernel_can_have_is_not_found_either() -> None:
    with pytest.raises(KernelNotFound):
        kernel_command("../../etc")


def test_a_kernelspec_brings_its_environment_and_its_way_to_interrupt(installed) -> None:  # type: ignore[no-untyped-def]
    argv = ["/opt/k", "{resource_dir}/k.py", "{connection_file}"]
    folder = installed("mine", argv, env={"A": "b"}, interrupt_mode="message")
    command = kernel_command("mine")
    assert not command.launched
    assert command.environment == {"A": "b"}
    assert command.interrupt == "message"
    assert command.command(Path("/c.json")) == ["/opt/k", f"{folder}/k.py", "/c.json"]


def test_a_damaged_kernelspec_is_told_with_its_folder(installed) -> None:  # type: ignore[no-untyped-def]
    folder = installed("damaged", ["x"])
    (folder / "kernel.json").write_text("{")
    with pytest.raises(UsageError, match="damaged"):
        kernel_command("damaged")


def test_a_kernel_on_another_machine_is_refused_with_what_to_do(installed) -> None:  # type: ignore[no-untyped-def]
    installed("far", ["x"], metadata={"kernel_provisioner": {"provisioner_name": "remote-http"}})
    with pytest.raises(UsageError, match="remote-http"):
        kernel_command("far")
