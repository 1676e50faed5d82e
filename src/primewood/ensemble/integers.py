"""Votes as integers: sums that are exact, and a band that says how far a library's sum can be off.

Leaf values are multiplied by 2^s and rounded. A leaf is *exact* if all its values are multiples of
2^−20 (0, 1, 1/2, ...: most leaves of most forests): such values add without rounding, in float64 and in
integers alike, so a tie among them is a real tie. As soon as another leaf takes part, the library's sum
may differ from the real one by

- T·(T+1)/2 · 2^−53 for each of the two classes that are compared, because a partial sum of k values,
  none above 1, is rounded by at most k · 2^−53, and
- 2^−53 · T for each, because the sums are divided by the number of trees T,

and the integers by half a unit per leaf and class. `band` is the sum of all these, rounded up, in units
of 2^−s: a margin beyond it has the same sign for the library.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.ensemble import Ensemble
from primewood.errors import UnsupportedModel

EXACT_BITS = 20


@dataclass(frozen=True)
class IntegerVote:
    """The leaves of an ensemble as integers.

    Attributes
    ----------
    weights : tuple of arrays of int64, one per tree, shape (n_nodes, n_classes)
    exact : tuple of arrays of bool, one per tree, shape (n_nodes,)
    scale_bits : int
        s: a weight is a value times 2^s.
    band : int
        How far rounding can move the margin of two classes, in units of 2^−s.
    """

    weights: tuple[NDArray[np.int64], ...]
    exact: tuple[NDArray[np.bool_], ...]
    scale_bits: int
    band: int


def integer_vote(ensemble: Ensemble) -> IntegerVote:
    """The integer form of an ensemble's vote. Cost: linear in its leaves."""
    count = len(ensemble.trees)
    bits = min(52, 60 - int(np.ceil(np.log2(max(count, 2)))))
    weights, exact = [], []
    for tree in ensemble.trees:
        values = ensemble.leaf_values(tree)
        if values.size and (values.min() < 0 or values.max() > 1 + 1e-9):
            raise UnsupportedModel("a leaf's class values must lie between 0 and 1")
        weights.append(np.rint(np.ldexp(values, bits)).astype(np.int64))
        multiples = np.ldexp(values, EXACT_BITS)
        exact.append((multiples == np.floor(multiples)).all(axis=1))
    if all(flags.all() for flags in exact):
        return IntegerVote(tuple(weights), tuple(exact), bits, 0)
    rounding = (count * (count + 1) + 2 * count) >> (53 - bits)
    return IntegerVote(tuple(weights), tuple(exact), bits, rounding + count + 2)
