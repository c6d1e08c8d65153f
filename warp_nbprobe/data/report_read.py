"""From the JSON of a report file to a recording: every field checked, unknown keys kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any, Final, Literal, TypeVar, cast

from warp_nbprobe.data.decode import clean_text, frozen
from warp_nbprobe.data.model import Cell, Failure, Recording, Run
from warp_nbprobe.data.records import Wire, decode_order, known_only, parse_wire
from warp_nbprobe.data.results import results_of

FORMAT: Final = "warp_nbprobe-report"
SCHEMA: Final = 1

_T = TypeVar("_T")


def read_recording(report: dict[str, Any]) -> Recording:
    """Return the recording; ``ValueError`` says which part of the report is not as it should be."""
    if report.get("format") != FORMAT:
        raise ValueError(f'it is JSON, but not a report of this tool (no "format": "{FORMAT}")')
    schema = report.get("schema")
    if type(schema) is not int or schema < 1:
        raise ValueError("it does not say which schema it follows")
    if schema > SCHEMA:
        raise ValueError(f"it was written by a newer version (schema {schema}; this one reads up to {SCHEMA})")
    of = _Fields(report, "the report")
    of.skip("format", "schema")
    return Recording(
        label=of.text("label"),
        cells=of.many("cells", _cell),
        samples=of.whole("samples", least=0),
        runs=of.many("runs", _run),
        options=of.table("options"),
        created=of.moment("created"),
        tool_version=of.text("tool_version"),
        interrupted=of.flag("interrupted"),
        notes=of.texts("notes"),
        upstream=of.table("upstream") if of.has("upstream") else None,
        extra=of.rest(),
    )


def _cell(of: _Fields) -> Cell:
    return Cell(
        source=of.text("source"),
        number=of.whole("number"),
        first_line=of.whole("first_line"),
        phase=cast(Literal["setup", "main"], of.word("phase", "setup", "main")),
        name=of.maybe_text("name"),
        allow_error=of.flag("allow_error"),
        kind=cast(Literal["nb", "py"], of.word("kind", "nb", "py")) if of.has("kind") else "nb",
        extra=of.rest(),
    )


def _run(of: _Fields) -> Run:
    return Run(
        sample=of.whole("sample", least=1),
        run=cast(Literal["cold", "warm"], of.word("run", "cold", "warm")),
        pid=of.maybe_whole("pid"),
        start=of.moment("start"),
        wires=of.many("wires", _wire),
        failure=of.maybe("failure", _failure),
        exit_code=of.maybe_whole("exit_code"),
        lto_artifacts=of.maybe_whole("lto_artifacts"),
        lto_bytes=of.maybe_whole("lto_bytes"),
        printed=of.texts("printed"),
        results=results_of(of.take("results", list)) if of.has("results") else (),
        extra=of.rest(),
    )


def _failure(of: _Fields) -> Failure:
    reasons = ("raised", "timeout", "died", "interrupted")
    return Failure(
        reason=cast(Literal["raised", "timeout", "died", "interrupted"], of.word("reason", *reasons)),
        message=of.text("message"),
        ename=of.maybe_text("ename"),
        evalue=of.maybe_text("evalue"),
        traceback=of.texts("traceback"),
        exit_code=of.maybe_whole("exit_code"),
        cell=of.maybe_whole("cell"),
        crash=of.maybe_text("crash"),
        extra=of.rest(),
    )


def _wire(of: _Fields) -> Wire:
    lines = of.take("lines", list)
    if not all(isinstance(line, dict | str) for line in lines):
        raise ValueError(f"a line of {of.where} is neither an object nor a text")
    order = decode_order(of.take("order", dict))
    wire = parse_wire(lines, cut=of.flag("truncated"))
    return replace(wire, order=known_only(order, wire.signatures))


class _Fields:
    """The keys of one object of the report; what is never asked for is what ``rest`` keeps."""

    def __init__(self, values: Mapping[str, Any], where: str) -> None:
        self.where = where
        self._values = values
        self._left = dict(values)

    def _bad(self, name: str, wanted: str) -> ValueError:
        return ValueError(f"{name!r} of {self.where} is not {wanted}")

    def skip(self, *names: str) -> None:
        for name in names:
            self._left.pop(name, None)

    def rest(self) -> dict[str, Any]:
        return self._left

    def has(self, name: str) -> bool:
        return name in self._values

    def _get(self, name: str) -> Any:
        self._left.pop(name, None)
        if name not in self._values:
            raise ValueError(f"{self.where} lacks {name!r}")
        return self._values[name]

    def take(self, name: str, kind: type[_T]) -> _T:
        value = self._get(name)
        if not isinstance(value, kind):
            raise self._bad(name, f"of type {kind.__name__}")
        return value

    def text(self, name: str) -> str:
        return clean_text(self.take(name, str))

    def maybe_text(self, name: str) -> str | None:
        return None if self._get(name) is None else self.text(name)

    def texts(self, name: str) -> tuple[str, ...]:
        values = self.take(name, list)
        if not all(isinstance(value, str) for value in values):
            raise self._bad(name, "a list of texts")
        return tuple(clean_text(value) for value in values)

    def whole(self, name: str, least: int = -(2**63)) -> int:
        value = self._get(name)
        if type(value) is not int or not least <= value < 2**63:
            raise self._bad(name, "a whole number" if least < 0 else f"a whole number from {least} on")
        return value

    def maybe_whole(self, name: str) -> int | None:
        return None if self._get(name) is None else self.whole(name)

    def flag(self, name: str) -> bool:
        return self.take(name, bool)

    def word(self, name: str, *words: str) -> str:
        value = self._get(name)
        if value not in words:
            raise self._bad(name, f"one of {', '.join(words)}")
        return str(value)

    def table(self, name: str) -> dict[str, Any]:
        self.take(name, dict)
        return {clean_text(key): _listed(value) for key, value in self._values[name].items()}

    def moment(self, name: str) -> datetime:
        try:
            moment = datetime.fromisoformat(self.text(name).replace("Z", "+00:00"))
            return moment.astimezone(timezone.utc) if moment.tzinfo else _no_zone()
        except (ValueError, OverflowError):
            raise self._bad(name, "a time with its zone") from None

    def many(self, name: str, read: Callable[[_Fields], _T]) -> tuple[_T, ...]:
        values = self.take(name, list)
        found = []
        for position, value in enumerate(values):
            where = f"{name}[{position}]"
            if not isinstance(value, dict):
                raise ValueError(f"{where} of {self.where} is not an object")
            found.append(read(_Fields(value, where)))
        return tuple(found)

    def maybe(self, name: str, read: Callable[[_Fields], _T]) -> _T | None:
        if self._get(name) is None:
            return None
        return read(_Fields(self.take(name, dict), f"{name!r} of {self.where}"))


def _no_zone() -> datetime:
    raise ValueError("no time zone")


def _listed(value: Any) -> Any:
    """Return JSON data with clean texts and arrays as lists, as options are given."""
    if isinstance(value, dict):
        return {clean_text(key): _listed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_listed(item) for item in value]
    return frozen(value)
