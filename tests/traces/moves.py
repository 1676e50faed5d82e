"""How far a row has to move to every cell, by brute force."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from traces.constraints import satisfied
from traces.recipes import NAMES, Rows
from traces.session import Asked, Session
from traces.table import Bits, at_values, ends_of


def has_orders(session: Session) -> bool:
    """Whether a constraint orders two features: then cells alone do not tell how far a row must move."""
    return any(constraint[0] == "order" for constraint in session.recipe.constraints)


class Moves:
    """What it costs to move from a row to every cell, by brute force.

    Attributes
    ----------
    costs : tensor of float
        Per cell; infinite where the row must not go.
    """

    def __init__(
        self,
        session: Session,
        asked: Asked,
        norm: str,
        *,
        relative: bool = False,
        weights: dict[str, float] | None = None,
        immutable: Iterable[str] = (),
        increase: Iterable[str] = (),
        decrease: Iterable[str] = (),
        to_missing: bool = False,
        categories: bool = True,
    ) -> None:
        self.session, self.asked, self.norm, self.relative = session, asked, norm, relative
        self.weights = weights or {}
        self.immutable, self.increase, self.decrease = {*immutable}, {*increase}, {*decrease}
        self.to_missing, self.categories = to_missing, categories
        parts = [self.along(j) for j in range(len(session.table.sizes))]
        self.costs = np.zeros(session.table.sizes)
        for j, part in enumerate(parts):
            part = part.reshape([-1 if k == j else 1 for k in range(len(parts))])
            self.costs = np.maximum(self.costs, part) if norm == "linf" else self.costs + part

    def unit(self, feature: Any) -> float:
        """The move of a feature that counts 1."""
        seen = self.session.model.data.X[:, feature.column]
        if not self.relative or self.norm == "l0":
            return 1.0
        low, high = np.nanmin(seen), np.nanmax(seen)
        return float(high - low) if high > low else 1.0

    def along(self, place: int) -> NDArray[np.float64]:
        """What each value of a variable costs."""
        feature, own = self.session.table.domain.seen[place], self.asked.point[place]
        size, numbers = self.session.table.sizes[place], self.session.table.sizes[place] - feature.missing
        costs = np.ones(size)
        here = self.asked.row[feature.column]
        if feature.patterns is None and own < numbers and self.norm != "l0":
            ends = ends_of(feature)
            costs[:numbers] = np.maximum(ends.low[:, 0] - here, here - ends.high[:, 0]) / self.unit(feature)
        if not self.categories and (own >= numbers or feature.patterns is not None):
            costs[:] = np.inf
        if not self.to_missing:
            costs[numbers:] = np.inf
        self._limit(feature.name, costs, own, numbers)
        costs *= self.weights.get(feature.name, 1.0)
        costs[own] = 0.0
        return costs

    def _limit(self, name: str, costs: NDArray[np.float64], own: int, numbers: int) -> None:
        """Make moves infinite that are not allowed."""
        if name in self.immutable:
            costs[:] = np.inf
        elif name in self.increase or name in self.decrease:
            costs[numbers:] = np.inf
            if own >= numbers:
                costs[:] = np.inf
            elif name in self.increase:
                costs[:own] = np.inf
            else:
                costs[own + 1 :] = np.inf

    def least(self, cells: Bits) -> float:
        """The cost of the cheapest of some cells; infinite if there is none."""
        return float(self.costs[cells].min(initial=np.inf))

    def least_row(self, cells: Bits) -> float:
        """The cost of the cheapest row that is tried in some cells: the real least is no more, whatever the orders."""
        rows = np.array([row for cell in np.argwhere(cells).tolist() for row in self._rows_in(cell)])
        if not len(rows):
            return float("inf")
        rows = rows[satisfied(self.session.recipe, rows, self.session.model.words)]
        return min((self.total(row) for row in rows if self._allows(row)), default=float("inf"))

    def _rows_in(self, cell: Sequence[int]) -> Iterator[Rows]:
        """Rows of a cell: the nearest numbers, and those of ordered features moved to each other or to the ends."""
        row, ends = self.asked.row.copy(), {}
        for j, feature in enumerate(self.session.table.domain.seen):
            if cell[j] != self.asked.point[j] or feature.patterns is None:
                low, high = (
                    at_values(x, np.array([cell[j]]))[0]
                    for x in (ends_of(feature).low, ends_of(feature).high)
                )
                ends[feature.name] = feature.column, low[0], high[0]
                if cell[j] != self.asked.point[j]:
                    row[list(feature.columns)] = np.clip(np.nan_to_num(row[list(feature.columns)]), low, high)
        yield row
        for _, lower, upper, constant, _ in (c for c in self.session.recipe.constraints if c[0] == "order"):
            if {NAMES[lower], NAMES[upper]} <= {*ends}:
                yield from _in_order(row, ends[NAMES[lower]], ends[NAMES[upper]], constant)

    def _allows(self, row: Rows) -> bool:
        """Whether nothing moves that must not, or the wrong way."""
        for feature in self.session.table.domain.features:
            old, new = self.asked.row[list(feature.columns)], row[list(feature.columns)]
            if np.array_equal(old, new, equal_nan=True):
                continue
            against = {*self.immutable}
            against |= self.decrease if not new[0] < old[0] else set()
            against |= self.increase if not new[0] > old[0] else set()
            if feature.name in against:
                return False
            if not self.categories and (feature.patterns is not None or np.isnan(old).any()):
                return False
            if not self.to_missing and np.isnan(new).any():
                return False
        return True

    def total(self, row: Rows) -> float:
        """The distance of another row."""
        parts = []
        for feature in self.session.table.domain.features:
            old, new = self.asked.row[list(feature.columns)], row[list(feature.columns)]
            if np.array_equal(old, new, equal_nan=True):
                continue
            step = 1.0
            if feature.patterns is None and self.norm != "l0" and not np.isnan([old[0], new[0]]).any():
                step = abs(float(new[0] - old[0])) / self.unit(feature)
            parts.append(step * self.weights.get(feature.name, 1.0))
        return max(parts, default=0.0) if self.norm == "linf" else sum(parts)


def _in_order(
    row: Rows, lower: tuple[int, float, float], upper: tuple[int, float, float], constant: float
) -> Iterator[Rows]:
    """A row with two of its numbers moved: to the ends of their cells, and to where they are just in order."""
    (i, low, high), (j, least, most) = lower, upper
    for x in (row[i], low, high, np.clip(row[j] + constant, low, high)):
        for y in (row[j], least, most, np.clip(row[i] - constant, least, most)):
            moved = row.copy()
            moved[i], moved[j] = x, y
            if (np.isnan(moved) == np.isnan(row)).all():
                yield moved
