"""A tree ensemble with everything that its decisions depend on, and the reference `predict`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Literal as Choice
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.comparison import InputType, Operator
from primewood.ensemble.tree import Tree
from primewood.errors import InvalidInput

Vote = Choice["majority", "mean"]


@dataclass(frozen=True, slots=True)
class Group:
    """Trees that count together: their mean, times a weight, as a forest counts in a vote of several models.

    Attributes
    ----------
    size : int
        How many trees, the next ones in the ensemble's order.
    weight : float
    """

    size: int
    weight: float = 1.0


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
    groups : tuple of Group
        Under "mean", what is averaged, if not simply the trees one by one.
    divisor : float, optional
        What sums are divided by in the end; by default the number of groups.
    any_order : bool
        Whether the model adds its scores in no fixed order.
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
    groups: tuple[Group, ...] = ()
    divisor: float | None = None
    any_order: bool = False
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
        if self.groups and sum(group.size for group in self.groups) != len(self.trees):
            raise InvalidInput("the groups must hold every tree once")
        if any(group.size < 1 or not 0 <= group.weight < np.inf for group in self.groups) or (
            self.groups and not any(group.weight > 0 for group in self.groups)
        ):
            raise InvalidInput("a group has at least one tree, and a weight of at least 0, not all of them 0")
        if self.divisor is not None and not 0 < self.divisor < np.inf:
            raise InvalidInput(f"the divisor is a number above 0, not {self.divisor!r}")
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

    @property
    def summands(self) -> tuple[Group, ...]:
        """What is added up: groups of trees, each tree by itself if nothing else is said."""
        by_itself = tuple(Group(1) for _ in self.trees)
        return by_itself if self.vote == "majority" or not self.groups else self.groups

    @cached_property
    def leaf_values(self) -> tuple[NDArray[np.float64], ...]:
        """Per tree, what each of its nodes adds to the scores if it is a leaf.

        The weight of a tree that is a group by itself is in it, multiplied as the library does.
        """
        weights = [g.weight if g.size == 1 else 1.0 for g in self.summands for _ in range(g.size)]
        return tuple(
            one_vote(tree) if self.vote == "majority" else tree.value * weight
            for tree, weight in zip(self.trees, weights, strict=True)
        )

    def predict_proba(self, X: Sequence[Sequence[float]] | NDArray[np.float64]) -> NDArray[np.float64]:
        """The scores of the classes, one row per row of X: summed and divided as the library does."""
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise InvalidInput(f"rows have {self.n_features} columns; got an array of {rows.shape}")
        total = np.zeros((len(rows), len(self.classes)))
        trees = zip(self.trees, self.leaf_values, strict=True)
        for group in self.summands:
            part = np.zeros_like(total)
            for tree, values in islice(trees, group.size):
                part += values[tree.apply(rows, self.operator, self.dtype)]
            total += part if group.size == 1 else part / group.size * group.weight
        return total / (self.divisor or len(self.summands))

    def votes(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """How many trees vote for each class by majority, one row per row of X."""
        counted = self.by_majority().predict_proba(X) * len(self.trees)
        return np.rint(counted).astype(np.int64)

    @property
    def is_plain(self) -> bool:
        """Whether a decision is a count of votes, one per tree, which is what expressions can say."""
        alone = len(self.trees) == 1 and self.summands == (Group(1),) and self.divisor in (None, 1)
        return self.vote == "majority" or alone

    def by_majority(self) -> Ensemble:
        """The same trees under the paper's vote: each tree one."""
        return replace(self, vote="majority", groups=(), divisor=None)

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


def one_vote(tree: Tree) -> NDArray[np.float64]:
    """The values of a tree that gives one vote to the largest class of a leaf, the first among equals."""
    votes = np.zeros_like(tree.value)
    votes[np.arange(len(tree)), tree.classes] = 1.0
    return votes
