"""The values of all variables of a model, side by side, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Feature


@dataclass(frozen=True)
class Atoms:
    """The values of all variables, one variable after the other, as arrays.

    Attributes
    ----------
    starts : array of int
        Per variable where its values begin; one more at the end.
    numbers : array of int
        Per variable how many values it has, "missing" aside.
    place, column : arrays of int
        Per value the place of its variable, and the first column of its feature.
    low, high : arrays of float
        Per value of a numeric feature its least and its largest float; NaN for others.
    is_numeric, is_category, is_missing : arrays of bool
    """

    starts: NDArray[np.int64]
    numbers: NDArray[np.int64]
    place: NDArray[np.int64]
    column: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    is_numeric: NDArray[np.bool_]
    is_category: NDArray[np.bool_]
    is_missing: NDArray[np.bool_]

    def of(self, place: int) -> slice:
        """Where the values of a variable are."""
        return slice(int(self.starts[place]), int(self.starts[place + 1]))

    @classmethod
    def of_features(cls, features: Sequence[Feature]) -> Atoms:
        """The values of features that have variables."""
        sizes = [len(f.variable) for f in features if f.variable is not None]
        starts = np.cumsum([0, *sizes])
        place = np.repeat(np.arange(len(sizes)), sizes)
        numbers = np.array([n - f.missing for n, f in zip(sizes, features, strict=True)], dtype=np.int64)
        is_missing = (
            (np.arange(len(place)) - starts[place]) >= numbers[place] if sizes else place.astype(bool)
        )
        numeric = np.array([f.patterns is None for f in features], dtype=bool)[place]
        ends = np.full((2, len(place)), np.nan)
        ends[:, numeric & ~is_missing] = np.concatenate(
            [np.empty((0, 2)), *(f.all_ends for f in features if f.patterns is None)]
        ).T
        column = np.array([f.column for f in features], dtype=np.int64)[place]
        return cls(
            starts,
            numbers,
            place,
            column,
            ends[0],
            ends[1],
            numeric & ~is_missing,
            ~numeric & ~is_missing,
            is_missing,
        )
