"""What conditions mean over the features of a model.

A name is that of a feature, or of a column where a feature has several. A number that is compared with a feature of
categories is a code of theirs, unless categories are other numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from primewood.domain.condition import EVERYTHING, Condition, Span, half_line, span_of, unite
from primewood.domain.feature import Feature
from primewood.errors import InvalidInput, ParseError, UnknownName, format_list, suggest
from primewood.logic.expression import FALSE, TRUE, Expression
from primewood.logic.expression_parser import expression_of
from primewood.logic.interval import MISSING, Interval
from primewood.logic.lexicon import NUMBER, Vocabulary, write_ascii
from primewood.logic.syntax import Bounds, Leaf, Membership, Mention, NameOrder, Syntax, Truth, words_of


class Interpreter:
    """Gives conditions a meaning: over some features.

    Parameters
    ----------
    features
        All features of a model.
    column_names
        The names of its columns.
    largest
        The largest number that a feature can hold.
    """

    def __init__(
        self, features: Sequence[Feature], column_names: Sequence[str], *, largest: float = math.inf
    ) -> None:
        self.largest = largest
        self.names: dict[str, tuple[Feature, int | None]] = {}
        for feature in features:
            for place, column in enumerate(feature.columns if len(feature.columns) > 1 else ()):
                self.names[column_names[column]] = (feature, place)
        self.names.update({feature.name: (feature, None) for feature in features})

    def vocabulary(self, units: Mapping[str, str], decisions: Iterable[object] = ()) -> Vocabulary:
        """The names that a text may use."""
        return Vocabulary(self._values, units, tuple(map(str, decisions)))

    @cached_property
    def _values(self) -> dict[str, tuple[str, ...]]:
        listed = {name: feature.patterns or {} for name, (feature, _) in self.names.items()}
        return {name: tuple(map(str, patterns.values())) for name, patterns in listed.items()}

    def feature(self, name: object) -> tuple[Feature, int | None]:
        """The feature of a name, and which of its columns the name stands for if it is a column of a group."""
        if name not in self.names:
            known = format_list(self.names)
            raise UnknownName(f"no feature {name!r}{suggest([name], self.names)}; the features are {known}")
        return self.names[str(name)]

    # Trees

    def expression(self, node: Syntax, text: str) -> Expression:
        """What a tree says, over the variables of the features; its comparisons must fall on their cuts."""
        return expression_of(node, text, lambda leaf: self._literal(leaf, text))

    def _literal(self, leaf: Leaf, text: str) -> Expression:
        if isinstance(leaf, Truth):
            return TRUE if leaf.value else FALSE
        found = self.condition(leaf, text)
        if self._cuts_cells(found):
            problem = f"{found.text!r} does not fall between the values of {found.feature.name}"
            raise ParseError(problem, text, leaf.start)
        variable = found.feature.variable
        if variable is None:
            return FALSE if found.is_empty else TRUE
        return variable.of_mask(found.find_mask(variable))

    def _cuts_cells(self, condition: Condition) -> bool:
        """Whether some cell of the feature lies partly inside and partly outside."""
        outside, variable = self.negate(condition), condition.feature.variable
        if variable is None:
            return not (condition.is_empty or outside.is_empty)
        return bool(condition.find_mask(variable) & outside.find_mask(variable))

    def condition(self, leaf: Leaf, text: str) -> Condition:
        """What a leaf says of its feature; an error of it shows where it stands in the text."""
        position = leaf.start
        try:
            match leaf:
                case Mention(in_row=True):
                    return self.keep(leaf.name.text)
                case Mention():
                    return self.mention(leaf.name.text, words_of(leaf, text))
                case Bounds():
                    return self._bounds(leaf, words_of(leaf, text))
                case Membership():
                    for value in leaf.values:
                        position = value.start
                        self.value(leaf.name.text, value.text, "")
                    values = [value.text for value in leaf.values]
                    return self.among(leaf.name.text, values, words_of(leaf, text), negated=leaf.negated)
                case NameOrder():
                    raise InvalidInput(
                        f"{leaf.left.text} and {leaf.right.text} are compared with each other in constraints only"
                    )
                case Truth():
                    raise InvalidInput(f"{words_of(leaf, text)!r} is a condition on no feature")
        except ParseError:
            raise
        except InvalidInput as problem:
            raise ParseError.because(problem, text, position) from None

    def mention(self, name: str, text: str) -> Condition:
        """A name alone: that a feature of truth values is true."""
        if self.is_truth(name):
            return self.value(name, True, text)
        raise InvalidInput(f"{name} alone is not a condition; compare it with a number or a value")

    def keep(self, name: str) -> Condition:
        """The feature as in a row; an error where there is none."""
        raise InvalidInput(f"{name} is as in a row in claims only; compare it with a number or a value")

    def is_truth(self, name: str) -> bool:
        """Whether a feature is False or True."""
        feature, place = self.feature(name)
        labels = () if place is not None or feature.patterns is None else feature.patterns.values()
        return len(labels) == 2 and all(isinstance(label, bool | np.bool_) for label in labels)

    def _bounds(self, leaf: Bounds, text: str) -> Condition:
        low, high = EVERYTHING
        for operator, word in leaf.limits:
            least, most = half_line(operator, word.number or 0.0)
            low, high = max(low, least), min(high, most)
        return self.between(leaf.name.text, [(low, high)], text)

    # Conditions on one feature

    def numbers(
        self, feature: Feature, spans: Iterable[Span], text: str, *, missing: bool = False, kept: bool = False
    ) -> Condition:
        """Of a numeric feature: the numbers of some spans that it can hold."""
        possible = []
        for low, high in spans:
            low, high = max(low, feature.low, -self.largest), min(high, feature.high, self.largest)
            if feature.whole:
                low = float(math.ceil(low)) if math.isfinite(low) else low
                high = float(math.floor(high)) if math.isfinite(high) else high
            if low <= high and (low < high or math.isfinite(low)):
                possible.append((low, high))
        return Condition(feature, text, tuple(possible), missing=missing and feature.missing, kept=kept)

    def between(self, name: str, spans: Sequence[Span], text: str) -> Condition:
        """The feature's number, or the code of its category, lies in one of the spans."""
        feature, _ = self.feature(name)
        codes = self._codes(name)
        if feature.patterns is None:
            return self.numbers(feature, spans, text)
        if not codes or feature.others is not None:
            raise InvalidInput(
                f"{text!r} compares {name} with numbers; {name} is not numeric: it takes = and in, with its categories"
            )
        inside = (i for i, code in enumerate(codes) if any(low <= code <= high for low, high in spans))
        return Condition(feature, text, places=frozenset(inside))

    def among(self, name: str, values: Iterable[object], text: str, *, negated: bool = False) -> Condition:
        """The feature has one of these values, or none of them; an interval stands for its numbers."""
        feature, _ = self.feature(name)
        found = unite([Condition(feature, text), *(self.value(name, value, text) for value in values)], text)
        return self.negate(found) if negated else found

    def negate(self, condition: Condition) -> Condition:
        """The feature has what a condition does not allow."""
        feature, gaps, start = condition.feature, list[Span](), -math.inf
        for low, high in condition.spans:
            gaps.append((start, math.nextafter(low, -math.inf)))
            start = math.nextafter(high, math.inf)
        spans = [*gaps, (start, math.inf)] if feature.patterns is None else []
        others = frozenset(range(len(feature.patterns or ()))) - condition.places
        found = self.numbers(feature, spans, condition.text, missing=not condition.missing)
        return replace(found, places=others)

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
            return self.numbers(feature, [(number, number)], text)
        if str(value) in ("missing", "nan", "NaN"):
            return Condition(feature, text, missing=feature.missing)
        known = () if patterns is None else tuple(patterns.values())
        accepted = "a number" if patterns is None else f"one of {format_list(known)}"
        raise UnknownName(f"{name} is {accepted}, not {value!r}{suggest([value], known)}")

    def _codes(self, name: str) -> list[float]:
        """What the column of a name holds at each value of its feature; nothing if that is not what people write."""
        feature, place = self.feature(name)
        patterns = feature.patterns or {}
        if place is not None:
            return [pattern[place] for pattern in patterns]
        others = {number_of(label) not in (None, pattern[0]) for pattern, label in patterns.items()}
        return [] if len(feature.columns) > 1 or True in others else [pattern[0] for pattern in patterns]


def number_of(value: object) -> float | None:
    """A number, or the number that a text is."""
    if isinstance(value, str):
        value = {"True": "1", "False": "0"}.get(value, value)
        finite = re.fullmatch(NUMBER, value, re.ASCII) and "inf" not in value
        return float(write_ascii(value)) if finite else None
    if not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
