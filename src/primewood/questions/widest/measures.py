"""What a box covers: how many of some rows, or which share of a product distribution."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.errors import InvalidInput
from primewood.logic.instance import Box
from primewood.logic.masks import indices, mask_of_array
from primewood.logic.variable import Variable
from primewood.model.context import Context, TreeContext

Measure = Choice["rows", "volume", "values"]
"""What the widest explanation covers most of."""
MOST_KNOWN = 50_000
"""How many literals a measure remembers what they cover."""


class RowsCovered:
    """How many points a box covers.

    Parameters
    ----------
    points
        Rows of value indices; rows with a negative one lie in no cell and are never covered.
    variables
        The universe.
    """

    def __init__(self, points: NDArray[np.int64], variables: Sequence[Variable]) -> None:
        self.points = points
        self._sizes = [len(x) for x in variables]
        self._cells = np.where(points < 0, np.array(self._sizes, dtype=np.int64), points).T.copy()
        known: NDArray[np.bool_] = np.all(points >= 0, axis=1)
        self.counted = mask_of_array(known)
        self._along: dict[tuple[int, int], int] = {}

    def only(self, counted: int) -> RowsCovered:
        """The same, with only some of the points counted (as bits)."""
        other = copy.copy(self)
        other.counted = self.counted & counted
        return other

    def rows(self, box: Box) -> int:
        """Which of the counted points a box covers, as bits."""
        return self._find_missed(box)[0]

    def of(self, box: Box) -> float:
        return float(self.rows(box).bit_count())

    def nearly(self, box: Box) -> float:
        """How many points lie in a box but for one variable at most."""
        return float(self._find_missed(box)[1].bit_count())

    def _find_missed(self, box: Box) -> tuple[int, int]:
        """The counted points that no variable keeps outside a box, and those that at most one does, as bits."""
        none = one = self.counted
        known = self._along
        for j, mask in enumerate(box):
            if mask.bit_count() == self._sizes[j]:
                continue
            if (j, mask) not in known:
                if len(known) > MOST_KNOWN // (1 + len(self.points) // 1000):
                    known.clear()
                known[j, mask] = self._along_variable(j, mask)
            one &= known[j, mask] | none
            none &= known[j, mask]
        return none, one

    def _along_variable(self, j: int, mask: int) -> int:
        """The points that some values of a variable cover, as bits. Those in no cell are past its last value."""
        allowed = np.frombuffer(mask.to_bytes(self._sizes[j] // 8 + 1, "little"), dtype=np.uint8)
        return mask_of_array(np.unpackbits(allowed, bitorder="little")[self._cells[j]])


class ShareCovered:
    """The share of a product distribution that a box covers.

    Parameters
    ----------
    shares
        Per variable the share of each value; the values of a variable add up to 1.
    """

    def __init__(self, shares: Sequence[NDArray[np.float64]]) -> None:
        self.shares = [each.tolist() for each in shares]
        self._along: dict[tuple[int, int], float] = {}

    def along(self, j: int, mask: int) -> float:
        """The share of some values of a variable."""
        if mask.bit_count() == len(self.shares[j]):
            return 1.0
        if (j, mask) not in self._along:
            if len(self._along) > MOST_KNOWN:
                self._along.clear()
            self._along[j, mask] = math.fsum(self.shares[j][v] for v in indices(mask))
        return self._along[j, mask]

    def of(self, box: Box) -> float:
        share = 1.0
        for j, mask in enumerate(box):
            share *= self.along(j, mask)
        return share


def coverage_of(context: Context, measure: Measure) -> RowsCovered | ShareCovered:
    """What a measure counts: training rows, volume (the share of the feature space), or cells."""
    if measure == "values":
        return ShareCovered([np.full(len(x), 1 / len(x)) for x in context.variables])
    if measure not in ("rows", "volume"):
        raise InvalidInput(f'the measure must be "rows", "volume" or "values", not {measure!r}')
    if not isinstance(context, TreeContext) or context.points is None or context.volumes is None:
        raise InvalidInput(f'measure="{measure}" needs training rows; "values" does not')
    return (
        RowsCovered(context.points, context.variables) if measure == "rows" else ShareCovered(context.volumes)
    )
