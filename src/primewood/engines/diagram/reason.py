"""The reason of a decision: a monotone function of restrictions, true iff the decision is certain under them.

Its minimal true points are the PI-explanations, those of its dual the contrastive explanations. It is a binary decision
diagram over the same restrictions as the families that come from it; the C++ core builds both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from primewood.arrays import Ints
from primewood.core import _native  # the C++ core
from primewood.engines.diagram.diagram import Diagram
from primewood.engines.diagram.family import DiagramFamily, Restriction
from primewood.errors import TooLarge
from primewood.logic.instance import Box, Point
from primewood.logic.language import Language

MOST_NODES = 20_000_000

T = TypeVar("T")


class Allowance(NamedTuple):
    """What a diagram may take: seconds, None for no limit, and nodes."""

    seconds: float | None = None
    nodes: int = MOST_NODES


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
        contrast: bool,
        allowed: Allowance,
    ) -> None:
        self._point, self._contrast = point, contrast
        self._everything = tuple(x.everything for x in diagram.variables)
        self._seconds = allowed.seconds
        query = _native.ReasonQuery(
            label=label,
            language=_native.Language[literals.upper()],
            ordered=[diagram.variables[j].ordered for j in diagram.order],
            instance=[] if point is None else diagram.by_level(point),
            contrast=contrast,
        )
        self._native = _finish(
            lambda: _native.build_reason(
                diagram.native, query, most_nodes=allowed.nodes, seconds=allowed.seconds
            )
        )
        self.restrictions = tuple(
            Restriction(diagram.order[r.level], sum(1 << v for v in r.values))
            for r in self._native.restrictions
        )

    def function(self) -> Reason:
        """The monotone function itself."""
        return Reason(self.restrictions, *_arrays(self._native.function()))

    def primes(self) -> DiagramFamily:
        """The family of its minimal true points."""
        family = _finish(lambda: self._native.primes(seconds=self._seconds))
        own = self._contrast and self._point is not None
        base = tuple(1 << v for v in self._point) if own and self._point is not None else self._everything
        return DiagramFamily(base, self.restrictions, self._contrast, *_arrays(family))


def _arrays(nodes: _native.BinaryDiagram) -> tuple[Ints, Ints, Ints, int]:
    variable, lo, hi = (array.astype(np.int64) for array in (nodes.variable, nodes.lo, nodes.hi))
    return variable, lo, hi, nodes.root


def _finish(work: Callable[[], T | _native.Overrun]) -> T:
    """What the core makes; `TooLarge` if that outgrows a limit or the memory."""
    try:
        made = work()
    except MemoryError:
        raise _too_large("outgrew the memory") from None
    if isinstance(made, _native.Overrun):
        in_time = made.limit is not _native.Exceeded.TIME
        limit = "outgrew its cap" if in_time else "was not finished in time"
        raise _too_large(f"{limit}: {made.nodes:,} nodes were reached")
    return made


def _too_large(limit: str) -> TooLarge:
    return TooLarge(
        f"the diagram of the explanations {limit}. "
        'Ask for one explanation, or in another language (literals="values" has the fewest)'
    )
