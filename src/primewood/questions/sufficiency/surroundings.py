"""The boxes around a row: which of them are safe, and how they are widened."""

from __future__ import annotations

from collections.abc import Sequence

from primewood.engines.protocol import Clock, Grown, Oracle, Step, WeakeningPlan
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.logic.variable import Variable
from primewood.questions.weakening import drop_each, weaken


class Surroundings:
    """One decision, seen from one row.

    Parameters
    ----------
    oracle
        Answers about the decision.
    variables
        The universe.
    point
        The row's cell.
    order
        The variables in the order in which boxes drop them.
    """

    def __init__(self, oracle: Oracle, variables: Sequence[Variable], point: Point, order: list[int]) -> None:
        self.oracle, self.variables, self.point, self.order = oracle, variables, point, order
        self.cell = tuple(1 << value for value in point)
        self.everything = tuple(x.everything for x in variables)

    def move_nearer(self, other: Point, box: Box) -> Point:
        """Move a counterexample towards the row while it stays one, inside a box: less tells them apart."""
        moved = list(other)
        for j, value in enumerate(self.point):
            previous = moved[j]
            moved[j] = value if box[j] >> value & 1 else previous
            if self.oracle.holds(tuple(moved)):
                moved[j] = previous
        return tuple(moved)

    def grow(
        self, start: Box, steps: list[Step], order: list[int], language: Language, clock: Clock
    ) -> Grown:
        """Weaken the row to `start` if that is safe, then by steps, then by dropping and widening in an order."""
        whole: Step = {j: mask for j, mask in enumerate(start) if mask != self.cell[j]}
        sizes = [len(x) for x in self.variables]
        every = [*([whole] if whole else []), *steps, *drop_each(order, sizes)]
        return weaken(self.oracle, self.point, WeakeningPlan(every, order, language), clock)

    def order_claimed_last(self, box: Box) -> list[int]:
        """The variables in the usual order, those that a box restricts after the others."""
        return sorted(self.order, key=lambda j: box[j] != self.everything[j])


def is_inside(inner: Box, outer: Box) -> bool:
    """Whether a box lies inside another."""
    return all(not a & ~b for a, b in zip(inner, outer, strict=True))
