r"""How much of a box of the feature space gets a decision: exactly, or between two proved bounds.

Rows are drawn from a product distribution: each feature by itself, a cell c of feature j with a weight w_j(c). The
share of a box B is

    P(decision | B) = sum of the weights of the possible points of B with the decision / that of all possible points,

where the weight of a point is the product of the weights of its cells. Two ways to it:

- Where the model is compiled, one pass over the diagram from the bottom up adds the weights. It is exact.
- Otherwise the box is divided. An oracle proves that all of a part gets the decision, or that none of it does, or shows
  a point with the decision and one without; then the part is cut between the two. The weights of the parts that are
  proved are a lower bound, and one minus those that are proved to get another decision an upper one. This ends early as
  soon as it is decided on which side of `precision` the share lies.

Weights are floats, and these floats are the distribution. Sums and products of n floats that are not negative have a
relative error of at most n·u / (1 - n·u), with u = 2^-53; bounds are moved outwards by that.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from primewood.engines.protocol import Clock, Oracle, Verdict
from primewood.logic.instance import Box, Point
from primewood.logic.masks import indices, mask_of_array
from primewood.logic.variable import Variable

if TYPE_CHECKING:
    from primewood.engines.diagram.diagram import Diagram

CellWeights = Sequence[NDArray[np.float64]]
"""Per variable, the weight of each of its values."""
TINY = 1e-200
"""A weight that is not told from none: smaller floats are not accurate."""
MOST_PARTS = 1_000
"""Into how many parts a box is divided at most."""


@dataclass(frozen=True)
class SpaceShare:
    """Proved bounds of a share; `is_exact` if they differ by rounding alone."""

    lower: float
    upper: float
    is_exact: bool


def _bound_rounding(steps: int) -> float:
    return steps * 2.0**-53 / (1 - steps * 2.0**-53)


def _make_share(same: float, other: float, total: float, steps: int, *, is_exact: bool) -> SpaceShare:
    """The bounds, if `same` of the total weight gets the decision, and `other` does not."""
    slack = (1 + _bound_rounding(steps)) / (1 - _bound_rounding(steps)) * (1 + 2.0**-50)
    lower, upper = same / total / slack, math.nextafter(1 - other / total / slack, 2)
    return SpaceShare(lower, min(1.0, max(0.0, upper)), is_exact)


def share_by_diagram(
    diagram: Diagram, labels: int, label: int, box: Box, weights: CellWeights
) -> SpaceShare | None:
    """The share of a box by one pass over the diagram; None if no row can be in the box.

    Where the order of summation decides, nothing is said, so that the bounds may differ by more than rounding.

    Parameters
    ----------
    labels
        How many decisions there are. Later terminals stand for something else.
    """
    shares = _weigh_terminals(diagram, box, weights)
    possible = [k for k in range(diagram.terminals) if k != diagram.impossible]
    total = sum(shares[k] for k in possible)
    if not total > TINY:
        return None
    other = sum(shares[k] for k in range(labels) if k != label)
    is_exact = all(shares[k] == 0 for k in possible if k >= labels)
    steps = sum(2 * len(w) + 2 for w in weights) + 2 * diagram.terminals
    return _make_share(shares[label], other, total, steps, is_exact=is_exact)


def weigh_possible(diagram: Diagram, box: Box, weights: CellWeights) -> float:
    """The weight of the points of a box at which rows can be."""
    shares = _weigh_terminals(diagram, box, weights)
    return sum(share for k, share in enumerate(shares) if k != diagram.impossible)


def weigh(box: Box, weights: CellWeights) -> float:
    """The weight of all points of a box."""
    return math.prod(float(w[indices(mask)].sum()) for mask, w in zip(box, weights, strict=True))


def _weigh_terminals(diagram: Diagram, box: Box, weights: CellWeights) -> list[float]:
    """Per terminal, the weight of its points in a box."""
    inside = [np.zeros(len(w)) for w in weights]
    for kept, mask, given in zip(inside, box, weights, strict=True):
        kept[indices(mask)] = given[indices(mask)]
    return [float(share) for share in diagram.shares(inside)]


class BoxDivision:
    """Divides a box until it is decided whether its share reaches a precision.

    Parameters
    ----------
    decided, denied
        Oracles for "the decision is taken" and for "it is not taken". No cell may be impossible.
    """

    def __init__(self, decided: Oracle, denied: Oracle, weights: CellWeights) -> None:
        self._decided, self._denied, self._weights = decided, denied, weights
        self._variables = decided.variables

    def bound_share(self, box: Box, precision: float, clock: Clock) -> SpaceShare | None:
        """The bounds of the share; None if the box has no weight. Cost: two queries per part, up to `MOST_PARTS`."""
        box = tuple(mask & mask_of_array(w > 0) for mask, w in zip(box, self._weights, strict=True))
        total = weigh(box, self._weights)
        if not total > TINY:
            return None
        same, other, unknown, parts = 0.0, 0.0, False, [(-total, 0, box)]
        steps = sum(map(len, self._weights)) + len(box) + 2 * MOST_PARTS
        for number in range(1, 2 * MOST_PARTS, 2):
            bounds = _make_share(same, other, total, steps, is_exact=not (parts or unknown))
            if not parts or bounds.lower >= precision or bounds.upper < precision or clock.expired():
                break
            weight, _, part = heapq.heappop(parts)
            match self._look_into(part, clock):
                case True:
                    same -= weight
                case False:
                    other -= weight
                case None:
                    unknown = True
                case halves:
                    for place, half in enumerate(halves):
                        heapq.heappush(parts, (-weigh(half, self._weights), number + place, half))
        return bounds

    def _look_into(self, box: Box, clock: Clock) -> bool | tuple[Box, Box] | None:
        """Whether all of a box gets the decision, or none of it; or two halves; None if nothing is known."""
        without = self._decided.counterexample(box, clock)
        if without is Verdict.NONE_EXISTS:
            return True
        within = self._denied.counterexample(box, clock)
        if within is Verdict.NONE_EXISTS:
            return False
        if isinstance(without, Verdict) or isinstance(within, Verdict) or without == within:
            return None
        return self._cut(box, without, within)

    def _cut(self, box: Box, one: Point, two: Point) -> tuple[Box, Box]:
        """The halves of a box with a point in each, as equal in weight as can be."""
        cuts = [
            (j, part)
            for j, (a, b) in enumerate(zip(one, two, strict=True))
            if a != b
            for part in _list_parts(self._variables[j], box[j], a, b)
        ]
        j, part = min(cuts, key=lambda cut: self._unevenness(box, *cut))
        return (*box[:j], part, *box[j + 1 :]), (*box[:j], box[j] & ~part, *box[j + 1 :])

    def _unevenness(self, box: Box, j: int, part: int) -> float:
        weights = self._weights[j]
        return abs(float(weights[indices(part)].sum() / weights[indices(box[j])].sum()) - 0.5)


def _list_parts(variable: Variable, mask: int, a: int, b: int) -> list[int]:
    """Ways to keep two values apart: values below a cut between them; or one alone, where they have no order."""
    low, high = min(a, b), max(a, b)
    if high >= variable.ordered:
        return [1 << high]
    return [mask & ((1 << cut) - 1) for cut in range(low + 1, high + 1)]
