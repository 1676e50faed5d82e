"""Training rows with one feature swept: every value that the model distinguishes, everything else unchanged.

Let v be a row's own value of a feature and d(u) the decision at the value u. The row breaks a property of pairs iff the
pair of v and some u does, where the changed row is possible. Decisions are constant on each value, so one number of
each is enough, and the answer is exact for the rows that are scanned. In a tree, many values of the feature take the
same way: they are looked at once. Cost: at most one addition per row, value and tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.engines.protocol import Clock
from primewood.ensemble import Ensemble, Tree
from primewood.logic.instance import Point
from primewood.model.row_in_cell import Row
from primewood.properties.breaking_rows import Breaking
from primewood.properties.verification import Verifier

SweepDirection = Choice["up", "down", "any"]
"""Which of two values comes first in a pair: the lower one, the higher one, or either."""
ADDITIONS = 1 << 24
"""How many additions are made before one looks whether something was found."""
ADDITIONS_PER_BLOCK = 1 << 20
"""How many are made before one looks at the clock."""
MOST_TOGETHER = 4096
"""Several features are swept together if they have at most this many combinations of values; else one by one."""
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Forbidden:
    """The pairs of decisions that must not be.

    Attributes
    ----------
    pairs : array of bool
        Per decision of the first row and decision of the second whether that breaks the property.
    way : SweepDirection
        Which row is the first one.
    """

    pairs: NDArray[np.bool_]
    way: SweepDirection

    @classmethod
    def of(cls, pairs: Sequence[tuple[int, int]], labels: int, way: SweepDirection) -> Forbidden:
        """The pairs as a table."""
        table = np.zeros((labels, labels), dtype=bool)
        for before, after in pairs:
            table[before, after] = True
        return cls(table, way)

    def partners(self, labels: Labels, own: Labels, ordered: int) -> NDArray[np.bool_]:
        """Which values break it together with a row's own one; `labels` is −1 where a row is not possible.

        "Missing" has no place in the order, and pairs with nothing where there is one.
        """
        values = np.arange(labels.shape[1])
        here = np.take_along_axis(labels, own[:, None], axis=1)
        first, second = self.pairs[here, labels], self.pairs[labels, here]
        if self.way == "any":
            return (labels >= 0) & (first | second)
        before, after = values < own[:, None], values > own[:, None]
        if self.way == "down":
            before, after = after, before
        known = (labels >= 0) & (values < ordered) & (own < ordered)[:, None]
        return known & ((after & first) | (before & second))

    def find_on_line(self, labels: Labels, ordered: int) -> tuple[int, int, int] | None:
        """A row and two values of the feature that break it, whatever the row's own value is; the first one first."""
        line = labels[:, :ordered] if self.way != "down" else labels[:, :ordered][:, ::-1]
        for before in np.flatnonzero(self.pairs.any(axis=1)).tolist():
            seen = np.logical_or.accumulate(line == before, axis=1)
            wrong = seen & (line >= 0) & self.pairs[before][line]
            if wrong.any():
                i = int(np.flatnonzero(wrong.any(axis=1))[0])
                second = int(wrong[i].argmax())
                first = int(np.flatnonzero(line[i, :second] == before)[-1])
                last = line.shape[1] - 1
                return (i, last - first, last - second) if self.way == "down" else (i, first, second)
        return None


