"""Claims about what suffices for a decision, as other tools and people make them.

A claim is a conjunction of conditions, at most one per feature: a set of numbers or of values. It is written as

- a list of features, each kept at the row's own value (in the literal language "values", the row's interval),
- text, such as ``petal width <= 0.8 and 2 < sepal length <= 5``, ``colour in {red, green}``, ``age is missing``,
- a dictionary from features to ``(low, high)`` (both included, None for no bound), an `Interval`, a value, or a list of
  values and intervals,
- a term or an explanation of this library,
- what Anchors, LIME or SHAP return. Only plain attributes of theirs are read; none of these tools is imported.

Numbers are taken as they are written, also where a tool has rounded them. Text is matched against the names of the
model's features and of their values, so that a name may hold spaces, digits and operators; text that can be read in
two ways is refused. What a claim says of numbers is kept as closed *spans* of float64, which is exact: ``x < 2`` is
"x is at most the float below 2".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar
from typing import Literal as Choice

import numpy as np

from primewood.domain import Feature
from primewood.errors import InvalidInput, UnknownName, listing
from primewood.logic.expression import Expression, Literal
from primewood.logic.interval import MISSING, Interval
from primewood.logic.term import Term
from primewood.reasons.context import Context, Row
from primewood.reasons.explanation import Explanation

T = TypeVar("T")
Span = tuple[float, float]
"""The numbers from the first to the second, both included."""
By = Choice["absolute", "favour"]
"""By which of a tool's weights features are chosen: by their size, or only those that speak for the decision."""
Most = int | Choice["fewest"] | None
"""How many of a tool's features are claimed to suffice: so many, the fewest that do, or as many as it names."""

EVERYTHING: Span = (-math.inf, math.inf)
LARGEST = {"float32": math.nextafter(2.0**128 - 2.0**103, 0.0), "float64": math.nextafter(math.inf, 0.0)}
"""The largest number that is finite after the model's cast."""

NUMBER = r"[-+−]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+−]?\d+)?|inf)"
ORDER = r"<=|>=|≤|≥|<|>"
BEFORE = re.compile(rf"({NUMBER})\s*({ORDER})", re.ASCII)
AFTER = re.compile(rf"\s*({ORDER})\s*({NUMBER})", re.ASCII)
BRACKETS = re.compile(rf"([\[(])\s*({NUMBER})\s*,\s*({NUMBER})\s*([\])])", re.ASCII)
RELATION = re.compile(r"\s*(?:(==|=|!=|≠|∈|∉)|(?<=\s)(is not|is|not in|in)(?=[\s{\[(]))\s*(.+)", re.DOTALL)
AND = re.compile(r"\s+(?:and|AND)\s+|\s*(?:&&|&|∧|,|;|\n)\s*")
OR = re.compile(r"\s+(?:or|OR)\s+|\s*(?:\|\||\||∨)\s*")
COMMA = re.compile(r"\s*,\s*")
RULE = re.compile(r"\s*IF\s+(?P<if>.*)\s+THEN\s+(?P<then>.+?)\s*", re.DOTALL)
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
FORMS = (
    "a claim is a list of features, a text such as 'x <= 2 and 3 < y <= 5 and z = red', a dictionary from features to "
    "(low, high) or lists of values, or an explanation of primewood, Anchors, LIME or SHAP"
)


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
class Claim:
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


def read_claim(
    claim: Any, context: Context, row: Row, label: int, *, most: Most = None, by: By | None = None
) -> Claim:
    """Read what is claimed to suffice for the decision on a row.

    Parameters
    ----------
    claim
        In any of the forms that the module lists.
    label
        The place of the decision among the classes.
    most
        Of LIME's and SHAP's features: how many are claimed to suffice, the heaviest first, or "fewest". By default all
        that LIME gives, and the fewest of SHAP's, which weighs every feature.
    by
        "absolute": the largest weights whatever their sign, as usual with SHAP; "favour": only those in favour of the
        decision, as usual with LIME.
    """
    if most not in (None, "fewest") and not (
        isinstance(most, int) and not isinstance(most, bool) and most >= 0
    ):
        raise InvalidInput(f'most is a number of features, "fewest" or None, not {most!r}')
    if by not in (None, "absolute", "favour"):
        raise InvalidInput(f'by is "absolute" or "favour", not {by!r}')
    return _Reader(context, row, label).read(claim, most, by)


