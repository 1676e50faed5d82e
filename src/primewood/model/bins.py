"""The training rows in coarse bins, for counting what many rules match at once.

A rule of a few conditions needs no fine bounds. So the cells of each variable are put together in up to `MOST_BINS`
runs of about equally many training rows; "missing" is a bin of its own, and so is every category. Bins of all variables
are numbered through: a row is the list of its bins, one per variable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from primewood.logic.instance import Point
from primewood.logic.variable import Variable

MOST_BINS = 32
"""The most bins of a variable whose values have an order."""


@dataclass(frozen=True)
class Bins:
    """The bins of all variables, and those of the training rows.

    Attributes
    ----------
    variables : tuple of Variable
    codes : array of int
        Per row and variable, the bin.
    first : array of int
        Per variable, its first bin; one more at the end.
    ends : list of arrays
        Per variable, the last cell of each bin of its ordered values; for a category, each is its own.
    """

    variables: tuple[Variable, ...]
    codes: NDArray[np.int32]
    first: NDArray[np.int64]
    ends: list[NDArray[np.int64]]

    @classmethod
    def of_points(cls, variables: Sequence[Variable], points: NDArray[np.int64]) -> Bins:
        """The bins of rows that are given by their cells."""
        ends = [_find_ends(x, points[:, j]) for j, x in enumerate(variables)]
        sizes = [
            len(of) + (x.missing is not None and x.ordered > 0) for x, of in zip(variables, ends, strict=True)
        ]
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        codes = np.empty(points.shape, dtype=np.int32)
        for j, of in enumerate(ends):
            codes[:, j] = first[j] + np.searchsorted(of, points[:, j])
        return cls(tuple(variables), codes, first, ends)

    @property
    def total(self) -> int:
        """How many bins there are."""
        return int(self.first[-1])

    @cached_property
    def last_ordered(self) -> NDArray[np.int64]:
        """Per variable whose values have an order, its last bin that is not "missing"."""
        return np.array(
            [start + len(of) - 1 for start, of in zip(self.first, self.ends, strict=False)], dtype=np.int64
        )

    @cached_property
    def is_nominal(self) -> NDArray[np.bool_]:
        """Per variable, whether its values have no order."""
        return np.array([x.ordered == 0 for x in self.variables], dtype=bool)

    def find(self, point: Point) -> NDArray[np.int64]:
        """The bins of a point, one per variable."""
        places = [int(np.searchsorted(of, value)) for of, value in zip(self.ends, point, strict=True)]
        return self.first[:-1] + places

    def match(self, allowed: Mapping[int, NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """Which rows lie in the allowed bins; given per variable, variables that are not named allow all."""
        inside = np.ones(len(self.codes), dtype=bool)
        for j, bins in allowed.items():
            inside &= bins[self.codes[:, j] - self.first[j]]
        return inside

    def mask_of(self, j: int, bins: NDArray[np.bool_]) -> int:
        """The values of a variable that lie in some of its bins, as a bit mask."""
        variable, ends, mask = self.variables[j], self.ends[j], 0
        for place in np.flatnonzero(bins):
            if place == len(ends):
                mask |= 1 << variable.ordered
            else:
                low = 0 if place == 0 else int(ends[place - 1]) + 1
                mask |= (1 << int(ends[place]) + 1) - (1 << low)
        return mask


@dataclass(frozen=True)
class CountedRows:
    """The training rows that are counted.

    Attributes
    ----------
    places : array of int
        Which of the training rows they are.
    bins : Bins
        Their bins.
    decided : array of int
        What the model decides on them, as places in its labels.
    is_sample : bool
        Whether they are only some of the rows that could be counted.
    """

    places: NDArray[np.int64]
    bins: Bins
    decided: NDArray[np.int64]
    is_sample: bool


def _find_ends(variable: Variable, values: NDArray[np.int64]) -> NDArray[np.int64]:
    if variable.ordered == 0:
        return np.arange(len(variable), dtype=np.int64)
    last, inside = variable.ordered - 1, values[values < variable.ordered]
    if variable.ordered <= MOST_BINS:
        return np.arange(variable.ordered, dtype=np.int64)
    if not len(inside):
        return np.array([last], dtype=np.int64)
    shares = np.arange(1, MOST_BINS) / MOST_BINS
    ends = np.unique(np.quantile(inside, shares, method="inverted_cdf"))
    return np.append(ends[ends < last], last).astype(np.int64)
