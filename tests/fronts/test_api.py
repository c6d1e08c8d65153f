"""What Python users call: signatures, limits, files, what is raised when there was nothing to measure."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import warp_nbprobe as nb
from tests.data.wires_by_hand import recording, run
from tests.fronts.conftest import failing, pair
from warp_nbprobe import api
from warp_nbprobe.ask.options import defaults_of_measure
from warp_nbprobe.data.model import Cell, Failure, Run
from warp_nbprobe.front.screen import NoScreen
from warp_nbprobe.limits import check_limits
from warp_nbprobe.measurement import Measurement
from warp_nbprobe.run import runner


def request(**given: Any) -> Any:
    return api.make_request((), (Cell("x = 1", 1),), {**defaults_of_measure(), **given}, label="base")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Have every sample made of the given runs, or of what they raise, instead of by children."""

    def use(*samples: Any) -> None:
        class Runner:
            kept: tuple[Path, ...] = (Path("kept"),)

            def __init__(self, cells: Any, spec: Any, **others: Any) -> None:
                self.spec = spec

            @contextmanager
            def sample(self, number: int) -> Iterator[Callable[[str], Run]]:
                def start(word: str) -> Run:
                    found = samples[number - 1]
                    if isinstance(found, Exception):
                        raise found
                    return found[0 if word == "cold" else 1]

                yield start

        monkeypatch.setattr(runner, "KernelRunner", Runner)

    return use


@pytest.mark.parametrize("function", [nb.measure, nb.measure_notebook])
def test_arguments_and_defaults_are_those_of_the_option_table(function: Callable[..., Any]) -> None:
    parameters = list(inspect.signature(function).parameters.values())[1:]

    assert {p.name: p.default for p in parameters} == defaults_of_measure()
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters)


def test_samples_come_together_and_each_but_the_last_is_shown_when_it_is_there(runs: Callable[..., None]) -> None:
    runs(pair(1), pair(2), pair(3))
    shown = []

    class Screen(NoScreen):
        def sample_done(self, measurement: Measurement) -> None:
            shown.append(len(measurement.recording.runs))

    measurement = api.measure_request(request(), Screen())

    assert shown == [2, 4]
    assert len(measurement.runs) == 6
    assert measurement.summary.loc["compiled", "median"] == 2
    assert measurement.notes == ("the private folder of sample 1 was kept: kept",)


def test_a_kept_folder_is_named_where_the_code_s_output_goes(
    runs: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    runs(pair(1))
    nb.measure("x = 1", samples=1, keep_scratch=True)

    assert capsys.readouterr().err == "[warp_nbprobe] the private folder of sample 1 was kept: kept\n"


def test_failing_code_comes_back_as_a_measurement(runs: Callable[..., None]) -> None:
    runs(failing())
    measurement = nb.measure("x = 1", quiet=True)

    assert measurement.failed
    assert measurement.error.measurement is measurement
    assert measurement.summary["n"].sum() == 0


def test_an_interrupt_carries_what_was_measured(runs: Callable[..., None]) -> None:
    stopped = Failure("interrupted", "Stopped.", "KeyboardInterrupt", "", ("Traceback",), cell=0)
    runs(pair(1), (run("cold", failure=stopped, sample=2), None))

    with pytest.raises(KeyboardInterrupt) as error:
        nb.measure("x = 1", quiet=True)

    measurement = error.value.measurement  # type: ignore[attr-defined]
    assert measurement.interrupted
    assert not measurement.failed
    assert measurement.summary.loc["compiled", "n"] == 1


def test_an_error_that_leaves_nothing_to_measure_carries_what_was_recorded(runs: Callable[..., None]) -> None:
    error = nb.NoWarp("python", "No module named 'warp'")
    error.run = failing()[0]
    runs(error)

    with pytest.raises(nb.NoWarp) as raised:
        nb.measure("import warp", quiet=True)

    assert len(raised.value.measurement.runs) == 1


@pytest.mark.parametrize(
    ("given", "said", "builds"),
    [
        ({"max_builds": 1}, "compiled 2 identities, and max_builds allows 1", ("app [1/2]", "app [2/2]")),
        ({"max_builds": 0}, "max_builds allows 0", ("app [1/2]", "app [2/2]")),
        ({"fail_on_rebuild": True}, "compiled a module again for one device", ("app [1/2]", "app [2/2]")),
    ],
)
def test_a_limit_that_is_exceeded_names_the_builds(given: dict[str, Any], said: str, builds: tuple[str, ...]) -> None:
    measurement = Measurement(recording(*pair(1)))

    with pytest.raises(nb.TooManyBuilds, match=said) as error:
        check_limits(measurement, request(**given))

    assert error.value.builds == builds
    assert error.value.measurement is measurement


@pytest.mark.parametrize("given", [{}, {"max_builds": 2}, {"max_builds": 9}])
def test_a_limit_that_is_kept_says_nothing(given: dict[str, Any]) -> None:
    check_limits(Measurement(recording(*pair(1))), request(**given))


def test_a_failed_measurement_exceeds_no_limit() -> None:
    check_limits(Measurement(recording(*failing())), request(max_builds=0))


def test_a_report_opens_again(tmp_path: Path) -> None:
    Measurement(recording(*pair(1))).save(tmp_path / "base.json")

    assert list(nb.load(tmp_path / "base.json").modules["module"]) == ["app"] * 4


@pytest.mark.parametrize("content", [None, b"", b"{}", b"\x00\xff"])
def test_a_file_that_is_no_report_is_one_error(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "base.json"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(nb.ReportError, match=r"base\.json cannot be read as a report"):
        nb.load(path)


def test_a_measurement_can_be_diagnosed_again_with_other_packages_as_one_s_own() -> None:
    measurement = Measurement(recording(*pair(1)))

    assert nb.diagnose(measurement) is measurement.diagnosis
    assert list(nb.diagnose(measurement, own=["app"]).checked.columns) == ["rule", "kind", "outcome", "signal"]


@pytest.mark.parametrize("function", [nb.show, nb.diagnose])
def test_what_is_no_measurement_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(nb.UsageError, match="needs a Measurement, not str"):
        function("base.json")


def test_show_prints_the_report_where_there_is_no_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    nb.show(Measurement(recording(*pair(1))))

    assert "app" in capsys.readouterr().out
