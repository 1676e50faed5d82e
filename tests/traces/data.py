"""Training rows: few different numbers, so that models have few cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from traces.constraints import place_of, satisfied
from traces.recipes import LABELS, UNSEEN, WORDS, Labels, Recipe, Rows, Words
from traces.wrong import TooMany


@dataclass(frozen=True)
class Data:
    """Training rows as numbers, with codes for categories, and their labels or targets."""

    X: Rows
    y: NDArray[Any]


def draw_data(recipe: Recipe) -> Data:
    """The rows that a model is trained on: few different numbers, so that it has few cells."""
    generator = np.random.default_rng(recipe.seed)
    parts, scores = [], generator.normal(0, 0.3, recipe.rows)
    for letter in recipe.columns:
        values = generator.integers(0, 3 if letter in "chok" else 2 if letter in "bi" else 5, recipe.rows)
        scores += generator.normal(0, 1, 5)[values]
        parts.append(_columns_of(letter, values, generator))
    X = np.hstack(parts)
    if recipe.missing:
        X[_forgotten(recipe, generator)] = np.nan
    kept = satisfied(recipe, X)
    if kept.sum() < max(4, recipe.classes):
        raise TooMany("constraints exclude nearly all training rows")
    X, scores = X[kept], scores[kept]
    _check_words(recipe, X)
    _check_numbers(recipe, X)
    if recipe.number:
        return Data(X, np.round(scores, 1))
    labels = _classes_of(scores, recipe.classes, generator)
    return Data(X, np.array(LABELS[: recipe.classes])[labels] if recipe.texts else labels)


def _check_numbers(recipe: Recipe, X: Rows) -> None:
    """Refuse orders of columns of 0 and 1, which are taken for Booleans, and columns that teach CatBoost nothing."""
    for order in (one for one in recipe.constraints if one[0] == "order"):
        held = X[:, [place_of(recipe, feature) for feature in order[1:3]]]
        if not (~np.isnan(held) & ~np.isin(held, (0, 1))).any(axis=0).all():
            raise TooMany("an order is about a column without other numbers than 0 and 1")
    if recipe.kind == "catboost" and (np.nanmax(X, axis=0) == np.nanmin(X, axis=0)).all():
        raise TooMany("all columns are constant")


def _check_words(recipe: Recipe, X: Rows) -> None:
    """Refuse a clause about a word that no row has: the library does not learn it, so no one may say it."""
    for clause in (one for one in recipe.constraints if one[0] == "clause"):
        for feature, value in (clause[1:3], clause[3:5]):
            if recipe.columns[feature] == "k" and value not in X[:, place_of(recipe, feature)]:
                raise TooMany("a clause is about a word that no training row has")


def _columns_of(letter: str, values: NDArray[np.int64], generator: np.random.Generator) -> Rows:
    if letter == "h":
        return np.eye(3)[values]
    if letter in "nm":
        return ((values - 2) * generator.choice([1.0, 0.5, 0.1, 1 / 3]))[:, None]
    return values[:, None].astype(np.float64)


def _forgotten(recipe: Recipe, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Which values are missing: in the first feature that may be, and some elsewhere."""
    letters = [x for x in recipe.columns for _ in range(3 if x == "h" else 1)]
    may = np.array([x in "nmw" or (x == "k" and recipe.kind != "catboost") for x in letters])
    return (generator.random((recipe.rows, len(letters))) < 0.2) & may


def _classes_of(scores: Rows, classes: int, generator: np.random.Generator) -> Labels:
    """Labels by rank, so that every class occurs."""
    ranks = scores.argsort().argsort()
    if generator.random() < 0.3:
        ranks = generator.permutation(ranks)
    return (ranks * classes // len(scores)).astype(np.int64)


def as_frame(recipe: Recipe, rows: Rows, words: Words) -> Any:
    """Rows as a frame, with words for categories of the library's own."""
    import pandas as pd

    frame = pd.DataFrame(rows, columns=recipe.column_names)
    for name, letter in zip(recipe.names, recipe.columns, strict=True):
        if letter == "k":
            said = [None if np.isnan(x) else words[name].get(x, UNSEEN) for x in frame[name].tolist()]
            frame[name] = _as_categories(said) if recipe.kind != "catboost" else np.array(said, dtype=object)
    return frame


def _as_categories(words: Sequence[str | None]) -> Any:
    import pandas as pd

    return pd.Categorical(words, categories=[*WORDS, *({UNSEEN} & {*words})])
