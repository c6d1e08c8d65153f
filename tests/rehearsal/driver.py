"""Runs a program with the probe and the rehearsal, as the launcher loads them: ``driver.py CHILD WIRE PROGRAM``."""

from __future__ import annotations

import importlib.util
import os
import runpy
import sys


def main() -> None:
    """Load what watches and what rehearses, then run the program."""
    folder, wire, *program = sys.argv[1:]
    spec = importlib.util.spec_from_file_location("launcher", os.path.join(folder, "launcher.py"))
    assert spec is not None
    assert spec.loader is not None
    launcher = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(launcher)
    probe = launcher.load_probe(os.path.join(folder, "probe.py"))
    launcher.load_rehearsal(probe, folder)
    probe.start(wire)
    sys.argv = program
    runpy.run_path(program[0], run_name="__main__")


if __name__ == "__main__":
    main()
