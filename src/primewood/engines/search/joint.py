"""Questions about two decisions at once: one model on two rows, or two models on one row.

The variables that the two share are shared; the others are doubled. A query asks for a joint point at which each of the
two decides as demanded: a conjunction of margins, searched by the core.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from primewood.core import _native
from primewood.engines.flat import FlatTree
from primewood.engines.protocol import Clock, Reply, Verdict
from primewood.engines.search.oracle import SearchForest
from primewood.errors import TooLarge
from primewood.logic.instance import Box, Point, indices
from primewood.logic.variable import Variable

MOST_NODES = 20_000_000


class Demand(NamedTuple):
    """What is asked of one of the parts: that it decides a label; given a rival, that the rival keeps it from doing so.

    With a rival it is one margin, and the quicker question; all rivals have to be asked about one after the other.
    """

    part: int
    label: int
    rival: int = -1


class Relation(NamedTuple):
    """Which values of a second variable go with each value of a first one: a run of them, from the first to the last.

    Where either is missing, the other must be, too.
    """

    first: int
    second: int
    low: Sequence[int]
    high: Sequence[int]


class JointForest:
    """Two ensembles, or one ensemble twice, over joint variables.

    Parameters
    ----------
    variables
        The joint variables.
    parts
        Each forest, with the place of each of its variables among the joint ones.
    relations
        What goes together; see `Relation`.
    paired
        Whether the trees of the two are put together two by two: good where most of them are the same.
    twins
        Whether the two decide alike wherever all their leaves have the same values; only if they are paired.
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        parts: Sequence[tuple[SearchForest, Sequence[int]]],
        *,
        relations: Sequence[Relation] = (),
        paired: bool = False,
        twins: bool = False,
    ) -> None:
        self.variables = tuple(variables)
        self.places = [list(places) for _, places in parts]
        trees = [_relation_tree(relation, self.variables) for relation in relations]
        starts = np.cumsum([0, *(len(tree) for tree, _ in trees)])

        def joined(arrays: list[Any], dtype: type) -> Any:
            return np.concatenate([np.empty(0), *arrays]).astype(dtype)

        def shifted(arrays: list[Any]) -> Any:
            moved = [np.where(a < 0, -1, a + start) for a, start in zip(arrays, starts, strict=False)]
            return joined(moved, np.int32)

        native = _native.join(
            parts=[forest.native for forest, _ in parts],
            places=self.places,
            ordered=[len(x) - (x.missing is not None) for x in self.variables],
            has_missing=[int(x.missing is not None) for x in self.variables],
            paired=paired,
            twins=paired and twins,
            root=starts[:-1].astype(np.int32),
            variable=joined([tree.variable for tree, _ in trees], np.int32),
            prefix=joined([tree.prefix for tree, _ in trees], np.int32),
            left=shifted([tree.left for tree, _ in trees]),
            right=shifted([tree.right for tree, _ in trees]),
            missing_left=joined([tree.missing_left for tree, _ in trees], np.uint8),
            forbidden=joined([forbidden for _, forbidden in trees], np.uint8),
            most_nodes=MOST_NODES,
        )
        if native is None:
            raise TooLarge(f"the trees of the two together have more than {MOST_NODES:,} nodes")
        self._native = native

    def find(self, box: Box, demands: Sequence[Demand], clock: Clock | None = None) -> Reply:
        """A joint point of the box at which all demands are met. Cost: a search, exponential at worst."""
        clock = clock or Clock()
        mask = np.zeros(self._native.atoms, dtype=np.uint8)
        start = 0
        for x, allowed in zip(self.variables, box, strict=True):
            mask[[start + v for v in indices(allowed)]] = 1
            start += len(x)
        found = self._native.meet(
            mask, [(d.part, d.label, d.rival) for d in demands], clock.left(), clock.work()
        )
        if found is None:
            return Verdict.UNKNOWN
        return tuple(found) if isinstance(found, tuple) else Verdict.NONE_EXISTS

    def part(self, point: Point, number: int) -> Point:
        """What a joint point is for one of the parts."""
        return tuple(point[place] for place in self.places[number])


def _relation_tree(relation: Relation, variables: Sequence[Variable]) -> tuple[FlatTree, NDArray[np.int64]]:
    """A relation as a rule: a balanced tree over the first variable, then two tests of the second one."""
    j, k, low, high = relation
    lines = [len(variables[i]) - (variables[i].missing is not None) for i in (j, k)]
    rows: list[tuple[int, int, bool, int, int]] = []
    forbidden, possible = -1, -2  # marks for the two leaves, until their places are known

    def reserve() -> int:
        rows.append((-1, -1, False, -3, -3))
        return len(rows) - 1

    def add(first: int, last: int) -> int:
        place = reserve()
        if last - first > 1:
            middle = (first + last) // 2
            rows[place] = (j, middle, False, add(first, middle), add(middle, last))
        else:
            above = reserve()
            rows[place] = (
                k,
                low[first],
                False,
                forbidden,
                above,
            )  # values below the run, and "missing" is above it
            rows[above] = (k, high[first] + 1, False, possible, forbidden)
        return place

    root = reserve()
    missing = reserve()
    rows[missing] = (k, lines[1], False, forbidden, possible)
    rows[root] = (j, lines[0], False, add(0, lines[0]), missing)
    ends = {forbidden: len(rows), possible: len(rows) + 1, -3: -1}
    rows += [(-1, -1, False, -3, -3), (-1, -1, False, -3, -3)]
    variable, prefix, missing_left, left, right = (np.array(column) for column in zip(*rows, strict=True))
    left, right = (np.array([ends.get(child, child) for child in side.tolist()]) for side in (left, right))
    tree = FlatTree(variable, prefix, missing_left.astype(bool), left, right, np.arange(len(rows)))
    return tree, (tree.origin == ends[forbidden]).astype(np.int64)
