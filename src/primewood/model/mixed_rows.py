"""Rows like the training rows that the model was not trained on: mixtures of neighbours.

A model that has learned its training rows by heart decides them with more certainty than new rows, and gets the noise
in their labels right. So counts over training rows do not tell how it decides new rows. Mixtures do: take a training
row and one of its nearest others, and each feature from one or the other by chance. The mixture lies where rows lie,
its features go together as those of rows do, and the model has not seen it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from primewood.model.bins import Bins

SEARCHED, TESTED = 3_000, 5_000
"""How many mixtures rules are searched on, and tested on."""
MOST_MIXED = 4_000
"""How many training rows are mixed, at most."""
NEAREST = 8
"""How many nearest rows a row is mixed with."""
STEPS = 16
"""How many steps of distance a standard deviation has."""
BLOCK = 500
"""For how many rows distances are computed at a time."""


@dataclass(frozen=True)
class MixedRows:
    """Mixtures in bins, and what the model decides on them: those to search on, and those to test on."""

    searched: Bins
    searched_decided: NDArray[np.int64]
    tested: Bins
    tested_decided: NDArray[np.int64]


def mix_rows(
    points: NDArray[np.int64],
    bins: Bins,
    decide_all: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    allows: Callable[[tuple[int, ...]], bool] | None,
) -> MixedRows:
    """Mixtures of at least two rows that are given by their cells and bins, without those that are not allowed.

    The same rows always have the same mixtures. Cost: distances between up to 4,000 rows, and 8,000 decisions.
    """
    random = np.random.default_rng(0)
    chosen = random.permutation(len(points))[:MOST_MIXED]
    nearest = _find_nearest(replace(bins, codes=bins.codes[chosen]))
    first = np.resize(np.arange(len(chosen)), SEARCHED + TESTED)
    second = nearest[first, random.integers(0, nearest.shape[1], len(first))]
    from_first = random.random((len(first), points.shape[1])) < 0.5
    mixed = np.where(from_first, points[chosen[first]], points[chosen[second]])
    codes = np.where(from_first, bins.codes[chosen[first]], bins.codes[chosen[second]])
    if allows is not None:
        kept = np.array([allows(tuple(point)) for point in mixed.tolist()], dtype=bool)
        mixed, codes = mixed[kept], codes[kept]
    decided, end = decide_all(mixed), len(mixed) * SEARCHED // (SEARCHED + TESTED)
    return MixedRows(
        replace(bins, codes=codes[:end]), decided[:end], replace(bins, codes=codes[end:]), decided[end:]
    )


def _find_nearest(bins: Bins) -> NDArray[np.int64]:
    """Per row, its nearest others: by bins in standard deviations, and by whether categories differ.

    Distances are whole numbers, which floats add exactly, so that they are the same on every machine.
    """
    numbers = bins.codes[:, ~bins.is_nominal].astype(np.float64)
    spread = numbers.std(axis=0)
    numbers = np.rint(STEPS * (numbers - numbers.min(axis=0)) / np.where(spread > 0, spread, 1))
    lengths, rows = (numbers * numbers).sum(axis=1), np.arange(len(numbers))
    found = np.empty((len(rows), min(NEAREST, len(rows) - 1)), dtype=np.int64)
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        distances = lengths[block, None] + lengths - 2 * numbers[block] @ numbers.T
        for j in np.flatnonzero(bins.is_nominal):
            distances += 2 * STEPS**2 * (bins.codes[block, j][:, None] != bins.codes[:, j])
        distances[rows[: len(block)], block] = 2**40
        unique = distances * len(rows) + rows
        found[block] = np.sort(np.partition(unique, found.shape[1] - 1)[:, : found.shape[1]]) % len(rows)
    return found
