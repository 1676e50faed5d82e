"""Rows near a row that get the same decision: what an explanation lets in first, to cover many rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from primewood.engines.protocol import Step
from primewood.logic.variable import Variable
from primewood.model.decision import Decision, RowDecision

MANY_CELLS = 300
"""How many cells are let in, if possible, where covering rows is what counts."""
TRIED = 4
"""How many training rows are decided for each that is let in."""


def let_in_cells(
    variables: Sequence[Variable],
    own: NDArray[np.int64],
    cells: NDArray[np.int64],
    most: int = MANY_CELLS,
    places: Sequence[int] | None = None,
) -> list[Step]:
    """A step for each of the cells nearest to a row's own, the nearest first: it lets in what differs.

    Of a number, the logarithm of how many cells are between counts, so that one that is far off does not outweigh many
    that are the same; another category counts 1. Cost: one sort of the cells.

    Parameters
    ----------
    own, cells
        The row's own cell, and the others, one per row.
    most
        How many of them there are at most.
    places
        The variables that count, and are let in; all by default.
    """
    chosen = np.arange(len(variables)) if places is None else np.array(places, dtype=np.int64)
    if not len(cells) or not len(chosen):
        return []
    others = np.unique(cells[:, chosen], axis=0)
    mine, apart = own[chosen], _measure(variables, own[chosen], others, chosen)
    near = others[np.argsort(apart, kind="stable")[:most]]
    steps = [
        {int(chosen[k]): 1 << int(point[k]) for k in np.flatnonzero(point != mine).tolist()} for point in near
    ]
    return [step for step in steps if step]


def _measure(
    variables: Sequence[Variable], own: NDArray[np.int64], cells: NDArray[np.int64], places: NDArray[np.int64]
) -> NDArray[np.float64]:
    """How far cells are from a row's own, over the variables at some places."""
    ordered = np.array([variables[j].ordered for j in places.tolist()], dtype=np.int64)
    are_numbers = np.maximum(cells, own) < ordered
    apart = np.where(are_numbers, np.log1p(np.abs(cells - own)), cells != own)
    return np.asarray(apart.sum(axis=1), dtype=np.float64)


def let_in_training_rows(decision: Decision, places: Sequence[int], most: int = MANY_CELLS) -> list[Step]:
    """The steps that let in the nearest training rows with the same decision; none without training rows.

    Cost: a distance per training row, and a decision for each of the nearest.
    """
    if not isinstance(decision, RowDecision) or decision.context.points is None or not places:
        return []
    variables, own, points = decision.context.variables, np.array(decision.point), decision.context.points
    chosen = np.array(places, dtype=np.int64)
    apart = _measure(variables, own[chosen], points[:, chosen], chosen)
    apart[(points < 0).any(axis=1)] = np.inf
    near = points[np.argsort(apart, kind="stable")[: TRIED * most]]
    alike = near[decision.model.engines.decide_all(near) == decision.label]
    return let_in_cells(variables, own, alike, most, places)
