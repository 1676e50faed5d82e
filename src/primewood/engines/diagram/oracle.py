"""The diagram engine behind the contract of all engines."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from primewood.engines.diagram.cheapest import cheapest_path
from primewood.engines.diagram.diagram import Diagram
from primewood.engines.diagram.family import DiagramFamily
from primewood.engines.diagram.product import relabel
from primewood.engines.diagram.reason import Allowance, NativeReason, Reason
from primewood.engines.protocol import Clock, Costs, Nearest, Reply, Verdict
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.logic.variable import Variable


class DiagramOracle:
    """Answers about one decision of a compiled model or expression: "the terminal is this label".

    Where no row can be, every decision holds.

    Parameters
    ----------
    allowed
        What the diagram of a family may take; `TooLarge` after that.
    targets
        If given, the decision is instead "the terminal is none of these".
    """

    def __init__(
        self, diagram: Diagram, label: int, allowed: Allowance | None = None, targets: Sequence[int] = ()
    ) -> None:
        self._allowed = allowed or Allowance()
        if not targets:
            self._diagram, self._label = diagram.assume(label), label
        else:
            places = np.isin(np.arange(diagram.terminals), targets).astype(np.int32)
            self._diagram, self._label = relabel(diagram, places, 2), 0

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self._diagram.variables

    def holds(self, point: Point) -> bool:
        """Whether the decision is taken at a point. Cost: one step per variable."""
        return self._diagram.decide(point) == self._label

    def counterexample(self, box: Box, clock: Clock | None = None) -> Reply:  # noqa: ARG002
        """A point of the box that gets a different decision. Cost: linear in the diagram."""
        found = self._diagram.find(box, self._label, otherwise=True)
        return Verdict.NONE_EXISTS if found is None else found

    def nearest(
        self,
        point: Point,  # noqa: ARG002
        costs: Costs,
        clock: Clock | None = None,  # noqa: ARG002
        *,
        largest: bool = False,
    ) -> Nearest:
        """The cheapest point that gets a different decision. Cost: linear in the diagram."""
        found = cheapest_path(self._diagram, self._label, costs, largest=largest)
        if found is None:
            return Nearest(None, math.inf, math.inf, interrupted=False)
        return Nearest(*found, found[1], interrupted=False)

    def find_within(
        self,
        start: Point,  # noqa: ARG002
        costs: Costs,
        most: float,
        clock: Clock | None = None,  # noqa: ARG002
    ) -> Reply:
        """A point that gets a different decision and costs little. Cost: linear in the diagram."""
        found = cheapest_path(self._diagram, self._label, costs)
        return Verdict.NONE_EXISTS if found is None or found[1] > most else found[0]

    def primes(self, literals: Language, point: Point | None = None) -> DiagramFamily:
        """The prime boxes of the decision, all or those that contain a point, as one diagram."""
        return self._reason(literals, point).primes()

    def contrasts(self, literals: Language, point: Point) -> DiagramFamily:
        """The minimal changes around a point that make a different decision possible.

        A box allows the point's own values and those of the change.
        """
        return self._reason(literals, point, contrast=True).primes()

    def reason(self, point: Point) -> Reason:
        """The complete reason around a point: certain iff these values are excluded."""
        return self._reason("sets", point).function()

    def _reason(self, literals: Language, point: Point | None, *, contrast: bool = False) -> NativeReason:
        return NativeReason(
            self._diagram, self._label, point, literals, contrast=contrast, allowed=self._allowed
        )
