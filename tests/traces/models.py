"""The model of a recipe, trained or made by hand."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import primewood as pw
from traces.constraints import state
from traces.data import Data, as_frame, draw_data
from traces.deciding import agreed, cuts_of, looseness_of, orders_of, score_by
from traces.hand import hand_made
from traces.recipes import LABELS, NAMES, WORDS, Labels, Orders, Recipe, Rows, Words
from traces.training import make


@dataclass(frozen=True)
class Model:
    """A trained model, who decides, and what the explainer is told."""

    recipe: Recipe
    fitted: Any
    data: Data
    words: Words
    orders: Orders
    loose: Callable[[Rows], NDArray[np.bool_]]
    options: dict[str, Any]

    def decide(self, rows: Rows) -> Labels:
        """The decisions about rows; `UNDECIDED` where the order of summation decides. Libraries refuse no rows."""
        return agreed(self.orders(rows)) if len(rows) else np.zeros(0, dtype=np.int64)

    def table(self, rows: Rows) -> Any:
        """Rows as the library and the explainer take them: a frame with words where it wants such."""
        return as_frame(self.recipe, rows, self.words) if "k" in self.recipe.columns else rows

    def explainer(self) -> pw.Explainer:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            train = self.table(self.data.X) if self.recipe.known else None
            with tempfile.TemporaryDirectory() as folder:
                model = (
                    save_model(self.recipe, self.fitted, Path(folder)) if self.recipe.saved else self.fitted
                )
                return pw.Explainer(model, train, progress=False, **self.options)


def save_model(recipe: Recipe, fitted: Any, folder: Path) -> Path:
    """The file of a model, as its library writes it."""
    ending = {"xgboost": ("json", "ubj"), "lightgbm": ("txt",), "catboost": ("cbm",), "hand": ("json",)}
    kinds = ending[recipe.kind]
    path = folder / f"model.{kinds[recipe.seed % len(kinds)]}"
    if recipe.kind == "hand":
        fitted.save(path)
    else:
        (fitted.booster_ if recipe.kind == "lightgbm" else fitted).save_model(path)
    return path


@lru_cache(maxsize=4)
def build(recipe: Recipe) -> Model:
    """The model of a recipe."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = draw_data(recipe)
        fitted = hand_made(recipe, data) if recipe.kind == "hand" else _fit(recipe, data)
        words: Words = {name: dict(enumerate(WORDS)) for name in recipe.names}
        scores = score_by(recipe, fitted, words)
        cuts = () if recipe.cutoff is None else cuts_of(recipe, scores(data.X))
        return Model(
            recipe,
            fitted,
            data,
            words,
            orders_of(recipe, fitted, scores, cuts, words),
            looseness_of(recipe, fitted, cuts),
            _options(recipe, cuts),
        )


def _fit(recipe: Recipe, data: Data) -> Any:
    words = {name: dict(enumerate(WORDS)) for name in recipe.names}
    X = as_frame(recipe, data.X, words) if "k" in recipe.columns else data.X
    return make(recipe, [NAMES[i] for i, x in enumerate(recipe.columns) if x == "k"]).fit(X, data.y)


def _options(recipe: Recipe, cuts: tuple[float, ...]) -> dict[str, Any]:
    """What the explainer is told."""
    found: dict[str, Any] = recipe.option
    domain = {
        name: x for name, letter in zip(recipe.names, recipe.columns, strict=True) if (x := _declared(letter))
    }
    groups = {
        name: [f"{name}_{word}" for word in WORDS]
        for name, letter in zip(recipe.names, recipe.columns, strict=True)
        if letter == "h"
    }
    if recipe.kind == "hand" and recipe.jobs != 1:
        found["summation"] = "any"
    if "k" not in recipe.columns:
        found["feature_names"] = recipe.column_names
    found |= {"domain": domain} if domain else {}
    found |= {"groups": groups} if groups else {}
    found |= {"constraints": [state(recipe, one) for one in recipe.constraints]} if recipe.constraints else {}
    found |= {"immutable": [recipe.names[i] for i in recipe.immutable]} if recipe.immutable else {}
    if len(cuts) == 2:
        found["between"] = cuts
    elif cuts:
        found["threshold"] = cuts[0]
        if recipe.texts or recipe.positive == 0:
            found["positive"] = LABELS[recipe.positive] if recipe.texts else recipe.positive
    return found


def _declared(letter: str) -> Any:
    codes = dict(enumerate(WORDS))
    known = {"m": pw.Number(-2.0, 2.0), "w": "whole", "b": "boolean", "c": codes, "o": pw.ordered(codes)}
    return known.get(letter)
