"""Looking for a rule of few conditions that holds for nearly all training rows that match it.

A beam search: rules grow by one bound at a time, and the best ones are kept. A rule is enough if, even allowing for
chance, as large a share of rows like the training rows gets the decision as was asked for: the exact (Clopper and
Pearson) lower limit of that share, given how many training rows match and how many of them get the decision. Of the
rules with the fewest conditions that are enough, the one that matches the most rows is taken, and widened as far as it
stays enough.

Large tables are searched on a part of their rows; whether a rule is enough is counted on all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from primewood.model.bins import Bins

CONFIDENCE = 0.95
"""How sure the promise is to hold, chance alone considered."""
MARGIN = 0.3
"""How many exceptions among the training rows a rule may have, in parts of those that were asked for."""
LEAST_SHARE, LEAST_ROWS = 0.01, 30
"""The fewest training rows that a rule must match: this share of them, and this many."""
WIDTH = 6
"""How many rules are kept at each step."""
MOST_STEPS = 10
"""How many bounds a rule may have at most."""
MOST_CONDITIONS = 7
"""How many conditions a rule may have at most: what people can keep in mind."""
MOST_COUNTED = 120_000
"""How many bins of rows are counted at each step, at most."""
MOST_VARIABLES = 40
"""How many variables are considered after the first step, at most."""


@dataclass(frozen=True)
class ShortRule:
    """A rule while it is searched for: which bins it allows, and how many training rows match and get the decision."""

    allowed: dict[int, NDArray[np.bool_]]
    matching: int
    same: int

    @property
    def rank(self) -> tuple[int, int]:
        """The fewer conditions the better, then the more rows."""
        return (len(self.allowed), -self.matching)


def lower_limit(same: int, matching: int, confidence: float = CONFIDENCE) -> float:
    """The exact lower limit of a share, if `same` of `matching` rows were seen to have it.

    >>> round(lower_limit(59, 59), 3), round(lower_limit(412, 418), 3)
    (0.95, 0.972)
    """
    from scipy.special import betaincinv  # type: ignore[import-untyped]

    return 0.0 if same == 0 else float(betaincinv(same, matching - same + 1, 1 - confidence))


@dataclass(frozen=True)
class Candidate:
    """A rule with one bound more, and how it fares on the rows that are searched."""

    parent: ShortRule
    variable: int
    bins: NDArray[np.bool_]
    score: float

    def allowed(self) -> dict[int, NDArray[np.bool_]]:
        """The bins that it allows."""
        before = self.parent.allowed.get(self.variable)
        bins = self.bins if before is None else self.bins & before
        return {**self.parent.allowed, self.variable: bins}


class ShortRuleSearch:
    """Looks for rules about one decision of one row."""

    def __init__(self, bins: Bins, same: NDArray[np.bool_], own: NDArray[np.int64], precision: float) -> None:
        self._bins, self._same, self._own, self._precision = bins, same, own, precision
        self._least = max(LEAST_ROWS, int(np.ceil(LEAST_SHARE * len(same))))
        self._variables = np.arange(len(bins.variables))
        count = max(1_000, MOST_COUNTED // max(1, min(len(self._variables), MOST_VARIABLES)))
        random = np.random.default_rng(0)
        rows = np.arange(len(same)) if count >= len(same) else np.sort(random.permutation(len(same))[:count])
        self._part, self._hits = replace(bins, codes=bins.codes[rows]), same[rows]
        self._share = len(rows) / max(1, len(same))

    def find(self) -> ShortRule | None:
        """The best rule that is enough; None if none was found."""
        nothing = ShortRule({}, len(self._same), int(self._same.sum()))
        if self._is_enough(nothing):
            return nothing
        beam, best, seen = [nothing], None, set()
        for _ in range(MOST_STEPS):
            candidates = sorted((x for rule in beam for x in self._extend(rule)), key=lambda x: -x.score)
            beam = []
            for candidate in candidates:
                rule = self._count(candidate.allowed())
                key = (rule.matching, rule.same, len(rule.allowed))
                if key in seen or rule.matching < self._least or len(rule.allowed) > MOST_CONDITIONS:
                    continue
                seen.add(key)
                if self._is_enough(rule):
                    best = rule if best is None or rule.rank < best.rank else best
                    continue
                beam.append(rule)
                if len(beam) == WIDTH:
                    break
            if best is not None or not beam:
                break
        return None if best is None else self._widen(best)

    def _is_enough(self, rule: ShortRule) -> bool:
        return (
            rule.matching >= self._least
            and rule.same >= (1 - MARGIN * (1 - self._precision)) * rule.matching
            and lower_limit(rule.same, rule.matching) >= self._precision
        )

    def _count(self, allowed: dict[int, NDArray[np.bool_]]) -> ShortRule:
        """A rule with its counts over all training rows."""
        inside = self._bins.match(allowed)
        return ShortRule(allowed, int(inside.sum()), int((inside & self._same).sum()))

    def _extend(self, rule: ShortRule) -> Iterator[Candidate]:
        """The most promising rules with one bound more."""
        inside, variables = self._part.match(rule.allowed), self._variables
        codes, hits = self._part.codes[inside][:, variables], self._hits[inside]
        matching = np.bincount(codes.ravel(), minlength=self._bins.total)
        same = np.bincount(codes[hits].ravel(), minlength=self._bins.total)
        found = [x for j in variables for x in self._bound(rule, int(j), matching, same)]
        found.sort(key=lambda x: -x.score)
        if not rule.allowed and len(variables) > MOST_VARIABLES:
            chosen = list(dict.fromkeys(x.variable for x in found))[:MOST_VARIABLES]
            self._variables = np.sort(np.array(chosen, dtype=np.int64))
        yield from found[: 3 * WIDTH]

    def _bound(
        self, rule: ShortRule, j: int, matching: NDArray[np.int64], same: NDArray[np.int64]
    ) -> list[Candidate]:
        """The best upper and the best lower bound of a variable; of a category, the best set."""
        first, end = int(self._bins.first[j]), int(self._bins.first[j + 1])
        own, n, k = int(self._own[j]) - first, matching[first:end], same[first:end]
        ordered = int(self._bins.last_ordered[j]) - first + 1
        if self._bins.is_nominal[j]:
            return self._choose_set(rule, j, own, n, k)
        if own >= ordered:
            return self._pick(rule, j, n[[own]], k[[own]], lambda _: np.arange(end - first) == own)
        places = np.arange(end - first)
        upper = self._pick(
            rule, j, n[:ordered].cumsum()[own:], k[:ordered].cumsum()[own:], lambda b: places <= own + b
        )
        lower = self._pick(
            rule,
            j,
            n[:ordered][::-1].cumsum()[::-1][: own + 1],
            k[:ordered][::-1].cumsum()[::-1][: own + 1],
            lambda b: (places >= b) & (places < ordered),
        )
        return [*upper, *lower]

    def _choose_set(
        self, rule: ShortRule, j: int, own: int, n: NDArray[np.int64], k: NDArray[np.int64]
    ) -> list[Candidate]:
        """Sets of categories: the row's own, with those in which the largest share gets the decision."""
        rate = np.where(np.arange(len(n)) == own, 2.0, (k + 1) / (n + 2))
        order = np.argsort(-rate, kind="stable")
        places = np.argsort(order, kind="stable")
        return self._pick(rule, j, n[order].cumsum(), k[order].cumsum(), lambda last: places <= last)

    def _pick(
        self,
        rule: ShortRule,
        j: int,
        n: NDArray[np.int64],
        k: NDArray[np.int64],
        bins_of: Callable[[int], NDArray[np.bool_]],
    ) -> list[Candidate]:
        """The two best of some sets of bins, among those that match enough rows."""
        scores = np.where(n >= self._share * self._least, _score(n, k), -1.0)
        best = np.argsort(-scores, kind="stable")[:2].tolist()
        return [Candidate(rule, j, bins_of(b), float(scores[b])) for b in best if scores[b] >= 0]

    def _widen(self, rule: ShortRule) -> ShortRule:
        """The rule without the conditions that it can do without, and the others as wide as it stays enough."""
        for j in list(rule.allowed):
            without = self._count({i: bins for i, bins in rule.allowed.items() if i != j})
            rule = without if self._is_enough(without) else rule
        while True:
            wider = [x for x in map(self._count, self._list_wider(rule)) if self._is_enough(x)]
            best = min(wider, key=lambda x: -x.matching, default=rule)
            if best.matching <= rule.matching:
                return rule
            rule = best

    def _list_wider(self, rule: ShortRule) -> Iterator[dict[int, NDArray[np.bool_]]]:
        for j, bins in rule.allowed.items():
            ordered = int(self._bins.last_ordered[j] - self._bins.first[j]) + 1
            if self._bins.is_nominal[j]:
                more = list(np.flatnonzero(~bins))
            else:
                there = np.flatnonzero(bins[:ordered])
                more = (
                    [] if not len(there) else [x for x in (there[0] - 1, there[-1] + 1) if 0 <= x < ordered]
                )
            for place in more:
                wider = bins.copy()
                wider[place] = True
                if not wider[:ordered].all():
                    yield {**rule.allowed, j: wider}


def _score(n: NDArray[np.int64], k: NDArray[np.int64]) -> NDArray[np.float64]:
    """Wilson's lower limit of the share k/n, which is quick to compute, at about two standard deviations."""
    n, share, z = np.maximum(n, 1), k / np.maximum(n, 1), 2.0
    root = np.sqrt(share * (1 - share) / n + z * z / (4.0 * n * n))
    return np.maximum(0.0, (share + z * z / (2 * n) - z * root) / (1 + z * z / n))
