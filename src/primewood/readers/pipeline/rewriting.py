"""Tests of a model's columns, rewritten into tests of the raw columns that they come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from primewood.arrays import Bools, Floats, Ints
from primewood.ensemble import Ensemble, Tree
from primewood.ensemble.comparison import Operator, cuts_of
from primewood.ensemble.tree import is_within
from primewood.errors import UnsupportedModel
from primewood.readers.pipeline.search import Crossings

LARGEST = float(np.finfo(np.float64).max)
LEAST = 5e-324


@dataclass(frozen=True, slots=True)
class RawCells:
    """The line of raw numbers or codes, divided into cells. In each cell the model's finite columns are constant.

    Attributes
    ----------
    starts : array
        The first float of each cell but the first one.
    points : array
        What to ask about; NaN at the end if the column may be missing.
    first, last : arrays of int
        Per cell, which points stand for it: its first and its last float.
    single : array of int
        The cells of one float, which is unlike its neighbours even to columns that are monotone beside it.
    missing : bool
    """

    starts: Floats
    points: Floats
    first: Ints
    last: Ints
    single: Ints
    missing: bool

    @classmethod
    def from_numbers(cls, bins: Sequence[float], exceptions: Floats, *, missing: bool) -> RawCells:
        """Bins, and single numbers that behave unlike their neighbours."""
        starts = np.unique([*bins, *exceptions, *np.nextafter(exceptions, np.inf)])
        starts = starts[np.isfinite(starts)]
        points = np.concatenate([[-LARGEST], starts, np.nextafter(starts, -np.inf), [LARGEST]])
        n = len(starts) + 1
        single = np.searchsorted(starts, exceptions) + 1
        return cls(starts, _add_nan(points, missing), np.arange(n), np.arange(n, 2 * n), single, missing)

    @classmethod
    def from_codes(
        cls, codes: Floats, others: float | None, operator: Operator, *, spread: bool, missing: bool
    ) -> RawCells:
        """Codes. Whatever is none of them is like `others` if they are `spread` among other numbers.

        If not, there is nothing between them, and their cells are as wide as they can be.
        """
        ascending = np.sort(codes if others is None else [*codes, others])
        starts = np.nextafter(ascending[:-1], np.inf) if operator == "<=" else ascending[1:]
        which = np.arange(max(len(ascending), 1))
        points = ascending if len(ascending) else np.array([np.nan])
        if spread and others is not None:
            starts = np.unique(np.concatenate([codes, np.nextafter(codes, np.inf)]))
            between = np.where(np.isin(starts, codes), starts, others)
            which = np.searchsorted(ascending, np.concatenate([[others], between]))
        return cls(starts, _add_nan(points, missing), which, which, np.empty(0, dtype=np.int64), missing)


def _add_nan(points: Floats, missing: bool) -> Floats:
    return np.append(points, np.nan) if missing else points


@dataclass(frozen=True, slots=True)
class RawTest:
    """A test of a raw column: a threshold, or a set by its bounds; see `Tree.sets`."""

    threshold: float
    bounds: Floats | None = None

    @classmethod
    def of(cls, begins: bool, changes: Floats, operator: Operator) -> RawTest:
        """The test that is `begins` for the least numbers and changes at each of the given floats.

        >>> RawTest.of(True, np.array([2.0]), "<"), RawTest.of(False, np.array([2.0, 3.0, 3.0]), "<").bounds
        (RawTest(threshold=2.0, bounds=None), array([2.]))
        """
        begins ^= bool(np.isneginf(changes).sum() % 2)
        values, counts = np.unique(changes[np.isfinite(changes)], return_counts=True)
        bounds = values[counts % 2 == 1]
        if operator == "<=":
            bounds = np.nextafter(bounds, -np.inf)
        if len(bounds) <= begins:
            return cls(float(bounds[0]) if len(bounds) else np.inf if begins else -np.inf)
        return cls(0.0, np.concatenate([[-np.inf], bounds]) if begins else bounds)


@dataclass(frozen=True, slots=True)
class _Tests:
    """The tests of one column of the model, by their nodes in the line of all trees' nodes.

    Attributes
    ----------
    nodes : array of int
        Those with thresholds.
    cuts, which : arrays
        The different cuts of the thresholds, and which is whose.
    sets : mapping from the other nodes to the cuts of their bounds
    """

    nodes: Ints
    cuts: Floats
    which: Ints
    sets: Mapping[int, Floats]


class Rewriting:
    """The trees of a model, on their way to the raw columns.

    Parameters
    ----------
    inner
        The model.
    column_of
        The raw column of each of the model's.
    in_cells
        Those of the model's columns that are constant in each cell of their raw column; the others are monotone.
    absent_is_missing
        Whether zeros are missing to the model.
    """

    def __init__(
        self, inner: Ensemble, column_of: Sequence[int], *, in_cells: set[int], absent_is_missing: bool
    ) -> None:
        self._inner = inner
        self._column_of = np.array(column_of, dtype=np.int64)
        self._in_cells = in_cells
        self._absent_is_missing = absent_is_missing
        self._missing_left = np.concatenate([tree.missing_left for tree in inner.trees])
        self._tests = dict(self._group())
        self._cells: dict[int, RawCells] = {}
        self._values: dict[int, Floats] = {}
        self._threshold = np.zeros(len(self._missing_left))
        self._goes_left = np.zeros(len(self._missing_left), dtype=bool)
        self._set_of = np.full(len(self._missing_left), -1)
        self._sets: list[Floats] = []

    def _group(self) -> Iterator[tuple[int, _Tests]]:
        """The tests of each column of the model."""
        inner = self._inner
        feature = np.concatenate([tree.feature for tree in inner.trees])
        cuts = cuts_of(np.concatenate([tree.threshold for tree in inner.trees]), inner.operator, inner.dtype)
        in_sets = np.concatenate([tree.tests_sets for tree in inner.trees])
        bounds = self._bounds_of_sets()
        order = np.argsort(feature, kind="stable")
        columns, begins = np.unique(feature[order], return_index=True)
        for column, nodes in zip(columns.tolist(), np.split(order, begins[1:]), strict=True):
            if column >= 0:
                plain = nodes[~in_sets[nodes]]
                different, which = np.unique(cuts[plain], return_inverse=True)
                sets = {node: bounds[node] for node in nodes[in_sets[nodes]].tolist()}
                yield column, _Tests(plain, different, which, sets)

    def _bounds_of_sets(self) -> dict[int, Floats]:
        found: dict[int, Floats] = {}
        begin = 0
        for tree in self._inner.trees:
            for node in np.flatnonzero(tree.tests_sets).tolist():
                bounds = tree.bounds_at(node)
                found[begin + node] = cuts_of(bounds, self._inner.operator, self._inner.dtype)
            begin += len(tree)
        return found

    def answer(self, cells: Mapping[int, RawCells], matrix: Floats) -> None:
        """Take what the steps make of the points of cells: in a row, the points of one place in all raw columns."""
        for output in self._tests:
            own = cells[int(self._column_of[output])]
            values = matrix[: len(own.points), output]
            if output in self._in_cells:
                first, last = values[own.first], values[own.last]
                if not ((first == last) | (np.isnan(first) & np.isnan(last))).all():
                    raise UnsupportedModel(
                        "a step of this pipeline distinguishes numbers of one bin; it is refused rather than guessed at"
                    )
            self._values[output] = values
            self._cells[output] = own

    def crossings(self) -> Crossings:
        """What has to be known about the monotone columns: from where on they are beyond which cuts."""
        asked = [(output, self._ask(output)) for output in self._tests if output not in self._in_cells]
        output = np.repeat([output for output, _ in asked], [len(cuts) for _, cuts in asked]).astype(np.int64)
        cuts = np.concatenate([np.empty(0), *(cuts for _, cuts in asked)])
        return Crossings(self._column_of[output], output, cuts)

    def _ask(self, output: int) -> Floats:
        tests = self._tests[output]
        cuts: Floats = np.unique(
            np.concatenate([tests.cuts, *tests.sets.values(), *self._search_around_zero()])
        )
        return np.asarray(cuts[np.isfinite(cuts)])

    def _search_around_zero(self) -> list[Floats]:
        """If zeros are missing: the cuts between which they are."""
        if not self._absent_is_missing:
            return []
        return [np.array([0.0, LEAST] if self._inner.operator == "<" else [-LEAST, 0.0])]

    def zeros(self, found: Floats) -> Crossings:
        """If zeros are missing: the first and the last float at which each monotone column is zero."""
        asked = self.crossings()
        around = np.ravel(self._search_around_zero())
        first = np.flatnonzero(np.isin(asked.cut, around[:1]))
        after = np.flatnonzero(np.isin(asked.cut, around[1:]))
        some = found[first] < found[after]
        at = np.concatenate([found[first[some]], np.nextafter(found[after[some]], -np.inf)])
        which = np.concatenate([first[some], after[some]])[np.isfinite(at)]
        return Crossings(asked.column[which], asked.output[which], at[np.isfinite(at)])

    def trees(self, found: Floats) -> tuple[Tree, ...]:
        """The trees over the raw columns, given the answers to `crossings`."""
        begin = 0
        for output in self._tests:
            if output in self._in_cells:
                self._rewrite_in_cells(output)
            else:
                cuts = self._ask(output)
                self._rewrite_monotone(output, cuts, found[begin : begin + len(cuts)])
                begin += len(cuts)
            self._rewrite_missing(output)
        return tuple(self._split())

    def _rewrite_in_cells(self, output: int) -> None:
        tests, own = self._tests[output], self._cells[output]
        values = self._values[output][own.first]
        known = np.unique(values[~np.isnan(values)])
        closed = self._inner.operator == "<="
        rank = np.searchsorted(known, tests.cuts, side="right" if closed else "left")[tests.which]
        kinds, kind_of = np.unique(2 * rank + self._missing_left[tests.nodes], return_inverse=True)
        for place, kind in enumerate(kinds.tolist()):
            left = np.isin(values, known[: kind // 2]) | (np.isnan(values) & bool(kind % 2))
            self._put(tests.nodes[kind_of == place], left, own.starts)
        for node, bounds in tests.sets.items():
            left = self._left(values, bounds, missing_left=bool(self._missing_left[node]))
            self._put(np.array([node]), left, own.starts)

    def _rewrite_monotone(self, output: int, cuts: Floats, beyond: Floats) -> None:
        tests, own = self._tests[output], self._cells[output]
        cuts, beyond = np.array([-np.inf, *cuts, np.inf]), np.array([-np.inf, *beyond, np.inf])
        at = beyond[np.searchsorted(cuts, tests.cuts)]
        if not len(own.single) and not self._absent_is_missing:
            closed = (self._inner.operator == "<=") & np.isfinite(at)
            self._threshold[tests.nodes] = np.where(closed, np.nextafter(at, -np.inf), at)[tests.which]
        else:
            kinds, kind_of = np.unique(2 * tests.which + self._missing_left[tests.nodes], return_inverse=True)
            for place, kind in enumerate(kinds.tolist()):
                bounds = np.array([-np.inf, tests.cuts[kind // 2]])
                changes = np.array([-np.inf, at[kind // 2]])
                zero = beyond[np.searchsorted(cuts, np.ravel(self._search_around_zero()))]
                starts, left = self._add_exceptions(
                    output, bounds, changes, zero, missing_left=bool(kind % 2)
                )
                self._put(tests.nodes[kind_of == place], left, starts)
        for node, bounds in tests.sets.items():
            changes = beyond[np.searchsorted(cuts, bounds)]
            zero = beyond[np.searchsorted(cuts, np.ravel(self._search_around_zero()))]
            missing_left = bool(self._missing_left[node])
            starts, left = self._add_exceptions(output, bounds, changes, zero, missing_left=missing_left)
            self._put(np.array([node]), left, starts)

    def _add_exceptions(
        self, output: int, bounds: Floats, changes: Floats, zero: Floats, *, missing_left: bool
    ) -> tuple[Floats, Bools]:
        """Where cells start and what goes left in each, for a test of a column that is monotone but for exceptions."""
        own = self._cells[output]
        single = own.points[own.first[own.single]]
        after = np.nextafter(single, np.inf)
        starts = np.unique(np.concatenate([changes, single, after, zero]))
        starts = starts[np.isfinite(starts)]
        begins = np.array([-np.inf, *starts])
        left = np.searchsorted(np.sort(changes), begins, side="right") % 2 == 1
        if zero.size:
            left[(begins >= zero[0]) & (begins < zero[1])] = missing_left
        values = self._values[output][own.first[own.single]]
        left[np.searchsorted(begins, single)] = self._left(values, bounds, missing_left=missing_left)
        return starts, left

    def _rewrite_missing(self, output: int) -> None:
        """Where missing values go: with the value that the steps make of them, or, if none, as in the model."""
        tests, own = self._tests[output], self._cells[output]
        if not own.missing:
            return
        value = self._values[output][-1:]
        inner = self._missing_left
        for nodes in (tests.nodes, np.array(list(tests.sets), dtype=np.int64)):
            self._goes_left[nodes] = inner[nodes]
        if not np.isnan(value[0]):
            closed = self._inner.operator == "<="
            self._goes_left[tests.nodes] = (value <= tests.cuts if closed else value < tests.cuts)[
                tests.which
            ]
            for node, bounds in tests.sets.items():
                self._goes_left[node] = is_within(value, bounds, self._inner.operator)[0]

    def _left(self, values: Floats, bounds: Floats, *, missing_left: bool) -> Bools:
        inside = is_within(values, bounds, self._inner.operator)
        return np.where(np.isnan(values), missing_left, inside)

    def _put(self, nodes: Ints, left: Bools, starts: Floats) -> None:
        """Make a test of the cells that go left, given where cells start."""
        test = RawTest.of(bool(left[0]), starts[left[1:] != left[:-1]], self._inner.operator)
        self._threshold[nodes] = test.threshold
        if test.bounds is not None:
            self._set_of[nodes] = len(self._sets)
            self._sets.append(test.bounds)

    def _split(self) -> Iterator[Tree]:
        """The line of nodes, cut into trees again."""
        begin = 0
        for tree in self._inner.trees:
            own = slice(begin, begin + len(tree))
            begin += len(tree)
            used = np.unique(self._set_of[own])
            used = used[used >= 0]
            yield replace(
                tree,
                feature=np.where(tree.is_leaf, -1, self._column_of[tree.feature]),
                threshold=self._threshold[own].copy(),
                missing_left=self._goes_left[own].copy(),
                set_of=np.where(self._set_of[own] >= 0, np.searchsorted(used, self._set_of[own]), -1),
                sets=tuple(self._sets[i] for i in used.tolist()),
            )
