"""A decision in short over the feature space: a few conditions, and how much of the space inside gets the decision."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from typing import Literal as Choice

from primewood.logic.term import Term
from primewood.model.context import TreeContext
from primewood.questions.in_short.conditions import ShortConditions
from primewood.questions.in_short.space_share import SpaceShare
from primewood.render import text
from primewood.render.records import InShortOverSpaceRecord, plain

SpaceName = Choice["space", "frequencies"]
"""What rows are drawn from."""
RowsOrSpace = Choice["rows", "space", "frequencies"]
"""What a share is counted or computed over."""


@dataclass(frozen=True, eq=False, repr=False)
class InShortOverSpace(ShortConditions):
    """A rule of few conditions that holds for nearly all of the feature space inside it. The share is computed.

    Attributes
    ----------
    decision : object
        The decision, by its name.
    term : Term or None
        The conditions; None if no such rule was found.
    precision : float
        The share that was asked for.
    over : {"space", "frequencies"}
        What rows are drawn from, each feature by itself: uniformly from its training range ("space"), or as often as
        its values occur in the training rows ("frequencies").
    share : SpaceShare or None
        Proved bounds of the share of the space inside the rule that gets the decision: `lower`, `upper`, and `is_exact`
        if they differ by rounding alone.
    coverage : float
        The share of the space that the rule covers.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> print(explainer.explain(X[50], precision=0.95, over="space"))
    In short: pl <= 4.9 and 0.9 <= pw <= 1.7. Holds for 100.0% of the feature space inside (exact).
    """

    decision: object
    term: Term | None
    precision: float
    over: SpaceName
    share: SpaceShare | None
    coverage: float
    row: tuple[float, ...]
    context: TreeContext = field(repr=False)

    @property
    def rule(self) -> str | None:
        """The rule as IF ... THEN usually ...; None if there is none."""
        return None if self.term is None else text.write_short_rule(self.to_dict())

    def to_dict(self) -> InShortOverSpaceRecord:
        """The rule and its share in plain types."""
        share = self.share
        return {
            "decision": plain(self.decision),
            "literals": self.list_literals(),
            "precision": self.precision,
            "over": self.over,
            "lower": None if share is None else share.lower,
            "upper": None if share is None else share.upper,
            "is_exact": share is not None and share.is_exact,
            "coverage": self.coverage,
            "assumptions": list(self.context.domain.knowledge.list_all()),
        }

    def to_text(self) -> str:
        """The rule, and how much of the space inside it holds for."""
        return text.write_in_short_over_space(self.to_dict())

    def __str__(self) -> str:
        return self.to_text()

    @cached_property
    def _key(self) -> tuple[object, ...]:
        said = (self.decision, self.term, self.precision, self.over, self.share, self.coverage)
        return (*said, self.context.digest)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, InShortOverSpace) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what needs the model, which belongs to its process."""
        return {**self.__dict__, "context": self.context.drop_model()}
