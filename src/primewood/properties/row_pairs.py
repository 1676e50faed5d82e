"""Pairs of rows of one model, which may differ in some features.

A pair of rows is a point of the product of two copies of the model: the features that the two rows share are shared,
the others are doubled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from primewood.domain.knowledge import numbers_in_order
from primewood.engines.protocol import Clock, Reply, Verdict
from primewood.engines.search.joint import Demand, JointForest, Relation
from primewood.engines.search.oracle import SearchForest
from primewood.logic.instance import Box, Point
from primewood.model.row_in_cell import Row
from primewood.properties.verification import Verifier


@dataclass(frozen=True)
class Pairs:
    """Pairs of rows of one model that may differ in some variables, by their places."""

    verifier: Verifier
    doubled: tuple[int, ...]
    relations: tuple[Relation, ...] = ()
    second: SearchForest | None = None
    """What decides about the second row, if it is not the model itself."""

    @cached_property
    def joint(self) -> JointForest:
        """The product; that of the model with itself is kept for the next question."""
        if self.second is not None:
            return self._join()
        return self.verifier.engines.joints().get((self.doubled, self.relations), self._join)

    def _join(self) -> JointForest:
        """One copy of each tree as long as few variables are doubled."""
        variables = self.verifier.context.variables
        forest = self.verifier.engines.search_forest()
        places = list(range(len(variables)))
        for i, j in enumerate(self.doubled):
            places[j] = len(variables) + i
        return JointForest(
            (*variables, *(variables[j] for j in self.doubled)),
            [(forest, range(len(variables))), (self.second or forest, places)],
            relations=self.relations,
            paired=len(self.doubled) <= max(2, len(variables) // 8),
            twins=self.second is None,
        )

    def box(self, first: dict[int, int], second: dict[int, int]) -> Box:
        """A box in which the doubled variables have given values in the two rows; free where nothing is given."""
        variables = self.verifier.context.variables
        one = [first.get(j, x.everything) for j, x in enumerate(variables)]
        return (*one, *(second.get(j, variables[j].everything) for j in self.doubled))

    def find(self, box: Box, labels: tuple[int, int], clock: Clock) -> Reply:
        """A pair of rows, the first decided for one label and the second for another.

        The trees are put together in the time of the whole question; the clock is that of this search.
        """
        if not self.joint.build(self.verifier.clock):
            return Verdict.INTERRUPTED
        demands = [Demand(part, label) for part, label in enumerate(labels)]
        return self.joint.find(box, demands, clock)

    def rows(self, point: Point) -> tuple[Row, Row] | None:
        """Two rows at a joint point that differ only where they may; None if constraints leave none."""
        a, b = self._recognise(self.joint.part(point, 0), self.joint.part(point, 1))
        row = self.verifier.row(a)
        if self.relations:
            row = self._towards(row, a, b)
        if self.verifier.subject.domain.knowledge.orders:
            return self._order_numbers(row, a, b)
        other = self.verifier.context.cells.nearest_row(b, row, a)
        return None if other is None else (row, other)

    def _recognise(self, a: Point, b: Point) -> tuple[Point, Point]:
        """The same pair with values of training rows, where both rows share a value and keep their decisions."""
        forest = self.verifier.engines.search_forest()
        second, allows = self.second or forest, self.verifier.subject.domain.knowledge.allows
        decided = forest.decide(a), second.decide(b)

        def other(point: Point) -> Point:
            return tuple(b[j] if j in self.doubled else v for j, v in enumerate(point))

        def shows(point: Point) -> bool:
            there = other(point)
            return allows(there) and (forest.decide(point), second.decide(there)) == decided

        variables = self.verifier.context.variables
        box = tuple(1 << a[j] if j in self.doubled else x.everything for j, x in enumerate(variables))
        a = self.verifier.recognise(a, box, shows)
        return a, other(a)

    def _order_numbers(self, row: Row, a: Point, b: Point) -> tuple[Row, Row] | None:
        """Numbers for both rows at once that satisfy the orders; what is not doubled is the same in both."""
        domain, context = self.verifier.subject.domain, self.verifier.context
        free = {context.variables[j].name for j in self.doubled}
        other = context.cells.nearest_row(b, row, a)
        if other is None:
            return None
        cells = {f.name: (a[k], b[k]) for k, f in enumerate(domain.seen)}
        concerned = {name for order in domain.knowledge.orders for name in (order.lower, order.upper)}
        features = [f for f in domain.features if f.name in concerned]
        names = {
            f.name: (f.name, f"{f.name} of the second row" if f.name in free else f.name) for f in features
        }
        ends: dict[str, tuple[float, float]] = {}
        wanted: dict[str, float] = {}
        for f in features:
            for name, table, cell in zip(names[f.name], (row, other), cells.get(f.name, (0, 0)), strict=True):
                if not np.isnan(table[f.column]):
                    ends[name] = f.ends(cell)
                    wanted.setdefault(name, float(table[f.column]))
        orders = [
            replace(order, lower=names[order.lower][side], upper=names[order.upper][side])
            for order in domain.knowledge.orders
            for side in (0, 1)
        ]
        whole = frozenset(name for f in features if f.whole for name in names[f.name])
        found = numbers_in_order(orders, ends, whole, wanted)
        if found is None:
            return None
        for f in features:
            for name, table in zip(names[f.name], (row, other), strict=True):
                table[f.column] = found.get(name, np.nan)
        return row, other

    def _towards(self, row: Row, a: Point, b: Point) -> Row:
        """The row with numbers as near as they can be to the cells of the second one."""
        moved = row.copy()
        for j in self.doubled:
            feature = self.verifier.subject.domain.seen[j]
            if a[j] != b[j] and feature.patterns is None and not np.isnan(row[feature.column]):
                low, high = feature.ends(b[j])
                moved[feature.column] = feature.nearest(a[j], low if b[j] > a[j] else high)
        return moved


def relate(first: int, second: int, runs: Sequence[tuple[int, int]]) -> Relation:
    """The relation of two variables, from the first and the last value that go with each value of the first one."""
    return Relation(first, second, tuple(low for low, _ in runs), tuple(high for _, high in runs))
