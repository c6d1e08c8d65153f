"""Builds one module, launches one kernel, and leaves with the status that it is told."""

import sys

from kernels import total

if __name__ == "__main__":
    print(total(3), sys.argv[1:])
    if len(sys.argv) > 1:
        sys.exit(int(sys.argv[1]))
