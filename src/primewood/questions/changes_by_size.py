"""Minimal changes: which sets of features would have brought another decision, the smallest sets first.

Some features are *hidden*: they keep the row's values throughout. A set S of the others is a *change* if some possible
row that differs from the given one in S only gets the target. A *minimal* change contains no smaller one (a contrastive
explanation towards the target).

Minimal changes are listed by size. Each candidate hits every known obstacle (if a set is not a change, nor is a largest
superset of it that is none, so every change has a feature outside that) and contains no known change: a SAT solver
proposes, an oracle decides. As all smaller ones are known, what is found is minimal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from primewood.engines.duality import CONFLICTS, SOLVER
from primewood.engines.protocol import Clock, Costs, Nearest, Verdict, WeakeningPlan
from primewood.logic.expression import Literal
from primewood.logic.instance import Box, Point
from primewood.model.decision import RowDecision
from primewood.model.row_in_cell import Row
from primewood.questions.distance import choose_moves
from primewood.questions.weakening import weaken

if TYPE_CHECKING:
    from pysat.solvers import Solver

FeatureSet = frozenset[str]
"""Features by their names."""
FOR_LISTING = 0.7
"""The share of the time for listing changes; the rest is for the rows and ranges that are shown."""


@dataclass(frozen=True)
class ChangesOfSize:
    """The minimal changes of one size; all of them, and no smaller one is unknown, unless `interrupted`."""

    changes: list[FeatureSet]
    interrupted: bool


@dataclass(frozen=True)
class Way:
    """One way to make a change.

    Attributes
    ----------
    row : Row
        A row that makes the change and gets the target.
    ranges : tuple of Literal
        Every possible row that keeps the changed features in these ranges, and is otherwise like the given one, gets
        the target. Empty where nothing is proved about a range.
    box : Box or None
        What is proved: every possible row in it gets the target. It contains the rows that keep to the ranges.
    """

    row: Row
    ranges: tuple[Literal, ...]
    box: Box | None


class MinimalChanges:
    """Finds the minimal changes of a row towards a target, and what belongs to each.

    Parameters
    ----------
    decision
        The decision on the row.
    target
        The decision that is wanted, as a place in the names of decisions.
    hidden
        The features that keep the row's values, besides the immutable ones of the model.
    clock
        The limits of the whole question.

    Attributes
    ----------
    decision : RowDecision
        The decision as `predict` takes it, with the target.
    context : TreeContext
    impossible : bool
        Whether it is proved that there are none.
    complete : bool
        Whether everything is found that has a feature not seen before.
    """

    def __init__(self, decision: RowDecision, target: int, hidden: Iterable[str], clock: Clock) -> None:
        moves = choose_moves(decision.model, "l1", None, None, {"immutable": tuple(hidden)})
        moves.check(decision.context)
        self.decision = replace(decision, target=target).sum_sequentially()
        self.context = self.decision.context
        self.impossible = self.complete = False
        self._moves, self._target, self._safe_engines = moves, target, decision.model.engines
        self._clock = clock
        self._listing = clock.part(None if clock.limit is None else clock.left() * FOR_LISTING)
        self._questions = self.decision.oracle
        self._prices = self.decision.model.engines.price_changes(self.decision.label, target)
        self._every = frozenset(self.context.feature_names)
        self._known: dict[FeatureSet, Point] = {}
        self._names = self._list_changeable()

    def _list_changeable(self) -> list[str]:
        """The features that are not hidden and matter to the model, or to a constraint that orders them."""
        domain, hidden = self.context.domain, self._moves.immutable
        named = {name for order in domain.knowledge.orders for name in (order.lower, order.upper)}
        free = self._find_box(self._every - hidden)
        named |= {
            x.name for x, mask in zip(self.context.variables, free, strict=True) if mask.bit_count() > 1
        }
        return [name for name in self.context.feature_names if name in named - hidden]

    def list_by_size(self) -> Iterator[ChangesOfSize]:
        """The minimal changes by size, while there may be more that have features not seen before."""
        from pysat.card import ITotalizer
        from pysat.solvers import Solver

        nearest = self._find_nearest()
        if not self._names or (nearest.point is None and not nearest.interrupted):
            self.impossible = self.complete = True
            return
        if nearest.point is not None:
            self._keep(nearest.point, frozenset(self._names))
        count, interrupted, seen = len(self._names), False, set[str]()
        first = max(1, math.ceil(nearest.lower - 1e-9))
        with (
            ITotalizer(lits=list(range(1, count + 1)), ubound=count) as sizes,
            Solver(name=SOLVER, bootstrap_with=sizes.cnf.clauses) as solver,
        ):
            for size in range(first, count + 1):
                level = self._list_of_size(solver, [-sizes.rhs[size]] if size < count else [])
                interrupted = interrupted or level.interrupted
                seen.update(*level.changes)
                if level.changes:
                    yield ChangesOfSize(level.changes, interrupted)
                if interrupted and self._listing.expired():
                    break
                unseen = [n for n, name in enumerate(self._names, 1) if name not in seen]
                solver.add_clause([-(sizes.top_id + size), *unseen])
                if self._propose(solver, [sizes.top_id + size]) == frozenset():
                    self.complete = not interrupted
                    break
        if not self.complete:
            yield from self._list_guesses()

    def _find_nearest(self) -> Nearest:
        """A favourable cell that differs in as few features as possible."""
        decision = self.decision
        steps = replace(self._moves, norm="l0").find_costs(self.context, decision.row, decision.point)
        return self._prices.nearest(decision.point, steps, self._listing)

    def _list_guesses(self) -> Iterator[ChangesOfSize]:
        """What was met on the way, by size: changes that are perhaps not minimal."""
        smallest: list[FeatureSet] = []
        for size in sorted({len(x) for x in self._known}):
            same = [x for x in self._known if len(x) == size and not any(y < x for y in smallest)]
            smallest += same
            yield ChangesOfSize(same, interrupted=True)

    def _list_of_size(self, solver: Solver, at_most: list[int]) -> ChangesOfSize:
        """The changes of a size, when those of all smaller ones are known."""
        changes, interrupted = [], False
        while chosen := self._propose(solver, at_most):
            change = self._find_change(chosen)
            if change:
                changes.append(change)
                solver.add_clause([-n for n, name in enumerate(self._names, 1) if name in change])
            elif change is None:
                interrupted = True
                solver.add_clause([-n if name in chosen else n for n, name in enumerate(self._names, 1)])
            else:
                largest = self._enlarge(chosen)
                solver.add_clause([n for n, name in enumerate(self._names, 1) if name not in largest])
        return ChangesOfSize(changes, interrupted or chosen is None)

    def _propose(self, solver: Solver, assumed: list[int]) -> FeatureSet | None:
        """A set that nothing known speaks against; empty if there is none, None if interrupted."""
        while not self._listing.expired():
            solver.conf_budget(CONFLICTS)
            answer = solver.solve_limited(assumptions=assumed)
            if answer:
                chosen = {n for n in solver.get_model()[: len(self._names)] if n > 0}
                names = frozenset(name for n, name in enumerate(self._names, 1) if n in chosen)
                if names:
                    return names
                solver.add_clause(list(range(1, len(self._names) + 1)))  # the row itself is not favourable
            elif answer is False:
                return frozenset()
        return None

    def _find_change(self, names: FeatureSet) -> FeatureSet | None:
        """A change among these features; empty if there is none, None if that is not known."""
        if known := next((x for x in self._known if x <= names), None):
            return known
        if self._listing.expired():
            return None
        reply = self._questions.counterexample(self._find_box(names), self._listing)
        if not isinstance(reply, tuple):
            return frozenset() if reply is Verdict.NONE_EXISTS else None
        return self._keep(self._move_nearer(reply), names) or self._keep(reply, names)

    def _keep(self, point: Point, names: FeatureSet) -> FeatureSet | None:
        """Keep a favourable cell with the features in which its nearest row differs; None if it has no row.

        Orders between more than two features can rule out a cell in ways that only the numbers show.
        """
        row = self._find_row(point, names)
        if row is None:
            return None
        change = frozenset(x for x in names if self._differs(x, row))
        self._known[change] = point
        return change

    def _move_nearer(self, point: Point) -> Point:
        """A favourable cell, moved back to the row's own in one feature after the other where it stays favourable."""
        moved = list(point)
        for j, own in enumerate(self.decision.point):
            there, moved[j] = moved[j], own
            if there != own and self._questions.holds(tuple(moved)):
                moved[j] = there
        return tuple(moved)

    def _find_row(self, point: Point, change: FeatureSet) -> Row | None:
        """The nearest row of a cell that differs in these features only; None if there is none."""
        held = replace(self._moves, immutable=self._every - change)
        limits = held.find_limits(self.context, self.decision.row)
        return self.context.cells.nearest_row(point, self.decision.row, self.decision.point, limits)

    def _enlarge(self, names: FeatureSet) -> FeatureSet:
        """A largest superset of a set that is not a change either; smaller where a limit came."""
        for name in self._names:
            if name not in names and self._find_change(names | {name}) == frozenset():
                names |= {name}
        return names

    def _find_costs(self, names: FeatureSet) -> Costs:
        """What it costs to move to each value when these features change only."""
        moves = replace(self._moves, immutable=self._every - names)
        return moves.find_costs(self.context, self.decision.row, self.decision.point)

    def _find_box(self, names: FeatureSet) -> Box:
        """The cells that a row may be in when it differs in these features only."""
        possible, atoms = np.isfinite(self._find_costs(names)), self.context.atoms
        parts = (possible[atoms.of(j)] for j in range(len(self.context.variables)))
        return tuple(sum(1 << v for v in np.flatnonzero(part).tolist()) for part in parts)

    def _move_least(self, name: str, costs: Costs) -> Nearest:
        """The favourable cell, among those with a finite cost, to which a feature moves least."""
        place = self.context.place(name)
        own = np.where(np.isfinite(costs), 0.0, np.inf)
        if place is not None:
            part = self.context.atoms.of(place)
            own[part] = costs[part]
        return self._prices.nearest(self.decision.point, own, self._clock, largest=True)

    def find_least_move(self, name: str, change: FeatureSet) -> tuple[float, bool]:
        """The least move of a feature in a change, and whether a limit came, so that a smaller one may do."""
        found = self._move_least(name, self._find_costs(change))
        return found.cost, found.interrupted

    def find_way(self, name: str, change: FeatureSet) -> Way | None:
        """A way to make a change; None if the feature stays as it is there.

        The feature moves as little as it can, and so do the others, one after the other, given those before. The
        ranges are widened in the same order.
        """
        order = (name, *(x for x in self._names if x in change and x != name))
        point, costs = self._known[change], self._find_costs(change)
        for one in order:
            found, place = self._move_least(one, costs), self.context.place(one)
            if found.point is None or self._find_row(found.point, change) is None:
                break
            point = found.point
            if place is not None:
                part = self.context.atoms.of(place)
                costs[part][costs[part] > found.cost] = np.inf
        row = self._find_row(point, change)
        assert row is not None
        if not self._differs(name, row):
            return None
        box = self._find_safe_box(point, order)
        return Way(row, () if box is None else self._list_ranges(box, order), box)

    def _find_safe_box(self, point: Point, order: Sequence[str]) -> Box | None:
        """The cell at a point, widened in some features, one after the other, as far as it stays favourable.

        It is favourable however scores are added. None if the cell itself is not.
        """
        oracle = self._safe_engines.oracle(self._target)
        if oracle.counterexample(tuple(1 << v for v in point)) is not Verdict.NONE_EXISTS:
            return None
        places = [j for j in map(self.context.place, order) if j is not None]
        moved = [j for j in places if point[j] != self.decision.point[j]]
        fixed = frozenset(range(len(point))) - frozenset(moved)
        return weaken(oracle, point, WeakeningPlan([], moved, "intervals", fixed), self._clock).box

    def _list_ranges(self, box: Box, names: Sequence[str]) -> tuple[Literal, ...]:
        """The ranges of some features in a safe box; that a value may also be missing goes without saying."""
        ranges = []
        for place in (j for j in map(self.context.place, names) if j is not None):
            variable, mask = self.context.variables[place], box[place]
            given = mask if variable.missing is None else mask & ~(1 << variable.missing)
            if mask != variable.everything:
                ranges.append(Literal(variable, given or mask))
        return tuple(ranges)

    def _differs(self, name: str, row: Row) -> bool:
        """Whether a row differs from the given one in a feature."""
        columns = list(self.context.feature(name).columns)
        return not np.array_equal(self.decision.row[columns], row[columns], equal_nan=True)
