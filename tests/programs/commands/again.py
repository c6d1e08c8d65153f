"""Uses Warp, then becomes itself once more by `exec`, as programs do that set up their environment."""

import os
import sys

from kernels import total

if __name__ == "__main__":
    print(total(2), flush=True)
    if len(sys.argv) == 1:
        os.execv(sys.executable, [sys.executable, __file__, "again"])