@dataclass(frozen=True)
class SweepLine:
    """Rows with some features swept, together if they are several.

    Attributes
    ----------
    verifier : Verifier
    places : tuple of int
        The variables of the features.
    """

    verifier: Verifier
    places: tuple[int, ...]

    @cached_property
    def cells(self) -> Labels:
        """The combinations of values, one row each."""
        sizes = [len(self.verifier.context.variables[j]) for j in self.places]
        return np.indices(sizes).reshape(len(sizes), -1).T

    @cached_property
    def columns(self) -> list[int]:
        """The columns of the features."""
        return [column for j in self.places for column in self.verifier.subject.domain.seen[j].columns]

    @cached_property
    def numbers(self) -> Row:
        """What the columns hold at each combination."""
        parts = []
        for k, j in enumerate(self.places):
            feature = self.verifier.subject.domain.seen[j]
            held = np.full((len(self.verifier.context.variables[j]), len(feature.columns)), np.nan)
            held[: len(feature.numbers)] = feature.numbers
            parts.append(held[self.cells[:, k]])
        return np.hstack(parts)

    @cached_property
    def _ways(self) -> list[tuple[NDArray[np.int64], Row]]:
        """Per tree, the way that each combination takes, and numbers that take each way; see `prepare`."""
        return []

    def prepare(self, clock: Clock) -> bool:
        """Find the ways through the trees; False if the time is up before, to be continued by the next call."""
        ensemble = self.verifier.subject.ensemble
        for tree in self._trees[len(self._ways) :]:
            if clock.expired():
                return False
            self._ways.append(_find_ways(tree, ensemble, self.columns, self.numbers))
        return True

    @property
    def _trees(self) -> tuple[Tree, ...]:
        return self.verifier.subject.ensemble.trees

    @property
    def cost(self) -> int:
        """The additions that one row takes."""
        return len(self.cells) * len(self._trees)

    def own(self, points: Labels) -> Labels:
        """Which combination each row has, by the cells of rows."""
        sizes = [len(self.verifier.context.variables[j]) for j in self.places]
        return np.ravel_multi_index(tuple(points[:, j] for j in self.places), sizes).astype(np.int64)

    def decisions(self, rows: Row) -> Labels:
        """The decision on each row at each combination; −1 where no row can be."""
        ensemble, reached = self.verifier.subject.ensemble, self._find_reached(rows)
        # Along the combinations, few trees change their leaf at a time: only there is anything added up.
        starts = np.zeros((len(rows), len(self.cells)), dtype=bool)
        starts[:, 0] = True
        for (way, _), leaf in zip(self._ways, reached, strict=True):
            steps = np.flatnonzero(way[1:] != way[:-1])
            starts[:, steps + 1] |= leaf[:, way[steps + 1]] != leaf[:, way[steps]]
        i, cell = np.nonzero(starts)
        leaves = (leaf[i, way[cell]] for (way, _), leaf in zip(self._ways, reached, strict=True))
        decided = ensemble.decide(ensemble.scores_at(leaves, len(i)))
        labels = decided[np.cumsum(starts.ravel()) - 1].reshape(starts.shape)
        return np.where(self._possible(rows), labels, -1) if self._is_constrained else labels

    def _find_reached(self, rows: Row) -> list[NDArray[np.int64]]:
        """Per tree, the leaf of each row on each way."""
        ensemble, found = self.verifier.subject.ensemble, []
        for tree, (_, numbers) in zip(self._trees, self._ways, strict=True):
            table = np.repeat(rows, len(numbers), axis=0)
            table[:, self.columns] = np.tile(numbers, (len(rows), 1))
            leaf = tree.apply(table, ensemble.operator, ensemble.dtype)
            found.append(leaf.reshape(len(rows), len(numbers)))
        return found

    @cached_property
    def ordered(self) -> list[str]:
        """The swept features that order constraints mention."""
        orders = self.verifier.subject.domain.knowledge.orders
        named = {name for order in orders for name in (order.lower, order.upper)}
        return [name for j in self.places if (name := self.verifier.context.variables[j].name) in named]

    @cached_property
    def _is_constrained(self) -> bool:
        rules = self.verifier.subject.domain.knowledge.rules
        named = {j for rule in rules for box in rule.forbidden for j in box}
        return bool(named & {*self.places}) or bool(self.ordered)

    def _possible(self, rows: Row) -> NDArray[np.bool_]:
        domain = self.verifier.subject.domain
        table = self.variants(rows)
        allowed = domain.possible(table, domain.points(table))
        return allowed.reshape(len(rows), len(self.cells))

    def variants(self, rows: Row) -> Row:
        """The rows with each combination, one row after the other.

        Numbers are those nearest to the row's own. What orders allow for one number, all others given, is an interval
        that holds the row's own number: so if any number of a cell is possible, the nearest one is.
        """
        table = np.repeat(rows, len(self.cells), axis=0)
        table[:, self.columns] = np.tile(self.numbers, (len(rows), 1))
        for k, j in enumerate(self.places):
            feature = self.verifier.subject.domain.seen[j]
            if feature.patterns is None:
                here = np.repeat(rows[:, feature.column], len(self.cells))
                ends = np.vstack([feature.all_ends, [np.nan, np.nan]])[self.cells[:, k]]
                low, high = np.tile(ends, (len(rows), 1)).T
                table[:, feature.column] = np.clip(np.where(np.isnan(here), 0.0, here), low, high)
        return table

    def is_exact(self, rows: Row) -> bool:
        """Whether every change that is possible was tried for these rows.

        Where orders bind several swept features, or one that is missing, not every choice of numbers is.
        """
        if len(self.ordered) != 1:
            return not self.ordered
        names = [feature.name for feature in self.verifier.subject.domain.seen]
        feature = self.verifier.subject.domain.seen[names.index(self.ordered[0])]
        return not np.isnan(rows[:, feature.column]).any()

    def change(self, row: Row, point: Point, cell: int) -> Row:
        """A row with another combination, everything else unchanged; numbers are easy to read where they may be any."""
        if self.verifier.subject.domain.knowledge.orders:
            return np.asarray(self.variants(row[None, :])[cell])
        other = list(point)
        for j, value in zip(self.places, self.cells[cell].tolist(), strict=True):
            other[j] = value
        return self.verifier.context.cells.row_at(tuple(other), row, point)


