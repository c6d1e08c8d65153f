"""The headline says what is known, and nothing else."""

from __future__ import annotations

import pytest

from tests.views import fakes
from warp_nbprobe.data.columns import CHECKED, FINDINGS, RUNS
from warp_nbprobe.views.headline import headline, one_line

WORK = "4 builds, 2.1 s (and 1.3 s for the one-off precompiled header)"


def test_it_is_the_sentence_of_the_interface() -> None:
    assert (
        headline(fakes.small())
        == f"{WORK}; 3 builds were thrown away: 606 ms could be spared. Waited 4.0 s longer than on the warm run."
    )
    assert one_line(fakes.small()).startswith("base: 4 builds")


def test_without_a_diagnosis_nothing_is_said_of_what_could_be_spared() -> None:
    m = fakes.small()
    m.findings, m.checked = fakes.rows(FINDINGS, []), fakes.rows(CHECKED, [])
    assert headline(m) == f"{WORK}. Waited 4.0 s longer than on the warm run."


def test_a_clean_run_has_no_redundant_builds_and_is_not_called_optimal() -> None:
    m = fakes.small()
    m.findings = m.findings[m.findings["kind"] == "opportunity"].reset_index(drop=True)
    m.summary.loc["avoidable_ms", "median"] = 0.0
    assert headline(m) == f"{WORK}; no redundant builds. Waited 4.0 s longer than on the warm run."


def test_a_finding_that_is_no_whole_build_is_not_counted_as_one() -> None:
    m = fakes.small()
    m.findings["rule"] = ["block_dim_spread", "old_versions_kept", "backward_unused", "header_in_first_build"]
    assert "; 606 ms could be spared." in headline(m)


def test_what_is_wrong_is_in_the_headline() -> None:
    m = fakes.small()
    m.findings.loc[0, "kind"] = "wrong"
    assert "1 finding says that the program does not do what its text says." in headline(m)


def test_without_the_header_the_whole_is_named_with_it() -> None:
    said = headline(fakes.log_only())
    assert said.startswith("4 builds, 3.4 s (a precompiled header, if one was made, included).")


@pytest.mark.parametrize("header", [0.0])
def test_a_header_that_was_not_made_is_not_spoken_of(header: float) -> None:
    m = fakes.small()
    m.summary.loc["header_ms", "median"] = header
    assert "header" not in headline(m)


def test_a_wait_that_is_not_known_says_why() -> None:
    m = fakes.small()
    m.summary.loc["compile_elapsed_ms", "median"] = float("nan")
    m.summary.loc["compile_elapsed_ms", "reason"] = "the warm run compiled too"
    assert headline(m).endswith("How long that made the code wait is not known: the warm run compiled too.")


def test_a_failure_gives_its_reason_and_no_figures() -> None:
    said = headline(fakes.failed())
    assert said.startswith("Failed. The code raised ZeroDivisionError: division by zero (cell 3, line 20).")
    assert "Until then: 3 builds." in said
    assert " s " not in said.replace("sample", "")


def test_nothing_compiled_says_where_the_modules_came_from() -> None:
    assert headline(fakes.nothing()) == "Nothing was compiled: no Warp module was built or loaded."
    m = fakes.nothing()
    m.summary.loc["cached", "median"] = 3.0
    assert headline(m) == "Nothing was compiled: 3 modules came from a cache."


def test_an_interrupt_and_a_failed_sample_are_told() -> None:
    m = fakes.small()
    m.interrupted = True
    m.runs = fakes.rows(RUNS, [fakes.run(1, "cold"), fakes.run(1, "warm")])
    assert headline(m).endswith("Interrupted: 1 of 3 samples finished.")
    m = fakes.small()
    m.failed_samples = 1
    m.runs.loc[(m.runs["sample"] == 2) & (m.runs["run"] == "warm"), "ok"] = False
    assert headline(m).endswith("1 of 3 samples failed.")


def test_stopped_before_the_first_sample_is_not_called_a_failure_of_the_code() -> None:
    m = fakes.failed()
    m.error, m.interrupted, m.failed_samples = None, True, 0
    assert headline(m).startswith("Stopped before a sample was finished: no figures.")
