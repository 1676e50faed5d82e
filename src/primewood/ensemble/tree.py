"""One decision tree as frozen arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.comparison import InputType, Operator
from primewood.errors import InvalidInput, quote_value
from primewood.fields import integer, real, several, wrong

LEAF = -1
KINDS = {
    **dict.fromkeys(("feature", "left", "right", "set_of"), "iu"),
    **dict.fromkeys(("threshold", "value"), "iuf"),
    "missing_left": "biu",
}
"""The kinds of numbers that the arrays of a tree hold."""
MOST_DEPTH = 4000
"""The most tests on a path of any tree that is read."""
MOST_UNNAMED = 100_000
"""The most columns of a model file that does not list their names: a number alone costs a file nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A binary tree in arrays; node 0 is the root, and children come after their parents.

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
    value : array of float64, shape (n_nodes, n_outputs)
        What a leaf adds to each score, as the library has it.
    set_of : array of int, shape (n_nodes,), optional
        For a node that tests membership in a set of numbers instead of a threshold: which of `sets`; else −1.
    sets : tuple of arrays of float64
        Unions of intervals, by their bounds in ascending order, each compared as a threshold would be: a
        number is in the set, and goes left, if it is beyond an odd number of bounds. (With the operator "<",
        the bounds 2, 3 mean [2, 3); with "<=", (2, 3].)

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from primewood import read
    >>> tree, = read(DecisionTreeClassifier(random_state=0).fit([[1], [2], [3]], [0, 1, 1])).trees
    >>> tree
    <Tree: 3 nodes, depth 1>
    >>> tree.feature.tolist(), tree.threshold[0].item(), tree.left.tolist()
    ([0, -1, -1], 1.5, [1, -1, -1])
    """

    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    missing_left: NDArray[np.bool_]
    value: NDArray[np.float64]
    set_of: NDArray[np.int64] | None = None
    sets: tuple[NDArray[np.float64], ...] = ()

    def __repr__(self) -> str:
        return f"<Tree: {len(self)} nodes, depth {self.depth}>"

    def __post_init__(self) -> None:
        arrays = {name: getattr(self, name) for name in KINDS if name != "set_of" or self.set_of is not None}
        arrays |= {f"sets[{i}]": bounds for i, bounds in enumerate(several(self.sets, "sets"))}
        for name, array in arrays.items():
            kinds = KINDS.get(name, "iuf")
            if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds:
                raise wrong(name, f"an array of {'numbers' if 'f' in kinds else 'whole numbers'}", array)
            array.flags.writeable = False

    @classmethod
    def build(cls, nested: Any) -> Tree:
        """A tree from nested tuples: ``(feature, threshold, left, right)``, or a leaf's values.

        A list of bounds instead of a threshold is a test of membership; see `sets`.

        >>> tree = Tree.build((0, 2.0, [1, 0], (1, -7.0, [1, 0], [0, 1])))
        >>> len(tree), tree.depth
        (5, 2)
        """
        rows: list[list[float]] = []
        values: list[Sequence[float]] = []
        sets: dict[int, NDArray[np.float64]] = {}
        todo: list[tuple[Any, int, int]] = [
            (nested, LEAF, LEAF)
        ]  # a node, its parent, and which side it is on
        while todo:
            node, parent, side = todo.pop()
            place = len(rows)
            if parent >= 0:
                rows[parent][side] = place
            if not isinstance(node, tuple):
                if not isinstance(node, list | np.ndarray):
                    raise InvalidInput(f"a leaf must be a list of class values, not {quote_value(node)}")
                rows.append([LEAF, 0.0, LEAF, LEAF])
                values.append([real(v, "a leaf's value") for v in several(node, "a leaf")])
                continue
            if len(node) != 4:
                raise InvalidInput(
                    f"an inner node must be (feature, threshold, left, right), not {quote_value(node)}"
                )
            feature, threshold, left, right = node
            if isinstance(threshold, list):
                sets[place] = np.array([real(bound, "a bound") for bound in threshold], dtype=np.float64)
                threshold = 0.0
            rows.append([integer(feature, "feature"), real(threshold, "threshold"), LEAF, LEAF])
            values.append([])
            todo += [(right, place, 3), (left, place, 2)]
        width = max(len(value) for value in values)
        if any(len(value) not in (0, width) for value in values):
            raise InvalidInput("all leaves need the same number of class values")
        filled = np.array([value or [0.0] * width for value in values], dtype=np.float64)
        table = np.array(rows, dtype=np.float64)
        feature, left, right = (table[:, i].astype(np.int64) for i in (0, 2, 3))
        set_of = np.full(len(rows), -1)
        set_of[list(sets)] = range(len(sets))
        missing_left = np.zeros(len(rows), dtype=bool)
        threshold = table[:, 1].copy()
        return cls(feature, threshold, left, right, missing_left, filled, set_of, tuple(sets.values()))

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
        depths = [0] * len(self)
        for node, (left, right) in enumerate(zip(self.left.tolist(), self.right.tolist(), strict=True)):
            if left != LEAF:
                depths[left] = depths[right] = depths[node] + 1
        return np.array(depths, dtype=np.int64)

    @property
    def depth(self) -> int:
        """The most tests on any path."""
        return int(self.depths.max())

    @property
    def tests_sets(self) -> NDArray[np.bool_]:
        """Which nodes test membership in a set."""
        return np.zeros(len(self), dtype=bool) if self.set_of is None else self.set_of >= 0

    def bounds_at(self, node: int) -> NDArray[np.float64]:
        """The bounds of what a node sends left, as a set: a threshold has minus infinity and itself."""
        if self.set_of is not None and self.set_of[node] >= 0:
            return self.sets[int(self.set_of[node])]
        return np.array([-np.inf, float(self.threshold[node])])

    def apply(self, X: NDArray[np.float64], operator: Operator, dtype: InputType) -> NDArray[np.int64]:
        """The leaf that each row ends in. Cost: one pass per level."""
        return self.descend(round_rows(X, dtype), operator)

    def descend(self, cast: NDArray[np.float64], operator: Operator) -> NDArray[np.int64]:
        """The same for rows that are rounded to the numbers that the library compares."""
        node = np.zeros(len(cast), dtype=np.int64)
        rows = np.arange(len(cast))
        is_leaf, tests_sets, has_sets = self.is_leaf, self.tests_sets, bool(self.sets)
        while rows.size:
            rows = rows[~is_leaf[node[rows]]]
            at = node[rows]
            x, threshold = cast[rows, self.feature[at]], self.threshold[at]
            test = x <= threshold if operator == "<=" else x < threshold
            for there in np.unique(at[tests_sets[at]]) if has_sets else ():
                test[at == there] = is_within(x[at == there], self.bounds_at(there), operator)
            test = np.where(np.isnan(x), self.missing_left[at], test)
            node[rows] = np.where(test, self.left[at], self.right[at])
        return node

    def check(self, n_features: int) -> None:
        """Raise if the arrays are not a tree over `n_features` columns."""
        inner = ~self.is_leaf
        nodes = np.arange(len(self))
        children = np.concatenate([self.left[inner], self.right[inner]])
        columns = (self.feature, self.threshold, self.left, self.right, self.missing_left)
        shapes = [array.shape for array in columns] + ([] if self.set_of is None else [self.set_of.shape])
        if set(shapes) != {(len(self),)} or self.value.ndim != 2 or len(self.value) != len(self):
            raise InvalidInput("the model's arrays differ in length; the file or object is damaged")
        sound = (
            len(self) > 0
            and (self.right[~inner] == LEAF).all()
            and (self.feature[~inner] == LEAF).all()
            and ((self.feature[inner] >= 0) & (self.feature[inner] < n_features)).all()
            and (self.left[inner] > nodes[inner]).all()
            and (self.right[inner] > nodes[inner]).all()
            and (np.sort(children) == nodes[1:]).all()
            if len(children) == len(self) - 1
            else False
        )
        sound = sound and all(bounds.ndim == 1 and (np.diff(bounds) > 0).all() for bounds in self.sets)
        if self.set_of is not None:
            sound = sound and ((self.set_of >= -1) & (self.set_of < len(self.sets))).all()
            sound = sound and (self.set_of[~inner] == -1).all()
        if not sound or np.isnan(self.threshold[inner]).any() or not np.isfinite(self.value).all():
            raise InvalidInput("the model's arrays are not a tree; the file or object is damaged")
        check_depth(self.left, self.right)


def round_rows(X: NDArray[np.float64], dtype: InputType) -> NDArray[np.float64]:
    """Rows as the library compares them with thresholds: rounded to its type of numbers."""
    with np.errstate(over="ignore"):
        return X.astype(dtype).astype(np.float64)


def check_depth(left: NDArray[np.int64], right: NDArray[np.int64]) -> None:
    """Raise if a path of a tree is longer than any that is read. Cost: nothing for a tree with few nodes."""
    if len(left) <= 2 * MOST_DEPTH + 1:
        return
    level = np.zeros(1, dtype=np.int64)
    for _ in range(MOST_DEPTH + 1):
        level = level[left[level] >= 0]
        if not level.size:
            return
        level = np.concatenate([left[level], right[level]])
    raise InvalidInput(
        f"a tree is more than {MOST_DEPTH} levels deep, which is not supported; fit it with a max_depth"
    )


def is_within(x: NDArray[np.float64], bounds: NDArray[np.float64], operator: Operator) -> NDArray[np.bool_]:
    """Which numbers are in a union of intervals; see `Tree.sets`. Cost: one bisection per number."""
    beyond = np.searchsorted(bounds, x, side="left" if operator == "<=" else "right")
    inside: NDArray[np.bool_] = beyond % 2 == 1
    return inside