def _find_ways(
    tree: Tree, ensemble: Ensemble, columns: Sequence[int], numbers: Row
) -> tuple[NDArray[np.int64], Row]:
    """Which combinations of values no test of a tree distinguishes, and numbers of one of each kind."""
    with np.errstate(over="ignore"):
        cast = numbers.astype(ensemble.dtype).astype(np.float64)
    keys = np.zeros(numbers.shape, dtype=np.int64)
    for k, column in enumerate(columns):
        nodes = np.flatnonzero((tree.feature == column) & ~tree.is_leaf)
        sets = [tree.bounds_at(int(node)) for node in nodes[tree.tests_sets[nodes]]]
        bounds = np.unique(np.concatenate([tree.threshold[nodes], *sets]))
        keys[:, k] = np.searchsorted(
            bounds, cast[:, k], side="left" if ensemble.operator == "<=" else "right"
        )
        keys[np.isnan(cast[:, k]), k] = -1
    if len(columns) == 1:
        _, first, way = np.unique(keys[:, 0], return_index=True, return_inverse=True)
    else:
        _, first, way = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return way.reshape(-1), numbers[first]


@dataclass(frozen=True)
class Break:
    """A training row that breaks a property of pairs.

    Attributes
    ----------
    place : int
    own, other : int
        Its own combination of values, and one that breaks it.
    labels : pair of int
        The decisions at the two.
    occurs : bool
        Whether all values of the other one occur in the training rows.
    """

    place: int
    own: int
    other: int
    labels: tuple[int, int]
    occurs: bool


