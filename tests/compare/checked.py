"""Checked values without a child: the child's own file, executed here."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from warp_nbprobe.data.results import Result, read_results
from warp_nbprobe.run.child import CHILD_FOLDER


def check_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("_nbp_check", CHILD_FOLDER / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHECK = check_module()


def checked(namespace: Mapping[str, Any], *expressions: str) -> tuple[Result, ...]:
    """Return what a child with these variables would have written."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.json"
        CHECK.write_results(list(expressions), dict(namespace), str(path))
        return read_results(path)


def value(given: Any, name: str = "x") -> Result:
    """Return one value as checked under ``name``."""
    (found,) = checked({name: given}, name)
    return found
