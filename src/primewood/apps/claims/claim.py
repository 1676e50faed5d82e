"""A claim: conditions on features that together are said to suffice.

What a claim says of numbers is kept as closed *spans* of float64, which is exact: ``x < 2`` is "x is at most the float
below 2".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from primewood.domain import Feature
from primewood.logic.interval import Interval
from primewood.model.cells import Row
from primewood.visible import Readable

Span = tuple[float, float]
"""The numbers from the first to the second, both included."""
EVERYTHING: Span = (-math.inf, math.inf)


@dataclass(frozen=True)
class Condition:
    """What a claim says of one feature.

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

    @property
    def mask(self) -> int:
        """The values of the feature's variable that it meets, wholly or in part."""
        variable = self.feature.variable
        assert variable is not None
        found = sum(1 << i for i in self.places)
        if self.missing and variable.missing is not None:
            found |= 1 << variable.missing
        for low, high in self.spans:
            found |= (2 << variable.index(high)) - (1 << variable.index(low))
        return found

    def holds(self, row: Row) -> bool:
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

    def or_else(self, other: Condition) -> Condition:
        """Either of two conditions on one feature."""
        spans: list[Span] = []
        for low, high in sorted(self.spans + other.spans):
            if spans and low <= spans[-1][1]:
                low, high = spans[-1][0], max(high, spans.pop()[1])
            spans.append((low, high))
        return replace(
            self,
            text=f"{self.text} or {other.text}",
            spans=tuple(spans),
            places=self.places | other.places,
            missing=self.missing or other.missing,
        )

    def says_the_same(self, other: Condition) -> bool:
        """Whether another condition allows the same of the same feature."""
        mine = (self.feature.name, self.spans, self.places, self.missing)
        return mine == (other.feature.name, other.spans, other.places, other.missing)


@dataclass(frozen=True)
class Claim(Readable):
    """That some conditions together suffice for the decision on a row.

    Attributes
    ----------
    said : tuple of Condition
        The conditions as they came; of a tool that weighs them, the heaviest first.
    source : str
        Who makes the claim, in a word.
    decision : str or None
        The decision that it speaks of, where it names one.
    fewest : bool
        Whether the claim is only that some first ones of the conditions suffice.
    """

    said: tuple[Condition, ...]
    source: str = "claim"
    decision: str | None = None
    fewest: bool = False

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions, one per feature."""
        merged: dict[str, Condition] = {}
        for condition in self.said:
            name = condition.feature.name
            merged[name] = merged[name].and_also(condition) if name in merged else condition
        return tuple(merged.values())

    @property
    def features(self) -> tuple[str, ...]:
        """The features that it mentions."""
        return tuple(condition.feature.name for condition in self.conditions)

    def holds(self, row: Row) -> bool:
        """Whether a row, as the model takes it, satisfies all conditions."""
        return all(condition.holds(row) for condition in self.conditions)

    def first(self, count: int) -> Claim:
        """The claim that the first so many conditions suffice."""
        return replace(self, said=self.said[:count], fewest=False)

    def __str__(self) -> str:
        words = [f"{c.text} is as in the row" if c.kept else c.text for c in self.conditions]
        return " AND ".join(words) or "anything"


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