class RowScan:
    """Scans the training rows for those that break a property of pairs, some rows at a time.

    Parameters
    ----------
    verifier
        The model; its context has the rows.
    places
        The variables that may change.
    forbidden
        The forbidden pairs of decisions.
    """

    def __init__(self, verifier: Verifier, places: Sequence[int], forbidden: Forbidden) -> None:
        self.verifier, self.forbidden = verifier, forbidden
        self.lines = _lines(verifier, places)
        rows, points = verifier.context.rows, verifier.context.points
        self.rows = np.empty((0, 0)) if rows is None else rows
        self.points = np.empty((0, 0), dtype=np.int64) if points is None else points
        known = np.flatnonzero((self.points >= 0).all(axis=1)) if len(self.points) else np.empty(0, np.int64)
        # A part of the rows shall be a fair sample of them: there may be no time for all.
        self.waiting = np.random.default_rng(0).permutation(known)
        self.found: dict[int, tuple[SweepLine, Break]] = {}
        self.pair: tuple[Row, Row] | None = None
        self.exact = len(self.lines) == 1
        self._values: dict[tuple[int, int, int], object] = {}

    def run(self, clock: Clock, *, until_found: bool = False) -> None:
        """Scan rows until all are done, or the time limit comes, or one that breaks it is found.

        The clock is checked more often than what was found, so that what is found does not depend on the clock.
        """
        cost = sum(line.cost for line in self.lines)
        if not len(self.waiting) or not all(line.prepare(clock) for line in self.lines):
            return
        while len(self.waiting) and self.lines and not clock.expired():
            chunk = self.waiting[: max(1, ADDITIONS // cost)]
            self._look_in_blocks(chunk, max(1, ADDITIONS_PER_BLOCK // cost), clock)
            if until_found and self.witness is not None:
                return

    def _look_in_blocks(self, chunk: NDArray[np.int64], size: int, clock: Clock) -> None:
        for start in range(0, len(chunk), size):
            if start and clock.expired():
                return
            block = chunk[start : start + size]
            self.waiting = self.waiting[len(block) :]
            for line in self.lines:
                self._look_at(block, line)

    def _look_at(self, chunk: NDArray[np.int64], line: SweepLine) -> None:
        rows = self.rows[chunk]
        own, labels = line.own(self.points[chunk]), line.decisions(rows)
        ordered = self._count_ordered(line)
        wrong = self.forbidden.partners(labels, own, ordered)
        if self.forbidden.way == "any":
            self.exact = self.exact and line.is_exact(rows)
        broken = np.flatnonzero(wrong.any(axis=1))
        occurs = self._occurs(line)
        apart = np.abs(line.cells[None, :, :] - line.cells[own[broken]][:, None, :]).sum(axis=2)
        # Values that occur serve best as an example, then those that are near.
        rank = apart + np.where(occurs, 0, apart.max(initial=0) + 1)
        nearest = np.where(wrong[broken], rank, np.iinfo(np.int64).max).argmin(axis=1)
        for i, other in zip(broken.tolist(), nearest.tolist(), strict=True):
            decided = (int(labels[i, own[i]]), int(labels[i, other]))
            one = Break(int(chunk[i]), int(own[i]), other, decided, bool(occurs[other]))
            self.found.setdefault(one.place, (line, one))
        if self.pair is None and not self.found and self.forbidden.way != "any":
            self.pair = self._find_on_line(chunk, line, labels, ordered)

    def _count_ordered(self, line: SweepLine) -> int:
        return self.verifier.context.variables[line.places[0]].ordered if len(line.places) == 1 else 0

    def _find_on_line(
        self, chunk: NDArray[np.int64], line: SweepLine, labels: Labels, ordered: int
    ) -> tuple[Row, Row] | None:
        """Two rows that break it and differ from a training row, and from each other, in the feature only."""
        found = self.forbidden.find_on_line(labels, ordered)
        if found is None:
            return None
        place = int(chunk[found[0]])
        row, point = self.rows[place], tuple(self.points[place].tolist())
        first, second = (line.change(row, point, cell) for cell in found[1:])
        return first, second

    def _occurs(self, line: SweepLine) -> NDArray[np.bool_]:
        """Which combinations have values that occur in the training rows only."""
        shares, found = self.verifier.context.frequencies, np.ones(len(line.cells), dtype=bool)
        for k, j in enumerate(line.places):
            found &= False if shares is None else shares[j][line.cells[:, k]] > 0
        return found

    @property
    def witness(self) -> tuple[Row, Row] | None:
        """Two rows that break it, the first one first: a training row and its change, if there is such a row."""
        if not self.found:
            return self.pair
        line, one = min(self.found.values(), key=lambda each: (not each[1].occurs, each[1].place))
        row, point = self.rows[one.place], tuple(self.points[one.place].tolist())
        pair = (np.asarray(row), line.change(row, point, one.other))
        is_first = self.forbidden.way == "any" or (one.own < one.other) == (self.forbidden.way == "up")
        return pair if is_first else (pair[1], pair[0])

    @property
    def breaking(self) -> Breaking | None:
        """The training rows that were found to break it; None without training rows."""
        if not len(self.rows):
            return None
        names = self.verifier.context.class_names
        found = [self.found[place] for place in sorted(self.found)]
        return Breaking.from_rows(
            self.verifier.context,
            np.array([one.place for _, one in found], dtype=np.int64),
            [names[one.labels[0]] for _, one in found],
            complete=(self.exact and not len(self.waiting)) or len(found) == len(self.rows),
            changes=tuple(self._change(line, one) for line, one in found),
            changed_decisions=tuple(names[one.labels[1]] for _, one in found),
        )

    def _change(self, line: SweepLine, one: Break) -> dict[str, object]:
        """What changes, and to what."""
        values = zip(line.places, line.cells[one.own].tolist(), line.cells[one.other].tolist(), strict=True)
        return {
            self.verifier.context.variables[j].name: self._value(line, one, j, value)
            for j, own, value in values
            if own != value
        }

    def _value(self, line: SweepLine, one: Break, j: int, value: int) -> object:
        """A value by its name or by a number; without orders, that is the same for all rows."""
        key = (j, value, one.place if self.verifier.subject.domain.knowledge.orders else -1)
        if key not in self._values:
            row, point = self.rows[one.place], tuple(self.points[one.place].tolist())
            held = self.verifier.context.named_values(line.change(row, point, one.other))
            self._values[key] = held[self.verifier.context.variables[j].name]
        return self._values[key]


def _lines(verifier: Verifier, places: Sequence[int]) -> list[SweepLine]:
    """The features together if they have few combinations of values, else one by one."""
    together = float(np.prod([float(len(verifier.context.variables[j])) for j in places])) if places else 0.0
    if len(places) > 1 and together > MOST_TOGETHER:
        return [SweepLine(verifier, (j,)) for j in places]
    return [SweepLine(verifier, tuple(places))] if places else []
