"""The training rows by pairs of features: how often each two bins occur together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain, Feature
from primewood.logic.variable import Variable
from primewood.model.bins import MOST_BINS, Bins

MOST_PAIRS = 1_500
"""How many pairs of features are looked at; of more, those that depend on each other the most."""
MOST_COUNTED = 40_000_000
"""How many pairs of values are counted at most: fewer pairs of features, where there are many rows."""
FINE = 16
"""From how many bins on a feature has room for slack."""


@dataclass(frozen=True)
class PairTable:
    """The training rows as bins, and the pairs of features to look at.

    Attributes
    ----------
    features : tuple of Feature
        Those with a variable, in the order of variables.
    rows : array
        The training rows, as the model takes them.
    bins : Bins
    codes : array of int
        Per row and variable its bin, from 0; −1 where the value is missing or not allowed.
    places : list of (int, int)
        The pairs of variables; where only one of the two has no order, it is the first.
    allowed : array of bool
        Per pair a table: which bins go together by the constraints of the user.
    """

    features: tuple[Feature, ...]
    rows: NDArray[np.float64]
    bins: Bins
    codes: NDArray[np.int64]
    places: list[tuple[int, int]]
    allowed: NDArray[np.bool_]

    @classmethod
    def of_rows(cls, domain: Domain, rows: NDArray[np.float64]) -> PairTable:
        """The pairs of a domain's features. Cost: one bisection per number, and a matrix of correlations."""
        points = domain.points(rows)
        bins = Bins.of_points(domain.variables, points)
        codes = bins.codes.astype(np.int64) - bins.first[:-1]
        known = (points >= 0) & (points < [_count_known(x) for x in domain.variables])
        codes = np.where(known, codes, -1)
        usable = [j for j, x in enumerate(domain.variables) if x.ordered or len(x) <= MOST_BINS]
        places = [_put_nominal_first(domain.variables, pair) for pair in _choose_pairs(usable, codes)]
        return cls(domain.seen, rows, bins, codes, places, _find_allowed(domain, bins, places))

    def is_ordered(self, j: int) -> bool:
        """Whether the values of a variable have an order."""
        return self.bins.variables[j].ordered > 0

    def is_fine(self, j: int) -> bool:
        """Whether a variable has enough bins to leave some of them as slack."""
        return self.is_ordered(j) and self.count_bins(j) >= FINE

    def count_bins(self, j: int) -> int:
        """How many bins a variable has, "missing" aside."""
        return min(len(self.bins.ends[j]), _count_known(self.bins.variables[j]))

    def count(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Per pair, how many of the chosen rows have each two bins. Cost: one step per row and pair."""
        size = MOST_BINS
        codes = self.codes[chosen]
        found = np.zeros((len(self.places), size, size), dtype=np.int64)
        for place, (j, k) in enumerate(self.places):
            first, second = codes[:, j], codes[:, k]
            known = (first >= 0) & (second >= 0)
            joint = first[known] * size + second[known]
            found[place] = np.bincount(joint, minlength=size * size).reshape(size, size)
        return found


def _count_known(variable: Variable) -> int:
    """How many values a variable has, "missing" aside."""
    return len(variable) - (variable.missing is not None)


def _put_nominal_first(variables: Sequence[Variable], pair: tuple[int, int]) -> tuple[int, int]:
    j, k = pair
    return (k, j) if variables[j].ordered and not variables[k].ordered else (j, k)


def _choose_pairs(usable: Sequence[int], codes: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The pairs to look at; of very many, those with the strongest correlation of their bins."""
    pairs = list(itertools.combinations(usable, 2))
    most = min(MOST_PAIRS, max(1, MOST_COUNTED // max(1, len(codes))))
    if len(pairs) <= most:
        return pairs
    with np.errstate(divide="ignore", invalid="ignore"):
        strength = np.nan_to_num(np.abs(np.corrcoef(codes.T)))
    j, k = np.array(pairs).T
    strongest = np.argsort(-strength[j, k], kind="stable")[:most]
    return [pairs[i] for i in np.sort(strongest)]


def _find_allowed(domain: Domain, bins: Bins, places: Sequence[tuple[int, int]]) -> NDArray[np.bool_]:
    """Which bins constraints about two features allow together: those with a corner that is allowed."""
    forbidden = np.zeros((len(places), 2, 2, MOST_BINS, MOST_BINS), dtype=bool)
    at = {pair: place for place, pair in enumerate(places)}
    for rule in domain.knowledge.rules:
        for box in rule.forbidden:
            for pair in itertools.permutations(box) if len(box) == 2 else ():
                if pair in at:
                    for i, k in itertools.product((0, 1), repeat=2):
                        sides = [_hold(bins, j, box[j], end) for j, end in zip(pair, (i, k), strict=True)]
                        forbidden[at[pair], i, k] |= np.outer(*sides)
    allowed: NDArray[np.bool_] = ~np.logical_and.reduce(forbidden, axis=(1, 2))
    return allowed


def _hold(bins: Bins, j: int, mask: int, end: int) -> NDArray[np.bool_]:
    """Which bins of a variable begin, or else end, with one of the values of a mask."""
    ends = bins.ends[j][:MOST_BINS]
    cells = ends if end else np.concatenate([[0], ends[:-1] + 1])
    found = np.zeros(MOST_BINS, dtype=bool)
    found[: len(cells)] = [bool(mask >> int(cell) & 1) for cell in cells]
    return found
