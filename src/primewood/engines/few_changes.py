"""Answers among rows that differ from one row in few features.

Every change costs 1, and a point costs at most k in all. So an engine that prices changes answers.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from primewood.domain.knowledge import FewChanges
from primewood.engines.protocol import Clock, Costs, PricingOracle, Reply, Verdict
from primewood.errors import InvalidInput
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.logic.masks import indices
from primewood.logic.variable import Variable


class FewChangesOracle:
    """Answers about one decision Γ among points that differ from a row's cell in few variables.

    Parameters
    ----------
    oracle
        Answers about Γ among all points, and prices changes.
    changes
        The row, at which Γ holds, and how many features may differ from it.
    """

    def __init__(self, oracle: PricingOracle, changes: FewChanges) -> None:
        self._oracle, self._changes = oracle, changes

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self._oracle.variables

    def holds(self, point: Point) -> bool:
        """Whether Γ holds at a point, or the point differs in too many variables. Cost: one evaluation."""
        return not self._changes.allows(point) or self._oracle.holds(point)

    def counterexample(self, box: Box, clock: Clock | None = None) -> Reply:
        """A point of the box that gets a different decision and differs in few variables. Cost: a search.

        Variables whose own value is not in the box change in any case: for these, no value costs more than another.
        """
        changed = [j for j, v in enumerate(self._changes.point) if not box[j] >> v & 1]
        left = self._changes.most - len(changed)
        if left < 0:
            return Verdict.NONE_EXISTS
        start = list(self._changes.point)
        for j in changed:
            start[j] = indices(box[j])[0]
        return self._oracle.find_within(tuple(start), self._price(box), left, clock)

    def primes(self, literals: Language, point: Point | None = None) -> NoReturn:  # noqa: ARG002
        """All prime boxes: they are listed among all rows only."""
        raise InvalidInput("explanations are listed among all rows; near_features is for one explanation")

    def _price(self, box: Box) -> Costs:
        """What each value of the box costs: 1 where a variable changes that could keep the row's own value."""
        parts = []
        for x, mask, own in zip(self.variables, box, self._changes.point, strict=True):
            costs = np.full(len(x), np.inf)
            costs[indices(mask)] = mask >> own & 1
            if mask >> own & 1:
                costs[own] = 0.0
            parts.append(costs)
        return np.concatenate(parts) if parts else np.empty(0)
