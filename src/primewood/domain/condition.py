"""A condition on one feature: the numbers or values that it allows.

What it says of numbers is kept as closed *spans* of float64, which is exact: ``x < 2`` is "x is at most the float
below 2".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from primewood.domain.feature import Feature
from primewood.logic.interval import Interval
from primewood.logic.variable import Variable

Span = tuple[float, float]
"""The numbers from the first to the second, both included."""
EVERYTHING: Span = (-math.inf, math.inf)


@dataclass(frozen=True)
class Condition:
    """What is said of one feature.

    Attributes
    ----------
    feature : Feature
    text : str
        The condition as it was said.
    spans : tuple of Span
        The numbers that it allows, of a numeric feature: ascending, and only such as the feature can hold.
    places : frozenset of int
        The values that it allows, of a feature that holds certain values only.
    missing : bool
        Whether it allows the feature to be missing.
    kept : bool
        Whether it says "as in the row", and no more.
    """

    feature: Feature
    text: str
    spans: tuple[Span, ...] = ()
    places: frozenset[int] = frozenset()
    missing: bool = False
    kept: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing satisfies it."""
        return not (self.spans or self.places or self.missing)

    def find_mask(self, variable: Variable) -> int:
        """The values of the feature's variable that it meets, wholly or in part."""
        found = sum(1 << i for i in self.places)
        if self.missing and variable.missing is not None:
            found |= 1 << variable.missing
        for low, high in self.spans:
            found |= (2 << variable.index(high)) - (1 << variable.index(low))
        return found

    def holds(self, row: NDArray[np.float64]) -> bool:
        """Whether a row satisfies it."""
        if np.isnan(row[list(self.feature.columns)]).any():
            return self.missing
        if self.feature.patterns is not None:
            return self.feature.index_of(row.tolist()) in self.places
        return any(low <= row[self.feature.column] <= high for low, high in self.spans)

    def and_also(self, other: Condition) -> Condition:
        """Both conditions on one feature."""
        pairs = [(max(a, c), min(b, d)) for a, b in self.spans for c, d in other.spans]
        return replace(
            self,
            text=self.text if self.text == other.text else f"{self.text} and {other.text}",
            spans=tuple(sorted((a, b) for a, b in pairs if a <= b)),
            places=self.places & other.places,
            missing=self.missing and other.missing,
            kept=self.kept and other.kept,
        )


def unite(conditions: Sequence[Condition], text: str) -> Condition:
    """That one of several conditions on one feature holds. Cost: one sort of their spans."""
    spans: list[Span] = []
    for low, high in sorted(span for condition in conditions for span in condition.spans):
        if spans and low <= spans[-1][1]:
            low, high = spans[-1][0], max(high, spans.pop()[1])
        spans.append((low, high))
    places = frozenset(place for condition in conditions for place in condition.places)
    missing = any(condition.missing for condition in conditions)
    return Condition(conditions[0].feature, text, tuple(spans), places, missing)


def half_line(operator: str, bound: float) -> Span:
    """The numbers on one side of a bound."""
    if operator in ("<", "<="):
        return -math.inf, bound if operator == "<=" else math.nextafter(bound, -math.inf)
    return bound if operator == ">=" else math.nextafter(bound, math.inf), math.inf


def span_of(interval: object) -> Span:
    """The floats of an interval."""
    assert isinstance(interval, Interval)
    low, _ = half_line(">=" if interval.closed_low else ">", interval.low)
    _, high = half_line("<=" if interval.closed_high else "<", interval.high)
    return low, high
