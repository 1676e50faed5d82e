"""The 12 kinds of models that are asked: fitted from seeds, each in a large and a small form."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import primewood as pw

ROWS = 400
NUMBERS = ["income", "age", "debt", "savings", "years", "loans", "rent", "distance", "calls", "limit"]
WORDS = ["housing", "job"]
MAX_NODES = 20_000
"""The cap on diagrams: with it, compiling stops at a size, never at a time.

The Boolean diagrams get none: when their nodes are collected as garbage, and so when they reach a cap, is not the same
in every run.
"""
ENGINES = ("auto", "search", "diagram")

Fit = Callable[[int, int, int], Any]
"""Makes an unfitted model from a number of trees, their depth and a seed."""


@dataclass(frozen=True)
class Recipe:
    """How the models of one kind are made.

    Attributes
    ----------
    make : callable
        From trees, depth and seed to an estimator.
    large, small : pair of int
        The trees and the depth of the two forms; every engine can answer about the small one.
    columns : callable
        From the table to the columns that the model takes.
    target : callable
        From scores to what is learnt: "yes" or "no" by default.
    options : mapping
        What the explainer is told.
    engines : tuple of str
        Which engines can answer about the small form.
    """

    make: Fit
    large: tuple[int, int]
    small: tuple[int, int]
    columns: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table[NUMBERS]
    target: Callable[[pd.Series], Any] = lambda score: np.where(score > score.median(), "yes", "no")
    options: Mapping[str, Any] = field(default_factory=dict)
    engines: tuple[str, ...] = ENGINES


class Kind:
    """The models of one kind, fitted when they are first asked.

    Attributes
    ----------
    rows : frame
        The training rows, of which some are asked about.
    """

    def __init__(self, name: str, recipe: Recipe) -> None:
        self.name, self._recipe = name, recipe
        table, self._score = make_table()
        self.rows = recipe.columns(table)

    @cached_property
    def large(self) -> pw.Explainer:
        """A model that takes search."""
        return self._explainer(self._recipe.large, 0)

    @cached_property
    def other(self) -> pw.Explainer:
        """A model to compare with the large one."""
        return self._explainer(self._recipe.large, 1)

    @cached_property
    def small(self) -> dict[str, pw.Explainer]:
        """A model that every engine can answer about, by engine."""
        return {engine: self._explainer(self._recipe.small, 0, engine) for engine in self._recipe.engines}

    @property
    def digests(self) -> dict[str, str]:
        """What tells whether the models are the same as in another record."""
        asked = {"large": self.large, "other": self.other, "small": self.small["auto"]}
        return {f"{self.name}, {form}": explainer.ensemble.digest for form, explainer in asked.items()}

    def _explainer(self, size: tuple[int, int], seed: int, engine: str = "auto") -> pw.Explainer:
        model = self._recipe.make(*size, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(self.rows, self._recipe.target(self._score))
        most_nodes = None if engine == "bdd" else MAX_NODES
        options = {"engine": engine, "max_nodes": most_nodes, "progress": False, **self._recipe.options}
        return pw.Explainer(model, self.rows, **options)


def make_table(seed: int = 7) -> tuple[pd.DataFrame, pd.Series]:
    """Applicants for credit, made up, and a score."""
    generator = np.random.default_rng(seed)
    age = generator.integers(18, 80, ROWS).astype(float)
    table = pd.DataFrame(
        {
            "income": np.round(generator.normal(50, 20, ROWS), 2),
            "age": age,
            "debt": np.round(np.minimum(generator.exponential(10, ROWS), 60), 1),
            "savings": np.round(generator.exponential(20, ROWS), 1),
            "years": np.floor(generator.uniform(0, 1, ROWS) * (age - 15)),
            "loans": generator.integers(0, 6, ROWS).astype(float),
            "rent": np.round(generator.normal(10, 3, ROWS), 1),
            "distance": np.round(generator.exponential(8, ROWS), 1),
            "calls": generator.integers(0, 30, ROWS).astype(float),
            "limit": np.round(generator.uniform(1, 9, ROWS), 2),
            "housing": generator.choice(["own", "rented", "free"], ROWS),
            "job": generator.choice(["a", "b", "c", "d", "e"], ROWS),
        }
    )
    score = table.income / 20 - table.debt / 8 + table.savings / 30 - 0.4 * table.loans
    score += 0.02 * table.years - table.rent / 10 + table.limit / 9
    score += (table.housing == "own") - 1.5 * table.job.isin(["b", "e"])
    return table, score + generator.normal(0, 1.0, ROWS)


def with_gaps(table: pd.DataFrame) -> pd.DataFrame:
    """The table with categories, and without every seventh value."""
    missing = np.random.default_rng(5).random(table.shape) < 1 / 7
    return table.mask(missing).astype(dict.fromkeys(WORDS, "category"))


def make_tree(trees: int, depth: int, seed: int) -> Any:
    return DecisionTreeClassifier(max_depth=depth, random_state=seed)


def make_forest(trees: int, depth: int, seed: int) -> Any:
    return RandomForestClassifier(trees, max_depth=depth, random_state=seed)


def make_extra_trees(trees: int, depth: int, seed: int) -> Any:
    return ExtraTreesClassifier(trees, max_depth=depth, random_state=seed, n_jobs=2)


def make_gradient_boosting(trees: int, depth: int, seed: int) -> Any:
    return GradientBoostingClassifier(n_estimators=trees, max_depth=depth, random_state=seed, subsample=0.8)


def make_histogram_boosting(trees: int, depth: int, seed: int) -> Any:
    return HistGradientBoostingClassifier(max_iter=trees, max_depth=depth, learning_rate=0.2 + 0.1 * seed)


def make_xgboost(trees: int, depth: int, seed: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=trees, max_depth=depth, random_state=seed, subsample=0.8, n_jobs=1)


def make_lightgbm(trees: int, depth: int, seed: int) -> Any:
    from lightgbm import LGBMClassifier

    options = {"n_jobs": 1, "verbose": -1, "min_child_samples": 5, "deterministic": True}
    return LGBMClassifier(n_estimators=trees, max_depth=depth, learning_rate=0.2 + 0.1 * seed, **options)


def make_catboost(trees: int, depth: int, seed: int) -> Any:
    from catboost import CatBoostClassifier

    options = {"thread_count": 1, "verbose": 0, "allow_writing_files": False}
    return CatBoostClassifier(iterations=trees, depth=depth, random_seed=seed, **options)


def make_regressor(trees: int, depth: int, seed: int) -> Any:
    return RandomForestRegressor(trees, max_depth=depth, random_state=seed)


def make_pipeline_with_words(trees: int, depth: int, seed: int) -> Any:
    steps = ColumnTransformer([("words", OneHotEncoder(), WORDS), ("numbers", "passthrough", NUMBERS)])
    return make_pipeline(steps, make_forest(trees, depth, seed))


def halves(score: pd.Series) -> Any:
    return (score > score.median()).astype(int)


def quarters(score: pd.Series) -> Any:
    return pd.qcut(score, 4, labels=False)


KNOWLEDGE = {
    "domain": {"age": pw.Number(18, 100, whole=True), "loans": pw.ordered(range(6))},
    "constraints": ["housing=free -> debt <= 60", "years <= age - 10"],
    "immutable": ["age"],
    "units": {"income": "kEUR"},
}
RECIPES = {
    "tree": Recipe(make_tree, large=(1, 12), small=(1, 4), engines=(*ENGINES, "bdd", "sat")),
    "forest": Recipe(make_forest, large=(150, 8), small=(5, 3)),
    "extra trees": Recipe(make_extra_trees, large=(100, 8), small=(5, 3)),
    "majority": Recipe(
        make_forest,
        large=(101, 7),
        small=(5, 3),
        options={"vote": "majority"},
        engines=(*ENGINES, "bdd", "sat"),
    ),
    "gradient boosting": Recipe(make_gradient_boosting, large=(120, 4), small=(6, 2)),
    "histogram boosting": Recipe(make_histogram_boosting, large=(60, 4), small=(4, 2), columns=with_gaps),
    "xgboost": Recipe(make_xgboost, large=(120, 4), small=(6, 2), target=halves),
    "lightgbm": Recipe(make_lightgbm, large=(120, 4), small=(6, 2)),
    "catboost": Recipe(make_catboost, large=(120, 4), small=(6, 2)),
    "multi-class": Recipe(make_xgboost, large=(40, 4), small=(3, 2), target=quarters),
    "regressor": Recipe(
        make_regressor, large=(100, 8), small=(5, 3), target=lambda score: score, options={"threshold": 1.5}
    ),
    "pipeline": Recipe(
        make_pipeline_with_words, large=(80, 7), small=(5, 3), columns=lambda table: table, options=KNOWLEDGE
    ),
}
"""By the names of the kinds."""
