"""The table of mechanisms: every rule, in the order of the page that specifies them."""

from __future__ import annotations

from typing import Final

from warp_nbprobe.explain.rule import Rule
from warp_nbprobe.explain.rules_again import CACHE_NOT_REUSED, REHASH, RELOAD_THRASH
from warp_nbprobe.explain.rules_built import BLOCK_DIM_SPREAD, DUPLICATE_BUILDS, OLD_VERSIONS_KEPT, UNUSED_BUILD
from warp_nbprobe.explain.rules_cheaper import BACKWARD_UNUSED, GRANULAR_MODULES, LTO_LINK, OVERBUILT, UNIQUE_MODULES
from warp_nbprobe.explain.rules_edits import SHADOWED_GLOBAL, TEXT_ONLY_EDIT
from warp_nbprobe.explain.rules_failures import BUILD_FAILED, CONCURRENT_CPU_LOAD, SOURCE_UNAVAILABLE
from warp_nbprobe.explain.rules_late import LATE_KERNEL, LATE_OPTION, LATE_OVERLOAD
from warp_nbprobe.explain.rules_notes import NOTES
from warp_nbprobe.explain.rules_schedule import (
    LARGE_MODULE,
    PARALLEL_LOAD_COSTS_MORE,
    PRECOMPILED_HEADER,
    SERIAL_BUILDS,
    UNROLL,
)
from warp_nbprobe.explain.rules_settings import CACHE_DIR_PINNED, OPTION_NEVER_ARRIVED
from warp_nbprobe.explain.rules_values import HASH_MISMATCH, STALE_VALUE

RULES: Final[tuple[Rule, ...]] = (
    STALE_VALUE,
    HASH_MISMATCH,
    OPTION_NEVER_ARRIVED,
    BUILD_FAILED,
    CACHE_DIR_PINNED,
    CONCURRENT_CPU_LOAD,
    SOURCE_UNAVAILABLE,
    LATE_KERNEL,
    LATE_OPTION,
    LATE_OVERLOAD,
    SHADOWED_GLOBAL,
    TEXT_ONLY_EDIT,
    OLD_VERSIONS_KEPT,
    BLOCK_DIM_SPREAD,
    UNUSED_BUILD,
    DUPLICATE_BUILDS,
    RELOAD_THRASH,
    REHASH,
    CACHE_NOT_REUSED,
    BACKWARD_UNUSED,
    LTO_LINK,
    OVERBUILT,
    UNIQUE_MODULES,
    GRANULAR_MODULES,
    SERIAL_BUILDS,
    PARALLEL_LOAD_COSTS_MORE,
    PRECOMPILED_HEADER,
    UNROLL,
    LARGE_MODULE,
    *NOTES,
)

LAST: Final = (SERIAL_BUILDS, LARGE_MODULE)
"""Looked for after all others: raised only where nothing else explains more."""
