"""Starts a program several times with a rank, as `torchrun` does; never imports Warp itself."""

import os
import subprocess
import sys

if __name__ == "__main__":
    ranks = [{**os.environ, "RANK": str(rank), "WORLD_SIZE": "2"} for rank in range(2)]
    started = [subprocess.Popen([sys.executable, "-u", *sys.argv[1:]], env=rank) for rank in ranks]
    sys.exit(max(each.wait() for each in started))
