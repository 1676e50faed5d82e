"""Constraints of recipes: in words, and which rows meet them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from traces.recipes import NAMES, WORDS, Recipe, Rows, Words


def state(recipe: Recipe, constraint: tuple[Any, ...]) -> str:
    """A constraint as the user writes it."""
    if constraint[0] == "order":
        _, lower, upper, constant, strict = constraint
        sign = "-" if constant < 0 else "+"
        return f"{NAMES[lower]} {'<' if strict else '<='} {NAMES[upper]} {sign} {abs(constant)!r}"
    _, i, x, j, y = constraint
    return f"{_condition(recipe, i, x)} -> {_condition(recipe, j, y)}"


def _condition(recipe: Recipe, place: int, value: float) -> str:
    if recipe.columns[place] in "nmw":
        return f"{NAMES[place]} <= {value!r}"
    return f"{NAMES[place]}={value if recipe.columns[place] in 'bi' else WORDS[int(value)]}"


def satisfied(recipe: Recipe, rows: Rows, words: Words | None = None) -> NDArray[np.bool_]:
    """Which rows meet all constraints of a recipe; `words` are those of codes, if they are not the usual ones."""
    found = np.ones(len(rows), dtype=bool)
    for constraint in recipe.constraints:
        if constraint[0] == "order":
            _, lower, upper, constant, strict = constraint
            low, high = rows[:, place_of(recipe, lower)], rows[:, place_of(recipe, upper)] + constant
            found &= np.isnan(low) | np.isnan(high) | ((low < high) if strict else (low <= high))
        else:
            _, i, x, j, y = constraint
            found &= ~_holds(recipe, rows, words, i, x) | _holds(recipe, rows, words, j, y)
    return found


def place_of(recipe: Recipe, feature: int) -> int:
    """The first column of a feature."""
    return sum(3 if letter == "h" else 1 for letter in recipe.columns[:feature])


def _holds(recipe: Recipe, rows: Rows, words: Words | None, feature: int, value: float) -> NDArray[np.bool_]:
    column, letter = place_of(recipe, feature), recipe.columns[feature]
    if letter == "h":
        return rows[:, column + int(value)] == 1
    if letter == "k" and words is not None:
        said = words[NAMES[feature]]
        return np.array([said.get(x) == WORDS[int(value)] for x in rows[:, column].tolist()], dtype=bool)
    return rows[:, column] <= value if letter in "nmw" else rows[:, column] == value
