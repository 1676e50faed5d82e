"""One decision tree as frozen arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.comparison import InputType, Operator
from primewood.errors import InvalidInput

LEAF = -1


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A binary tree; node 0 is the root, and children come after their parents.

    Attributes
    ----------
    feature : array of int, shape (n_nodes,)
        The column that a node tests; −1 at a leaf.
    threshold : array of float64, shape (n_nodes,)
        What the column is compared with, as the library has it.
    left, right : arrays of int, shape (n_nodes,)
        The children: left if the test is true. −1 at a leaf.
    missing_left : array of bool, shape (n_nodes,)
        Whether a missing value goes left.
    value : array of float64, shape (n_nodes, n_classes)
        What a leaf says about each class, as the library has it.
    """

    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    missing_left: NDArray[np.bool_]
    value: NDArray[np.float64]

    def __post_init__(self) -> None:
        for array in (
            self.feature,
            self.threshold,
            self.left,
            self.right,
            self.missing_left,
            self.value,
        ):
            array.flags.writeable = False

    @classmethod
    def build(cls, nested: Any) -> Tree:
        """A tree from nested tuples: ``(feature, threshold, left, right)``, or a leaf's class values.

        >>> tree = Tree.build((0, 2.0, [1, 0], (1, -7.0, [1, 0], [0, 1])))
        >>> len(tree), tree.depth
        (5, 2)
        """
        rows: list[tuple[int, float, int, int]] = []
        values: list[Sequence[float]] = []

        def add(node: Any) -> int:
            place = len(rows)
            rows.append((LEAF, 0.0, LEAF, LEAF))
            if not isinstance(node, tuple):
                if not isinstance(node, list | np.ndarray):
                    raise InvalidInput(f"a leaf is a list of class values, not {node!r}")
                values.append([float(v) for v in node])
                return place
            values.append([])
            if len(node) != 4:
                raise InvalidInput(f"an inner node is (feature, threshold, left, right), not {node!r}")
            feature, threshold, left, right = node
            rows[place] = (int(feature), float(threshold), add(left), add(right))
            return place

        add(nested)
        width = max(len(value) for value in values)
        if any(len(value) not in (0, width) for value in values):
            raise InvalidInput("all leaves need the same number of class values")
        filled = np.array([value or [0.0] * width for value in values], dtype=np.float64)
        feature, threshold, left, right = (np.array(column) for column in zip(*rows, strict=True))
        return cls(feature, threshold, left, right, np.zeros(len(rows), dtype=bool), filled)

    def __len__(self) -> int:
        return len(self.feature)

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves."""
        leaf: NDArray[np.bool_] = self.left == LEAF
        return leaf

    @property
    def depths(self) -> NDArray[np.int64]:
        """How many tests lead to each node."""
        depths = np.zeros(len(self), dtype=np.int64)
        for node in np.flatnonzero(~self.is_leaf):
            depths[self.left[node]] = depths[self.right[node]] = depths[node] + 1
        return depths

    @property
    def depth(self) -> int:
        """The most tests on any path."""
        return int(self.depths.max())

    @property
    def classes(self) -> NDArray[np.int64]:
        """The class that each node votes for: the largest value, the lowest index among equals."""
        largest: NDArray[np.int64] = self.value.argmax(axis=1)
        return largest

    def apply(self, X: NDArray[np.float64], operator: Operator, dtype: InputType) -> NDArray[np.int64]:
        """The leaf that each row ends in. Cost: one pass per level."""
        with np.errstate(over="ignore"):
            cast = X.astype(dtype).astype(np.float64)
        node = np.zeros(len(X), dtype=np.int64)
        rows = np.arange(len(X))
        while rows.size:
            rows = rows[~self.is_leaf[node[rows]]]
            at = node[rows]
            x, threshold = cast[rows, self.feature[at]], self.threshold[at]
            test = x <= threshold if operator == "<=" else x < threshold
            test = np.where(np.isnan(x), self.missing_left[at], test)
            node[rows] = np.where(test, self.left[at], self.right[at])
        return node

    def check(self, n_features: int) -> None:
        """Raise if the arrays are not a tree over `n_features` columns."""
        inner = ~self.is_leaf
        nodes = np.arange(len(self))
        children = np.concatenate([self.left[inner], self.right[inner]])
        sound = (
            len(self) > 0
            and (self.right[~inner] == LEAF).all()
            and ((self.feature[inner] >= 0) & (self.feature[inner] < n_features)).all()
            and (self.left[inner] > nodes[inner]).all()
            and (self.right[inner] > nodes[inner]).all()
            and (np.sort(children) == nodes[1:]).all()
            if len(children) == len(self) - 1
            else False
        )
        if not sound or np.isnan(self.threshold[inner]).any() or not np.isfinite(self.value).all():
            raise InvalidInput("the model's arrays are not a tree; the file or object is damaged")
