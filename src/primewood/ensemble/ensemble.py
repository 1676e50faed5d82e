"""A tree ensemble with everything that its decisions depend on, and the reference `predict`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.comparison import InputType, Operator
from primewood.ensemble.tree import Tree
from primewood.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Trees that vote: each tree one vote, the class with most votes wins.

    Ties go to the class that comes first in `classes`, as scikit-learn's arg-max does.

    Attributes
    ----------
    trees : tuple of Tree
    feature_names : tuple of str
        One name per column.
    classes : tuple
        The labels, in the order of the leaves' values.
    operator : {"<=", "<"}
        The test that sends an input left.
    dtype : {"float32", "float64"}
        What an input is cast to before it is compared.
    allows_missing : bool
        Whether the model accepts NaN.
    source : str
        What was read, for people.
    """

    trees: tuple[Tree, ...]
    feature_names: tuple[str, ...]
    classes: tuple[object, ...]
    operator: Operator = "<="
    dtype: InputType = "float64"
    allows_missing: bool = False
    source: str = "trees"

    def __post_init__(self) -> None:
        if not self.trees:
            raise InvalidInput("an ensemble needs at least one tree")
        if self.operator not in get_args(Operator):
            raise InvalidInput(f'operator is "<=" or "<", not {self.operator!r}')
        if self.dtype not in get_args(InputType):
            raise InvalidInput(f'dtype is "float32" or "float64", not {self.dtype!r}')
        if len(set(self.classes)) < len(self.classes):
            raise InvalidInput("class labels must differ")
        if len(set(self.feature_names)) < len(self.feature_names):
            raise InvalidInput("feature names must differ")
        for tree in self.trees:
            tree.check(len(self.feature_names))
            if tree.value.shape[1] != len(self.classes):
                raise InvalidInput(
                    f"a leaf has {tree.value.shape[1]} values; there are {len(self.classes)} classes"
                )

    @property
    def n_features(self) -> int:
        """How many columns a row has."""
        return len(self.feature_names)

    def votes(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """How many trees vote for each class, one row per row of X."""
        votes = np.zeros((len(X), len(self.classes)), dtype=np.int64)
        for tree in self.trees:
            leaf = tree.apply(X, self.operator, self.dtype)
            np.add.at(votes, (np.arange(len(X)), tree.classes[leaf]), 1)
        return votes

    def predict(self, X: Sequence[Sequence[float]] | NDArray[np.float64]) -> NDArray[np.int64]:
        """The index of the class that each row gets: the reference that every test trusts."""
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise InvalidInput(f"rows have {self.n_features} columns; got an array of {rows.shape}")
        winners: NDArray[np.int64] = self.votes(rows).argmax(axis=1)
        return winners

    @cached_property
    def importance(self) -> NDArray[np.float64]:
        """How much of the trees each column decides: a test at depth d counts 2^−d."""
        weight = np.zeros(self.n_features)
        for tree in self.trees:
            inner = ~tree.is_leaf
            np.add.at(weight, tree.feature[inner], 0.5 ** tree.depths[inner])
        return weight
