"""The contract between engines and questions.

An engine is asked about one decision Γ over the variables of a universe: is there a point of a box
that Γ does not hold at? It answers with such a point, `NONE_EXISTS`, or `UNKNOWN` when a limit came
first. Questions about one decision are written over this query. An engine also gives the whole family
of prime implicants, by what it has compiled or by asking itself.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Protocol

from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.logic.variable import Variable


class Verdict(enum.Enum):
    """What an engine answers when it has no point to show."""

    NONE_EXISTS = "none exists"
    UNKNOWN = "unknown"


Reply = Point | Verdict


class Family(Protocol):
    """The prime boxes of a decision, perhaps too many to list."""

    def count(self) -> int:
        """How many there are, exactly; without listing them if the engine has compiled them."""

    def __iter__(self) -> Iterator[Box]:
        """The boxes, one after the other, lazily."""

    def __contains__(self, box: Box) -> bool:
        """Whether a box is one of them."""


class Oracle(Protocol):
    """Answers about one decision Γ."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The universe; boxes and points are in its order."""

    def holds(self, point: Point) -> bool:
        """Whether Γ holds at a point. Cost: one evaluation."""

    def counterexample(self, box: Box) -> Reply:
        """A point of the box at which Γ does not hold, if there is one."""

    def primes(self, literals: Language, point: Point | None = None) -> Family:
        """The prime boxes of Γ in a literal language, all or those that contain a point."""
