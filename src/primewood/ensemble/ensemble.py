"""A tree ensemble with everything that its decisions depend on, and the reference `predict`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal as Choice
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.comparison import InputType, Operator
from primewood.ensemble.tree import Tree
from primewood.errors import InvalidInput

Vote = Choice["majority", "mean"]


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Trees that vote, with everything that their decision depends on.

    The class with the largest score wins; ties go to the class that comes first in `classes`.

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
    vote : {"majority", "mean"}
        "majority": each tree one vote, for the largest value of its leaf (the first among equals).
        "mean": the leaves' values, added as float64 in the order of the trees and divided by their
        number, which is how scikit-learn's forests vote.
    source : str
        What was read, for people.
    """

    trees: tuple[Tree, ...]
    feature_names: tuple[str, ...]
    classes: tuple[object, ...]
    operator: Operator = "<="
    dtype: InputType = "float64"
    allows_missing: bool = False
    vote: Vote = "majority"
    source: str = "trees"

    def __post_init__(self) -> None:
        if not self.trees:
            raise InvalidInput("an ensemble needs at least one tree")
        if self.operator not in get_args(Operator):
            raise InvalidInput(f'operator is "<=" or "<", not {self.operator!r}')
        if self.dtype not in get_args(InputType):
            raise InvalidInput(f'dtype is "float32" or "float64", not {self.dtype!r}')
        if self.vote not in get_args(Vote):
            raise InvalidInput(f'vote is "majority" or "mean", not {self.vote!r}')
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

    def leaf_values(self, tree: Tree) -> NDArray[np.float64]:
        """What each node of a tree adds to the scores under the ensemble's vote, if it is a leaf."""
        if self.vote == "mean":
            return tree.value
        one_vote = np.zeros_like(tree.value)
        one_vote[np.arange(len(tree)), tree.classes] = 1.0
        return one_vote

    def predict_proba(self, X: Sequence[Sequence[float]] | NDArray[np.float64]) -> NDArray[np.float64]:
        """The scores of the classes, one row per row of X: summed and divided as the library does."""
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise InvalidInput(f"rows have {self.n_features} columns; got an array of {rows.shape}")
        total = np.zeros((len(rows), len(self.classes)))
        for tree in self.trees:
            total += self.leaf_values(tree)[tree.apply(rows, self.operator, self.dtype)]
        return total / len(self.trees)

    def votes(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """How many trees vote for each class by majority, one row per row of X."""
        counted = replace(self, vote="majority").predict_proba(X) * len(self.trees)
        return np.rint(counted).astype(np.int64)

    def predict(self, X: Sequence[Sequence[float]] | NDArray[np.float64]) -> NDArray[np.int64]:
        """The index of the class that each row gets: the reference that every test trusts."""
        winners: NDArray[np.int64] = self.predict_proba(X).argmax(axis=1)
        return winners

    @cached_property
    def importance(self) -> NDArray[np.float64]:
        """How much of the trees each column decides: a test at depth d counts 2^−d."""
        weight = np.zeros(self.n_features)
        for tree in self.trees:
            inner = ~tree.is_leaf
            np.add.at(weight, tree.feature[inner], 0.5 ** tree.depths[inner])
        return weight
