"""Conditions on one feature of a model, from names, numbers, values, intervals and literals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from typing import Literal as Choice

import numpy as np

from primewood.domain.condition import EVERYTHING, Condition, Span, span_of, unite
from primewood.domain.interpreter import Interpreter
from primewood.errors import InvalidInput
from primewood.logic.expression import Literal
from primewood.logic.interval import Interval
from primewood.logic.lexicon import write_name, write_value
from primewood.model.context import TreeContext
from primewood.model.row_in_cell import Row

LARGEST = {"float32": math.nextafter(2.0**128 - 2.0**103, 0.0), "float64": math.nextafter(math.inf, 0.0)}
"""The largest number that is finite after the model's cast."""


class RowConditions(Interpreter):
    """Makes conditions about one row of a model."""

    def __init__(self, context: TreeContext, row: Row) -> None:
        largest = LARGEST[context.layout.dtype]
        super().__init__(context.domain.features, context.domain.column_names, largest=largest)
        self.context, self.row = context, row

    def mention(self, name: str, text: str) -> Condition:
        """A name alone: that a feature of truth values is true, or another one as in the row."""
        return super().mention(name, text) if self.is_truth(name) else self.keep(name)

    def keep(self, name: str) -> Condition:
        """The feature as in the row: in its interval, with its value, or missing."""
        feature, place = self.feature(name)
        index = feature.index_of(self.row.tolist())
        if np.isnan(self.row[list(feature.columns)]).any():
            return Condition(feature, name, missing=True, kept=True)
        if feature.patterns is None:
            cell = EVERYTHING if feature.variable is None else span_of(feature.variable.value_at(index))
            return self.numbers(feature, [cell], name, kept=True)
        places = {index}
        if place is not None:
            codes = [code[place] for code in feature.patterns]
            places = {i for i, code in enumerate(codes) if code == codes[index]}
        return Condition(feature, name, places=frozenset(places), kept=True)

    def read_literal(self, literal: Literal) -> Condition:
        """What a literal of this library says."""
        name = literal.variable.name
        return self.among(name, literal.values, self.context.literal_record(literal)["text"])

    def read_entry(self, name: object, what: object) -> Condition:
        """One entry of a dictionary."""
        self.feature(name)
        name = str(name)
        if isinstance(what, tuple):
            low, high = _read_bounds(name, what)
            words = [f"{low:g} <= " if low > -math.inf else "", f" <= {high:g}" if high < math.inf else ""]
            return self.between(name, [(low, high)], write_name(name).join(words))
        if isinstance(what, Interval):
            return self.between(name, [span_of(what)], what.condition(write_name(name)))
        if isinstance(what, list | set | frozenset | np.ndarray):
            listed = ", ".join(write_value(word) for word in sorted(map(str, what)))
            return self.among(name, what, f"{write_name(name)} in {{{listed}}}")
        return self.among(name, [what], f"{write_name(name)} = {write_value(str(what))}")

    def combine(
        self, connective: Choice["and", "or", "not"], parts: Sequence[Condition], text: str
    ) -> Condition:
        """Several conditions on one feature as one."""
        if connective == "or":
            return unite(parts, text)
        nots = [self.negate(part) for part in parts]
        return replace(nots[0], text=text) if connective == "not" else self.negate(unite(nots, text))


def _read_bounds(name: str, ends: tuple[Any, ...]) -> Span:
    try:
        low, high = ends
        found = (-math.inf if low is None else float(low), math.inf if high is None else float(high))
    except (TypeError, ValueError):
        raise InvalidInput(
            f"{name}: a range is (low, high), None for no bound; a list holds values. Got {ends!r}"
        ) from None
    if math.isnan(found[0]) or math.isnan(found[1]):
        raise InvalidInput(f"{name}: the ends of a range must be numbers or None, not {ends!r}")
    return found
