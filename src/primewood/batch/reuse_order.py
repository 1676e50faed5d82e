"""Which rows are explained next, and together with which other rows.

An explanation that other rows reuse should cover many rows. So each row is explained together with its nearest waiting
rows that have the same decision: they are included in its explanation one by one, while the decision stays the same.
Most of them are then covered, and get their result in the next round. The rows of one round are far from each other, so
that they can be explained at the same time.

The distance of two rows is that of their cells: for each feature the share of its range that is between them, or 1 if
it has no order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from primewood.logic.variable import Variable

NEAR = 20
"""The number of rows that a row is explained together with."""
WINDOW = 1000
"""The number of waiting rows among which the nearest are searched."""
LEAST, PART = 16, 64
"""The fewest rows of a round, and the most rows of a block per row of a round: enough to divide among workers."""


class WaitingRows:
    """Waiting rows, no two of them in one cell.

    Parameters
    ----------
    points
        Their cells, one value index per variable.
    labels
        The decisions on them.
    variables
    """

    def __init__(
        self, points: NDArray[np.int64], labels: NDArray[np.int64], variables: Sequence[Variable]
    ) -> None:
        ordered = np.array([x.ordered for x in variables], dtype=np.int64)
        self._points, self._labels = points, labels
        self._on_line = points < ordered
        self._scaled = points / np.maximum(ordered - 1, 1)
        self._found: dict[int, NDArray[np.int64]] = {}

    def choose_round(self, block: int) -> dict[int, NDArray[np.int64]]:
        """The positions of the rows to explain next, each with its nearest rows.

        `block` is how many rows a block has. Cost: at most per row one pass over `WINDOW` rows.
        """
        least = min(len(self._points), max(LEAST, block // PART))
        near = NEAR
        while len(chosen := self._apart(near)) < least:
            near //= 2
        return {place: self._nearest(place) for place in chosen}

    def _apart(self, near: int) -> list[int]:
        """The first row, and then each row that is not near a row before it."""
        chosen = []
        later = np.zeros(len(self._points), dtype=bool)
        for place in range(len(self._points)):
            if not later[place]:
                chosen.append(place)
                later[self._nearest(place)[:near]] = True
        return chosen

    def _nearest(self, place: int) -> NDArray[np.int64]:
        """The positions of the nearest rows with the same decision, the nearest first."""
        if place not in self._found:
            start = place - place % WINDOW
            alike = start + np.flatnonzero(self._labels[start : start + WINDOW] == self._labels[place])
            alike = alike[alike != place]
            nearest = np.argsort(self._distances(place, alike), kind="stable")[:NEAR]
            self._found[place] = alike[nearest]
        return self._found[place]

    def _distances(self, place: int, others: NDArray[np.int64]) -> NDArray[np.float64]:
        between = np.abs(self._scaled[others] - self._scaled[place])
        differs = self._points[others] != self._points[place]
        both = self._on_line[others] & self._on_line[place]
        distances: NDArray[np.float64] = np.where(both, between, differs).sum(axis=1)
        return distances
