"""Answers that show their plain record: as text, in a terminal, in a notebook, as JSON, as a frame, as a plot.

An answer inherits from `Shown` and gives its record. Nothing else is used to show it, so an explanation that was
saved as JSON looks the same as one that was computed.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput
from primewood.fields import file_path, flag, takes
from primewood.files import parse_json, write_whole
from primewood.render import frames, text
from primewood.render.brief import brief
from primewood.render.recorded import check_record
from primewood.render.records import ExplanationRecord, ScoreRecord
from primewood.visible import Readable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from primewood.render.plots import RangesDisplay

HEADER = {"format": "primewood explanation", "version": 1}


class Shown(Readable, ABC):
    """An explanation that is shown from its record."""

    @abstractmethod
    def to_dict(
        self, *, witnesses: bool | int = False, distribution: bool = False, in_short: bool = False
    ) -> ExplanationRecord:
        """The explanation in plain types; the ends of intervals are the exact float64 ones.

        Parameters
        ----------
        witnesses
            Also what it excludes, by runs, each with a row that gets a different decision: all of it, or the first
            ones. Cost: a search for each that was not looked at before, two seconds in all at most.
        distribution
            Also how the training rows are distributed, per feature.
        in_short
            Also the decision in short, if the explanation has more than three conditions.
        """

    @property
    def rule(self) -> str:
        """The explanation as IF ... THEN ...; shown bounds are short and lie inside the exact ones.

        A long rule is shortened, and says so; `to_text(full=True)` has all conditions.
        """
        return text.write_rule(self.to_dict())

    @takes(exact=flag, full=flag)
    def to_text(self, *, exact: bool = False, full: bool = False) -> str:
        """The rule, what is proved, and the assumptions.

        Parameters
        ----------
        exact
            Show all digits of all bounds, and all pieces of all literals.
        full
            Show all conditions; a long rule is cut otherwise, and says so.
        """
        return text.write_explanation(self.to_dict(in_short=True), exact=exact, full=full)

    def __str__(self) -> str:
        return self.to_text()

    @property
    def what_would_change_it(self) -> str:
        """What the explanation excludes, in words: one line per run of values, with a row that shows why.

        The first two dozen; all are in ``to_dict(witnesses=True)``.
        """
        return text.write_exclusions(self.to_dict(witnesses=text.MOST_EXCLUSIONS))

    def to_json(
        self, *, witnesses: bool | int = False, distribution: bool = False, in_short: bool = True
    ) -> str:
        """The record as a JSON document on one line; `Explanation.from_json` reads it, to the last bit."""
        record = self.to_dict(witnesses=witnesses, distribution=distribution, in_short=in_short)
        return json.dumps(HEADER | record, ensure_ascii=False, allow_nan=False)

    def to_frame(self, backend: frames.Backend | None = None) -> Any:
        """One row per piece of each literal, as a frame of pandas or polars."""
        record = self.to_dict()
        return frames.frame(frames.tabulate_literals(record["literals"], record["instance"]), backend)

    def to_html(self, path: str | Path | None = None) -> str:
        """A whole page with the card and its witnesses, which opens offline; written to a file, if one is given."""
        from primewood.render.html.card import card
        from primewood.render.html.page import page

        record = self.to_dict(witnesses=text.MOST_EXCLUSIONS, distribution=True, in_short=True)
        document = page(f"Why {record['decision']}", [card(record)])
        if path is not None:
            write_whole(file_path(path), lambda file: file.write(document.encode()))
        return document

    def _repr_html_(self) -> str:
        from primewood.render.html.card import card

        return card(self.to_dict(witnesses=text.MOST_EXCLUSIONS, distribution=True, in_short=True))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from primewood.render.terminal import explanation

        yield explanation(self.to_dict(in_short=True))

    def plot(self, *, ax: Any = None) -> RangesDisplay:
        """The ranges of the explanation over the training distribution (`primewood.plots.ranges`)."""
        from primewood.render.plots import ranges

        return ranges(self, ax=ax)


class RecordedExplanation(Shown):
    """An explanation that was read from JSON. It has no model.

    Attributes
    ----------
    decision, status, literals, coverage, volume, notes, assumptions, bounds
        As for an `Explanation`; the status is text.
    score : dict or None
        The record of its `Score`.
    features : tuple of str
        The names of the features that it mentions.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> from primewood import Explanation
    >>> text = explainer.explain(X[50]).to_json()
    >>> print(Explanation.from_json(text).rule)
    IF pl <= 4.9 AND 0.9 <= pw <= 1.7 THEN versicolor
    """

    def __init__(self, record: ExplanationRecord) -> None:
        self._record = record
        self.decision: object = record["decision"]
        self.status: str = record["status"]
        self.literals: str = record["literal_language"]
        self.score: ScoreRecord | None = record["score"]
        self.coverage: float | None = record["coverage"]
        self.volume: float | None = record["volume"]
        self.notes, self.assumptions = tuple(record["notes"]), tuple(record["assumptions"])
        self.features = tuple(literal["feature"] for literal in record["literals"])
        self.bounds = None if record["bounds"] is None else tuple(record["bounds"])

    def to_dict(
        self, *, witnesses: bool | int = False, distribution: bool = False, in_short: bool = False
    ) -> ExplanationRecord:
        """The saved record; it has witnesses, a distribution and the decision in short if they were saved."""
        del distribution
        record = self._record.copy()
        if not in_short:
            record.pop("in_short", None)
        if witnesses and "excludes" not in record:
            record["excludes"] = []
        elif witnesses and witnesses is not True and len(record["excludes"]) > witnesses:
            record["excludes"] = record["excludes"][:witnesses]
            record["excludes_note"] = text.REST
        return record

    @property
    def what_would_change_it(self) -> str:
        """What the explanation excludes, in words, if its witnesses were saved."""
        if "excludes" not in self._record:
            raise InvalidInput(
                "this explanation was saved without witnesses; to_json(witnesses=True) saves them"
            )
        return super().what_would_change_it

    def __repr__(self) -> str:
        return f"<RecordedExplanation: {brief(self.rule)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordedExplanation) and self._record == other._record

    __hash__ = None  # type: ignore[assignment]


def from_json(document: str | bytes) -> RecordedExplanation:
    """The explanation that `to_json` wrote."""
    if not isinstance(document, str | bytes | bytearray):
        raise InvalidInput(
            f"JSON is text, not {type(document).__name__}; Explanation.to_json writes what is read here"
        )
    try:
        record = parse_json(
            document.encode("utf-8", "surrogatepass") if isinstance(document, str) else document
        )
    except InvalidInput as problem:
        raise InvalidInput(f"this is {problem}; Explanation.to_json writes what is read here") from None
    if not isinstance(record, dict) or record.get("format") != HEADER["format"]:
        raise InvalidInput("this is not an explanation of primewood; pass what Explanation.to_json wrote")
    if record.get("version") != HEADER["version"]:
        raise InvalidInput(
            f"this explanation has version {record.get('version')} of the format; "
            f"this primewood reads {HEADER['version']}"
        )
    try:
        check_record(record)
    except InvalidInput as problem:
        raise InvalidInput(f"this explanation is damaged: {problem}; Explanation.to_json writes it") from None
    known: Any = {key: value for key, value in record.items() if key not in HEADER}
    return RecordedExplanation(known)
