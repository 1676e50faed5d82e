"""Orders between two numeric features that all rows keep to: x <= y + c, with c just above the largest x − y seen."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primewood.model.mining.pairs import PairTable

ROOM = 0.1
"""By which part of the distance from the median of x − y to its largest value c is loosened, per step of slack."""
DIGITS = 2
"""To how many digits of that distance c is rounded up."""
NEAR_ZERO = 0.05
"""A negative c that is nearer to 0 than this part of that distance becomes 0."""


@dataclass(frozen=True)
class OrderPlace:
    """An order to look for.

    Attributes
    ----------
    pair : int
        The place of the pair.
    lower, upper : int
        The places of the two variables.
    """

    pair: int
    lower: int
    upper: int


def list_orders(pairs: PairTable, immutable: Collection[str]) -> Iterator[OrderPlace]:
    """The orders that two features can have: both numeric, both whole numbers or neither, and none immutable."""
    for place, (j, k) in enumerate(pairs.places):
        features = [pairs.features[i] for i in (j, k)]
        kinds = {(feature.kind, feature.whole) for feature in features}
        if any(feature.name in immutable for feature in features):
            continue
        if kinds in ({("numeric", True)}, {("numeric", False)}):
            yield OrderPlace(place, j, k)
            yield OrderPlace(place, k, j)


def find_largest(pairs: PairTable, order: OrderPlace) -> float | None:
    """The largest difference between the lower and the upper feature of an order; None if no row shows both."""
    lower, upper = (pairs.rows[:, pairs.features[j].column] for j in (order.lower, order.upper))
    apart = lower - upper
    apart = apart[np.isfinite(apart)]
    return float(apart.max()) if len(apart) else None


def find_constant(pairs: PairTable, order: OrderPlace, chosen: NDArray[np.bool_], slack: int) -> float | None:
    """The constant of an order that all chosen rows keep to, slightly loosened; None without rows that show both."""
    lower, upper = (pairs.rows[chosen, pairs.features[j].column] for j in (order.lower, order.upper))
    known = np.isfinite(lower) & np.isfinite(upper)
    lower, upper = lower[known], upper[known]
    if not len(lower):
        return None
    apart = lower - upper
    largest, distance = float(apart.max()), float(apart.max() - np.median(apart))
    constant = _round_up(largest + slack * ROOM * distance, distance)
    if pairs.features[order.lower].whole:
        constant = float(math.ceil(constant))
    while (lower > upper + constant).any():
        constant = math.nextafter(constant, math.inf)
    return constant if math.isfinite(constant) else None


def _round_up(constant: float, distance: float) -> float:
    """A short number slightly above a constant; 0 if that is near."""
    if -NEAR_ZERO * distance <= constant <= 0:
        return 0.0
    if not distance or not math.isfinite(distance):
        return constant
    decimals = DIGITS - 1 - math.floor(math.log10(distance))
    rounded = round(constant, decimals)
    return rounded if rounded >= constant else round(rounded + 10.0**-decimals, decimals)


def find_impossible(pairs: PairTable, order: OrderPlace, constant: float, size: int) -> NDArray[np.bool_]:
    """Which bins of a pair never go together under an order, as a table of the pair."""
    lower, upper = pairs.bins.ends[order.lower], pairs.bins.ends[order.upper]
    starts = np.concatenate([[0], lower[:-1] + 1])
    least = pairs.features[order.lower].all_ends[starts, 0]
    most = pairs.features[order.upper].all_ends[upper, 1]
    found = np.zeros((size, size), dtype=bool)
    found[: len(least), : len(most)] = least[:, None] > most[None, :] + constant
    return found if pairs.places[order.pair][0] == order.lower else found.T
