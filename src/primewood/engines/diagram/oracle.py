"""The diagram engine behind the contract of all engines."""

from __future__ import annotations

from primewood.engines.diagram.diagram import Diagram
from primewood.engines.diagram.family import DiagramFamily
from primewood.engines.diagram.reason import NativeReason, Reason
from primewood.engines.protocol import Clock, Reply, Verdict
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language
from primewood.logic.variable import Variable


class DiagramOracle:
    """Answers about one decision, "the terminal is this label", of a compiled model or expression.

    Where no row can be, every decision holds.

    Parameters
    ----------
    seconds
        How long the diagram of a family may take; `TooLarge` after that. None for no limit.
    """

    def __init__(self, diagram: Diagram, label: int, seconds: float | None = None) -> None:
        self._diagram, self._label, self._seconds = diagram.assuming(label), label, seconds

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self._diagram.variables

    def holds(self, point: Point) -> bool:
        """Whether the decision is taken at a point. Cost: one step per variable."""
        return self._diagram.decide(point) == self._label

    def counterexample(self, box: Box, clock: Clock | None = None) -> Reply:  # noqa: ARG002
        """A point of the box that is decided otherwise. Cost: linear in the diagram."""
        found = self._diagram.find(box, self._label, otherwise=True)
        return Verdict.NONE_EXISTS if found is None else found

    def primes(self, literals: Language, point: Point | None = None) -> DiagramFamily:
        """The prime boxes of the decision, all or those that contain a point, as one diagram."""
        return self._reason(literals, point).primes()

    def contrasts(self, literals: Language, point: Point) -> DiagramFamily:
        """What can be let go of around a point so that another decision becomes possible, minimally.

        A box allows the point's own values and what is let go of.
        """
        return self._reason(literals, point, contrast=True).primes()

    def reason(self, point: Point) -> Reason:
        """The complete reason around a point: certain iff these values are excluded."""
        return self._reason("sets", point).function()

    def _reason(self, literals: Language, point: Point | None, *, contrast: bool = False) -> NativeReason:
        return NativeReason(
            self._diagram, self._label, point, literals, contrast=contrast, seconds=self._seconds
        )
