"""Choosing rules: again and again the one that excludes the most of what is still allowed.

The weight of two bins is the share of rows that would have both if features were independent. A rule's gain is the
weight of what it excludes and no rule before it does; so a rule that follows from another one is never chosen.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from primewood.model.bins import MOST_BINS
from primewood.model.mining.empty_boxes import CHANCE, BoxFinder, Kind
from primewood.model.mining.orders import (
    OrderPlace,
    find_constant,
    find_impossible,
    find_largest,
    list_orders,
)
from primewood.model.mining.pairs import PairTable

LEAST_GAIN = 0.003
"""The least share of rows that a rule must exclude under independence, beside the rules before it."""
MOST_ORDERS = 12
"""How many orders are tried: the engine also takes all that follows from them by chaining."""
TRIED = 4 * MOST_BINS
"""About how many boxes of a pair are tried."""
PART = 250
"""How many pairs are looked at together."""
KINDS: dict[tuple[bool, bool], Kind] = {
    (True, True): "ordered",
    (False, True): "mixed",
    (False, False): "nominal",
}


@dataclass(frozen=True)
class BoxRule:
    """Bins of two features that never come together."""

    pair: int
    first: NDArray[np.bool_]
    second: NDArray[np.bool_]

    @cached_property
    def excluded(self) -> NDArray[np.bool_]:
        """What it excludes, as a table of the pair."""
        return np.outer(self.first, self.second)

    def find_broken(self, pairs: PairTable) -> NDArray[np.bool_]:
        """Which rows break it."""
        j, k = pairs.places[self.pair]
        first, second = pairs.codes[:, j], pairs.codes[:, k]
        return (first >= 0) & (second >= 0) & self.first[first] & self.second[second]


@dataclass(frozen=True)
class OrderRule:
    """One numeric feature is at most another one plus a constant."""

    order: OrderPlace
    constant: float
    excluded: NDArray[np.bool_]

    @property
    def pair(self) -> int:
        """The place of its pair."""
        return self.order.pair

    def find_broken(self, pairs: PairTable) -> NDArray[np.bool_]:
        """Which rows break it; none where a number is missing."""
        lower, upper = (pairs.rows[:, pairs.features[j].column] for j in (self.order.lower, self.order.upper))
        broken: NDArray[np.bool_] = lower > upper + self.constant
        return broken


PairRule = BoxRule | OrderRule


@dataclass(frozen=True)
class ChosenRule:
    """A rule, and the share of rows that it excludes under independence beside the rules before it."""

    rule: PairRule
    gain: float


class Selection:
    """Chooses rules that no chosen row breaks.

    Parameters
    ----------
    pairs
    counts
        How often two bins come together in the chosen rows.
    chosen
        The rows that count.
    slack
        How many bins, and how many steps of an order's constant, a rule keeps away from what is seen.
    """

    def __init__(
        self, pairs: PairTable, counts: NDArray[np.int64], chosen: NDArray[np.bool_], slack: int = 0
    ) -> None:
        self.pairs, self.counts, self.chosen, self.slack = pairs, counts, chosen, slack
        rows = max(1, int(chosen.sum()))
        shares = counts.sum(axis=2)[:, :, None] * counts.sum(axis=1)[:, None, :] / rows**2
        self.weights = np.where(pairs.allowed, shares, 0.0)
        self.least = math.log(max(1, len(counts)) * TRIED / CHANCE)
        self._waiting: list[tuple[float, int, PairRule]] = []

    def choose(self, most: int, orders: Iterable[OrderPlace]) -> list[ChosenRule]:
        """Rules, those that exclude the most first; among the orders, only these are tried."""
        self._find_boxes()
        for order in orders:
            self._try_order(order)
        found: list[ChosenRule] = []
        while self._waiting and len(found) < most:
            gain, _, rule = heapq.heappop(self._waiting)
            now = self._weigh(rule)
            is_best = now >= -gain * (1 - 1e-9)
            if is_best:
                found.append(ChosenRule(rule, now))
                self.weights[rule.pair][rule.excluded] = 0
            if isinstance(rule, BoxRule):
                self._find_box(rule.pair)
            elif not is_best:
                self._wait(rule, now)
        return found

    def find_orders(self, immutable: Collection[str]) -> list[OrderPlace]:
        """The orders that exclude the most, as far as that is more than by chance, with the tightest constants."""
        found = []
        for order in list_orders(self.pairs, immutable):
            largest = find_largest(self.pairs, order)
            if largest is not None:
                gain = float(
                    self.weights[order.pair][find_impossible(self.pairs, order, largest, MOST_BINS)].sum()
                )
                found.append((gain, order))
        evident = [(gain, order) for gain, order in found if gain * self.chosen.sum() >= self.least]
        evident.sort(key=lambda one: -one[0])
        return [order for _, order in evident[:MOST_ORDERS]]

    def _weigh(self, rule: PairRule) -> float:
        return float(self.weights[rule.pair][rule.excluded].sum())

    def _wait(self, rule: PairRule, gain: float) -> None:
        """Put a rule in the queue; rules of equal gain are in the order of their pairs."""
        if gain >= LEAST_GAIN:
            turn = 0 if isinstance(rule, BoxRule) else 1 + (rule.order.lower > rule.order.upper)
            heapq.heappush(self._waiting, (-gain, 3 * rule.pair + turn, rule))

    def _find_boxes(self) -> None:
        """The best box of every pair."""
        kinds = [KINDS[self.pairs.is_ordered(j), self.pairs.is_ordered(k)] for j, k in self.pairs.places]
        for kind in KINDS.values():
            places = [place for place, other in enumerate(kinds) if other == kind]
            for start in range(0, len(places), PART):
                self._find_boxes_of(kind, places[start : start + PART])

    def _find_box(self, pair: int) -> None:
        """The next box of a pair."""
        j, k = self.pairs.places[pair]
        self._find_boxes_of(KINDS[self.pairs.is_ordered(j), self.pairs.is_ordered(k)], [pair])

    def _find_boxes_of(self, kind: Kind, places: list[int]) -> None:
        first, second = (
            np.array([int(self.pairs.is_fine(self.pairs.places[place][side])) for place in places])
            for side in (0, 1)
        )
        finder = BoxFinder(kind, self.least, self.slack)
        best = finder.find(self.counts[places], self.weights[places], (first, second))
        for i, place in enumerate(places):
            self._wait(BoxRule(place, best.first[i], best.second[i]), float(best.gain[i]))

    def _try_order(self, order: OrderPlace) -> None:
        """Put an order in the queue, if it excludes more than chance would."""
        constant = find_constant(self.pairs, order, self.chosen, self.slack)
        if constant is None:
            return
        excluded = find_impossible(self.pairs, order, constant, MOST_BINS)
        rule = OrderRule(order, constant, excluded)
        gain = self._weigh(rule)
        if gain * self.chosen.sum() >= self.least:
            self._wait(rule, gain)
