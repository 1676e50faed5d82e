"""Rows in cells: a row of a given cell, with short numbers, with those of training rows, or as near as possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain
from primewood.domain.knowledge import find_violation, numbers_in_order
from primewood.logic.instance import Point
from primewood.logic.interval import Interval
from primewood.render import decimals

Row = NDArray[np.float64]
NumberLimits = Mapping[str, tuple[float, float]]
"""Per feature the least and the largest number that it may have."""


class Cells:
    """Makes rows that lie in given cells of a domain.

    Parameters
    ----------
    domain
    rows, points
        The training rows and their cells: their numbers are taken where possible. None without training rows.
    """

    def __init__(self, domain: Domain, rows: Row | None, points: NDArray[np.int64] | None) -> None:
        self._domain, self._rows, self._points = domain, rows, points
        self._middles: dict[int, dict[int, float]] = {}
        self._numbers: dict[tuple[int, int], float] = {}

    def row_at(self, point: Point, row: Row, own: Point) -> Row:
        """A row of the cell at a point, like `row` (whose cell is `own`) wherever the two cells agree.

        Its numbers are short where that is possible.
        """
        found = self._row_at(point, row, own, self._short_number, {})
        assert found is not None, "a possible cell holds no row: please report this"
        return found

    def rows_at(self, points: Sequence[Point], row: Row, own: Point) -> Row:
        """The rows of many cells; see `row_at`. Cost: where no constraints order features, a step per value in use."""
        if self._domain.knowledge.orders or not self._domain.seen:
            return np.array([self.row_at(point, row, own) for point in points])
        rows, cells = np.tile(row, (len(points), 1)), np.array(points)
        for k, feature in enumerate(self._domain.seen):
            for value in np.unique(cells[cells[:, k] != own[k], k]).tolist():
                there, example = cells[:, k] == value, row.copy()
                self._write(example, k, value, self._short_number)
                rows[np.ix_(there, feature.columns)] = example[list(feature.columns)]
        return rows

    def nearest_row(
        self, point: Point, row: Row, own: Point, limits: NumberLimits | None = None
    ) -> Row | None:
        """The row of the cell at a point that is nearest to `row`, whose cell is `own`.

        Where constraints order features, others may have to move inside their own cells, but never beyond limits
        that are given per feature; None if that leaves no row.
        """

        def number_in(place: int, value: int) -> float:
            feature = self._domain.seen[place]
            return feature.nearest(value, float(row[feature.column]))

        return self._row_at(point, row, own, number_in, limits or {})

    def _write(self, row: Row, place: int, value: int, number_in: Callable[[int, int], float]) -> None:
        """Put a value of a variable into a row, with a number of it if it is an interval."""
        feature = self._domain.seen[place]
        if isinstance(self._domain.variables[place].value_at(value), Interval):
            row[feature.column] = number_in(place, value)
        else:
            feature.write(row, value)

    def _row_at(
        self, point: Point, row: Row, own: Point, number_in: Callable[[int, int], float], limits: NumberLimits
    ) -> Row | None:
        changed = row.copy()
        for k in range(len(self._domain.seen)):
            if point[k] != own[k]:
                self._write(changed, k, point[k], number_in)
        if self._domain.knowledge.orders:
            return self._move_in_order(changed, point, own, limits)
        return changed

    def _move_in_order(self, row: Row, point: Point, own: Point, limits: NumberLimits) -> Row | None:
        """The row with numbers moved within their cells so that it satisfies all orders: those that changed, or else
        all, within their limits; None if there is no such row.
        """
        domain = self._domain
        orders, names = domain.knowledge.orders, domain.column_names
        if find_violation(orders, names, row[None, :]) is None:
            return row
        values = {
            f.name: (value, value != mine) for f, value, mine in zip(domain.seen, point, own, strict=True)
        }
        concerned = {name for order in orders for name in (order.lower, order.upper)}
        features = [f for f in domain.features if f.name in concerned and not np.isnan(row[f.column])]
        wanted = {f.name: float(row[f.column]) for f in features}
        for all_move in (False, True):
            ends = {}
            for feature in features:
                value, moves = values.get(feature.name, (0, False))
                here = wanted[feature.name]
                low, high = feature.ends(value) if moves or all_move else (here, here)
                least, most = limits.get(feature.name, (low, high))
                ends[feature.name] = (max(low, least), min(high, most))
            if any(low > high for low, high in ends.values()):
                continue
            found = numbers_in_order(orders, ends, frozenset(f.name for f in features if f.whole), wanted)
            if found is not None:
                moved: Row = row.copy()
                moved[[f.column for f in features]] = list(found.values())
                return moved
        return None

    def _short_number(self, place: int, value: int) -> float:
        """A number of a value of a numeric variable that training rows have, the middle one; else a short one."""
        if (place, value) not in self._numbers:
            feature, cell = self._domain.seen[place], self._domain.variables[place].value_at(value)
            assert isinstance(cell, Interval)
            found = self._middle_numbers(place).get(value)
            if found is None:
                found = decimals.plain_number(cell)
            usual = float(feature.numbers[value, 0])
            self._numbers[place, value] = (
                found if feature.index_of({feature.column: found}) == value else usual
            )
        return self._numbers[place, value]

    def _middle_numbers(self, place: int) -> dict[int, float]:
        """The middle one of the training rows' numbers in each value of a numeric variable that has some."""
        if place not in self._middles:  # another thread may look: what is there is whole
            self._middles[place] = self._find_middle_numbers(place)
        return self._middles[place]

    def _find_middle_numbers(self, place: int) -> dict[int, float]:
        if self._rows is None or self._points is None:
            return {}
        cells, numbers = self._points[:, place], self._rows[:, self._domain.seen[place].column]
        known = (cells >= 0) & ~np.isnan(numbers)
        cells, numbers = cells[known], numbers[known]
        order = np.lexsort((numbers, cells))
        values, starts, counts = np.unique(cells[order], return_index=True, return_counts=True)
        middles = numbers[order][starts + counts // 2]
        return dict(zip(values.tolist(), middles.tolist(), strict=True))
