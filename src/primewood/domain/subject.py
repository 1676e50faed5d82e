"""What is explained: something that decides about points of a universe.

An ensemble decides for one of its classes; an expression decides positively (true) or negatively
(false). Questions are asked about a subject and do not know which it is.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from primewood.domain.domain import Domain
from primewood.domain.vote_formula import Formulas
from primewood.ensemble import Ensemble
from primewood.errors import InvalidInput
from primewood.logic.connectives import implication, negation
from primewood.logic.expression import Expression
from primewood.logic.fold import truth
from primewood.logic.instance import Point
from primewood.logic.variable import Variable


class Subject(Protocol):
    """Something that decides."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The universe."""

    @property
    def labels(self) -> tuple[object, ...]:
        """The decisions that there are."""

    @property
    def importance(self) -> tuple[float, ...]:
        """How much each variable has a say, for orders that go by importance."""

    def decide(self, point: Point) -> int:
        """The decision at a point, as a place in `labels`."""

    def formula(self, label: int) -> Expression:
        """The expression "the decision is this label"."""

    def denial(self, label: int) -> Expression:
        """The expression "the decision is not this label"."""


def default_order(subject: Subject) -> list[int]:
    """The variables from the least important to the most; ties in the order of the columns.

    Dropping unimportant features first leads to short explanations.
    """
    return sorted(range(len(subject.variables)), key=lambda j: (subject.importance[j], j))


class ExpressionSubject:
    """An expression as a classifier: its decisions are False and True."""

    labels: tuple[object, ...] = (False, True)

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        self.variables = expression.variables
        self.importance = tuple(1.0 for _ in self.variables)

    def decide(self, point: Point) -> int:
        return int(truth(self.expression, self.variables, point))

    def formula(self, label: int) -> Expression:
        return self.expression if label else negation(self.expression).over(self.variables)

    def denial(self, label: int) -> Expression:
        return self.formula(1 - label)


class EnsembleSubject:
    """An ensemble over a domain; a point is decided where any of its rows is."""

    def __init__(self, ensemble: Ensemble, domain: Domain) -> None:
        self.ensemble, self.domain = ensemble, domain
        self.variables = domain.variables
        self.labels = ensemble.classes
        self.importance = tuple(float(ensemble.importance[list(f.columns)].sum()) for f in domain.seen)
        self._formulas = Formulas(ensemble, domain)
        self._decisions: dict[tuple[int, bool], Expression] = {}

    def decide(self, point: Point) -> int:
        return int(self.ensemble.predict(self.row_in(point)[None, :])[0])

    def formula(self, label: int) -> Expression:
        """The decision under K: true as well at points that no row is at."""
        return self._assume_knowledge(label, denied=False)

    def denial(self, label: int) -> Expression:
        """That the decision is not taken, under K: true as well at points that no row is at."""
        return self._assume_knowledge(label, denied=True)

    def _assume_knowledge(self, label: int, *, denied: bool) -> Expression:
        if not self.ensemble.is_plain:
            raise InvalidInput(
                "a sum or a mean of leaf values is not written as an expression; the search engine explains it, and of "
                'a forest vote="majority" gives the paper\'s vote to the other engines'
            )
        if (label, denied) not in self._decisions:
            decision = self._formulas.decision(label)
            if denied:
                decision = negation(decision).over(self.variables)
            if self.domain.knowledge:
                decision = implication(self.domain.knowledge.formula(self.variables), decision).over(
                    self.variables
                )
            self._decisions[label, denied] = decision
        return self._decisions[label, denied]

    def row_in(self, point: Point) -> NDArray[np.float64]:
        """A row of the cell at a point: codes, or a number inside each interval."""
        return self.domain.row_in(point)
