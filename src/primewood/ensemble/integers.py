"""Votes as integers: sums that are exact, and a band that says how far a library's sum can be off.

What a leaf adds to a score is multiplied by 2^s and rounded. A leaf is *exact* if its values are multiples of a
power of two (0, 1, 1/2, ...: most leaves of most forests) that add without rounding, in floats and in
integers alike, so a tie among them is a real tie. As soon as another leaf takes part, the library's sum may
differ from the real one. With u = 2^−53 (2^−24 where it adds in float32), and a_1 >= a_2 >= ... the most that each
group of trees can add to a score, in absolute value, on top of what the score starts with:

- the k-th partial sum is at most start + a_1 + ... + a_k, and is rounded by u times that;
- the sum of a group of n > 1 trees is rounded in the same way, its mean and the product with a weight by u · a each;
- the last division by u times the whole sum.

A parallel run may add part by part; for what that rounds more, there is another 2 · u times the whole sum. A softmax in
floats can make two scores equal that differ by a few units in the last place of 1. `band` is the sum of all
these for the two classes that are compared, and of the integers' own rounding, in units of 2^−s: a margin
beyond it has the same sign for the library.

Where the class is the number of cuts c_1 < c_2 < ... that a score S reaches, class i gets 2iS − (2c_1 − 1) − ... −
(2c_i − 1): the lines whose upper envelope changes at the cuts. Ties between neighbours cannot occur.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.ensemble import Ensemble
from primewood.ensemble.link import first_float
from primewood.errors import UnsupportedModel

ROOM = 57
"""Sums of weights stay below 2^57."""
EXACT_BITS = {"float64": (20, 25), "float32": (10, 13)}
"""Multiples of 2^−a that sum to less than 2^b add exactly, and stay apart after a division."""


@dataclass(frozen=True)
class IntegerVote:
    """The leaves of an ensemble as integers.

    Attributes
    ----------
    weights : tuple of arrays of int64, one per tree, shape (n_nodes, n_classes)
    exact : tuple of arrays of bool, one per tree, shape (n_nodes,)
        False for the leaves that bring the band with them. A sum may be rounded only if it has such a leaf.
    band : int
        How far rounding can move the margin of two classes, in units of 2^−s.
    shift : int
        s.
    carrier : int or None
        The tree that brings the band with each of its leaves for all others; None if each inexact leaf brings it.
    """

    weights: tuple[NDArray[np.int64], ...]
    exact: tuple[NDArray[np.bool_], ...]
    band: int
    shift: int
    carrier: int | None = None


def integer_vote(ensemble: Ensemble, *, room: int = ROOM) -> IntegerVote:
    """The integer form of an ensemble's vote, with sums below 2^room. Cost: linear in its leaves."""
    groups = [group for group in ensemble.summands for _ in range(group.size)]
    shares = [1.0 if group.size == 1 else group.weight / group.size for group in groups]
    added = [
        np.where(tree.is_leaf[:, None], values * share, 0.0)
        for tree, values, share in zip(ensemble.trees, ensemble.leaf_values, shares, strict=True)
    ]
    most = np.array([abs(values).max(axis=0) for values in added])  # per tree and output
    start = np.array(ensemble.start or np.zeros(ensemble.n_outputs))
    total = float((abs(start) + most.sum(axis=0)).max())
    if not total < float(np.finfo(ensemble.precision).max) / 4:
        raise UnsupportedModel(
            f"the scores of this {ensemble.source} can be too large for {ensemble.precision}"
        )
    factor = 2 * len(ensemble.cuts) or 1
    shift = room - 2 - math.ceil(math.log2(max(total * factor, 2.0**-900)))
    shift = min(shift, 52 - math.ceil(math.log2(max(float(most.max()), 2.0**-900))))
    scaled = [np.rint(np.ldexp(values, shift)).astype(np.int64) for values in added]
    scaled[0] += np.rint(np.ldexp(start, shift)).astype(np.int64)
    exact = _exact_leaves(ensemble, total, shift)
    weights = scaled
    if ensemble.cuts:
        weights = [2 * values * np.arange(len(ensemble.classes)) for values in scaled]
        weights[0] += _offsets(ensemble, shift, total)
    if all(flags[tree.is_leaf].all() for flags, tree in zip(exact, ensemble.trees, strict=True)):
        return IntegerVote(tuple(weights), tuple(exact), 0, shift)
    rounding = 2 * (_bound_rounding(ensemble, most, abs(start)) + _slack_of_link(ensemble))
    band = factor * (math.ceil(math.ldexp(rounding, shift)) + 4 * len(added) + 2)
    once, carrier = _once(exact, ensemble)
    rounding_trees = sum(
        not flags[tree.is_leaf].all() for flags, tree in zip(once, ensemble.trees, strict=True)
    )
    if (rounding_trees + 1) * band >= 2 ** (room + 3):  # too many bands leave no room: one for all
        once, carrier = _once([np.zeros_like(flags) for flags in once], ensemble)
    return IntegerVote(tuple(weights), once, band, shift, carrier)


