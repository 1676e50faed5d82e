"""Conditions on one feature of a model, from names, numbers, values, intervals and literals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from primewood.apps.claims.claim import EVERYTHING, Condition, Span, span_of
from primewood.apps.claims.notation import number_of
from primewood.domain import Feature
from primewood.errors import InvalidInput, UnknownName, listing
from primewood.logic.expression import Literal
from primewood.logic.interval import MISSING, Interval
from primewood.model.cells import Row
from primewood.model.context import TreeContext

LARGEST = {"float32": math.nextafter(2.0**128 - 2.0**103, 0.0), "float64": math.nextafter(math.inf, 0.0)}
"""The largest number that is finite after the model's cast."""


class Conditions:
    """Makes conditions for claims about one row of one model.

    A name is that of a feature, or of a column where a feature has several.
    """

    def __init__(self, context: TreeContext, row: Row) -> None:
        if context.domain is None:
            raise InvalidInput(
                "claims are checked about models; of an expression, ask term.entails(expression)"
            )
        self.context, self.row = context, row
        self.largest = LARGEST[context.layout.dtype]
        self.names: dict[str, tuple[Feature, int | None]] = {}
        for feature in context.domain.features:
            for place, column in enumerate(feature.columns if len(feature.columns) > 1 else ()):
                self.names[context.domain.column_names[column]] = (feature, place)
        self.names.update({feature.name: (feature, None) for feature in context.domain.features})

    def feature(self, name: object) -> tuple[Feature, int | None]:
        """The feature of a name, and which of its columns the name stands for if it is a column of a group."""
        if name not in self.names:
            raise UnknownName(f"the claim names {name!r}; the features are {listing(self.names)}")
        return self.names[str(name)]

    def kept(self, name: str) -> Condition:
        """The feature as in the row: in its interval, with its value, or missing."""
        feature, place = self.feature(name)
        index = feature.index_of(self.row.tolist())
        if np.isnan(self.row[list(feature.columns)]).any():
            return Condition(feature, name, missing=True, kept=True)
        if feature.patterns is None:
            cell = EVERYTHING if feature.variable is None else span_of(feature.variable.values[index])
            return self._numbers(feature, [cell], name, kept=True)
        places = {index}
        if place is not None:
            codes = [code[place] for code in feature.patterns]
            places = {i for i, code in enumerate(codes) if code == codes[index]}
        return Condition(feature, name, places=frozenset(places), kept=True)

    def _codes(self, name: str) -> list[float]:
        """What the column of a name holds at each value of its feature; nothing if that is not what people write."""
        feature, place = self.feature(name)
        patterns = feature.patterns or {}
        if place is not None:
            return [pattern[place] for pattern in patterns]
        others = {number_of(label) not in (None, pattern[0]) for pattern, label in patterns.items()}
        return [] if len(feature.columns) > 1 or True in others else [pattern[0] for pattern in patterns]

    def _numbers(
        self, feature: Feature, spans: Iterable[Span], text: str, *, missing: bool = False, kept: bool = False
    ) -> Condition:
        """Of a numeric feature: the numbers of some spans that it can hold."""
        possible = []
        for low, high in spans:
            low, high = max(low, feature.low, -self.largest), min(high, feature.high, self.largest)
            if feature.whole:
                low, high = float(math.ceil(low)), float(math.floor(high))
            if low <= high:
                possible.append((low, high))
        return Condition(feature, text, tuple(possible), missing=missing and feature.missing, kept=kept)

    def between(self, name: str, spans: Sequence[Span], text: str) -> Condition:
        """The feature's number, or the code of its category, lies in one of the spans."""
        feature, _ = self.feature(name)
        codes = self._codes(name)
        if feature.patterns is None:
            return self._numbers(feature, spans, text)
        if not codes or feature.others is not None:
            raise InvalidInput(
                f"{text!r} compares {name} with numbers; it takes = and in, with its categories"
            )
        inside = (i for i, code in enumerate(codes) if any(low <= code <= high for low, high in spans))
        return Condition(feature, text, places=frozenset(inside))

    def among(self, name: str, values: Iterable[object], text: str, *, negated: bool = False) -> Condition:
        """The feature has one of these values, or none of them; an interval stands for its numbers."""
        feature, _ = self.feature(name)
        none = Condition(feature, text)
        found = none
        for value in values:
            found = found.or_else(self.value(name, value, text))
        if negated:
            gaps: list[Span] = []
            start = -math.inf
            for low, high in found.spans:
                gaps.append((start, math.nextafter(low, -math.inf)))
                start = math.nextafter(high, math.inf)
            spans = [*gaps, (start, math.inf)] if feature.patterns is None else []
            others = frozenset(range(len(feature.patterns or ()))) - found.places
            missing = feature.missing and not found.missing
            found = replace(self._numbers(feature, spans, text, missing=missing), places=others)
        return replace(found, text=text)

    def value(self, name: str, value: object, text: str) -> Condition:
        """The feature has this value; an interval stands for its numbers."""
        feature, place = self.feature(name)
        value = value.item() if isinstance(value, np.generic) else value
        if value is None or value is MISSING or value != value:
            return Condition(feature, text, missing=feature.missing)
        if isinstance(value, Interval):
            return self.between(name, [span_of(value)], text)
        patterns = feature.patterns
        if patterns is not None:
            labels = [str(label) for label in patterns.values()] if place is None else []
            named = {i for i, label in enumerate(labels) if label == str(value)}
            named = named or {i for i, code in enumerate(self._codes(name)) if code == number_of(value)}
            if named:
                return Condition(feature, text, places=frozenset(named))
        elif (number := number_of(value)) is not None:
            return self._numbers(feature, [(number, number)], text)
        if str(value) in ("missing", "nan", "NaN"):
            return Condition(feature, text, missing=feature.missing)
        accepted = "a number" if patterns is None else f"one of {listing(patterns.values())}"
        raise UnknownName(f"{text!r}: {name} is {accepted}, not {value!r}")

    def literal(self, literal: Literal) -> Condition:
        """What a literal of this library says."""
        name = literal.variable.name
        return self.among(name, literal.values, self.context.literal_record(literal)["text"])

    def entry(self, name: object, what: object) -> Condition:
        """One entry of a dictionary."""
        self.feature(name)
        name = str(name)
        if isinstance(what, tuple):
            low, high = _bounds(name, what)
            words = [f"{low:g} <= " if low > -math.inf else "", f" <= {high:g}" if high < math.inf else ""]
            return self.between(name, [(low, high)], name.join(words))
        if isinstance(what, Interval):
            return self.between(name, [span_of(what)], what.condition(name))
        if isinstance(what, list | set | frozenset | np.ndarray):
            return self.among(name, what, f"{name} in {{{', '.join(sorted(map(str, what)))}}}")
        return self.among(name, [what], f"{name} = {what}")


def _bounds(name: str, ends: tuple[Any, ...]) -> Span:
    try:
        low, high = ends
        found = (-math.inf if low is None else float(low), math.inf if high is None else float(high))
    except (TypeError, ValueError):
        raise InvalidInput(
            f"{name}: a range is (low, high), None for no bound; a list holds values. Got {ends!r}"
        ) from None
    if math.isnan(found[0]) or math.isnan(found[1]):
        raise InvalidInput(f"{name}: the ends of a range are numbers or None, not {ends!r}")
    return found
