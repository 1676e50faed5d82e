"""An ensemble near a row: its trees without the branches that no row between two bounds reaches.

A test of a column has one answer for all numbers from `low` to `high` if both ends get it, since tests compare with
thresholds. Such a test is left out, and its only reachable child takes its place. What remains decides rows between
the bounds as the whole ensemble does, leaf by leaf, so that sums are the same floats in the same order.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from primewood.arrays import Ints
from primewood.ensemble.comparison import cuts_of
from primewood.ensemble.ensemble import Ensemble
from primewood.ensemble.tree import LEAF, Tree

BOTH, LEFT, RIGHT = 0, 1, 2
"""Where rows between the bounds go at a node."""


def clip(ensemble: Ensemble, low: NDArray[np.float64], high: NDArray[np.float64]) -> Ensemble:
    """The ensemble for rows between bounds, both included.

    Cost: linear in the tests, and in the nodes that are reached.

    Parameters
    ----------
    low, high
        Per column the least and the largest number; NaN in both where the number is missing.
    """
    starts = np.cumsum([0, *(len(tree) for tree in ensemble.trees)])
    left, right = (
        np.concatenate(
            [np.where(side < 0, LEAF, side + start) for side, start in zip(sides, starts, strict=False)]
        )
        for sides in ((tree.left for tree in ensemble.trees), (tree.right for tree in ensemble.trees))
    )
    goes = _find_ways(ensemble, starts, low, high)
    reached = _Reached(left, right, goes)
    kept = reached.walk(starts[:-1])
    owner = np.searchsorted(starts, kept, side="right") - 1
    kept = kept[np.argsort(owner, kind="stable")]
    sizes = np.bincount(owner, minlength=len(ensemble.trees))
    place = np.full(len(left), LEAF)
    place[kept] = np.arange(len(kept)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    parts = np.split(kept, np.cumsum(sizes)[:-1])
    trees = (
        _rebuild(tree, part - start, place[reached.left[part]], place[reached.right[part]])
        for tree, part, start in zip(ensemble.trees, parts, starts, strict=False)
    )
    return replace(ensemble, trees=tuple(trees))


def _find_ways(
    ensemble: Ensemble, starts: Ints, low: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.int8]:
    """Per node of all trees, where rows between the bounds go."""
    tests, closed = ensemble.threshold_tests, ensemble.operator == "<="
    missing_left = np.concatenate([tree.missing_left for tree in ensemble.trees])
    goes = np.zeros(int(starts[-1]), dtype=np.int8)
    for column, here in tests.columns:
        nodes, cut, least, most = tests.node[here], tests.cut[here], low[column], high[column]
        if np.isnan(least):
            goes[nodes] = np.where(missing_left[nodes], LEFT, RIGHT)
        elif closed:
            goes[nodes] = np.where(most <= cut, LEFT, np.where(least > cut, RIGHT, BOTH))
        else:
            goes[nodes] = np.where(most < cut, LEFT, np.where(least >= cut, RIGHT, BOTH))
    for tree, start in zip(ensemble.trees, starts, strict=False):
        for node in np.flatnonzero(tree.tests_sets).tolist():
            goes[start + node] = _find_way_in_set(ensemble, tree, node, low, high)
    return goes


def _find_way_in_set(
    ensemble: Ensemble, tree: Tree, node: int, low: NDArray[np.float64], high: NDArray[np.float64]
) -> int:
    """Where rows go at a node that tests membership in a union of intervals: one way if no bound is between."""
    column = int(tree.feature[node])
    if np.isnan(low[column]):
        return LEFT if tree.missing_left[node] else RIGHT
    bounds = cuts_of(tree.bounds_at(node), ensemble.operator, ensemble.dtype)
    ends = np.array([low[column], high[column]])
    first, last = np.searchsorted(
        bounds, ends, side="left" if ensemble.operator == "<=" else "right"
    ).tolist()
    if first != last:
        return BOTH
    return LEFT if first % 2 == 1 else RIGHT


class _Reached:
    """The nodes that rows between the bounds reach, and the children that remain to them."""

    def __init__(self, left: Ints, right: Ints, goes: NDArray[np.int8]) -> None:
        self._goes = goes
        self.left, self.right = left, right

    def walk(self, roots: Ints) -> Ints:
        """The nodes that remain, parents before their children."""
        level, levels = self._skip(roots), []
        while level.size:
            levels.append(level)
            inner = level[self.left[level] != LEAF]
            self.left[inner] = self._skip(self.left[inner])
            self.right[inner] = self._skip(self.right[inner])
            level = np.concatenate([self.left[inner], self.right[inner]])
        return np.concatenate(levels)

    def _skip(self, nodes: Ints) -> Ints:
        """Instead of nodes with one way only, the first ones below them that have two, or are leaves."""
        while (ways := self._goes[nodes]).any():
            down = np.where(ways == LEFT, self.left[nodes], self.right[nodes])
            nodes = np.where(ways == BOTH, nodes, down)
        return nodes


def _rebuild(tree: Tree, nodes: Ints, left: Ints, right: Ints) -> Tree:
    """The part of a tree that remains."""
    is_leaf = tree.is_leaf[nodes]
    return Tree(
        tree.feature[nodes],
        tree.threshold[nodes],
        np.where(is_leaf, LEAF, left),
        np.where(is_leaf, LEAF, right),
        tree.missing_left[nodes],
        tree.value[nodes],
        None if tree.set_of is None else tree.set_of[nodes],
        tree.sets,
    )
