"""Who decides: the library itself, asked for plain rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import primewood as pw
from traces.data import as_frame
from traces.recipes import LABELS, NEAR, UNDECIDED, Labels, Orders, Recipe, Rows, Words


def score_by(recipe: Recipe, fitted: Any, words: Words) -> Callable[[Rows], NDArray[Any]]:
    """What a cut-off is compared with: the probability of the second class, or the prediction."""

    def ask(rows: Rows) -> NDArray[Any]:
        table = as_frame(recipe, rows, words) if "k" in recipe.columns else rows
        return fitted.predict(table) if recipe.number else fitted.predict_proba(table)[:, recipe.positive]

    return ask


def cuts_of(recipe: Recipe, scores: NDArray[Any]) -> tuple[float, ...]:
    """The cut-offs: numbers that scores reach exactly, so that there are ties."""
    assert recipe.cutoff is not None
    found = np.unique(scores.astype(np.float64))
    first = recipe.cutoff % len(found)
    cuts = (float(found[first]),)
    above = found[first + 1 :]
    if recipe.between and len(above):
        cuts += (float(above[(recipe.between - 1) % len(above)]),)
    return cuts


def orders_of(
    recipe: Recipe,
    fitted: Any,
    scores: Callable[[Rows], NDArray[Any]],
    cuts: tuple[float, ...],
    words: Words,
) -> Orders:
    """Who takes the decision: the library itself, on plain rows, in every order in which it may add scores."""
    if recipe.option.get("vote") == "majority":
        return lambda rows: [_majority(_votes(fitted, rows).argmax(axis=2), recipe.classes)]
    if recipe.kind == "hand":
        return lambda rows: [trees.predict(rows) for trees in _rearranged(recipe, fitted)]
    if recipe.jobs != 1:
        return lambda rows: _in_any_order(recipe, _votes(fitted, rows), cuts)
    if recipe.number and len(cuts) == 2:
        return lambda rows: [between(scores(rows).astype(np.float64), cuts)]
    if cuts:
        return lambda rows: [_reached(recipe, scores(rows).astype(np.float64) >= cuts[0])]
    return lambda rows: [_predicted(recipe, fitted, rows, words)]


def agreed(found: list[Labels]) -> Labels:
    """The decision that all orders of summation agree on."""
    alike = np.all(np.array(found) == found[0], axis=0)
    return np.where(alike, found[0], UNDECIDED)


def _reached(recipe: Recipe, reached: NDArray[np.bool_]) -> Labels:
    """The label of what reaches the cut-off, and of what does not."""
    other = 0 if recipe.number else 1 - recipe.positive
    return np.where(reached, 1 - other, other).astype(np.int64)


def between(predictions: Rows, cuts: tuple[float, ...]) -> Labels:
    """0 below the first, 2 above the second, 1 between the two, ends included."""
    return (predictions >= cuts[0]).astype(np.int64) + (predictions > cuts[1])


def _predicted(recipe: Recipe, fitted: Any, rows: Rows, words: Words) -> Labels:
    table = as_frame(recipe, rows, words) if "k" in recipe.columns else rows
    found = np.asarray(fitted.predict(table)).ravel()
    return np.searchsorted(LABELS, found.astype(str)) if recipe.texts else found.astype(np.int64)


def _votes(fitted: Any, rows: Rows) -> Rows:
    """What each tree says about each class."""
    trees = getattr(fitted, "estimators_", [fitted])
    return np.array([tree.predict_proba(rows) for tree in trees])


def _majority(votes: Labels, classes: int) -> Labels:
    counts = (votes[:, :, None] == np.arange(classes)).sum(axis=0)
    return counts.argmax(axis=1)


def _rearranged(recipe: Recipe, fitted: pw.Ensemble) -> list[pw.Ensemble]:
    """An ensemble with its trees in the orders in which they may be added."""
    if recipe.jobs == 1:
        return [fitted]
    return [replace(fitted, trees=trees) for trees in permutations(fitted.trees)]


def _in_any_order(recipe: Recipe, votes: Rows, cuts: tuple[float, ...]) -> list[Labels]:
    """The decisions of a forest, whatever the order in which it adds the votes of its trees."""
    return [_summed(recipe, votes[list(order)], cuts) for order in permutations(range(len(votes)))]


def _summed(recipe: Recipe, votes: Rows, cuts: tuple[float, ...]) -> Labels:
    total = np.zeros(votes.shape[1:])
    for vote in votes:
        total += vote
    total /= len(votes)
    return _reached(recipe, total[:, recipe.positive] >= cuts[0]) if cuts else total.argmax(axis=1)


def looseness_of(recipe: Recipe, fitted: Any, cuts: tuple[float, ...]) -> Callable[[Rows], NDArray[np.bool_]]:
    """Which rows are so near to a tie that they may count as undecided."""
    if recipe.jobs == 1:
        return lambda rows: np.zeros(len(rows), dtype=bool)

    def near(rows: Rows) -> NDArray[np.bool_]:
        if recipe.kind == "hand" and fitted.cuts:
            return np.abs(fitted.scores(rows)[:, 0] - fitted.cuts[0]) < NEAR
        scores = fitted.scores(rows) if recipe.kind == "hand" else _votes(fitted, rows).mean(axis=0)
        if cuts:
            return np.abs(scores[:, recipe.positive] - cuts[0]) < NEAR
        ordered = np.sort(scores, axis=1)
        return ordered[:, -1] - ordered[:, -2] < NEAR

    return near
