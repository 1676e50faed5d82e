"""The best box without a row: of two features, values of one that never come with values of the other.

For two features with an order, a box is one of the four corners of the table of their bins; for a feature without an
order, any set of its values. Let a of n rows have the first values, and b the second ones. If the features were
independent, no row would be in the box with probability at most (1 − b/n)^a. A box counts only if that is less than
`CHANCE` divided by the number of boxes that are tried. Its gain is the weight of its cells: the share of
rows that would be in it under independence, without the cells that rules already exclude.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

CHANCE = 0.01
"""How likely it may be that independence alone leaves any of the tried boxes empty."""
Kind = Choice["ordered", "mixed", "nominal"]
"""Which features of a pair have an order: both, the second alone, or none."""
Shares = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass
class EmptyBoxes:
    """The best box of each of several pairs so far.

    Attributes
    ----------
    gain : array
        0 where there is no box.
    first, second : arrays of bool
        Per pair, the bins of the two features that never come together.
    """

    gain: Shares
    first: Mask
    second: Mask

    def take(self, gain: Shares, first: Mask, second: Mask) -> None:
        """Keep what is better."""
        better = gain > self.gain
        self.gain[better] = gain[better]
        self.first[better], self.second[better] = first[better], second[better]


@dataclass(frozen=True)
class BoxFinder:
    """Finds the best empty boxes of pairs of one kind.

    Attributes
    ----------
    kind : {"ordered", "mixed", "nominal"}
    least : float
        How much evidence a box needs: minus the logarithm of its chance.
    slack : int
        How many more bins must be empty beyond the end of a box.
    """

    kind: Kind
    least: float
    slack: int

    def find(
        self, counts: NDArray[np.int64], weights: Shares, fine: tuple[NDArray[np.int64], NDArray[np.int64]]
    ) -> EmptyBoxes:
        """The best box per pair.

        Parameters
        ----------
        counts, weights
            Per pair a table: how many rows have two bins, and what excluding these is worth.
        fine
            Per pair whether the first and the second feature have room for slack, as 0 or 1.
        """
        pairs, size, _ = counts.shape
        best = EmptyBoxes(
            np.zeros(pairs), np.zeros((pairs, size), dtype=bool), np.zeros((pairs, size), dtype=bool)
        )
        if self.kind == "ordered":
            for way in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                self._find_corners(counts, weights, fine, way, best)
        elif self.kind == "mixed":
            for direction in (1, -1):
                self._find_ends(counts, weights, fine[1], direction, best)
        else:
            self._find_sets(counts, weights, best)
        return best

    def _find_corners(
        self,
        counts: NDArray[np.int64],
        weights: Shares,
        fine: tuple[NDArray[np.int64], NDArray[np.int64]],
        way: tuple[int, int],
        best: EmptyBoxes,
    ) -> None:
        """Boxes from one corner of the table: all bins up to one, with all bins up to another."""
        there = (slice(None), slice(None, None, way[0]), slice(None, None, way[1]))
        inside = counts[there].cumsum(axis=1).cumsum(axis=2)
        firsts = counts.sum(axis=2)[:, :: way[0]].cumsum(axis=1)[:, :, None]
        seconds = counts.sum(axis=1)[:, :: way[1]].cumsum(axis=1)[:, None, :]
        farther = self._look_beyond(self._look_beyond(inside, fine[0], 1), fine[1], 2)
        accepted = (farther == 0) & self._is_evident(counts, firsts, seconds)
        gains = np.where(accepted, weights[there].cumsum(axis=1).cumsum(axis=2), 0)
        size = gains.shape[1]
        end, other = np.divmod(gains.reshape(len(gains), -1).argmax(axis=1), size)
        up_to = np.arange(size)
        best.take(
            gains[np.arange(len(gains)), end, other],
            (up_to <= end[:, None])[:, :: way[0]],
            (up_to <= other[:, None])[:, :: way[1]],
        )

    def _find_ends(
        self,
        counts: NDArray[np.int64],
        weights: Shares,
        fine: NDArray[np.int64],
        direction: int,
        best: EmptyBoxes,
    ) -> None:
        """Boxes of all bins of the second feature up to one, with all values that never come with these."""
        inside = counts[:, :, ::direction].cumsum(axis=2)
        seconds = counts.sum(axis=1)[:, ::direction].cumsum(axis=1)[:, None, :]
        evident = self._is_evident(counts, counts.sum(axis=2)[:, :, None], seconds)
        accepted = (self._look_beyond(inside, fine, 2) == 0) & evident
        gains = np.where(accepted, weights[:, :, ::direction].cumsum(axis=2), 0).sum(axis=1)
        every, end = np.arange(len(gains)), gains.argmax(axis=1)
        up_to = np.arange(gains.shape[1]) <= end[:, None]
        best.take(gains[every, end], accepted[every, :, end], up_to[:, ::direction])

    def _find_sets(self, counts: NDArray[np.int64], weights: Shares, best: EmptyBoxes) -> None:
        """Boxes of one value, with all values of the other feature that never come with it."""
        evident = self._is_evident(counts, counts.sum(axis=2)[:, :, None], counts.sum(axis=1)[:, None, :])
        accepted = (counts == 0) & evident
        gains = np.where(accepted, weights, 0)
        every, size = np.arange(len(counts)), np.arange(counts.shape[1])
        for axis in (2, 1):
            of_value = gains.sum(axis=axis)
            chosen = of_value.argmax(axis=1)
            alone = size == chosen[:, None]
            others = accepted[every, chosen] if axis == 2 else accepted[every, :, chosen]
            boxes = (alone, others) if axis == 2 else (others, alone)
            best.take(of_value[every, chosen], *boxes)

    def _look_beyond(
        self, inside: NDArray[np.int64], fine: NDArray[np.int64], axis: int
    ) -> NDArray[np.int64]:
        """How many rows are inside if a box ends later, by the slack."""
        size = inside.shape[axis]
        later = np.minimum(np.arange(size) + self.slack * fine[:, None], size - 1)
        later = later[:, :, None] if axis == 1 else later[:, None, :]
        return np.take_along_axis(inside, np.broadcast_to(later, inside.shape), axis=axis)

    def _is_evident(
        self, counts: NDArray[np.int64], firsts: NDArray[np.int64], seconds: NDArray[np.int64]
    ) -> Mask:
        """Whether it is unlikely by chance alone that the rows of the first kind avoid those of the second."""
        rows = np.maximum(counts.sum(axis=(1, 2)), 1)[:, None, None]
        share = np.minimum(seconds / rows, 1 - 1e-12)
        evident: Mask = -firsts * np.log1p(-share) >= self.least
        return evident
