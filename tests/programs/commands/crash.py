"""Builds, launches, and then crashes in native code."""

import ctypes

from kernels import total

if __name__ == "__main__":
    print(total(2), flush=True)
    ctypes.string_at(0)
