"""All cells of a small model, each decided by the library itself, and all boxes over them.

A cell is one value per variable. For each cell several rows are made: the least numbers of all its intervals, the
largest, and mixtures. The library decides them all in one batch. Boxes are then judged by tensor products over the
cells; nothing here asks an engine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

import primewood as pw
from primewood.domain import Domain, Feature
from traces.constraints import satisfied
from traces.models import Model
from traces.recipes import Labels, Rows
from traces.wrong import TooMany, Wrong

Box = tuple[int, ...]
Point = tuple[int, ...]
Bits = NDArray[np.bool_]
MOST_CELLS = 4000
MOST_BOXES = 200_000
FAR = 1e6
IMPOSSIBLE = -1
"""The label of cells that constraints exclude."""


@dataclass(frozen=True)
class Ends:
    """The least and the largest numbers of each value of a feature, one row per value; equal for categories."""

    low: Rows
    high: Rows


def ends_of(feature: Feature) -> Ends:
    """What the columns of a feature hold at each value of its variable."""
    if feature.patterns is not None:
        codes = np.array(list(feature.patterns), dtype=np.float64)
        return Ends(codes, codes)
    cuts = feature.variable.cuts or ()
    closed_right = feature.variable.closed == "right"
    far = FAR + max(map(abs, cuts), default=0.0)
    low = [max(feature.low, -far), *(_above(cut, feature.whole) if closed_right else cut for cut in cuts)]
    high = [*(cut if closed_right else _below(cut, feature.whole) for cut in cuts), min(feature.high, far)]
    return Ends(np.array(low)[:, None], np.array(high)[:, None])


def _above(cut: float, whole: bool) -> float:
    above = math.nextafter(cut, math.inf)
    return max(above, math.floor(cut) + 1.0) if whole else above


def _below(cut: float, whole: bool) -> float:
    below = math.nextafter(cut, -math.inf)
    return min(below, math.ceil(cut) - 1.0) if whole else below


class HasDomain(Protocol):
    """An explainer, or the context of an answer."""

    domain: Domain | None
    class_names: tuple[object, ...]


class Table:
    """The decisions of a model on all its cells.

    Attributes
    ----------
    cells : array of int
        One row of values per cell.
    rows, cell_of : arrays
        Rows that constraints allow, and the cell that each lies in.
    labels : array of int
        Per cell the decision: `IMPOSSIBLE` where no row may be, `UNDECIDED` where the order of summation decides.
    loose : array of bool
        Cells so near to a tie that they may count as undecided.
    """

    def __init__(self, model: Model, asked: HasDomain) -> None:
        assert asked.domain is not None
        self.model, self.domain = model, asked.domain
        self.variables = self.domain.variables
        self.class_names = asked.class_names
        self.sizes = tuple(len(x) for x in self.variables)
        if math.prod(self.sizes) > MOST_CELLS:
            raise TooMany
        self.cells = (
            np.indices(self.sizes).reshape(len(self.sizes), -1).T if self.sizes else np.zeros((1, 0), int)
        )
        self._fill()

    def _fill(self) -> None:
        generator = np.random.default_rng(self.model.recipe.seed)
        kinds = [self._all_rows(kind, generator) for kind in ("low", "high", "order", "mixed", "mixed")]
        rows, cell_of = np.vstack(kinds), np.tile(np.arange(len(self.cells)), len(kinds))
        allowed = satisfied(self.model.recipe, rows, self.model.words)
        self.rows, self.cell_of = rows[allowed], cell_of[allowed]
        self.row_labels = self.model.decide(self.rows)
        self.labels = np.full(len(self.cells), IMPOSSIBLE)
        self.labels[self.cell_of[::-1]] = self.row_labels[::-1]
        self.loose = np.zeros(len(self.cells), dtype=bool)
        self.loose[self.cell_of] = self.model.loose(self.rows)
        wrong = np.flatnonzero(self.labels[self.cell_of] != self.row_labels)
        if wrong.size:
            raise Wrong("cells", f"rows of one cell are decided differently: {self.rows[wrong[0]].tolist()}")

    def _all_rows(self, kind: str, generator: np.random.Generator) -> Rows:
        """One row per cell."""
        rows = self._other_columns(generator)
        if kind == "order":
            self._leave_room(rows)
        for j, feature in enumerate(self.domain.seen):
            ends = ends_of(feature)
            high = self._goes_high(feature.name, kind, generator)
            numbers = np.where(
                high[:, None], at_values(ends.high, self.cells[:, j]), at_values(ends.low, self.cells[:, j])
            )
            rows[:, list(feature.columns)] = numbers
        return rows

    def _other_columns(self, generator: np.random.Generator) -> Rows:
        """Rows that hold what training rows hold, for the columns that no test looks at."""
        X = self.model.data.X
        rows = X[generator.integers(0, len(X), len(self.cells))].copy()
        for feature in self.domain.features:
            if feature.variable is None and not feature.missing:
                held = rows[:, list(feature.columns)]
                rows[:, list(feature.columns)] = np.where(np.isnan(held), 0.0, held)
        return rows

    def _leave_room(self, rows: Rows) -> None:
        """Move what no test looks at as far as it goes, so that no order between features keeps a cell empty."""
        for feature in self.domain.features:
            if feature.variable is None and feature.patterns is None:
                high = self._goes_high(feature.name, "order", np.random.default_rng())[0]
                rows[:, feature.column] = feature.ends(0)[int(high)]

    def _goes_high(self, name: str, kind: str, generator: np.random.Generator) -> Bits:
        count = len(self.cells)
        if kind == "mixed":
            return generator.random(count) < 0.5
        uppers = {self.model.recipe.names[c[2]] for c in self.model.recipe.constraints if c[0] == "order"}
        return np.full(count, kind == "high" or (kind == "order" and name in uppers))

    def point(self, row: Sequence[float]) -> Point:
        """The cell of a row."""
        return tuple(int(v) for v in self.domain.points(np.array([row], dtype=np.float64))[0])

    def label(self, point: Point) -> int:
        """The decision on a cell."""
        return int(self.labels[self._place(point)])

    def is_loose(self, point: Point) -> bool:
        return bool(self.loose[self._place(point)])

    def _place(self, point: Point) -> int:
        return int(np.ravel_multi_index(point, self.sizes)) if self.sizes else 0

    @cached_property
    def possible(self) -> Bits:
        """The cells that rows can be in."""
        return self.labels != IMPOSSIBLE

    @property
    def is_exact(self) -> bool:
        """Whether no cell is so near to a tie that brute force does not know how it counts."""
        return not self.loose.any()

    def against(self, label: int, wanted: int | None = None) -> Bits:
        """The cells that speak against a decision, as a tensor: decided otherwise, or as wanted."""
        found = self.possible & (self.labels != label if wanted is None else self.labels == wanted)
        return found.reshape(self.sizes)

    def perhaps_against(self, label: int, wanted: int | None = None) -> Bits:
        """The same, with the cells that may count as undecided."""
        return self.against(label, wanted) | (self.possible & self.loose).reshape(self.sizes)

    def inside(self, box: Box) -> Bits:
        """Which cells a box holds, as a tensor."""
        found = np.ones(self.sizes, dtype=bool)
        for j, mask in enumerate(box):
            along = np.array([mask >> v & 1 for v in range(self.sizes[j])], dtype=bool)
            found &= along.reshape([-1 if k == j else 1 for k in range(len(self.sizes))])
        return found

    @cached_property
    def clear(self) -> Labels:
        """The places of the rows that are decided beyond doubt."""
        return np.flatnonzero((self.row_labels >= 0) & ~self.loose[self.cell_of])

    def everything(self) -> Box:
        return tuple((1 << size) - 1 for size in self.sizes)

    def is_certain(self, box: Box, bad: Bits) -> bool:
        """Whether no bad cell lies in a box."""
        return not bool((self.inside(box) & bad).any())


def at_values(numbers: Rows, values: Labels) -> Rows:
    """The numbers at values; NaN for the value after the last, which is "missing"."""
    padded = np.vstack([numbers, np.full((1, numbers.shape[1]), np.nan)])
    return padded[values]


def weaker(variable: pw.Variable, mask: int, language: str) -> Iterator[int]:
    """The literals that are next to a literal and allow more; that of all values means that it is dropped."""
    size, ordered, everything = len(variable), variable.ordered, variable.everything
    if mask == everything:
        return
    if language == "values" or (language == "intervals" and ordered and not mask & ((1 << ordered) - 1)):
        yield everything
        return
    for v in range(size):
        beside = language == "sets" or v >= ordered or _touches(mask & ((1 << ordered) - 1), v)
        if not mask >> v & 1 and beside:
            yield mask | 1 << v


def _touches(run: int, value: int) -> bool:
    return bool(run << 1 >> value & 1 or run >> 1 >> value & 1)


def literals(variable: pw.Variable, language: str, value: int | None = None) -> list[int]:
    """All sets of values that a term may allow of a variable; around a value, those that allow it."""
    size, ordered, everything = len(variable), variable.ordered, variable.everything
    if language == "values":
        found = [*(1 << v for v in range(size)), everything]
    elif language == "sets" or not ordered:
        if size > 12:
            raise TooMany
        found = list(range(1, everything + 1))
    else:
        runs = [(1 << high) - (1 << low) for low in range(ordered) for high in range(low + 1, ordered + 1)]
        flag = 1 << ordered if size > ordered else 0
        found = [*runs, *([flag] if flag else []), *(run | flag for run in runs if flag)]
    return [mask for mask in dict.fromkeys(found) if value is None or mask >> value & 1]


class Boxes:
    """All boxes of a literal language, around a point or anywhere, and which of them are free of bad cells.

    Attributes
    ----------
    masks : list of list of int
        Per variable its literals; a box is one of each.
    certain : tensor of bool
        Which boxes hold no bad cell.
    """

    def __init__(self, table: Table, language: str, bad: Bits, point: Point | None = None) -> None:
        self.table, self.language, self.point = table, language, point
        values: Sequence[int | None] = point if point is not None else [None] * len(table.sizes)
        self.masks = [literals(x, language, v) for x, v in zip(table.variables, values, strict=True)]
        if math.prod(map(len, self.masks)) > MOST_BOXES:
            raise TooMany
        self.certain = ~self._holding(bad)

    def _holding(self, cells: Bits) -> Bits:
        """Which boxes hold one of these cells: one product per variable."""
        found = cells
        for j, masks in enumerate(self.masks):
            has = np.array(
                [[mask >> v & 1 for v in range(self.table.sizes[j])] for mask in masks], dtype=bool
            )
            found = _combined(has, found, j)
        return found

    @cached_property
    def prime(self) -> Bits:
        """The certain boxes that no weaker one of the language contains."""
        found = self.certain.copy()
        for j in range(len(self.masks)):
            found &= ~_combined(self._leads(j), self.certain, j)
        return found

    @cached_property
    def opening(self) -> Bits:
        """The boxes that hold a bad cell, though no stronger one of the language does."""
        found = ~self.certain
        for j in range(len(self.masks)):
            found &= ~_combined(self._leads(j).T, ~self.certain, j)
        return found

    def _leads(self, place: int) -> Bits:
        """Which literals of a variable are next weaker than which."""
        masks, x = self.masks[place], self.table.variables[place]
        index = {mask: i for i, mask in enumerate(masks)}
        found = np.zeros((len(masks), len(masks)), dtype=bool)
        for i, mask in enumerate(masks):
            found[i, [index[w] for w in weaker(x, mask, self.language)]] = True
        return found

    def holding_some(self, cells: Bits) -> Bits:
        """Which boxes hold one of these cells."""
        return self._holding(cells)

    def listed(self, which: Bits) -> set[Box]:
        """The boxes of a tensor."""
        return {tuple(self.masks[j][i] for j, i in enumerate(place)) for place in np.argwhere(which).tolist()}

    def mentions(self) -> NDArray[np.int64]:
        """How many variables each box mentions."""
        return self.total([1.0] * len(self.masks)).astype(np.int64)

    def total(self, weights: Sequence[float]) -> NDArray[np.float64]:
        """The weights of the variables that each box mentions, added up."""
        found = np.zeros(self.certain.shape)
        for j, masks in enumerate(self.masks):
            whole = (1 << self.table.sizes[j]) - 1
            cost = np.array([weights[j] * (mask != whole) for mask in masks])
            found = found + cost.reshape([-1 if k == j else 1 for k in range(len(self.masks))])
        return found

    def within(self, allowed: Sequence[Sequence[int] | None]) -> Bits:
        """The boxes whose literals are among those that are allowed; None allows all."""
        found = np.ones(self.certain.shape, dtype=bool)
        for j, some in enumerate(allowed):
            if some is not None:
                along = np.isin(self.masks[j], list(some))
                found &= along.reshape([-1 if k == j else 1 for k in range(len(self.masks))])
        return found

    def measure(self, shares: Sequence[Sequence[float]]) -> NDArray[np.float64]:
        """The share of a product distribution that each box covers."""
        found = np.ones(self.certain.shape)
        for j, masks in enumerate(self.masks):
            along = [math.fsum(s for v, s in enumerate(shares[j]) if mask >> v & 1) for mask in masks]
            found = found * np.array(along).reshape([-1 if k == j else 1 for k in range(len(self.masks))])
        return found

    def counted(self, points: Labels) -> NDArray[np.int64]:
        """How many points each box covers."""
        cells = np.zeros(self.table.sizes, dtype=np.int64)
        for point in points[(points >= 0).all(axis=1)].tolist():
            cells[tuple(point)] += 1
        found = cells
        for j, masks in enumerate(self.masks):
            has = np.array(
                [[mask >> v & 1 for v in range(self.table.sizes[j])] for mask in masks], dtype=np.int64
            )
            found = np.moveaxis(np.tensordot(has, found, axes=(1, j)), 0, j)
        return found


def _combined(matrix: Bits, tensor: Bits, axis: int) -> Bits:
    """The product of a matrix and a tensor along an axis, in Boolean algebra."""
    product = np.tensordot(matrix.astype(np.int32), tensor.astype(np.int32), axes=(1, axis))
    return np.moveaxis(product > 0, 0, axis)
