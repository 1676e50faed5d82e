"""Rows of shuffled columns: like the training rows, but with independent features.

Rules among many features that depend on each other say the same several times: with x <= y and y <= z, x <= z excludes
little. So a rule is worth less where shuffled rows are excluded already: half for every rule that does so.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from primewood.model.mining.pairs import PairTable

COUNT = 2_000
LEFT = 0.5
"""What a shuffled row still counts after one more rule excludes it, as a part of what it counted before."""


class ShuffledRows:
    """Rows of shuffled columns, and what each still counts.

    Parameters
    ----------
    pairs
    chosen
        The training rows whose columns are shuffled.
    """

    def __init__(self, pairs: PairTable, chosen: NDArray[np.bool_]) -> None:
        random, codes = np.random.default_rng(0), pairs.codes[chosen]
        columns = [random.choice(codes[:, j], COUNT) for j in range(codes.shape[1])]
        self._pairs, self._codes, self._counts = pairs, np.column_stack(columns), np.ones(COUNT)

    def find_freshness(self, pair: int, excluded: NDArray[np.bool_]) -> float:
        """What the rows that a rule excludes still count, on average; 1 where there are none."""
        inside = self._find_inside(pair, excluded)
        return float(self._counts[inside].mean()) if inside.any() else 1.0

    def exclude(self, pair: int, excluded: NDArray[np.bool_]) -> None:
        """Let rows count less that a rule excludes."""
        self._counts[self._find_inside(pair, excluded)] *= LEFT

    def _find_inside(self, pair: int, excluded: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which rows have two bins that a table of a pair excludes."""
        j, k = self._pairs.places[pair]
        first, second = self._codes[:, j], self._codes[:, k]
        inside: NDArray[np.bool_] = (first >= 0) & (second >= 0) & excluded[first, second]
        return inside
