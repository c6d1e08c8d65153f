"""What two measurements stood on: what forbids a comparison, what changed, what is warned of."""

from __future__ import annotations

from dataclasses import replace

from tests.compare.pairs import BASE, H1, H3, LESS
from tests.compare.test_verdicts import compared
from warp_nbprobe.data.redact import redacted
from warp_nbprobe.explain.compare import Comparison
from warp_nbprobe.measurement import Measurement


def test_other_software_is_what_changed_and_forbids_nothing() -> None:
    found = compared(BASE, BASE.but(version="1.18.0", python="3.12.1", runtime={"toolkit": "12.9"}, work=LESS))

    assert found.verdict == "improved"
    assert [fact.text for fact in found.environment.software] == [
        "Warp: 1.19.0 before, 1.18.0 now",
        "Python: 3.11 before, 3.12 now",
        "CUDA toolkit: 12.8 before, 12.9 now",
    ]


def test_a_patch_of_python_is_no_change() -> None:
    assert compared(BASE, BASE.but(python="3.11.9")).environment.software == ()


def test_the_hosts_name_counts_only_where_the_cpu_is_unknown() -> None:
    assert compared(BASE, BASE.but(machine={"host": "other"})).verdict == "inconclusive"
    ours, theirs = BASE.but(machine={"cpu": None}), BASE.but(machine={"cpu": None, "host": "other"})
    assert compared(ours, theirs).verdict == "not comparable"
    assert compared(ours, ours).verdict == "inconclusive"


def test_other_devices_and_drivers_are_other_machines() -> None:
    gpu = {"devices": [{"alias": "cuda:0", "name": "H200", "arch": 90, "is_cuda": True}], "driver": "550"}
    newer = {**gpu, "driver": "560"}

    assert compared(BASE, BASE.but(runtime=gpu)).verdict == "not comparable"
    found = compared(BASE.but(runtime=gpu), BASE.but(runtime=newer))
    assert found.reasons[0] == "The machines differ (driver: 550 before, 560 now)."


def test_what_was_not_recorded_is_not_checked_and_differs_from_nothing() -> None:
    found = compared(BASE, BASE.but(runtime=None))

    assert found.verdict == "inconclusive"
    assert "machine and software: devices, which was not recorded on both sides" in found.not_checked


def test_setup_code_that_differs_and_builds_the_same_forbids_nothing() -> None:
    found = compared(BASE.but(setup="a = 1"), BASE.but(setup="a = 2"))

    assert found.verdict == "inconclusive"
    assert found.environment.setup_text_differs


def test_setup_code_that_differs_and_builds_other_identities_does() -> None:
    found = compared(BASE.but(setup="a = 1"), BASE.but(setup="a = 2", setup_hash=H1))

    assert found.verdict == "not comparable"
    assert "setup code" in found.reasons[0]
    assert compared(BASE.but(setup="a = 1", setup_hash=H3), BASE.but(setup="a = 1", setup_hash=H1)).judged.row != 2


def test_commands_and_folders_that_differ_are_warned_of() -> None:
    ours = BASE.but(options={"command": ["python", "a.py"], "cwd": "/a"})
    theirs = BASE.but(options={"command": ["python", "b.py"], "cwd": "/b"})
    reasons = compared(ours, theirs).reasons

    assert "Not asked alike: command: python a.py before, python b.py now." in reasons
    assert "Not asked alike: folder: /a before, /b now." in reasons


def test_a_report_that_was_handed_on_still_compares() -> None:
    ours = BASE.but(setup="a = 1").recording()
    theirs = BASE.but(setup="a = 1", work=LESS).recording()
    found = Comparison(Measurement(redacted(ours)), Measurement(redacted(replace(theirs, label="tuned"))))

    assert found.verdict == "improved"
    assert any("text of the setup code" in text for text in found.not_checked)
