"""A model under test: its explainer, its table, and rows to ask about."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

import primewood as pw
from traces.data import Data, as_frame
from traces.deciding import between, score_by
from traces.models import Model, build
from traces.recipes import Labels, Recipe, Rows
from traces.table import Box, Boxes, Point, Table
from traces.wrong import TooMany

NO_LIMIT: dict[str, Any] = {"time_limit": None}


@dataclass(frozen=True)
class Asked:
    """A row to ask about."""

    row: Rows
    point: Point
    label: int


class Session:
    """One explainer and what brute force knows about it.

    Attributes
    ----------
    explainer : Explainer
        The one that is asked; saving and loading puts another in its place.
    table : Table
        All cells, decided by the library.
    """

    def __init__(self, model: Model, explainer: pw.Explainer, table: Table) -> None:
        self.model, self.explainer, self.table = model, explainer, table
        self.recipe = model.recipe

    @property
    def engine(self) -> str:
        """The engine that was asked for."""
        return str(self.recipe.option.get("engine", "auto"))

    @property
    def names(self) -> list[str]:
        """The names of the features."""
        return self.recipe.names

    def name(self, place: int) -> str:
        return self.names[place % len(self.names)]

    def chosen(self, places: tuple[int, ...]) -> list[str]:
        """The names of some features, each once."""
        return list(dict.fromkeys(self.name(place) for place in places))

    def places(self, names: list[str]) -> frozenset[int]:
        """The places of the variables of features."""
        return frozenset(j for j, x in enumerate(self.table.variables) if x.name in names)

    def asked(self, place: int) -> Asked:
        """A row of the table that is clearly decided."""
        clear = self.table.clear
        i = clear[place * 7919 % len(clear)]
        point = tuple(self.table.cells[self.table.cell_of[i]].tolist())
        return Asked(self.table.rows[i], point, int(self.table.row_labels[i]))

    def given(self, row: Rows, form: int = 0) -> Any:
        """A row as users have it: an array, a list, a mapping or a frame."""
        if "k" in self.recipe.columns or form == 2:
            return as_frame(self.recipe, row[None, :], self.model.words)
        if form == 3:
            return dict(zip(self.recipe.column_names, row.tolist(), strict=True))
        return row.tolist() if form == 1 else row

    def other_label(self, label: int, place: int) -> int:
        """A label that is not this one."""
        others = [k for k in range(len(self.table.class_names)) if k != label]
        return others[place % len(others)]

    def boxes(self, language: str, label: int, point: Point | None, wanted: int | None = None) -> Boxes:
        """All boxes with those that are certain; made once."""
        return _boxes(self.table, language, label, point, wanted)

    def box(self, term: pw.Term) -> Box:
        return term.box(self.table.variables)

    def decide(self, row: Any) -> int:
        """What the library says about one row."""
        return int(self.model.decide(np.array([row], dtype=np.float64))[0])


@lru_cache(maxsize=64)
def _boxes(table: Table, language: str, label: int, point: Point | None, wanted: int | None) -> Boxes:
    return Boxes(table, language, table.against(label, wanted), point)


def start(recipe: Recipe) -> Session:
    """A fresh explainer of a recipe's model, with the table that belongs to it."""
    model, explainer, table = _made(recipe)
    return Session(model, explainer, table)


@lru_cache(maxsize=6)
def _made(recipe: Recipe) -> tuple[Model, pw.Explainer, Table]:
    model = build(recipe)
    explainer = model.explainer()
    if recipe.number and recipe.cutoff is None:
        model, explainer = _around(model, explainer)
    model = _recoded(model, explainer)
    table = Table(model, explainer)
    if not table.clear.size:
        raise TooMany("the order of summation decides every row")
    return model, explainer, table


def _around(model: Model, explainer: pw.Explainer) -> tuple[Model, pw.Explainer]:
    """The question whether a prediction is near that of the first row without a gap: between two numbers."""
    scores = score_by(model.recipe, model.fitted, model.words)
    first = model.data.X[~np.isnan(model.data.X).any(axis=1)][:1]
    if not len(first):
        raise TooMany("every training row has a gap")
    near = 0.25 * (1 + model.recipe.seed % 4)
    middle = float(scores(first)[0])
    ends = (middle - near, middle + near)
    explainer = explainer.around(model.table(first), near)

    def orders(rows: Rows) -> list[Labels]:
        return [between(scores(rows).astype(np.float64), ends)]

    return replace(model, orders=orders), explainer


def _recoded(model: Model, explainer: pw.Explainer) -> Model:
    """The model with its rows in the codes that the explainer has for categories."""
    assert explainer.ensemble is not None
    for column, categories in explainer.ensemble.categories.items():
        name = model.recipe.column_names[column]
        model.words[name] = {float(code): str(word) for code, word in categories.names.items()}
    return replace(model, data=Data(explainer.rows, model.data.y)) if model.recipe.known else model


def nearly(first: float, second: float, share: float = 1e-9) -> bool:
    """Whether two numbers are the same up to rounding."""
    return math.isclose(first, second, rel_tol=share, abs_tol=1e-12)
