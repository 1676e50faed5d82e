"""Models to ask about: a recipe is a few plain numbers, and the same recipe always makes the same model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]
Orders = Callable[[Rows], list[Labels]]
"""The decisions about rows, once for each order in which scores may be added."""
Words = dict[str, dict[float, str]]
"""Per feature the words that its codes stand for."""
NAMES = "abcdef"
WORDS = ("blue", "green", "red")
LABELS = tuple(f"class {i:02}" for i in range(30))
UNSEEN = "purple"
NATIVE = ("hist", "xgboost", "lightgbm", "catboost", "encoded")
"""The models that take words for categories."""
TAKES_MISSING = ("tree", "forest", "hist", "xgboost", "lightgbm", "catboost", "hand", "imputed")
IN_FILES = ("xgboost", "lightgbm", "catboost", "hand")
BY_TREES = ("tree", "forest", "extra")
"""The models whose trees can be asked one by one."""
REGRESSORS = ("tree", "forest", "gradient", "hist", "xgboost", "lightgbm", "catboost")
UNDECIDED = -2
"""The label where the order of summation decides."""
NEAR = 1e-5
"""Scores nearer to a tie than this may count as undecided where sums are added in any order."""


@dataclass(frozen=True)
class Recipe:
    """How a model is made, and what its explainer is told.

    Attributes
    ----------
    columns : str
        One letter per feature: (n)umber, (w)hole number, (b)it, declared (c)ategories, (o)rdered ones, one-(h)ot
        columns, (k)inds that the library itself takes for categories, (m) numbers with declared bounds, (i) bits that
        nobody declares.
    cutoff : int or None
        Which of the probabilities or predictions that occur decides; regressors need one.
    between : int
        How far above it the second cut-off of a regressor is; 0 for none.
    texts : bool
        Whether labels are texts instead of numbers.
    positive : int
        The class that a cut-off speaks of.
    saved : bool
        Whether the explainer reads the model from a file of its library.
    constraints : tuple
        ("order", lower, upper, constant, strict) or ("clause", feature, value, feature, value): features by place.
    asked : tuple of pairs
        Other options of the explainer.
    """

    kind: str = "tree"
    seed: int = 0
    rows: int = 20
    columns: str = "nn"
    classes: int = 2
    trees: int = 1
    depth: int = 2
    missing: bool = False
    jobs: int = 1
    number: bool = False
    cutoff: int | None = None
    between: int = 0
    texts: bool = False
    positive: int = 1
    saved: bool = False
    known: bool = True
    constraints: tuple[tuple[Any, ...], ...] = ()
    immutable: tuple[int, ...] = ()
    asked: tuple[tuple[str, Any], ...] = ()

    def __repr__(self) -> str:
        """The fields that are not the usual ones."""
        told = ((f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) != f.default)
        return f"Recipe({', '.join(f'{name}={value!r}' for name, value in told)})"

    @property
    def names(self) -> list[str]:
        """The names of the features."""
        return list(NAMES[: len(self.columns)])

    @property
    def column_names(self) -> list[str]:
        """The names of the columns: one-hot features have several."""
        return [
            column
            for name, letter in zip(self.names, self.columns, strict=True)
            for column in ([f"{name}_{word}" for word in WORDS] if letter == "h" else [name])
        ]

    @property
    def option(self) -> dict[str, Any]:
        """The other options of the explainer by name."""
        return dict(self.asked)
