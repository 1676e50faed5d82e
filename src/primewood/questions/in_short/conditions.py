"""The conditions of a decision in short: what all answers of this kind have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.errors import InvalidInput
from primewood.logic.term import Term
from primewood.model.context import TreeContext
from primewood.render.brief import Brief
from primewood.render.records import LiteralRecord
from primewood.tables.rows import as_rows


class ShortConditions(Brief):
    """An answer that is a rule of few conditions, if one was found."""

    term: Term | None
    row: tuple[float, ...]
    context: TreeContext

    @property
    def found(self) -> bool:
        """Whether there is such a rule."""
        return self.term is not None

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that the rule mentions."""
        return () if self.term is None else tuple(x.variable.name for x in self.term.literals)

    def covers(self, X: Any) -> NDArray[np.bool_]:
        """Which rows match. Cost: one bisection per number."""
        rows = as_rows(X, self.context.layout)
        points = self.context.domain.points(rows)
        return np.logical_and(self._match(points), self.context.domain.possible(rows, points))

    def _match(self, points: NDArray[np.int64]) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = np.all(points >= 0, axis=1)
        for literal in self._need_term().literals:
            allowed = np.array([literal.mask >> v & 1 for v in range(len(literal.variable))], dtype=bool)
            inside &= allowed[np.maximum(points[:, self.context.places[literal.variable.name]], 0)]
        return inside

    def _need_term(self) -> Term:
        if self.term is None:
            raise InvalidInput("no rule was found, so there is nothing that rows could match")
        return self.term

    def list_literals(self) -> list[LiteralRecord] | None:
        """The conditions in plain types; None if no rule was found."""
        if self.term is None:
            return None
        return [self.context.literal_record(x, self.row) for x in self.term.literals]