class _Reader:
    """Reads claims about one row of one model."""

    def __init__(self, context: Context, row: Row, label: int) -> None:
        if context.domain is None:
            raise InvalidInput(
                "claims are checked about models; of an expression, ask term.entails(expression)"
            )
        self.context, self.row, self.label = context, row, label
        self.largest = LARGEST[context.layout.dtype]
        self.names: dict[str, tuple[Feature, int | None]] = {}
        for feature in context.domain.features:
            for place, column in enumerate(feature.columns if len(feature.columns) > 1 else ()):
                self.names[context.domain.column_names[column]] = (feature, place)
        self.names.update({feature.name: (feature, None) for feature in context.domain.features})

    def read(self, claim: Any, most: Most, by: By | None) -> Claim:
        if isinstance(claim, Claim):
            return claim
        if isinstance(claim, str):
            return self._rule(claim)
        if isinstance(claim, Mapping):
            return Claim(tuple(self._entry(name, what) for name, what in claim.items()))
        if isinstance(claim, Expression):
            return Claim(tuple(map(self._literal, Term.of(claim).literals)))
        if isinstance(claim, Explanation):
            said = tuple(map(self._literal, claim.term.literals))
            if claim.language == "values":
                said = tuple(self._kept(c.feature.name) if c.holds(self.row) else c for c in said)
            return Claim(said, "primewood", str(claim.decision))
        if callable(getattr(claim, "as_list", None)):
            weighted = [(self._pieces(text), weight) for text, weight in self._of_lime(claim)]
            return self._chosen(weighted, "LIME", most, by or "favour")
        anchor = _anchor(claim)
        if anchor is not None:
            return Claim(tuple(c for text in anchor for c in self._pieces(str(text))), "Anchors")
        if _has_numbers(claim):
            kept = [((self._kept(name),), weight) for name, weight in self._of_shap(claim)]
            return self._chosen(kept, "SHAP", "fewest" if most is None else most, by or "absolute")
        parts = list(claim) if isinstance(claim, Iterable) else [None]
        if all(isinstance(part, str) for part in parts):
            ordered = sorted(map(str, parts)) if isinstance(claim, set | frozenset) else parts
            return Claim(tuple(c for part in ordered for c in self._pieces(str(part))))
        raise InvalidInput(f"{FORMS}; not {claim!r}")

    # Tools that weigh conditions

    def _chosen(
        self, weighted: Iterable[tuple[tuple[Condition, ...], float]], source: str, most: Most, by: By
    ) -> Claim:
        listed = [pair for pair in weighted if by == "absolute" or pair[1] > 0]
        listed.sort(key=lambda pair: -abs(pair[1]))
        if isinstance(most, int):
            listed = listed[:most]
        said = tuple(condition for conditions, _ in listed for condition in conditions)
        return Claim(said, source, fewest=most == "fewest")

    def _of_lime(self, explanation: Any) -> list[tuple[str, float]]:
        """LIME's conditions, with their weights in favour of the decision."""
        explained = [int(label) for label in getattr(explanation, "local_exp", None) or [self.label]]
        if self.label in explained:
            return [(str(text), float(weight)) for text, weight in explanation.as_list(label=self.label)]
        if len(self.context.class_names) == 2:
            return [(str(text), -float(w)) for text, w in explanation.as_list(label=1 - self.label)]
        raise InvalidInput(
            f"LIME explains {listing(self.context.class_names[i] for i in explained)} here, and the decision is "
            f"{self.context.class_names[self.label]}; pass labels=[{self.label}] to explain_instance"
        )

    def _of_shap(self, explanation: Any) -> list[tuple[str, float]]:
        """Columns with what they add to the decision, as SHAP or an array says."""
        columns, classes = self.context.column_names, len(self.context.class_names)
        values = np.asarray(getattr(explanation, "values", explanation))
        if values.ndim > 1 and values.shape[0] == 1 and len(columns) > 1:
            values = values[0]
        if values.shape not in ((len(columns),), (len(columns), classes)):
            raise InvalidInput(
                f"attributions are one number per column of one row ({len(columns)}), or one per column and class "
                f"({len(columns)}, {classes}); got the shape {values.shape}"
            )
        if values.ndim == 2:
            values = values[:, self.label]
        elif classes == 2 and self.label == 0:  # one output is about the second class
            values = -values
        if np.isnan(values).any():
            raise InvalidInput("attributions are numbers; some are NaN")
        given = getattr(
            explanation, "feature_names", getattr(explanation, "index", None)
        )  # a Series has an index
        names = columns if given is None else [str(name) for name in given]
        if set(names) != set(columns):
            raise InvalidInput(f"attributions are of {listing(names)}; the columns are {listing(columns)}")
        return list(zip(names, values.tolist(), strict=True))

    # Conditions on one feature

    def _feature(self, name: object) -> tuple[Feature, int | None]:
        """The feature of a name, and which of its columns the name stands for if it is a column of a group."""
        if name not in self.names:
            raise UnknownName(f"the claim names {name!r}; the features are {listing(self.names)}")
        return self.names[str(name)]

    def _kept(self, name: str) -> Condition:
        """The feature as in the row: in its interval, with its value, or missing."""
        feature, place = self._feature(name)
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
        feature, place = self._feature(name)
        patterns = feature.patterns or {}
        if place is not None:
            return [pattern[place] for pattern in patterns]
        others = {_number(label) not in (None, pattern[0]) for pattern, label in patterns.items()}
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

    def _between(self, name: str, spans: Sequence[Span], text: str) -> Condition:
        """The feature's number, or the code of its category, lies in one of the spans."""
        feature, _ = self._feature(name)
        codes = self._codes(name)
        if feature.patterns is None:
            return self._numbers(feature, spans, text)
        if not codes or feature.others is not None:
            raise InvalidInput(
                f"{text!r} compares {name} with numbers; it takes = and in, with its categories"
            )
        inside = (i for i, code in enumerate(codes) if any(low <= code <= high for low, high in spans))
        return Condition(feature, text, places=frozenset(inside))

    def _among(self, name: str, values: Iterable[object], text: str, *, negated: bool = False) -> Condition:
        """The feature has one of these values, or none of them; an interval stands for its numbers."""
        feature, _ = self._feature(name)
        none = Condition(feature, text)
        found = none
        for value in values:
            found = found.or_else(self._value(name, value, text))
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

    def _value(self, name: str, value: object, text: str) -> Condition:
        feature, place = self._feature(name)
        value = value.item() if isinstance(value, np.generic) else value
        if value is None or value is MISSING or value != value:
            return Condition(feature, text, missing=feature.missing)
        if isinstance(value, Interval):
            return self._between(name, [span_of(value)], text)
        patterns = feature.patterns
        if patterns is not None:
            labels = [str(label) for label in patterns.values()] if place is None else []
            named = {i for i, label in enumerate(labels) if label == str(value)}
            named = named or {i for i, code in enumerate(self._codes(name)) if code == _number(value)}
            if named:
                return Condition(feature, text, places=frozenset(named))
        elif (number := _number(value)) is not None:
            return self._numbers(feature, [(number, number)], text)
        if str(value) in ("missing", "nan", "NaN"):
            return Condition(feature, text, missing=feature.missing)
        accepted = "a number" if patterns is None else f"one of {listing(patterns.values())}"
        raise UnknownName(f"{text!r}: {name} is {accepted}, not {value!r}")

    def _literal(self, literal: Literal) -> Condition:
        name = literal.variable.name
        return self._among(name, literal.values, self.context.literal_record(literal)["text"])

    def _entry(self, name: object, what: object) -> Condition:
        """One entry of a dictionary."""
        self._feature(name)
        name = str(name)
        if isinstance(what, tuple):
            low, high = _bounds(name, what)
            words = [f"{low:g} <= " if low > -math.inf else "", f" <= {high:g}" if high < math.inf else ""]
            return self._between(name, [(low, high)], name.join(words))
        if isinstance(what, Interval):
            return self._between(name, [span_of(what)], what.condition(name))
        if isinstance(what, list | set | frozenset | np.ndarray):
            return self._among(name, what, f"{name} in {{{', '.join(sorted(map(str, what)))}}}")
        return self._among(name, [what], f"{name} = {what}")

    # Text

    def _rule(self, text: str) -> Claim:
        rule = RULE.fullmatch(text)
        said = self._pieces(rule["if"] if rule else text)
        return Claim(said, decision=rule["then"] if rule else None)

    def _pieces(self, text: str) -> tuple[Condition, ...]:
        """The conditions of a text, joined by "and"; the one way to read it."""
        if text.strip() == "anything":
            return ()
        ways = _ways(text.strip(), AND, self._readings)
        different: list[list[Condition]] = []
        for way in ways:
            if not any(_same(way, other) for other in different):
                different.append(way)
        if len(different) == 1:
            return tuple(different[0])
        if different:
            read = listing(" and ".join(f"{c.feature.name} ({c.text})" for c in way) for way in different)
            raise InvalidInput(f"{text!r} can be read in several ways: {read}; pass a dictionary instead")
        about = max((name for name in self.names if name in text), key=len, default=None)
        known = f"the features are {listing(self.names)}"
        if about is not None and self.names[about][0].patterns is not None:
            known = f"{about} is one of {listing((self.names[about][0].patterns or {}).values())}"
        raise InvalidInput(f"{text!r} is not understood as a condition on features: {known}. {FORMS}")

    def _readings(self, text: str) -> list[Condition]:
        """All ways to read a text as one condition on one feature."""
        if text in self.names:
            return [self._kept(text)]
        found = []
        for name in (name for name in self.names if name in text):
            for match in re.finditer(f"(?={re.escape(name)})", text):
                left, right = text[: match.start()].rstrip(), text[match.start() + len(name) :]
                if left.endswith('"') and right.startswith('"'):
                    left, right = left[:-1].rstrip(), right[1:]
                unit = self.context.units.get(name)
                right = right.removesuffix(unit).rstrip() if unit and right.endswith(f" {unit}") else right
                try:
                    found += self._around(name, left, right, text)
                except InvalidInput:  # the name is there, but not as the subject of what stands around it
                    continue
        if text.startswith("(") and text.endswith(")"):
            for way in _ways(text[1:-1].strip(), OR, self._readings):
                if len({c.feature.name for c in way}) == 1:
                    either = way[0]
                    for other in way[1:]:
                        either = either.or_else(other)
                    found.append(replace(either, text=text))
        return found

    def _around(self, name: str, left: str, right: str, text: str) -> list[Condition]:
        """The conditions that a name makes with what stands on its left and on its right."""
        before, after = BEFORE.fullmatch(left), AFTER.fullmatch(right)
        if (left and not before) or (before and right and not after):
            return []
        if before or after:
            low, high = EVERYTHING
            comparisons = [(after[1], after[2])] if after else []
            comparisons += [(TURNED[_ascii(before[2])], before[1])] if before else []
            for operator, bound in comparisons:
                a, b = _half_line(_ascii(operator), float(_ascii(bound)))
                low, high = max(low, a), min(high, b)
            return [self._between(name, [(low, high)], text)]
        relation = RELATION.fullmatch(right)
        if relation is None:
            return []
        sign, rest = relation[1] or relation[2], relation[3].strip()
        negated = sign in ("!=", "≠", "∉", "is not", "not in")
        if sign in ("in", "not in", "∈", "∉"):
            return self._listed(name, rest, text, negated=negated)
        if rest == "a number" and self._feature(name)[0].patterns is None and not negated:
            return [self._between(name, [EVERYTHING], text)]
        ways = _ways(rest, OR, lambda word: self._words(name, word)) if sign.startswith("is") else []
        ways = ways or [[word] for word in self._words(name, rest)]
        return [self._among(name, way, text, negated=negated) for way in ways]

    def _listed(self, name: str, rest: str, text: str, *, negated: bool) -> list[Condition]:
        """What is in braces or brackets: values, or the ends of an interval."""
        interval = BRACKETS.fullmatch(rest)
        if interval and self._feature(name)[0].patterns is None and not negated:
            low = _half_line(">=" if interval[1] == "[" else ">", float(_ascii(interval[2])))[0]
            high = _half_line("<=" if interval[4] == "]" else "<", float(_ascii(interval[3])))[1]
            return [self._between(name, [(low, high)], text)]
        if rest[:1] + rest[-1:] not in ("{}", "[]", "()"):
            return []
        ways = _ways(rest[1:-1].strip(), COMMA, lambda word: self._words(name, word))
        return [self._among(name, way, text, negated=negated) for way in ways]

    def _words(self, name: str, word: str) -> list[str]:
        """The value that a word stands for, if the feature has it; quotes are taken off unless they belong to it."""
        for one in (word, word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word):
            try:
                self._value(name, one, word)
            except UnknownName:
                continue
            return [one]
        return []


