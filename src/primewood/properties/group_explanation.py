"""The answer about a group of rows: few rules that together cover them, and what is left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.fields import flag, takes
from primewood.logic.language import Language
from primewood.model.context import TreeContext
from primewood.questions.explanation import Explanation
from primewood.questions.in_short.answer import InShort
from primewood.questions.status import Status
from primewood.render import frames
from primewood.render.brief import Brief
from primewood.render.group import write_group
from primewood.render.records import GroupRecord, GroupRuleRecord, UncoveredRecord, plain
from primewood.tables.rows import as_rows

GroupKind = Choice["proved", "in_short"]
"""What the rules of a group are: proved, or short and counted on the training rows."""
NOT_REACHED = "not reached in time"
NO_RULE = "no rule was found"
LEFT_OUT = "left out by most"


@dataclass(frozen=True)
class GroupRule:
    """One rule of a group.

    Attributes
    ----------
    answer : Explanation or InShort
        The rule: a proved explanation of one of the rows, or a short rule with its counts.
    places : tuple of int
        The places, in the table that was passed, of the rows of the group that it covers.
    rows : int
        How many rows of the group it covers.
    new_rows : int
        How many of them no earlier rule covers.
    """

    answer: Explanation | InShort
    places: tuple[int, ...]
    new_rows: int

    @property
    def rows(self) -> int:
        """How many rows of the group it covers."""
        return len(self.places)

    @property
    def rule(self) -> str:
        """The rule as IF ... THEN ..."""
        return self.answer.rule or ""

    @property
    def status(self) -> Status | None:
        """As of an explanation; None for a short rule, about which nothing is proved."""
        return self.answer.status if isinstance(self.answer, Explanation) else None

    def to_dict(self) -> GroupRuleRecord:
        """The rule in plain types."""
        return {
            "rows": self.rows,
            "new_rows": self.new_rows,
            "places": list(self.places),
            "proved": self.answer.to_dict() if isinstance(self.answer, Explanation) else None,
            "in_short": self.answer.to_dict() if isinstance(self.answer, InShort) else None,
        }


@dataclass(frozen=True)
class UncoveredRow:
    """A row of a group that no rule covers.

    Attributes
    ----------
    place : int
        Its place in the table that was passed.
    label : object
        Its label in the index of its frame, or its place.
    reason : str
        Why no rule covers it.
    values : tuple of float
        The row as the model takes it.
    """

    place: int
    label: object
    reason: str
    values: tuple[float, ...] = field(repr=False)

    def to_dict(self) -> UncoveredRecord:
        """The row in plain types, without its values."""
        return {"place": self.place, "label": plain(self.label), "reason": self.reason}


@dataclass(frozen=True, repr=False)
class GroupExplanation(Brief):
    """Few rules that together cover the rows of a group, which all have one decision.

    Attributes
    ----------
    decision : object
        The decision of all rows, by its name.
    kind : str
        "proved": each rule guarantees the decision. "in_short": each rule holds for nearly all training rows that match
        it, and nothing is proved.
    rules : tuple of GroupRule
        Those that cover the most new rows first.
    rows : int
        How many rows the group has.
    uncovered : tuple of UncoveredRow
        The rows that no rule covers, each with the reason.
    apart : tuple of int
        The places of covered rows that each need a proved rule of their own: the proof of `lower`.
    literals : str or None
        The literal language of proved rules.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> group = explainer.explain_group(X, decision="virginica")
    >>> len(group), group.lower, group.uncovered, group.status
    (2, 2, (), <Status.PROVED: 'proved'>)
    """

    decision: object
    kind: GroupKind
    rules: tuple[GroupRule, ...]
    rows: int
    uncovered: tuple[UncoveredRow, ...]
    apart: tuple[int, ...]
    literals: Language | None
    context: TreeContext = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[GroupRule]:
        return iter(self.rules)

    def __getitem__(self, place: int) -> GroupRule:
        return self.rules[place]

    @property
    def covered(self) -> int:
        """How many rows of the group some rule covers."""
        return self.rows - len(self.uncovered)

    @property
    def lower(self) -> int | None:
        """No fewer proved rules of this language cover the covered rows; None for short rules, which have no bound."""
        return max(len(self.apart), min(1, len(self.rules))) if self.kind == "proved" else None

    @cached_property
    def status(self) -> Status | None:
        """`proved`: every rule is prime, and no row was left for want of time; else `interrupted`.

        Every proved rule entails the decision either way. None for short rules.
        """
        if self.kind != "proved":
            return None
        in_time = all(row.reason != NOT_REACHED for row in self.uncovered)
        prime = all(rule.status is Status.PROVED for rule in self.rules)
        return Status.PROVED if in_time and prime else Status.INTERRUPTED

    def covers(self, X: Any) -> NDArray[np.bool_]:
        """Which rows some rule covers. Cost: rows times rules."""
        rows = as_rows(X, self.context.layout)
        inside: NDArray[np.bool_] = np.zeros(len(rows), dtype=bool)
        for rule in self.rules:
            inside |= rule.answer.covers(rows)
        return inside

    def to_dict(self) -> GroupRecord:
        """The rules in plain types."""
        return {
            "decision": plain(self.decision),
            "kind": self.kind,
            "status": None if self.status is None else str(self.status),
            "literal_language": self.literals,
            "rows": self.rows,
            "covered": self.covered,
            "lower": self.lower,
            "apart": list(self.apart),
            "rules": [rule.to_dict() for rule in self.rules],
            "uncovered": [row.to_dict() for row in self.uncovered],
            "vote": self.context.vote,
            "model": self.context.digest,
            "assumptions": list(self.context.all_assumptions),
        }

    def to_frame(self, backend: frames.Backend | None = None) -> Any:
        """A frame of pandas or polars with a line per rule."""
        records = [rule.to_dict() for rule in self.rules]
        return frames.frame(frames.tabulate_group(records, self.context.feature_names), backend)

    def uncovered_frame(self, backend: frames.Backend | None = None) -> Any:
        """The rows that no rule covers as a frame, with the labels of their own frame and the reason."""
        names = self.context.column_names
        columns = {name: [row.values[j] for row in self.uncovered] for j, name in enumerate(names)}
        reasons = {"reason": [row.reason for row in self.uncovered]}
        return frames.frame({**columns, **reasons}, backend, [row.label for row in self.uncovered])

    @takes(full=flag)
    def to_text(self, *, full: bool = False) -> str:
        """How many rules cover how many rows, the rules, and what is left.

        Parameters
        ----------
        full
            Show all rules, with all their conditions.
        """
        return write_group(self.to_dict(), full=full)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from primewood.render.html.card import group_rules

        return group_rules(self.to_dict())

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what needs the model, which belongs to its process."""
        return {**self.__dict__, "context": self.context.drop_model()}
