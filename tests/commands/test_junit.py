"""JUnit's XML: what holds, what does not, and nothing that a reader cannot parse."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from tests.data import wires_by_hand as by_hand
from warp_nbprobe.measurement import Measurement
from warp_nbprobe.views.junit import Case, junit_xml, measure_junit


def cases_of(xml: str) -> dict[str, str | None]:
    found = {}
    for case in ElementTree.fromstring(xml).iter("testcase"):
        failure = case.find("failure")
        found[str(case.get("name"))] = None if failure is None else failure.get("message")
    return found


def test_each_sample_is_a_case() -> None:
    good = [by_hand.run(word, by_hand.cell(1, 0.0, 10.0)) for word in ("cold", "warm")]
    bad = by_hand.run("cold", by_hand.cell(1, 0.0), sample=2, failure=by_hand.FAILED)

    assert cases_of(measure_junit(Measurement(by_hand.recording(*good, bad)), {})) == {
        "sample 1 runs to its end": None,
        "sample 2 runs to its end": "The cold run failed: raised.",
    }


def test_each_limit_is_a_case() -> None:
    runs = [by_hand.run(word, by_hand.cell(1, 0.0, 10.0)) for word in ("cold", "warm")]
    found = cases_of(
        measure_junit(Measurement(by_hand.recording(*runs)), {"at most 3 builds": "4.", "none twice": None})
    )

    assert found == {"sample 1 runs to its end": None, "at most 3 builds": "4.", "none twice": None}


def test_counts_are_those_of_the_cases() -> None:
    xml = junit_xml("group", [Case("a"), Case("b", "no", time_s=1.5), Case("c", "no")], said="out")
    suite = ElementTree.fromstring(xml).find("testsuite")

    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("time")) == ("3", "2", "1.500")
    assert suite.findtext("system-out") == "out"


@given(st.text(), st.text(), st.text())
def test_any_text_is_readable_xml(name: str, failed: str, detail: str) -> None:
    junit = junit_xml(name, [Case(name, failed, detail=detail)], said=detail)

    assert len(list(ElementTree.fromstring(junit.encode("utf-8", "replace")).iter("testcase"))) == 1