def _anchor(claim: Any) -> list[str] | None:
    """The conditions of an anchor, from alibi (`anchor`) or from anchor-exp (`names()`, `exp_map`)."""
    data = getattr(claim, "data", None)
    found = getattr(claim, "anchor", data.get("anchor") if isinstance(data, Mapping) else None)
    if found is None and hasattr(claim, "exp_map"):
        found = claim.names()
    return None if found is None else list(found)


def _has_numbers(claim: Any) -> bool:
    """Whether a claim is an array of numbers, or holds one as its values."""
    values = claim if isinstance(claim, np.ndarray) else getattr(claim, "values", None)
    return values is not None and not callable(values) and np.asarray(values).dtype.kind in "fiu"


def _ways(text: str, separator: re.Pattern[str], read: Callable[[str], list[T]]) -> list[list[T]]:
    """All ways to cut a text at separators into pieces that can be read; a separator may belong to a piece."""
    marks = [match.span() for match in separator.finditer(text)]
    starts, ends = [0, *(end for _, end in marks)], [*(start for start, _ in marks), len(text)]
    rest: list[list[list[T]]] = [[] for _ in starts] + [[[]]]
    for i in reversed(range(len(starts))):
        for j in range(i, len(ends)):
            if rest[j + 1]:
                firsts = read(text[starts[i] : ends[j]])
                rest[i] += [[first, *others] for first in firsts for others in rest[j + 1]]
    return rest[0]


def _same(way: list[Condition], other: list[Condition]) -> bool:
    return len(way) == len(other) and all(a.says_the_same(b) for a, b in zip(way, other, strict=True))


def _half_line(operator: str, bound: float) -> Span:
    """The numbers on one side of a bound."""
    if operator in ("<", "<="):
        return -math.inf, bound if operator == "<=" else math.nextafter(bound, -math.inf)
    return bound if operator == ">=" else math.nextafter(bound, math.inf), math.inf


def span_of(interval: object) -> Span:
    """The floats of an interval."""
    assert isinstance(interval, Interval)
    low, _ = _half_line(">=" if interval.closed_low else ">", interval.low)
    _, high = _half_line("<=" if interval.closed_high else "<", interval.high)
    return low, high


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


def _number(value: object) -> float | None:
    """A number, or the number that a text is."""
    if isinstance(value, str):
        value = {"True": "1", "False": "0"}.get(value, value)
        return float(_ascii(value)) if re.fullmatch(NUMBER, value, re.ASCII) and "inf" not in value else None
    return float(value) if isinstance(value, int | float) else None


def _ascii(text: str) -> str:
    """Signs as Python writes them."""
    return text.replace("−", "-").replace("≤", "<=").replace("≥", ">=")
