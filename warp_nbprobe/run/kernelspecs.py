"""Which command starts a child kernel, and whether our launcher can stand in for the kernel's own."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager, NoSuchKernel

from warp_nbprobe.errors import KernelNotFound, UsageError
from warp_nbprobe.run.child import CHILD_FOLDER

_PYTHON = re.compile(r"python(w|\d+(\.\d+)?t?)?(\.exe)?")
_IPYKERNEL = ("ipykernel_launcher", "ipykernel")
_LOCAL = ("", "local-provisioner")


@dataclass(frozen=True, slots=True)
class KernelCommand:
    """How to start a kernel. ``launched`` means by our launcher, else the probe has to be sent to it."""

    name: str | None  # None: this Python
    arguments: tuple[str, ...]  # {connection_file} stands for the path
    launched: bool
    environment: Mapping[str, str] = field(default_factory=dict)
    interrupt: Literal["signal", "message"] = "signal"

    def command(self, connection_file: Path) -> list[str]:
        """Return the command line for one kernel."""
        return [part.replace("{connection_file}", str(connection_file)) for part in self.arguments]


def kernel_command(name: str | None) -> KernelCommand:
    """Return how to start the kernel of that name, or of this Python.

    Raises `KernelNotFound` for an unknown name, `UsageError` for a kernel on another machine.
    """
    if name is None:
        return KernelCommand(None, (sys.executable, *_launch(("-f", "{connection_file}"))), launched=True)
    manager = KernelSpecManager()
    try:
        spec = manager.get_kernel_spec(name)
    except (NoSuchKernel, ValueError):  # a name that no folder can have is a ValueError
        known = manager.find_kernel_specs()
        if name not in known:
            raise KernelNotFound(name, list(known)) from None
        spec = _spec_in(name, known[name])
    provisioner = spec.metadata.get("kernel_provisioner", {}).get("provisioner_name", "")
    if provisioner not in _LOCAL:
        raise UsageError(
            f"The kernel {name!r} is started by {provisioner!r}, not on this machine; its builds cannot be "
            f"read from here. Run the notebook on that machine, or name a local kernel."
        )
    places = {"{resource_dir}": spec.resource_dir, "{prefix}": sys.prefix}
    arguments = [_filled(part, places) for part in spec.argv]
    launch = launcher_arguments(arguments)
    return KernelCommand(
        name,
        tuple(launch or arguments),
        launched=launch is not None,
        environment={key: os.path.expandvars(value) for key, value in spec.env.items()},
        interrupt="message" if spec.interrupt_mode == "message" else "signal",
    )


def _spec_in(name: str, folder: str) -> KernelSpec:
    """Read a kernelspec that Jupyter does not hand out: its provisioner is not installed, or it is damaged."""
    try:
        return KernelSpec.from_resource_dir(folder)
    except (ValueError, OSError) as error:
        raise UsageError(f"The kernel {name!r} is described in {folder}, which cannot be read: {error}") from None


def launcher_arguments(arguments: Sequence[str]) -> list[str] | None:
    """Return a kernelspec's command with our launcher in place of ipykernel's; ``None`` if it has none."""
    if not arguments or not _PYTHON.fullmatch(os.path.basename(arguments[0]).lower()):
        return None
    if "-m" not in arguments:
        return None
    at = arguments.index("-m")
    if at + 1 >= len(arguments) or arguments[at + 1] not in _IPYKERNEL:
        return None
    python = arguments[0]
    own = {"python", f"python{sys.version_info[0]}", f"python{sys.version_info[0]}.{sys.version_info[1]}"}
    if python in own:  # as Jupyter reads it: this very Python, whatever the search path has
        python = sys.executable
    return [python, *arguments[1:at], *_launch(arguments[at + 2 :])]


def _launch(arguments: Sequence[str]) -> list[str]:
    return [str(CHILD_FOLDER / "launcher.py"), *arguments]


def _filled(part: str, places: Mapping[str, str]) -> str:
    for place, text in places.items():
        part = part.replace(place, text)
    return part
