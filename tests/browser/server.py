"""A real Jupyter server, started once, with folders of its own; it serves JupyterLab and Notebook 7 alike."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[2]
_START_S = 60
_SETTINGS = {
    "@jupyterlab/apputils-extension/notification.jupyterlab-settings": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyter-widgets/jupyterlab-manager/plugin.jupyterlab-settings": {"saveState": True},
}


@dataclass(frozen=True, slots=True)
class Server:
    """Where it listens, and the folder in which its notebooks lie."""

    url: str
    token: str
    folder: Path

    def lab(self, notebook: str) -> str:
        return f"{self.url}/lab/tree/{notebook}?reset&token={self.token}"

    def notebook(self, notebook: str) -> str:
        return f"{self.url}/notebooks/{notebook}?token={self.token}"

    def put(self, name: str, cells: list[str]) -> Path:
        """Write a notebook of these cells."""
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
        made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        path = self.folder / name
        nbformat.write(made, path)
        return path


@contextmanager
def serving(home: Path) -> Iterator[Server]:
    """Run a server until the block ends; nothing of the user's own Jupyter is read or written."""
    folder = home / "notebooks"
    folder.mkdir(parents=True)
    port, token = _free_port(), secrets.token_hex(16)
    command = [sys.executable, "-m", "jupyter", "notebook", "--no-browser", "--ServerApp.ip=127.0.0.1"]
    command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"]
    command += [f"--ServerApp.root_dir={folder}", "--LabApp.expose_app_in_browser=True"]
    command += ["--JupyterNotebookApp.expose_app_in_browser=True"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command, env=_environment(home), cwd=folder, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        server = Server(f"http://127.0.0.1:{port}", token, folder)
        try:
            _wait(server, process, home)
            yield server
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _environment(home: Path) -> dict[str, str]:
    settings = home / "settings"
    for name, value in _SETTINGS.items():
        path = settings / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
    folders = {
        "HOME": home,
        "IPYTHONDIR": home / "ipython",
        "JUPYTER_CONFIG_DIR": home / "config",
        "JUPYTER_DATA_DIR": home / "data",
        "JUPYTER_RUNTIME_DIR": home / "runtime",
        "JUPYTERLAB_SETTINGS_DIR": settings,
        "JUPYTERLAB_WORKSPACES_DIR": home / "workspaces",
    }
    for path in folders.values():
        path.mkdir(parents=True, exist_ok=True)
    _kernelspec(home / "data")
    return {
        **os.environ,
        **{name: str(path) for name, path in folders.items()},
        "PYTHONPATH": str(ROOT),
        "JUPYTER_PLATFORM_DIRS": "1",
    }


def _kernelspec(data: Path) -> None:
    """Name this Python ``python3``, whatever other kernels the machine has."""
    spec = {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "language": "python"}
    path = data / "kernels" / "python3" / "kernel.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**spec, "display_name": "Python 3"}), encoding="utf-8")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait(server: Server, process: subprocess.Popen[bytes], home: Path) -> None:
    end = time.monotonic() + _START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/api?token={server.token}", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"the Jupyter server did not start:\n{(home / 'server.log').read_text(errors='replace')}")


def has_jupyter() -> bool:
    """Whether the ``jupyter notebook`` command can be run."""
    return shutil.which("jupyter-notebook", path=str(Path(sys.executable).parent)) is not None
