"""The inputs of plots: answers, the records that their `to_dict` gives, or frames with one line per row.

Frames are those of pandas and polars, and whatever else has its columns by name; none of these libraries is imported.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from primewood.errors import InvalidInput
from primewood.render.records import ExplanationRecord, SummaryRecord


@dataclass(frozen=True, slots=True)
class RecordKind:
    """A kind of record that plots take.

    Attributes
    ----------
    name : str
        Its name in messages.
    keys : tuple of str
        The keys of every such record.
    drawn_by : str
        The plots that take it, in words.
    taken : str
        The input of such a plot, in words; by default the record and the call that gives it.
    """

    name: str
    keys: tuple[str, ...]
    drawn_by: str
    taken: str = ""

    def fits(self, record: object) -> bool:
        """Whether something is a record of this kind."""
        return isinstance(record, Mapping) and all(key in record for key in self.keys)


EXPLANATION = RecordKind(
    "an explanation",
    ("decision", "status", "literal_language", "literals", "instance", "notes", "assumptions"),
    "ranges (or growth, if it is the shortest or the widest)",
)
WHAT_IF = RecordKind("a what-if strip", ("feature", "pieces", "decision", "classes"), "what_if")
DECISION_MAP = RecordKind("a decision map", ("axes", "decisions", "classes"), "decision_map")
BATCH = RecordKind("a batch", ("summary", "explanations"), "feature_use and coverage_by_size")
OVERVIEW = RecordKind(
    "the overview of a folder",
    ("rows", "features", "decisions", "statuses", "coverage_by_size"),
    "feature_use and coverage_by_size",
)
SUMMARY = RecordKind(
    "a summary of a batch",
    ("rows", "features", "decisions"),
    "feature_use",
    "a summary of a batch, or what has one: a batch, its frame, the overview of a folder, or a to_dict() of these",
)
IMPORTANCE = RecordKind("an importance", ("importance", "rows", "explained", "tested"), "importance")
RECORD_KINDS = (EXPLANATION, IMPORTANCE, WHAT_IF, DECISION_MAP, BATCH, OVERVIEW, SUMMARY)
FAILED = "failed"
"""The status of a row that has no explanation."""
CONDITION = "if "
"""The prefix of the columns of a frame with the conditions on features."""


def read_record(answer: object, kind: RecordKind, plot: str, **options: bool) -> Any:
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
    record = convert(answer, **options)
    if isinstance(record, Mapping) and kind.fits(record):
        return record
    taken = kind.taken or f"{kind.name}, or its to_dict()"
    raise InvalidInput(f"{plot} takes {taken}; {_describe(answer, record, kind)}")


def read_records(
    answers: object, plot: str, most: int | None = None, taken: str = "or a batch"
) -> tuple[list[ExplanationRecord], bool]:
    """The records of several explanations, up to a limit, and whether there are more.

    Parameters
    ----------
    taken
        What the plot takes besides a list, for the error message.
    """
    found: list[ExplanationRecord] = []
    for answer in _list_answers(answers, plot, taken):
        if most is not None and len(found) == most:
            return found, True
        found.append(read_record(answer, EXPLANATION, f"each of the explanations in {plot}"))
    if not found:
        raise InvalidInput(f"{plot} takes at least one explanation; there is none")
    return found, False


def is_frame(answers: object) -> bool:
    """Whether something is a frame: it has columns by name."""
    names = None if isinstance(answers, Mapping) else getattr(answers, "columns", None)
    return isinstance(names, Iterable) and all(isinstance(name, str | int) for name in names)


def read_columns(frame: Any, wanted: Sequence[str], plot: str) -> dict[str, list[Any]]:
    """Some columns of a frame with one line per row; None where there is nothing."""
    names = list(frame.columns)
    lacking = [name for name in wanted if name not in names]
    if lacking:
        raise InvalidInput(
            f"{plot} takes a frame with one line per row, as batch.to_frame() gives it or a part of a folder has it; "
            f"this {type(frame).__name__} has no column {' or '.join(map(repr, lacking))}"
        )
    return {name: [None if _is_absent(x) else x for x in frame[name]] for name in wanted}


def _is_absent(x: object) -> bool:
    """Whether an entry of a frame is missing: None, NaN, or the NA of pandas, which is not even unequal to itself."""
    return x is None or type(x).__name__ == "NAType" or bool(x != x)


def summarise_frame(frame: Any, plot: str) -> SummaryRecord:
    """The summary of a frame, as far as it is drawn."""
    conditions = [name for name in frame.columns if isinstance(name, str) and name.startswith(CONDITION)]
    table = read_columns(frame, ["status", "size", *conditions], plot)
    if not conditions and any(table["size"]):
        raise InvalidInput(f"{plot} counts the columns '{CONDITION}<feature>'; this frame has none of them")
    counts = {name: sum(words is not None for words in table[name]) for name in conditions}
    return {
        "rows": len(table["status"]),
        "decisions": {},
        "sizes": {},
        "coverage": None,
        "statuses": dict(Counter(table["status"])),
        "features": {name.removeprefix(CONDITION): count for name, count in counts.items()},
    }


def _list_answers(answers: object, plot: str, taken: str) -> Iterator[object]:
    record = answers if isinstance(answers, Mapping) else None
    if BATCH.fits(record) and record is not None:
        return iter(record["explanations"])
    if record is None and isinstance(answers, Iterable) and not isinstance(answers, str | bytes):
        with suppress(TypeError):  # an array of no dimension
            return iter(answers)
    raise InvalidInput(
        f"{plot} takes several explanations, or their to_dict(): a list, what explainer.explanations(x) returns, "
        f"{taken}; {_describe(answers, convert(answers), None)}"
    )


def convert(answer: object, **options: bool) -> object:
    """The result of `to_dict`, with the options that it takes; the object itself if it has no `to_dict`."""
    to_dict: Any = getattr(answer, "to_dict", None)
    if isinstance(answer, Mapping) or not callable(to_dict):
        return answer
    known = inspect.signature(to_dict).parameters
    return to_dict(**{name: value for name, value in options.items() if name in known})


def _describe(answer: object, record: object, wanted: RecordKind | None) -> str:
    for kind in RECORD_KINDS:
        if kind is not wanted and kind.fits(record):
            one = (
                "; pass one explanation, such as batch[0]" if kind is BATCH and wanted is EXPLANATION else ""
            )
            return f"this is {kind.name}, which is drawn by {kind.drawn_by}{one}"
    absent = [] if wanted is None or not isinstance(record, Mapping) else wanted.keys
    lacking = ", ".join(key for key in absent if isinstance(record, Mapping) and key not in record)
    return f"this {type(answer).__name__} is not one" + (f": it has no {lacking}" if lacking else "")
