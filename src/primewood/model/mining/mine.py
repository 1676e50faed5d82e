"""Mining rules from the training rows, and estimating how many new rows break them.

How many rules are kept, and with how much slack, is decided by cross-validation: rules are chosen on four fifths of the
rows, and counted on the rest. A rule at the very extreme of n rows is broken by about one of n new rows; so there is at
most one rule per `ROWS_PER_RULE` rows, and slack where that is not enough.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain
from primewood.domain.mined import MinedKnowledge, MinedRule
from primewood.model.mining.pairs import PairTable
from primewood.model.mining.rule_text import write_rule
from primewood.model.mining.selection import ChosenRule, Selection

MOST_RULES = 200
ROWS_PER_RULE = 20
FOLDS = 5
SLACKS = (0, 1, 2)
TOLERATED = 0.03
"""The largest estimated share of new rows that break a rule; the promise is 5%, and estimates err."""


@dataclass(frozen=True)
class _Plan:
    """How many rules to choose with how much slack, and what is estimated of them."""

    slack: int
    most: int
    violated: float


def mine(domain: Domain, rows: NDArray[np.float64], immutable: Collection[str] = ()) -> MinedKnowledge:
    """Rules about two features that no row breaks. Cost: a few steps per row and pair of features.

    Parameters
    ----------
    domain
        The cells of the model: the bounds of rules are cuts between them.
    rows
        The training rows, as the model takes them.
    immutable
        Features that no order shall be about: cells do not show whether such a feature keeps its number.
    """
    pairs = PairTable.of_rows(domain, rows)
    most = min(MOST_RULES, len(rows) // ROWS_PER_RULE)
    if not most or not pairs.places:
        return MinedKnowledge((), 0.0, len(rows))
    miner = _Miner(pairs, np.random.default_rng(0).permutation(len(rows)) % FOLDS, immutable)
    chosen, plan = miner.choose(most)
    return MinedKnowledge(
        tuple(_describe(one, pairs) for one in chosen), plan.violated if chosen else 0.0, len(rows)
    )


def _describe(chosen: ChosenRule, pairs: PairTable) -> MinedRule:
    text, support = write_rule(chosen.rule, pairs)
    names = tuple(pairs.features[j].name for j in pairs.places[chosen.rule.pair])
    return MinedRule(text, names, support, chosen.gain)


class _Miner:
    """Chooses rules on all rows, and on all but one fold."""

    def __init__(self, pairs: PairTable, folds: NDArray[np.int64], immutable: Collection[str]) -> None:
        self.pairs, self.folds = pairs, folds
        self.counted = [pairs.count(folds == fold) for fold in range(FOLDS)]
        self.counts = np.sum(self.counted, axis=0)
        self.every = np.ones(len(folds), dtype=bool)
        self.orders = Selection(pairs, self.counts, self.every).find_orders(immutable)

    def choose(self, most: int) -> tuple[list[ChosenRule], _Plan]:
        """The rules that exclude the most, among those that few enough new rows break."""
        best: tuple[list[ChosenRule], _Plan] = ([], _Plan(0, 0, 0.0))
        worth = 0.0
        for slack in SLACKS:
            plan = self._plan(slack, most)
            found = Selection(self.pairs, self.counts, self.every, slack).choose(plan.most, self.orders)
            gain = sum(one.gain for one in found)
            if gain > worth:
                best, worth = (found, plan), gain
            if plan.most == most:  # more slack excludes less
                break
        return best

    def _plan(self, slack: int, most: int) -> _Plan:
        """How many rules few enough new rows break, those that exclude the most first."""
        first = np.full(len(self.folds), most)
        for fold in range(FOLDS):
            first[self.folds == fold] = self._find_first_broken(fold, slack, most)
        broken = np.cumsum(np.bincount(first, minlength=most + 1)[:most])
        shares = np.concatenate([[0.0], (broken + 1) / (len(first) + 1)])  # never nothing: rows may yet come
        kept = int(np.flatnonzero(shares <= TOLERATED)[-1])
        return _Plan(slack, kept, float(shares[kept]))

    def _find_first_broken(self, fold: int, slack: int, most: int) -> NDArray[np.int64]:
        """Per row of a fold, the first of the rules from all other rows that it breaks; `most` if there is none."""
        others = self.folds != fold
        selection = Selection(self.pairs, self.counts - self.counted[fold], others, slack)
        first: NDArray[np.int64] = np.full(len(self.folds), most)
        for place, one in reversed(list(enumerate(selection.choose(most, self.orders)))):
            first[one.rule.find_broken(self.pairs)] = place
        found: NDArray[np.int64] = first[~others]
        return found
