"""Claims in words and signs.

Text is matched against the names of the model's features and of their values, so that a name may hold spaces, digits
and operators; text that can be read in two ways is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate
from typing import TypeVar

from primewood.apps.claims.claim import EVERYTHING, Claim, Condition, half_line
from primewood.apps.claims.conditions import Conditions
from primewood.apps.claims.notation import NUMBER, in_ascii
from primewood.errors import InvalidInput, UnknownName, brief, listing
from primewood.visible import visible

T = TypeVar("T")
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
MOST_PIECES, DEEPEST, LONGEST, MOST_WAYS = 200, 20, 20_000, 1000
"""How many conditions a text may have, how deep its parentheses may be nested, how long it may be, and in how many ways
it may be read; trying all takes the cube of the first."""
FORMS = (
    "a claim is a list of features, a text such as 'x <= 2 and 3 < y <= 5 and z = red', a dictionary from features to "
    "(low, high) or lists of values, or an explanation of primewood, Anchors, LIME or SHAP"
)


class TextReader:
    """Reads conditions and rules about one row of one model."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions

    def rule(self, text: str) -> Claim:
        """A text as a claim; it may name the decision, as in ``IF ... THEN ...``."""
        rule = RULE.fullmatch(text)
        said = self.pieces(rule["if"] if rule else text)
        return Claim(said, decision=rule["then"] if rule else None)

    def pieces(self, text: str) -> tuple[Condition, ...]:
        """The conditions of a text, joined by "and"; the one way to read it."""
        if text.strip() == "anything":
            return ()
        _check_size(text)
        text = self._with_own_names(text)
        ways = _ways(text.strip(), AND, self._readings)
        different: list[list[Condition]] = []
        for way in ways:
            if not any(_same(way, other) for other in different):
                different.append(way)
        if len(different) == 1:
            return tuple(different[0])
        if different:
            read = listing(" and ".join(f"{c.feature.name} ({c.text})" for c in way) for way in different)
            raise InvalidInput(
                f"{brief(text)!r} can be read in several ways: {read}; pass a dictionary instead"
            )
        about = max((name for name in self.conditions.names if name in text), key=len, default=None)
        known = f"the features are {listing(self.conditions.names)}"
        if about is not None and self.conditions.names[about][0].patterns is not None:
            known = f"{about} is one of {listing((self.conditions.names[about][0].patterns or {}).values())}"
        raise InvalidInput(f"{brief(text)!r} is not understood as a condition on features: {known}. {FORMS}")

    def _with_own_names(self, text: str) -> str:
        """The text with names and values as they are, where it has them as they are printed."""
        features = (feature for feature, _ in self.conditions.names.values())
        values = (str(value) for feature in features for value in (feature.patterns or {}).values())
        for own in {*self.conditions.names, *values}:
            if visible(own) != own:
                text = text.replace(visible(own), own)
        return text

    def _readings(self, text: str) -> list[Condition]:
        """All ways to read a text as one condition on one feature."""
        if text in self.conditions.names:
            return [self.conditions.kept(text)]
        found = []
        for name in (name for name in self.conditions.names if name in text):
            for match in re.finditer(f"(?={re.escape(name)})", text):
                left, right = text[: match.start()].rstrip(), text[match.start() + len(name) :]
                if left.endswith('"') and right.startswith('"'):
                    left, right = left[:-1].rstrip(), right[1:]
                unit = visible(self.conditions.context.units.get(name, ""))
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
            comparisons += [(TURNED[in_ascii(before[2])], before[1])] if before else []
            for operator, bound in comparisons:
                a, b = half_line(in_ascii(operator), float(in_ascii(bound)))
                low, high = max(low, a), min(high, b)
            return [self.conditions.between(name, [(low, high)], text)]
        relation = RELATION.fullmatch(right)
        if relation is None:
            return []
        sign, rest = relation[1] or relation[2], relation[3].strip()
        negated = sign in ("!=", "≠", "∉", "is not", "not in")
        if sign in ("in", "not in", "∈", "∉"):
            return self._listed(name, rest, text, negated=negated)
        if rest == "a number" and self.conditions.feature(name)[0].patterns is None and not negated:
            return [self.conditions.between(name, [EVERYTHING], text)]
        ways = _ways(rest, OR, lambda word: self._words(name, word)) if sign.startswith("is") else []
        ways = ways or [[word] for word in self._words(name, rest)]
        return [self.conditions.among(name, way, text, negated=negated) for way in ways]

    def _listed(self, name: str, rest: str, text: str, *, negated: bool) -> list[Condition]:
        """What is in braces or brackets: values, or the ends of an interval."""
        interval = BRACKETS.fullmatch(rest)
        if interval and self.conditions.feature(name)[0].patterns is None and not negated:
            low = half_line(">=" if interval[1] == "[" else ">", float(in_ascii(interval[2])))[0]
            high = half_line("<=" if interval[4] == "]" else "<", float(in_ascii(interval[3])))[1]
            return [self.conditions.between(name, [(low, high)], text)]
        if rest[:1] + rest[-1:] not in ("{}", "[]", "()"):
            return []
        ways = _ways(rest[1:-1].strip(), COMMA, lambda word: self._words(name, word))
        return [self.conditions.among(name, way, text, negated=negated) for way in ways]

    def _words(self, name: str, word: str) -> list[str]:
        """The value that a word stands for, if the feature has it; quotes are taken off unless they belong to it."""
        for one in (word, word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word):
            try:
                self.conditions.value(name, one, word)
            except UnknownName:
                continue
            return [one]
        return []


def _check_size(text: str) -> None:
    """Raise for a text that would take too long to read."""
    depth = max(accumulate((c == "(") - (c == ")") for c in text), default=0)
    if len(text) > LONGEST or depth > DEEPEST:
        problem = f"longer than {LONGEST:,} characters, or nested more than {DEEPEST} levels deep"
        raise InvalidInput(f"the claim is {problem}; pass a dictionary instead")


def _ways(text: str, separator: re.Pattern[str], read: Callable[[str], list[T]]) -> list[list[T]]:
    """All ways to cut a text at separators into pieces that can be read; a separator may belong to a piece."""
    marks = [match.span() for match in separator.finditer(text)]
    if len(marks) > MOST_PIECES:
        raise InvalidInput(f"the claim has more than {MOST_PIECES} conditions; pass a dictionary instead")
    starts, ends = [0, *(end for _, end in marks)], [*(start for start, _ in marks), len(text)]
    rest: list[list[list[T]]] = [[] for _ in starts] + [[[]]]
    for i in reversed(range(len(starts))):
        for j in range(i, len(ends)):
            if rest[j + 1]:
                firsts = read(text[starts[i] : ends[j]])
                rest[i] += [[first, *others] for first in firsts for others in rest[j + 1]]
        if len(rest[i]) > MOST_WAYS:
            raise InvalidInput(f"{brief(text)!r} can be read in many ways; pass a dictionary instead")
    return rest[0]


def _same(way: list[Condition], other: list[Condition]) -> bool:
    return len(way) == len(other) and all(a.says_the_same(b) for a, b in zip(way, other, strict=True))
