"""Rows that a claim holds for and that get a different decision."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Feature
from primewood.domain.condition import EVERYTHING, Condition, span_of
from primewood.domain.feature import FARTHEST
from primewood.errors import InvalidInput
from primewood.logic.instance import Point
from primewood.logic.interval import Interval, number
from primewood.model.context import TreeContext
from primewood.model.row_in_cell import Row
from primewood.questions.sufficiency.claim import ClaimedConditions
from primewood.render.decimals import plain_number


@dataclass(frozen=True)
class Counterexample:
    """A row that a claim holds for and that gets a different decision.

    Attributes
    ----------
    row : tuple of float
        The row, as the model takes it.
    decision : object
        What the model says about it.
    changed : dict
        What is different from the row that the claim is about: columns with their numbers, NaN for missing.
    text : str
        The same in words, by features.
    """

    row: tuple[float, ...]
    decision: object
    changed: dict[str, float]
    text: str


def find_row_within(
    claim: ClaimedConditions, other: Point, context: TreeContext, row: Row, point: Point
) -> Row | None:
    """A row of a cell that lies inside a claim, as near to a row as can be written; None if none can be written."""
    domain = context.domain
    changed = context.cells.row_at(other, row, point)
    cells = dict(zip((x.name for x in context.variables), other, strict=True))
    for condition in claim.conditions:
        if not condition.holds(changed):
            _move_inside(condition, changed, cells.get(condition.feature.name), context)
    try:
        inside = claim.holds(changed) and domain.point(changed) == other
    except InvalidInput:
        inside = False
    return changed if inside else None


def _move_inside(condition: Condition, row: Row, value: int | None, context: TreeContext) -> None:
    """Write what a condition allows into a row, within the cell of a value if the feature has cells."""
    feature = condition.feature
    if feature.patterns is not None and condition.places:
        row[list(feature.columns)] = list(feature.patterns)[min(condition.places)]
        return
    cell = None if value is None or feature.variable is None else feature.variable.value_at(value)
    low, high = span_of(cell) if isinstance(cell, Interval) else EVERYTHING
    spans = [(max(a, low), min(b, high)) for a, b in condition.spans]
    known = None if context.rows is None else context.rows[:, feature.column]
    row[feature.column] = next((_choose_number(a, b, feature, known) for a, b in spans if a <= b), np.nan)


def _choose_number(low: float, high: float, feature: Feature, known: NDArray[np.float64] | None) -> float:
    """A number between two ends that a feature can hold, one that is known if possible."""
    low, high = (low if low > -FARTHEST else -math.inf), (high if high < FARTHEST else math.inf)
    found = plain_number(Interval(low, high, "both"), known)
    if not feature.whole:
        return found
    return float(math.floor(found) if math.floor(found) >= low else math.ceil(found))


def describe_counterexample(changed: Row, decision: object, context: TreeContext, row: Row) -> Counterexample:
    """A row that gets a different decision, told by what is different from the row that the claim is about."""
    domain = context.domain
    differ = (changed != row) & ~(np.isnan(changed) & np.isnan(row))
    columns = np.flatnonzero(differ).tolist()
    words = dict.fromkeys(describe_value(domain.feature_of[column], changed) for column in columns)
    moved = {context.column_names[column]: float(changed[column]) for column in columns}
    return Counterexample(tuple(changed.tolist()), decision, moved, " and ".join(words) or "nothing changed")


def describe_value(feature: Feature, row: Row) -> str:
    """What a row holds in a feature, in words."""
    if np.isnan(row[list(feature.columns)]).any():
        return f"{feature.name} missing"
    if feature.patterns is None:
        return f"{feature.name} = {number(row[feature.column])}"
    return f"{feature.name} = {list(feature.patterns.values())[feature.index_of(row.tolist())]}"
