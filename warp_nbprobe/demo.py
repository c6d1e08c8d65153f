"""The bundled example, measured for real."""

from __future__ import annotations

import re
from pathlib import Path

from warp_nbprobe.ask.options import defaults_of_measure
from warp_nbprobe.ask.request import Request, main_cells, make_request

EXAMPLE = Path(__file__).parent / "examples" / "drops.py"


def example_cells(path: Path = EXAMPLE) -> list[str]:
    """Return the cells of an example; the text above the first ``# %%`` is its description and none of them."""
    return re.split(r"(?m)^# %%.*\n", path.read_text(encoding="utf-8"))[1:]


def demo_request(samples: int) -> Request:
    """Return the request that measures the bundled example in the current folder."""
    values = {**defaults_of_measure(), "samples": samples}
    return make_request((), main_cells(example_cells()), values, label="demo")
