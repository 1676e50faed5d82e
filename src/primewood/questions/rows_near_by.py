"""Training rows near a row that get the same decision: what an explanation lets in first, to cover many rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from primewood.engines.protocol import Step
from primewood.model.decision import Decision, RowDecision

MANY_ROWS = 150
"""How many rows are let in, if possible, where covering rows is what counts."""


def let_in_rows(decision: Decision, places: Sequence[int], count: int = MANY_ROWS) -> list[Step]:
    """A step for each of the nearest training rows with the same decision, the nearest first.

    A step lets in a row's values of some variables. Distances are in cells of these variables, as shares of their
    numbers of cells. Cost: one sort of the training rows, and a decision for each of the nearest.

    Parameters
    ----------
    places
        The variables that count; the others allow every value already, or are to stay as they are.
    count
        How many rows there are at most.
    """
    if not isinstance(decision, RowDecision) or decision.context.points is None or not places:
        return []
    points, own = decision.context.points, np.array(decision.point)
    chosen, spans = list(places), np.array([len(decision.context.variables[j]) for j in places])
    far = (np.abs(points[:, chosen] - own[chosen]) / spans).sum(axis=1) + 1e9 * (points < 0).any(axis=1)
    near = np.argsort(far, kind="stable")[: 4 * count]
    alike = near[decision.model.engines.decide_all(points[near]) == decision.label][:count]
    steps = [
        {j: 1 << int(v) for j, v in zip(chosen, row, strict=True) if v != decision.point[j]}
        for row in points[alike][:, chosen]
    ]
    return [step for step in steps if step]
