"""What the plots take: answers, or the records that their `to_dict` gives."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from primewood.errors import InvalidInput
from primewood.report.text import Record


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record.

    Attributes
    ----------
    name : str
        What it is called in a message.
    keys : tuple of str
        What every such record has.
    drawn_by : str
        The plots that take it, in words.
    """

    name: str
    keys: tuple[str, ...]
    drawn_by: str

    def fits(self, record: object) -> bool:
        """Whether something is a record of this kind."""
        return isinstance(record, Mapping) and all(key in record for key in self.keys)


EXPLANATION = Kind(
    "an explanation",
    ("decision", "status", "language", "literals", "instance", "notes", "assumptions"),
    "ranges (or growth, if it is the shortest or the widest)",
)
WHAT_IF = Kind("a what-if strip", ("feature", "pieces", "decision", "classes"), "what_if")
DECISION_MAP = Kind("a decision map", ("axes", "decisions", "classes"), "decision_map")
BATCH = Kind("a batch", ("summary", "explanations"), "feature_use and coverage_by_size")
SUMMARY = Kind("a summary of a batch", ("rows", "features", "decisions"), "feature_use")
KINDS = (EXPLANATION, WHAT_IF, DECISION_MAP, BATCH, SUMMARY)


def record_of(answer: object, kind: Kind, plot: str, **options: bool) -> Record:
    """The record of an answer; the answer may be the record itself.

    Parameters
    ----------
    kind
        What it must be.
    plot
        The name of the plot that asks, for the message if it is something else.
    **options
        Passed to the answer's `to_dict`, if that knows them.
    """
    record = _as_record(answer, options)
    if isinstance(record, Mapping) and kind.fits(record):
        return record
    raise InvalidInput(f"{plot} takes {kind.name}, or its to_dict(); {_what_it_is(answer, record, kind)}")


def records_of(answers: object, plot: str, most: int | None = None) -> tuple[list[Record], bool]:
    """The records of several explanations, at most so many, and whether there are more."""
    found: list[Record] = []
    for answer in _several(answers, plot):
        if most is not None and len(found) == most:
            return found, True
        found.append(record_of(answer, EXPLANATION, f"each of the explanations in {plot}"))
    if not found:
        raise InvalidInput(f"{plot} takes at least one explanation; there is none")
    return found, False


def _several(answers: object, plot: str) -> Iterator[object]:
    record = answers if isinstance(answers, Mapping) else None
    if BATCH.fits(record) and record is not None:
        return iter(record["explanations"])
    if record is None and isinstance(answers, Iterable) and not isinstance(answers, str | bytes):
        return iter(answers)
    raise InvalidInput(
        f"{plot} takes several explanations, or their to_dict(): a list, what explainer.explanations(x) returns, "
        f"or a batch; {_what_it_is(answers, _as_record(answers, {}), None)}"
    )


def _as_record(answer: object, options: Mapping[str, bool]) -> object:
    to_dict: Any = getattr(answer, "to_dict", None)
    if isinstance(answer, Mapping) or not callable(to_dict):
        return answer
    known = inspect.signature(to_dict).parameters
    return to_dict(**{name: value for name, value in options.items() if name in known})


def _what_it_is(answer: object, record: object, wanted: Kind | None) -> str:
    for kind in KINDS:
        if kind is not wanted and kind.fits(record):
            one = "; take one of it, batch[0]" if kind is BATCH and wanted is EXPLANATION else ""
            return f"this is {kind.name}, which is drawn by {kind.drawn_by}{one}"
    absent = [] if wanted is None or not isinstance(record, Mapping) else wanted.keys
    lacking = ", ".join(key for key in absent if isinstance(record, Mapping) and key not in record)
    return f"this {type(answer).__name__} is none" + (f": it has no {lacking}" if lacking else "")
