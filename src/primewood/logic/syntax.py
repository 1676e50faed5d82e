"""What a text of conditions says, before its names mean anything: a plain tree.

The leaves are conditions on one name (`Mention`, `Bounds`, `Membership`), an order between two names
(`NameOrder`) and constants (`Truth`); a `Join` puts them together. Each knows where it stands in the text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

from primewood.logic.lexicon import NUMBER, write_ascii

T = TypeVar("T")
TRUTHS = {"False": 0.0, "True": 1.0}
"""Truth values as numbers."""
JoinKind = Literal["and", "or", "not", "implies", "iff", "at_least"]


@dataclass(frozen=True, slots=True)
class Word:
    """A name, a value or a number, and where it stands."""

    text: str
    start: int
    end: int

    @property
    def number(self) -> float | None:
        """The number that it is; None if it is none."""
        return float(write_ascii(self.text)) if re.fullmatch(NUMBER, self.text) else None


@dataclass(frozen=True, slots=True)
class Truth:
    """A constant."""

    value: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A name alone; or, `in_row`, that it is as in the row which a claim is about."""

    name: Word
    start: int
    end: int
    in_row: bool = False


@dataclass(frozen=True, slots=True)
class Bounds:
    """A name compared with one number or two: operators, as they stand after the name, with numbers."""

    name: Word
    limits: tuple[tuple[str, Word], ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Membership:
    """A name that has one of some values; or, if `negated`, none of them."""

    name: Word
    values: tuple[Word, ...]
    negated: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NameOrder:
    """An order between two names, each with a constant that is added to it: ``left + a <= right + b``."""

    left: Word
    operator: str
    right: Word
    constants: tuple[str, str]
    start: int
    end: int


Leaf = Truth | Mention | Bounds | Membership | NameOrder


@dataclass(frozen=True, slots=True)
class Join:
    """Conditions put together; `implies` from the right, `iff` from the left. `count` is that of `at_least`."""

    connective: JoinKind
    parts: tuple[Syntax, ...]
    start: int
    end: int
    count: int = 0


Syntax = Leaf | Join


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The decisions that a rule allows; or, if `negated`, excludes."""

    decisions: tuple[Word, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """A whole text: conditions, and perhaps the decisions that follow from them."""

    text: str
    condition: Syntax
    conclusion: Conclusion | None = None

    @property
    def premise(self) -> str:
        """The conditions as they were written; "" if there are none."""
        return words_of(self.condition, self.text)


def words_of(node: Syntax, text: str) -> str:
    """A part of a text as it was written."""
    return text[node.start : node.end]


def fold(node: Syntax, leaf: Callable[[Leaf], T], join: Callable[[Join, list[T]], T]) -> T:
    """What is computed for a tree from what is computed for its leaves, however deep it is nested."""
    done: list[T] = []
    todo: list[tuple[Syntax, bool]] = [(node, False)]
    while todo:
        here, is_ready = todo.pop()
        if not isinstance(here, Join):
            done.append(leaf(here))
        elif is_ready:
            first = len(done) - len(here.parts)
            parts = done[first:]
            done[first:] = [join(here, parts)]
        else:
            todo += [(here, True), *((part, False) for part in reversed(here.parts))]
    return done[0]


def leaves(node: Syntax) -> Iterator[Leaf]:
    """The leaves from left to right."""
    todo = [node]
    while todo:
        here = todo.pop()
        if isinstance(here, Join):
            todo += reversed(here.parts)
        else:
            yield here


def names_in(node: Syntax) -> list[str]:
    """The names in a tree, each once, in the order of the text."""
    found: dict[str, None] = {}
    for leaf in leaves(node):
        if isinstance(leaf, NameOrder):
            found |= {leaf.left.text: None, leaf.right.text: None}
        elif not isinstance(leaf, Truth):
            found[leaf.name.text] = None
    return list(found)


def comparisons_in(node: Syntax) -> list[tuple[str, str, float]]:
    """The comparisons of names with finite numbers in a tree: name, operator, number."""
    found: list[tuple[str, str, float | None]] = []
    for leaf in leaves(node):
        if isinstance(leaf, Bounds):
            found += [(leaf.name.text, operator, word.number) for operator, word in leaf.limits]
        elif isinstance(leaf, Membership):
            numbers = (TRUTHS.get(word.text, word.number) for word in leaf.values)
            found += [(leaf.name.text, "=", number) for number in numbers]
    return [(name, operator, x) for name, operator, x in found if x is not None and math.isfinite(x)]
