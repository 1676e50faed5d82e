"""Votes as integers: sums that are exact, and a band that says how far a library's sum can be off.

What a leaf adds to the scores is multiplied by 2^s (and by a power of two that makes all of them at most 1)
and rounded. A leaf is *exact* if its values are multiples of 2^−20 (0, 1, 1/2, ...: most leaves of most
forests): such values add without rounding, in float64 and in integers alike, so a tie among them is a real
tie. As soon as another leaf takes part, the library's sum may differ from the real one. With u = 2^−53, and
W the sum of the groups' weights (in a plain forest of T trees, T groups of weight 1):

- the k-th partial sum of groups is at most the sum of the k largest weights, and is rounded by u times that;
- the mean of a group of n > 1 trees is rounded by (n + 3)/2 · u in the same way;
- a product with a weight other than 1 by u times the weight, and the last division by u · W.

A parallel run may add part by part; for what that rounds more, there is another 2 · u · W. `band` is the sum
of all these for the two classes that are compared, and of the integers' own rounding, in units of 2^−s: a
margin beyond it has the same sign for the library.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.ensemble import Ensemble
from primewood.errors import UnsupportedModel

EXACT_BITS = 20
MOST_WEIGHT = 2.0**25
"""Sums of multiples of 2^−20 stay apart after a division if they are smaller than this."""


@dataclass(frozen=True)
class IntegerVote:
    """The leaves of an ensemble as integers.

    Attributes
    ----------
    weights : tuple of arrays of int64, one per tree, shape (n_nodes, n_classes)
    exact : tuple of arrays of bool, one per tree, shape (n_nodes,)
    band : int
        How far rounding can move the margin of two classes, in units of 2^−s.
    """

    weights: tuple[NDArray[np.int64], ...]
    exact: tuple[NDArray[np.bool_], ...]
    band: int


def integer_vote(ensemble: Ensemble) -> IntegerVote:
    """The integer form of an ensemble's vote. Cost: linear in its leaves."""
    count = len(ensemble.trees)
    bits = min(52, 60 - math.ceil(math.log2(max(count, 2))))
    groups = [group for group in ensemble.summands for _ in range(group.size)]
    shares = [1.0 if group.size == 1 else group.weight / group.size for group in groups]
    largest = max(group.weight / group.size for group in groups)
    shift = bits - max(math.ceil(math.log2(largest)), -20) if largest > 0 else bits
    small = sum(group.weight for group in ensemble.summands) < MOST_WEIGHT
    weights, exact = [], []
    for tree, values, group, share in zip(ensemble.trees, ensemble.leaf_values, groups, shares, strict=True):
        if ensemble.vote == "mean" and (tree.value.min() < 0 or tree.value.max() > 1 + 1e-9):
            raise UnsupportedModel("a leaf's class values must lie between 0 and 1")
        weights.append(np.rint(np.ldexp(values * share, shift)).astype(np.int64))
        multiples = np.ldexp(values, EXACT_BITS)
        alone = group.size == 1 and small and shift >= EXACT_BITS
        exact.append((multiples == np.floor(multiples)).all(axis=1) & alone)
    if all(flags.all() for flags in exact):
        return IntegerVote(tuple(weights), tuple(exact), 0)
    rounding = math.ceil(math.ldexp(2 * _rounding(ensemble), shift - 53))
    return IntegerVote(tuple(weights), tuple(exact), rounding + 4 * count + 2)


def _rounding(ensemble: Ensemble) -> float:
    """How far the library's score of a class can be off before the last division, in units of 2^−53."""
    partial = total = 0.0
    for group in sorted(ensemble.summands, key=lambda g: -g.weight):  # the worst order
        partial += group.weight
        total += partial
        total += group.weight * ((group.size + 3) / 2 * (group.size > 1) + (group.weight != 1))
        total += 2 * group.weight  # added part by part
    return total + partial
