"""Measures what NVIDIA Warp compiles when a notebook cell starts cold, and says why.

In a notebook: ``%load_ext warp_nbprobe``, then ``%%warp_cold`` on top of a cell. In Python: ``measure``.

Importing this package loads nothing heavy: every name below is looked up when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warp_nbprobe.api import compare as compare
    from warp_nbprobe.api import diagnose as diagnose
    from warp_nbprobe.api import load as load
    from warp_nbprobe.api import measure as measure
    from warp_nbprobe.api import measure_command as measure_command
    from warp_nbprobe.api import measure_notebook as measure_notebook
    from warp_nbprobe.api import show as show
    from warp_nbprobe.errors import ChildDied as ChildDied
    from warp_nbprobe.errors import ChildTimedOut as ChildTimedOut
    from warp_nbprobe.errors import CodeRaised as CodeRaised
    from warp_nbprobe.errors import InputRefused as InputRefused
    from warp_nbprobe.errors import KernelDidNotStart as KernelDidNotStart
    from warp_nbprobe.errors import KernelNotFound as KernelNotFound
    from warp_nbprobe.errors import NBProbeError as NBProbeError
    from warp_nbprobe.errors import NoWarp as NoWarp
    from warp_nbprobe.errors import RehearsalError as RehearsalError
    from warp_nbprobe.errors import ReportError as ReportError
    from warp_nbprobe.errors import TooManyBuilds as TooManyBuilds
    from warp_nbprobe.errors import UsageError as UsageError
    from warp_nbprobe.errors import WarpTooOld as WarpTooOld
    from warp_nbprobe.explain.compare import Comparison as Comparison
    from warp_nbprobe.explain.diagnose import Diagnosis as Diagnosis
    from warp_nbprobe.explain.diagnose import Finding as Finding
    from warp_nbprobe.measurement import Measurement as Measurement

__version__ = "0.1.0"

__all__ = [
    "measure", "measure_notebook", "measure_command", "load", "compare", "diagnose", "show",
    "Measurement", "Comparison", "Diagnosis", "Finding",
    "NBProbeError", "UsageError",
    "KernelNotFound", "KernelDidNotStart", "NoWarp", "WarpTooOld",
    "CodeRaised", "ChildDied", "ChildTimedOut", "InputRefused",
    "TooManyBuilds", "ReportError", "RehearsalError",
]  # fmt: skip

_HOMES = {
    "warp_nbprobe.api": ("measure", "measure_notebook", "measure_command", "load", "compare", "diagnose", "show"),
    "warp_nbprobe.measurement": ("Measurement",),
    "warp_nbprobe.explain.compare": ("Comparison",),
    "warp_nbprobe.explain.diagnose": ("Diagnosis", "Finding"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME.get(name, "warp_nbprobe.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(ipython: Any) -> None:
    """Register the magics and the displays; called by ``%load_ext warp_nbprobe``."""
    from warp_nbprobe.magics import register

    register(ipython)


def unload_ipython_extension(ipython: Any) -> None:
    """Take them away again; called by ``%unload_ext warp_nbprobe``."""
    from warp_nbprobe.magics import unregister

    unregister(ipython)
