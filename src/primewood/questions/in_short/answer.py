"""A decision in short: a few conditions, and how often they hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from primewood.errors import InvalidInput
from primewood.fields import number, optional, takes, whole
from primewood.logic.term import Term
from primewood.model.context import TreeContext
from primewood.model.row_in_cell import Row
from primewood.questions.explanation import Explanation
from primewood.questions.in_short.acceptance import lower_limit
from primewood.questions.in_short.conditions import ShortConditions
from primewood.render import frames, text
from primewood.render.records import InShortRecord, plain


@dataclass(frozen=True, eq=False, repr=False)
class InShort(ShortConditions):
    """A rule of few conditions that holds for nearly all training rows that match it. It is counted, not proved.

    Attributes
    ----------
    decision : object
        The decision, by its name.
    term : Term or None
        The conditions; None if no such rule was found.
    precision : float
        The share of matching rows that was asked for. Where `promised` is true, at least this share of new rows like
        the training rows is promised to get the decision, with 95% confidence for a rule that is tested once.
    matching, same : int
        How many training rows match, and how many of these get the decision from the model.
    rows : int
        How many training rows were counted. Of more than 20,000 it is a sample.
    exceptions : tuple of int
        The places of the training rows that match and get another decision.
    mixed_matching, mixed_same : int
        The same counts over mixtures of neighbouring training rows, which the model was not trained on. The rule was
        tested on them, and not searched on them.

    Examples
    --------
    >>> from primewood.data.credit import load_credit
    >>> import primewood as pw
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> credit = load_credit()
    >>> model = RandomForestClassifier(30, max_depth=4, random_state=0).fit(credit.X, credit.y)
    >>> explainer = pw.Explainer(model, credit.X, feature_names=credit.feature_names)
    >>> short = explainer.explain(credit.X[2], precision=0.95)
    >>> print(short)
    In short: checking account >= 2. Holds for 457 of 457 training rows that match (100.0%).
    """

    decision: object
    term: Term | None
    precision: float
    matching: int
    same: int
    rows: int
    exceptions: tuple[int, ...]
    mixed_matching: int
    mixed_same: int
    row: tuple[float, ...]
    context: TreeContext = field(repr=False)
    explain_row: Callable[[Row, float | None], Explanation] | None = field(default=None, repr=False)
    """What explains an exception; None where the model is not at hand."""
    is_sample: bool = False

    @property
    def share(self) -> float | None:
        """The share of the matching training rows that get the decision."""
        return self.same / self.matching if self.found else None

    @property
    def lower(self) -> float | None:
        """The exact lower limit of that share at 95% confidence, if the training rows were drawn at random."""
        return lower_limit(self.same, self.matching) if self.found else None

    @property
    def promised(self) -> bool:
        """Whether enough training rows match to promise the precision: the lower limit reaches it."""
        return self.lower is not None and self.lower >= self.precision

    @property
    def coverage(self) -> float | None:
        """The share of the training rows that match."""
        return self.matching / self.rows if self.found else None

    @property
    def rule(self) -> str | None:
        """The rule as IF ... THEN usually ...; None if there is none."""
        return None if self.term is None else text.write_short_rule(self.to_dict())

    def exceptions_frame(self, backend: frames.Backend | None = None) -> Any:
        """The exceptions as a frame of pandas or polars, with the labels of their own frame."""
        rows = self.context.rows
        if rows is None:
            raise InvalidInput("the training rows are not at hand")
        shown = rows[list(self.exceptions)]
        columns = {name: shown[:, j].tolist() for j, name in enumerate(self.context.column_names)}
        return frames.frame(columns, backend, [self.context.row_id(place) for place in self.exceptions])

    @takes(most=whole(1), time_limit=optional(number))
    def explain_exceptions(self, most: int = 3, time_limit: float | None = 10.0) -> tuple[Explanation, ...]:
        """Proved regions around exceptions: each guarantees another decision.

        Parameters
        ----------
        most
            How many regions to give. Each covers an exception that no earlier one covers.
        time_limit
            Seconds for each region.
        """
        if self.explain_row is None or self.context.rows is None:
            raise InvalidInput("the model is not at hand; ask an explainer")
        left, found = list(self.exceptions), list[Explanation]()
        while left and len(found) < most:
            region = self.explain_row(self.context.rows[left[0]], time_limit)
            found.append(region)
            covered = region.covers(self.context.rows[left])
            left = [
                place for place, inside in zip(left, covered, strict=True) if not inside and place != left[0]
            ]
        return tuple(found)

    def to_dict(self) -> InShortRecord:
        """The rule and its counts in plain types."""
        return {
            "decision": plain(self.decision),
            "literals": self.list_literals(),
            "precision": self.precision,
            "matching": self.matching,
            "same": self.same,
            "rows": self.rows,
            "is_sample": self.is_sample,
            "lower": self.lower,
            "promised": self.promised,
            "mixed_matching": self.mixed_matching,
            "mixed_same": self.mixed_same,
            "exceptions": [plain(self.context.row_id(place)) for place in self.exceptions],
        }

    def to_text(self) -> str:
        """The rule, and how often it holds."""
        return text.write_in_short(self.to_dict())

    def __str__(self) -> str:
        return self.to_text()

    @cached_property
    def _key(self) -> tuple[object, ...]:
        said = (self.decision, self.term, self.precision, self.matching, self.same, self.rows)
        return (*said, self.exceptions, self.mixed_matching, self.mixed_same, self.context.digest)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, InShort) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what needs the model, which belongs to its process."""
        return {**self.__dict__, "explain_row": None, "context": self.context.drop_model()}
