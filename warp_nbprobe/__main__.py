"""``python -m warp_nbprobe``: the command."""

from __future__ import annotations

import sys

from warp_nbprobe.cli import main

if __name__ == "__main__":
    sys.exit(main())
