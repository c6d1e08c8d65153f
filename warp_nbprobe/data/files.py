"""Writing a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex


def write_whole(path: str | Path, data: bytes) -> None:
    """Write ``data`` beside ``path`` first and then put it in place, so that no reader sees half a file.

    Raises ``OSError``; then nothing is left and what was there before stays.
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name[:100]}.{token_hex(4)}.tmp")
    try:
        with open(beside, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