def _exact_leaves(ensemble: Ensemble, total: float, shift: int) -> list[NDArray[np.bool_]]:
    bits, magnitude = EXACT_BITS[ensemble.precision]
    possible = (
        total < 2.0**magnitude and shift >= bits and (ensemble.link == "identity" or bool(ensemble.cuts))
    )
    possible = possible and all(_is_multiple(np.array([[x]]), bits).all() for x in ensemble.start)
    groups = (group for group in ensemble.summands for _ in range(group.size))
    return [
        _is_multiple(values, bits) & (possible and group.size == 1)
        for values, group in zip(ensemble.leaf_values, groups, strict=True)
    ]


def _is_multiple(values: NDArray[np.float64], bits: int) -> NDArray[np.bool_]:
    multiples = np.ldexp(values, bits)
    whole: NDArray[np.bool_] = (multiples == np.floor(multiples)).all(axis=1)
    return whole


def _once(
    exact: Sequence[NDArray[np.bool_]], ensemble: Ensemble
) -> tuple[tuple[NDArray[np.bool_], ...], int | None]:
    """A band once is enough: a tree that brings it with every leaf brings it for all the others. It is named."""
    always = [t for t, tree in enumerate(ensemble.trees) if not exact[t][tree.is_leaf].any()]
    if not always:
        return tuple(exact), None
    return tuple(np.full_like(flags, t != always[0]) for t, flags in enumerate(exact)), always[0]


def _offsets(ensemble: Ensemble, shift: int, total: float) -> NDArray[np.int64]:
    """Per class, what its line starts with, for sums that have not been divided yet.

    A cut that no sum comes near is taken to be just as far as that.
    """
    found = [0]
    farthest = 1.5 * total + math.ldexp(4.0 * len(ensemble.trees) + 4, -shift)
    for cut in ensemble.cuts:
        divisor = ensemble.total_divisor
        least = cut if divisor == 1 else first_float(lambda s: s / divisor >= cut, "float64")  # noqa: B023
        least = min(max(least, -farthest), farthest)
        found.append(found[-1] + 1 - 2 * math.ceil(Fraction(least) * Fraction(2) ** shift))
    return np.array(found)


def _bound_rounding(ensemble: Ensemble, most: NDArray[np.float64], start: NDArray[np.float64]) -> float:
    """How far the library's score of a class can be off before the last division."""
    unit = 2.0**-53 if ensemble.precision == "float64" else 2.0**-24
    largest, tree = 0.0, 0
    parts = []
    for group in ensemble.summands:
        parts.append(most[tree : tree + group.size].sum(axis=0))
        tree += group.size
    for output, begin in enumerate(start):
        sizes = np.array([part[output] for part in parts])
        partial = begin + np.cumsum(-np.sort(-sizes[sizes > 0]))  # the worst order
        within = _sum_within_groups(ensemble, most[:, output])
        whole = begin + float(sizes.sum())
        divided = whole * (ensemble.total_divisor != 1)
        largest = max(largest, float(partial.sum()) + within + 2 * whole + divided)
    return largest * unit * (1 + 4 * len(most) * unit)


def _sum_within_groups(ensemble: Ensemble, most: NDArray[np.float64]) -> float:
    """What the sums, means and products inside groups round, given what each tree adds at most."""
    found, tree = 0.0, 0
    for group in ensemble.summands:
        sizes = most[tree : tree + group.size]
        tree += group.size
        if group.size > 1:
            found += float(np.cumsum(-np.sort(-sizes)).sum()) + 2 * float(sizes.sum())
    return found


def _slack_of_link(ensemble: Ensemble) -> float:
    """How far two scores can be apart and yet equal after a softmax; half of it."""
    if ensemble.cuts or ensemble.link == "identity":
        return 0.0
    return 2.0**-20 if ensemble.link == "softmax32" else 2.0**-48
