"""The reason of a decision: a monotone function of restrictions, true iff the decision is certain under them.

Its minimal true points are the PI-explanations, those of its dual the contrastive explanations. It is a binary decision
diagram over the same restrictions as the families that come from it; the C++ core builds both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from primewood.arrays import Ints
from primewood.core import _native  # the C++ core
from primewood.engines.diagram.diagram import Diagram
from primewood.engines.diagram.family import DiagramFamily, Restriction
from primewood.errors import TooLarge
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language

LANGUAGES: dict[Language, int] = {"sets": 0, "intervals": 1, "values": 2}
MOST_NODES = 20_000_000


@dataclass(frozen=True, eq=False)
class Reason:
    """A monotone function of restrictions.

    Attributes
    ----------
    restrictions : tuple of Restriction
        By variable of the function, from the top down.
    variable, lo, hi : arrays of int
        The nodes (variable, restriction does not hold, it holds), children first; the first two are false and true.
    root : int
    """

    restrictions: tuple[Restriction, ...]
    variable: Ints
    lo: Ints
    hi: Ints
    root: int

    def holds(self, box: Box) -> bool:
        """Whether the decision is certain if only the values of a box are allowed beside the instance's own.

        Cost: one path.
        """
        node = self.root
        while node > 1:
            r = self.restrictions[self.variable[node]]
            node = int((self.lo if box[r.place] & r.mask else self.hi)[node])
        return node == 1

    @cached_property
    def relevant(self) -> tuple[Restriction, ...]:
        """The restrictions that occur in some PI-explanation: those that the function depends on."""
        return tuple(self.restrictions[v] for v in sorted(set(self.variable[2:].tolist())))

    def __len__(self) -> int:
        return len(self.variable) - 2


class NativeReason:
    """The reason of "the terminal is this label" in the C++ core: the function, and the family of its primes.

    Parameters
    ----------
    point
        The instance; None for all prime implicants of the decision.
    contrast
        Whether the restrictions are those to drop: the dual function.
    """

    def __init__(
        self,
        diagram: Diagram,
        label: int,
        point: Point | None,
        literals: Language,
        *,
        contrast: bool = False,
        seconds: float | None = None,
        nodes: int = MOST_NODES,
    ) -> None:
        self._point, self._contrast = point, contrast
        self._everything = tuple(x.everything for x in diagram.variables)
        self._seconds = -1.0 if seconds is None else seconds
        variables = [diagram.variables[j] for j in diagram.order]
        try:
            self._native = _native.Reason(
                diagram.native,
                [x.ordered for x in variables],
                LANGUAGES[literals],
                [] if point is None else diagram.by_level(point),
                label,
                contrast,
                nodes,
                self._seconds,
            )
        except MemoryError as problem:
            raise _too_large(problem) from None
        self.restrictions = tuple(
            Restriction(diagram.order[level], sum(1 << v for v in values))
            for level, values in self._native.restrictions
        )

    def function(self) -> Reason:
        """The monotone function itself."""
        return Reason(self.restrictions, *_arrays(self._native.function()))

    def primes(self) -> DiagramFamily:
        """The family of its minimal true points."""
        try:
            arrays = self._native.primes(self._seconds)
        except MemoryError as problem:
            raise _too_large(problem) from None
        own = self._contrast and self._point is not None
        base = tuple(1 << v for v in self._point) if own and self._point is not None else self._everything
        return DiagramFamily(base, self.restrictions, self._contrast, *_arrays(arrays))


def _arrays(native: Sequence[object]) -> tuple[Ints, Ints, Ints, int]:
    variable, lo, hi, root = native
    return (
        np.asarray(variable).astype(np.int64),
        np.asarray(lo).astype(np.int64),
        np.asarray(hi).astype(np.int64),
        int(root),  # type: ignore[call-overload]
    )


def _too_large(problem: MemoryError) -> TooLarge:
    what, _, nodes = str(problem).partition(" ")
    limits = {"nodes": "outgrew its cap", "time": "was not finished in time"}
    reached = f": {int(nodes):,} nodes were reached" if what in limits else ""
    return TooLarge(
        f"the diagram of the explanations {limits.get(what, 'outgrew the memory')}{reached}. "
        'Ask for one explanation, or in another language (literals="values" has the fewest)'
    )
