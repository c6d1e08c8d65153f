"""What ``%%warp_cold?`` and its like show."""

from __future__ import annotations

from warp_nbprobe.ask.options import COMPARE, LINE, MEASURE, SETUP, options_help

COLD = f"""Measure this cell in fresh kernels with empty Warp caches: what was compiled, when, and what it cost.

::

    %%warp_cold [options]           measure the cell
    %warp_cold [options] STATEMENT  measure one line
    %warp_cold [options] 3-5 8      measure cells of this session by their In[] numbers
    %warp_cold [options] -f FILE    measure a notebook as "restart and run all" would run it, or a script
    %warp_cold [options] -m MODULE  measure a module, as `python -m` runs it
    %warp_cold [options] -- COMMAND measure any command, in processes of its own

The cell's own output appears below it, then the report. The result is returned (as ``_``, and as NAME with
``-o NAME``); ``NAME.modules``, ``.launches``, ``.summary`` and ``.findings`` are DataFrames.

The cell runs in kernels of its own: what it needs from this notebook goes into a ``%%warp_setup`` cell, is named
by ``--setup 1-3``, or is sent by ``--push NAME``.

Options::

{options_help(MEASURE)}

Only for the line form::

{options_help([option for option in LINE if option not in MEASURE])}

Examples::

    %%warp_cold -o base
    %%warp_cold -o quick -n 1 --setup 1-3
    %%warp_cold --push points,dt --timeout 120
    %warp_cold -o all -f simulation.ipynb
    %%warp_cold -o tuned --vs base --check "positions" --rtol 1e-5
    %%warp_cold --max-builds 4 --fail-on-rebuild --save report.json
"""

SETUP_HELP = f"""Keep this cell as setup code: it runs in each child before the timed code.

::

    %%warp_setup [NAME] [options]   keep the cell under NAME (default: default)
    %warp_setup [NAME] --show       print what is kept
    %warp_setup [NAME] --clear      forget it

The code is not run in this notebook's own kernel unless you say so. Measured cells use ``default`` by themselves;
``%%warp_cold --setup NAME`` takes another one, ``--setup none`` takes none.

Options::

{options_help(SETUP)}

Examples::

    %%warp_setup
    import numpy as np, warp as wp

    %%warp_setup data --run-here
    points = np.random.default_rng(0).random((1000, 3))
"""

COMPARE_HELP = f"""Compare two measurements: a verdict, with the figures, bands and differences that it rests on.

::

    %warp_compare BASELINE CANDIDATE [options]

Each is the name of a variable, the label of a measurement of this session, or a report file (ours, or one written by
NVIDIA's probe script). A change counts only when the work stayed the same and the gain is larger than the noise; with
fewer than three samples on a side nothing is called better. The comparison is returned: ``.verdict``, ``.reasons``,
``.figures``, ``.identities``, ``.launches``, ``.renames``, ``.results``, ``.not_checked``.

Options::

{options_help(COMPARE)}

Examples::

    %warp_compare base tuned
    %warp_compare base.json tuned --rtol 1e-5
    %%warp_cold -o tuned --vs base
"""

HISTORY = """Show the measurements of this notebook session, and compare any two of them.

The newest is last. What is returned has a DataFrame of them as its ``frame``: label, time, cell, headline.
``%warp_history`` takes no options.
"""

LOAD = """Open a saved report and return it; its card is shown.

Examples::

    base = %warp_load base.json
    %warp_load reports/base.json.gz
"""
