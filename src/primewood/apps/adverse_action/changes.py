"""Which sets of features would have changed the decision, by size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from primewood.engines.duality import CONFLICTS, SOLVER
from primewood.engines.protocol import Clock, Costs, Nearest, Verdict
from primewood.logic.instance import Box, Point
from primewood.model.context import TreeContext
from primewood.model.rows_of_cells import Row
from primewood.questions.counterfactual import CounterfactualSearch
from primewood.questions.weakening import weaken

if TYPE_CHECKING:
    from pysat.solvers import Solver

Names = frozenset[str]
FOR_LISTING = 0.7
"""The share of the time for listing changes; the rest is for the rows and ranges that are shown."""


@dataclass(frozen=True)
class ChangesOfSize:
    """The minimal changes of one size; `sure` if they are all of them, and no smaller one is unknown."""

    changes: list[Names]
    sure: bool


class MinimalChanges:
    """Finds the minimal changes of a declined row, and what belongs to each.

    Attributes
    ----------
    impossible : bool
        Whether it is proved that there are none.
    complete : bool
        Whether everything is found that has a feature not seen before.
    """

    def __init__(self, asked: CounterfactualSearch, clock: Clock) -> None:
        self.asked, self.clock, self.context = asked, clock, asked.decision.context
        self.impossible = self.complete = False
        self._listing = Clock(None if clock.limit is None else clock.left() * FOR_LISTING, clock.work_limit)
        decision = asked.decision
        self._questions = decision.oracle
        self._prices = decision.model.engines.price_changes(decision.label, decision.target)
        self._every = frozenset(self.context.feature_names)
        self._known: dict[Names, Point] = {}
        self.names = self._that_may_change()

    def _that_may_change(self) -> list[str]:
        """The features that are not hidden and matter to the model, or to a constraint that orders them."""
        domain, hidden = self.context.domain, self.asked.moves.immutable
        named = {name for order in domain.knowledge.orders for name in (order.lower, order.upper)}
        free = self._box(self._every - hidden)
        named |= {
            x.name for x, mask in zip(self.context.variables, free, strict=True) if mask.bit_count() > 1
        }
        return [name for name in self.context.feature_names if name in named - hidden]

    def levels(self) -> Iterator[ChangesOfSize]:
        """The minimal changes by size, while there may be more that have features not seen before."""
        from pysat.card import ITotalizer
        from pysat.solvers import Solver

        nearest = self._fewest()
        if not self.names or (nearest.complete and nearest.point is None):
            self.impossible = self.complete = True
            return
        if nearest.point is not None:
            self._keep(nearest.point, frozenset(self.names))
        count, sure, seen = len(self.names), True, set[str]()
        first = max(1, math.ceil(nearest.lower - 1e-9))
        with (
            ITotalizer(lits=list(range(1, count + 1)), ubound=count) as sizes,
            Solver(name=SOLVER, bootstrap_with=sizes.cnf.clauses) as solver,
        ):
            for size in range(first, count + 1):
                level = self._level(solver, [-sizes.rhs[size]] if size < count else [])
                sure = sure and level.sure
                seen.update(*level.changes)
                if level.changes:
                    yield ChangesOfSize(level.changes, sure)
                if not sure and self._listing.expired():
                    break
                unseen = [n for n, name in enumerate(self.names, 1) if name not in seen]
                solver.add_clause([-(sizes.top_id + size), *unseen])
                if self._proposal(solver, [sizes.top_id + size]) == frozenset():
                    self.complete = sure
                    break
        if not self.complete:
            yield from self._guesses()

    def _fewest(self) -> Nearest:
        """A favourable cell that differs in as few features as possible."""
        asked = self.asked
        steps = replace(asked.moves, norm="l0").find_costs(
            self.context, asked.decision.row, asked.decision.point
        )
        return self._prices.nearest(asked.decision.point, steps, self._listing)

    def _guesses(self) -> Iterator[ChangesOfSize]:
        """What was met on the way, by size: changes that are perhaps not minimal."""
        smallest: list[Names] = []
        for size in sorted({len(x) for x in self._known}):
            same = [x for x in self._known if len(x) == size and not any(y < x for y in smallest)]
            smallest += same
            yield ChangesOfSize(same, False)

    def _level(self, solver: Solver, at_most: list[int]) -> ChangesOfSize:
        """The changes of a size, when those of all smaller ones are known."""
        changes, sure = [], True
        while chosen := self._proposal(solver, at_most):
            change = self._change_in(chosen)
            if change:
                changes.append(change)
                solver.add_clause([-n for n, name in enumerate(self.names, 1) if name in change])
            elif change is None:
                sure = False
                solver.add_clause([-n if name in chosen else n for n, name in enumerate(self.names, 1)])
            else:
                largest = self._largest(chosen)
                solver.add_clause([n for n, name in enumerate(self.names, 1) if name not in largest])
        return ChangesOfSize(changes, sure and chosen is not None)

    def _proposal(self, solver: Solver, assumed: list[int]) -> Names | None:
        """A set that nothing known speaks against; empty if there is none, None if the time is up."""
        while not self._listing.expired():
            solver.conf_budget(CONFLICTS)
            answer = solver.solve_limited(assumptions=assumed)
            if answer:
                chosen = {n for n in solver.get_model()[: len(self.names)] if n > 0}
                names = frozenset(name for n, name in enumerate(self.names, 1) if n in chosen)
                if names:
                    return names
                solver.add_clause(list(range(1, len(self.names) + 1)))  # the row itself is not favourable
            elif answer is False:
                return frozenset()
        return None

    def _change_in(self, names: Names) -> Names | None:
        """A change among these features; empty if there is none, None if that is unknown."""
        if known := next((x for x in self._known if x <= names), None):
            return known
        if self._listing.expired():
            return None
        reply = self._questions.counterexample(self._box(names), self._listing)
        if not isinstance(reply, tuple):
            return frozenset() if reply is Verdict.NONE_EXISTS else None
        return self._keep(self._nearer(reply), names) or self._keep(reply, names)

    def _keep(self, point: Point, names: Names) -> Names | None:
        """Keep a favourable cell with the features in which its nearest row differs; None if it has no row.

        Orders between more than two features can rule out a cell in ways that only the numbers show.
        """
        row = self._row(point, names)
        if row is None:
            return None
        change = frozenset(x for x in names if differs(self.context, x, self.asked.decision.row, row))
        self._known[change] = point
        return change

    def _nearer(self, point: Point) -> Point:
        """A favourable cell, moved back to the row's own in one feature after the other where it stays favourable."""
        moved = list(point)
        for j, own in enumerate(self.asked.decision.point):
            there, moved[j] = moved[j], own
            if there != own and self._questions.holds(tuple(moved)):
                moved[j] = there
        return tuple(moved)

    def _row(self, point: Point, change: Names) -> Row | None:
        """The nearest row of a cell that differs in these features only; None if there is none."""
        held = replace(self.asked.moves, immutable=self._every - change)
        limits = held.find_limits(self.context, self.asked.decision.row)
        return self.context.cells.nearest_row(
            point, self.asked.decision.row, self.asked.decision.point, limits
        )

    def _largest(self, names: Names) -> Names:
        """A largest superset of a set that is not a change either; smaller where a limit came."""
        for name in self.names:
            if name not in names and self._change_in(names | {name}) == frozenset():
                names |= {name}
        return names

    def _costs(self, names: Names) -> Costs:
        """What it costs to move to each value when these features change only."""
        moves = replace(self.asked.moves, immutable=self._every - names)
        return moves.find_costs(self.context, self.asked.decision.row, self.asked.decision.point)

    def _box(self, names: Names) -> Box:
        """The cells that a row may be in when it differs in these features only."""
        possible, atoms = np.isfinite(self._costs(names)), self.context.atoms
        parts = (possible[atoms.of(j)] for j in range(len(self.context.variables)))
        return tuple(sum(1 << v for v in np.flatnonzero(part).tolist()) for part in parts)

    def least(self, name: str, costs: Costs) -> Nearest:
        """The favourable cell, among those with a finite cost, to which a feature moves least."""
        place = self.context.place(name)
        own = np.where(np.isfinite(costs), 0.0, np.inf)
        if place is not None:
            part = self.context.atoms.of(place)
            own[part] = costs[part]
        return self._prices.nearest(self.asked.decision.point, own, self.clock, largest=True)

    def move(self, name: str, change: Names) -> tuple[float, bool]:
        """The least move of a feature in a change, and whether it is proved to be that."""
        found = self.least(name, self._costs(change))
        return found.cost, found.complete

    def way(self, name: str, change: Names) -> tuple[Row, Box | None]:
        """A favourable row that makes a change, and the safe ranges around it; None where nothing is safe.

        The feature moves as little as it can, and so do the others, one after the other, given those before. The
        ranges are widened in the same order.
        """
        order = (name, *(x for x in self.names if x in change and x != name))
        point, costs = self._known[change], self._costs(change)
        for one in order:
            found, place = self.least(one, costs), self.context.place(one)
            if found.point is None or self._row(found.point, change) is None:
                break
            point = found.point
            if place is not None:
                part = self.context.atoms.of(place)
                costs[part][costs[part] > found.cost] = np.inf
        row = self._row(point, change)
        assert row is not None
        return row, self._safe(point, order)

    def _safe(self, point: Point, order: Sequence[str]) -> Box | None:
        """The cell at a point, widened in some features, one after the other, as far as it stays favourable."""
        target, engines = self.asked.decision.target, self.asked.safe_engines
        assert target is not None and engines is not None, "adverse actions have a favourable decision"
        oracle = engines.oracle(target)
        if oracle.counterexample(tuple(1 << v for v in point)) is not Verdict.NONE_EXISTS:
            return None
        places = [j for j in map(self.context.place, order) if j is not None]
        moved = [j for j in places if point[j] != self.asked.decision.point[j]]
        fixed = frozenset(range(len(point))) - frozenset(moved)
        return weaken(oracle, point, [], moved, "intervals", fixed=fixed, clock=self.clock).box


def differs(context: TreeContext, name: str, row: Row, other: Row) -> bool:
    """Whether two rows differ in a feature."""
    feature = context.feature(name)
    columns = list(feature.columns)
    return not np.array_equal(row[columns], other[columns], equal_nan=True)
